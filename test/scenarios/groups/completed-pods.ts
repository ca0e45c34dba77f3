/** Pods that run to completion: those of Jobs. The Job itself is managed by the scenario (`managedBy`). */
import type { JsonObject } from '../../../src/api/json.ts'
import type { Act, Scenario } from '../scenario.ts'
import { jobs, pods, until } from '../steps.ts'

const podSpec = (spec: JsonObject): JsonObject => ({
  restartPolicy: 'Never',
  terminationGracePeriodSeconds: 1,
  automountServiceAccountToken: false,
  containers: [{ name: 'c', image: 'registry.example/c:1' }],
  ...spec,
})

const steps = (spec: JsonObject): readonly Act[] => [
  jobs.create({
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: { name: 'j' },
    spec: { managedBy: 'example.com/by-hand', template: { spec: podSpec({}) } },
  }),
  pods.create({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name: 'p',
      ownerReferences: [
        { apiVersion: 'batch/v1', kind: 'Job', name: 'j', uid: '{{0.metadata.uid}}', controller: true },
      ],
    },
    spec: podSpec(spec),
  }),
  until(pods.get('p').path, { 'status.phase': 'Succeeded' }),
]

const container = (name: string): JsonObject => ({ name, image: 'registry.example/c:1' })

export const completedPodScenarios: readonly Scenario[] = [
  { name: 'completed-pod', steps: steps({}) },
  {
    name: 'completed-pod-of-two',
    steps: steps({ restartPolicy: 'OnFailure', containers: [container('a'), container('b')] }),
  },
  { name: 'completed-pod-with-init', steps: steps({ initContainers: [container('before')] }) },
]
