/** The whole life of an app for the explorer: the cluster, the steps and what must hold. */
import { standardOracles, type ExploreOptions, type ExploreStep } from 'coxswain/testing'
import { webAppController } from '../controller.ts'
import { properties } from './properties.ts'
import { wholeLife } from './scenario.ts'

/** What `npm run -s explore` runs. */
export default exploration()

/** `npm run -s explore -- withLease`: leader election, as in production. */
export const withLease = underLease(exploration())

export function underLease({ cluster, ...rest }: ExploreOptions): ExploreOptions {
  return { ...rest, cluster: { ...cluster, leaderElection: { namespace: 'default', name: 'webapp' } } }
}

export function exploration(steps: readonly ExploreStep[] = wholeLife): ExploreOptions {
  return {
    steps,
    cluster: {
      // After a failure it waits for longer than is waited for rest: a step ends with the failure, and not with a
      // retry.
      controllers: () => [webAppController({ retry: { baseMs: 3_600_000, maxMs: 3_600_000 } })],
      nodes: 1,
      // Those that something here depends on: the others would cost as much.
      builtin: [
        'deployment-controller',
        'replicaset-controller',
        'garbage-collector-controller',
        'namespace-controller',
        'serviceaccount-controller',
        'service-cidr-controller',
        'disruption-controller',
        'horizontal-pod-autoscaler-controller',
        'node-lifecycle-controller',
      ],
      behaviours: [{ image: /^broken:/, behaviour: { failPull: true } }],
      settle: { patienceMs: 120_000 },
    },
    oracles: [...standardOracles, ...properties],
    types: ['apps/v1 ReplicaSet'],
    // Drift that is repaired before the Deployment's controller has seen it never reaches the ReplicaSet; a fault lets
    // it.
    ignore: ['metadata.generation', 'status.observedGeneration'].map((field) => `apps/v1 ReplicaSet ${field}`),
  }
}
