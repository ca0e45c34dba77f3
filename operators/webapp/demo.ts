/** What `coxswain demo`, which is `npm start`, shows of the operator: one app, and what to do to it. */
import type { OperatorDemo, Sample } from 'coxswain'
import type { WebApp, WebAppInput } from './schema/webapp.ts'

export { default } from './operator.ts'

const hello: WebAppInput & Sample = {
  apiVersion: 'coxswain.dev/v1',
  kind: 'WebApp',
  metadata: { name: 'hello' },
  spec: { image: 'nginx:1.27', replicas: 2, port: 8080, env: { ENV: 'production' } },
}

const patched = (spec: object): string => `kubectl patch webapp hello --type merge -p '${JSON.stringify({ spec })}'`

export const demo: OperatorDemo = {
  samples: [hello],
  settled: (app) => ((app as WebApp).status?.phase === 'Running' ? 'Running' : undefined),
  tries: [
    ['look', 'kubectl get webapps,deployments,pods,services'],
    ['scale', 'kubectl scale webapp hello --replicas=5'],
    ['drift: it is repaired', 'kubectl scale deployment hello --replicas=1'],
    ['break: no such image', patched({ image: 'nginx:broken' })],
    ['fix', patched({ image: 'nginx:1.28' })],
    ['why', 'kubectl describe webapp hello'],
    ['delete', 'kubectl delete webapp hello'],
  ],
}
