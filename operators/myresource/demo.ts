/** For `coxswain demo`: one MyResource. */
import type { InputOf, ObjectOf, OperatorDemo, Sample } from 'coxswain'
import type { MyResource } from './operator.ts'

export { default } from './operator.ts'

const sample: InputOf<typeof MyResource> & Sample = {
  apiVersion: 'mygroup.example.com/v1alpha1',
  kind: 'MyResource',
  metadata: { name: 'sample' },
  spec: { image: 'nginx:1.27', memory: '512Mi' },
}

export const demo: OperatorDemo = {
  samples: [sample],
  settled: (object) => ((object as ObjectOf<typeof MyResource>).status?.state === 'Ready' ? 'Ready' : undefined),
  tries: [
    ['look', 'kubectl get myresources,deployments,pods'],
    ['change', `kubectl patch myresource sample --type merge -p '{"spec":{"memory":"1Gi"}}'`],
    ['delete', 'kubectl delete myresource sample'],
  ],
}
