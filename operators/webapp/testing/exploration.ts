/**
 * The whole life of an app as a scenario for the explorer: each step changes one thing, and then the cluster settles.
 */
import { ConfigMap, Deployment, Ingress, PodDisruptionBudget, Service, type ApiObject, type Kind } from 'coxswain'
import {
  childrenGoFirst,
  declaredEdges,
  standardOracles,
  type Embedded,
  type ExploreOptions,
  type Oracle,
  type ExploreStep,
} from 'coxswain/testing'
import { webAppController } from '../controller.ts'
import { WebApp, type WebAppInput } from '../schema/webapp.ts'
import { lifecycle } from '../steps/lifecycle.ts'
import { violations, type Observed } from './invariants.ts'

const key = { namespace: 'default', name: 'hello' }

type Spec = Partial<WebAppInput['spec']> | Readonly<Record<string, unknown>>

const patch =
  (spec: Spec) =>
  async ({ client }: Embedded): Promise<void> =>
    void (await client.patch(WebApp, key, { type: 'merge', patch: { spec } as never }))
const annotate =
  (annotations: Readonly<Record<string, string>>) =>
  async ({ client }: Embedded): Promise<void> =>
    void (await client.patch(WebApp, key, { type: 'merge', patch: { metadata: { annotations } } }))
const edit =
  <T extends ApiObject>(kind: Kind<T>, change: object) =>
  async ({ client }: Embedded): Promise<void> =>
    void (await client.patch(kind, key, { type: 'merge', patch: change as never }, { fieldManager: 'somebody' }))
const remove =
  <T extends ApiObject>(kind: Kind<T>) =>
  async ({ client }: Embedded): Promise<void> =>
    void (await client.delete(kind, key))
const config =
  (data: Readonly<Record<string, string>>) =>
  (cluster: Embedded): Promise<void> =>
    cluster.apply({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'settings' }, data } as never)

const create =
  (spec: WebAppInput['spec']) =>
  (cluster: Embedded): Promise<void> =>
    cluster.apply({ apiVersion: WebApp.apiVersion, kind: WebApp.kind, metadata: { name: 'hello' }, spec } as never)

const step = (name: string, act: ExploreStep['act'], expects?: ExploreStep['expects']): ExploreStep => ({
  name,
  act,
  expects,
})

const creation = [step('create', create({ image: 'nginx:1.20', env: { ENV: 'production' } }))]

/** Each field of a spec, as a user would change it. */
const updates = [
  step('image', patch({ image: 'nginx:1.21' })),
  step('replicas', patch({ replicas: 2 })),
  step('port', patch({ port: 8080 })),
  step('ports', patch({ ports: [{ name: 'metrics', port: 9090 }] })),
  step('env', patch({ env: { ENV: 'staging', MORE: '1' } })),
  step('command', patch({ command: ['/server'], args: ['--verbose'] })),
  step('resources', patch({ resources: { requests: { cpu: '100m', memory: '64Mi' } } })),
  step('probes', patch({ probes: { liveness: { httpGet: { path: '/healthz', port: 'http' } } } })),
  step('strategy', patch({ strategy: { type: 'Recreate' } })),
  step('progress deadline', patch({ progressDeadlineSeconds: 20 })),
  step('history', patch({ revisionHistoryLimit: 3 })),
  step('security', patch({ security: { runAsUser: 1000 } })),
  step('spread', patch({ topologySpread: 'Off' })),
  step('termination', patch({ terminationGracePeriodSeconds: 5, preStopSeconds: 2 })),
  step('pod metadata', patch({ podMetadata: { labels: { tier: 'front' } } })),
  step('config that is missing', patch({ envFrom: [{ configMapRef: { name: 'settings' } }] }), 'not ready'),
  step('config', config({ COLOUR: 'red' })),
  step('config changes', config({ COLOUR: 'blue' })),
  step('service', patch({ service: { port: 81 } })),
  step('ingress', patch({ ingress: { host: 'hello.example.com' } })),
  step('no disruption budget', patch({ disruption: { enabled: false } })),
  step('disruption budget', patch({ disruption: { enabled: true } })),
  step('autoscaling', patch({ replicas: null, autoscaling: { min: 2, max: 4, cpu: 80 } })),
  step('no autoscaling', patch({ replicas: 2, autoscaling: null })),
  step('suspend', patch({ suspend: true }), 'not ready'),
  step('change while suspended', patch({ image: 'nginx:1.22' }), 'not ready'),
  step('resume', patch({ suspend: false })),
  step('reconcile now', annotate({ 'coxswain.dev/reconcile-at': 'now' })),
]

/** Each child, changed and deleted by another client. */
const drifts = [
  // Not of the template: how many pods roll before it is repaired is a race with the Deployment controller.
  step('drift of the deployment', edit(Deployment, { spec: { minReadySeconds: 7 } })),
  step('drift of the service', edit(Service, { spec: { selector: { 'coxswain.dev/webapp': 'other' } } })),
  step('drift of the ingress', edit(Ingress, { spec: { rules: [{ host: 'other.example.com' }] } })),
  step('drift of the disruption budget', edit(PodDisruptionBudget, { spec: { minAvailable: 1 } })),
  step('deployment deleted', remove(Deployment)),
  step('service deleted', remove(Service)),
  step('ingress deleted', remove(Ingress)),
  step('disruption budget deleted', remove(PodDisruptionBudget)),
  step('drift is let be', patch({ drift: { mode: 'Warn' } })),
  step(
    'drift that is only told',
    edit(Service, { spec: { selector: { 'coxswain.dev/webapp': 'other' } } }),
    'not ready',
  ),
  step('drift is repaired again', patch({ drift: { mode: 'Enforce' } })),
]

/** A roll-out that fails, and what there is to do about it. */
const failures = [
  step('fail', patch({ image: 'broken:1' }), 'not ready'),
  step('service deleted after a failure', remove(Service), 'not ready'),
  step('retry that fails', annotate({ 'coxswain.dev/reconcile-at': 'again' }), 'not ready'),
  step('recover', patch({ image: 'nginx:1.23' })),
  step('roll back', patch({ onFailure: 'Rollback', image: 'broken:2' }), 'not ready'),
  step('go on after a roll-back', patch({ image: 'nginx:1.24' })),
  step(
    'config goes',
    async ({ client }) => void (await client.delete(ConfigMap, { ...key, name: 'settings' })),
    'not ready',
  ),
  step('config comes back', config({ COLOUR: 'green' })),
]

const deletion = [step('delete', remove(WebApp))]

export const parts = { creation, updates, drifts, failures, deletion } as const

/** Everything, in one life. */
export const wholeLife: readonly ExploreStep[] = [...creation, ...updates, ...drifts, ...failures, ...deletion]

const ownConditions: Oracle = {
  name: 'conditions of an app',
  change: ({ by, object }) => {
    if (by !== 'operator' || object.kind !== WebApp.kind) return undefined
    const app = object as Observed
    // Before the first status there is nothing to say.
    return app.status?.conditions === undefined ? undefined : violations(app).join('; ') || undefined
  },
}

/** What an app needs is there when all is at rest, whatever phase it is in; unless nobody shall touch it. */
const complete: Oracle = {
  name: 'complete',
  rest: (world) => {
    const missing = world
      .objects(WebApp)
      .filter(
        ({ spec, metadata }) =>
          !spec.suspend && spec.drift.mode === 'Enforce' && metadata.deletionTimestamp === undefined,
      )
      .flatMap(({ metadata: { name } }) =>
        [Deployment, Service]
          .filter((kind) => !world.objects<ApiObject>(kind).some(({ metadata }) => metadata.name === name))
          .map(({ kind }) => `${kind} ${name}`),
      )
    return missing.length === 0 ? undefined : `${missing.join(', ')} is missing`
  },
}

/** A run may walk several edges before it writes a status. */
function reachable(): Readonly<Record<string, readonly string[]>> {
  const from = (phase: string): readonly string[] => {
    const reached = new Set([phase])
    for (const each of reached) for (const [start, end] of lifecycle.edges) if (start === each) reached.add(end)
    return [...reached].filter((each) => each !== phase)
  }
  return { '': lifecycle.phases, ...Object.fromEntries(lifecycle.phases.map((phase) => [phase, from(phase)])) }
}

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
      // Those that nothing here depends on cost as much as the others.
      builtin: [
        'all',
        '-endpoints-controller',
        '-endpointslice-controller',
        '-resourcequota-controller',
        '-root-ca-certificate-publisher-controller',
        '-taint-eviction-controller',
      ],
      behaviours: [{ image: /^broken:/, behaviour: { failPull: true } }],
      settle: { patienceMs: 120_000 },
    },
    oracles: [
      ...standardOracles,
      ownConditions,
      complete,
      childrenGoFirst(WebApp, Deployment, Service, Ingress),
      declaredEdges(WebApp, ({ status }) => status?.phase, reachable()),
    ],
    types: ['apps/v1 ReplicaSet'],
    // Drift that is repaired before the Deployment's controller has seen it never reaches the ReplicaSet; a fault lets
    // it.
    ignore: ['metadata.generation', 'status.observedGeneration'].map((field) => `apps/v1 ReplicaSet ${field}`),
  }
}
