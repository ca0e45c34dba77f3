/** The life of an app in steps: each changes one thing, and then the cluster settles. */
import {
  ConfigMap,
  Deployment,
  Ingress,
  isNotFound,
  PodDisruptionBudget,
  Service,
  type ApiObject,
  type Kind,
} from 'coxswain'
import type { Embedded, ExploreStep } from 'coxswain/testing'
import { appLabel } from '../children/identity.ts'
import { WebApp, type WebAppInput } from '../schema/webapp.ts'

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

/** What is noticed when it happens, and not in the next check, which comes within 30 s. */
const promptly = (...steps: readonly ExploreStep[]): readonly ExploreStep[] =>
  steps.map((each) => ({ ...each, withinMs: 15_000 }))

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
  ...promptly(step('config', config({ COLOUR: 'red' })), step('config changes', config({ COLOUR: 'blue' }))),
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
const drifts = promptly(
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
)

/** A roll-out that fails, and what there is to do about it. */
const failures = [
  step('fail', patch({ image: 'broken:1' }), 'not ready'),
  ...promptly(step('service deleted after a failure', remove(Service), 'not ready')),
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

const holder = 'example.dev/holder'

const hold =
  <T extends ApiObject>(kind: Kind<T>) =>
  async ({ client }: Embedded): Promise<void> => {
    const { finalizers = [], resourceVersion } = (await client.get(kind, key)).metadata
    const metadata = { finalizers: [...finalizers, holder], resourceVersion }
    await client.patch(kind, key, { type: 'merge', patch: { metadata } as never }, { fieldManager: 'somebody' })
  }

/** If it is there, and still held. */
async function release<T extends ApiObject>({ client }: Embedded, kind: Kind<T>): Promise<void> {
  const { finalizers = [], resourceVersion } = (await found(client.get(kind, key)))?.metadata ?? {}
  if (!finalizers.includes(holder)) return
  const metadata = { finalizers: finalizers.filter((name) => name !== holder), resourceVersion }
  await client.patch(kind, key, { type: 'merge', patch: { metadata } as never }, { fieldManager: 'somebody' })
}

function found<Result>(wanted: Promise<Result>): Promise<Result | undefined> {
  return wanted.catch((error: unknown) => {
    if (!isNotFound(error)) throw error
    return undefined
  })
}

const settled = (cluster: Embedded): Promise<void> => cluster.settle({ allowFailing: true })

/** Somebody else has finalizers on the app and on a child. */
const held: readonly ExploreStep[] = [
  step('create again', create({ image: 'nginx:1.20' })),
  step('somebody holds the app', hold(WebApp)),
  step('somebody holds the service', hold(Service)),
  {
    ...step('delete what is held', remove(WebApp)),
    rest: async (cluster) => {
      await settled(cluster)
      await release(cluster, Service)
      await settled(cluster)
      await release(cluster, WebApp)
      await settled(cluster)
    },
  },
]

/** The children stay, and the user deletes them. */
const orphaned: readonly ExploreStep[] = [
  step('create what leaves its children', create({ image: 'nginx:1.20', deletionPolicy: 'Orphan' })),
  {
    ...step('delete the app alone', remove(WebApp)),
    rest: async (cluster) => {
      await settled(cluster)
      if ((await found(cluster.client.get(WebApp, key))) !== undefined) return
      await found(cluster.client.delete(Service, key))
      await found(cluster.client.delete(Deployment, key))
      await settled(cluster)
    },
  },
]

const suspended: readonly ExploreStep[] = [
  step('create once more', create({ image: 'nginx:1.20' })),
  step("somebody's ingress of the same name", (cluster) => cluster.apply(foreignIngress)),
  step('suspend before the deletion', patch({ suspend: true }), 'not ready'),
  step('delete while suspended', remove(WebApp)),
]

/** Somebody else has made a Deployment of the app's name: first one with an owner, then one that no cache has. */
const taken: readonly ExploreStep[] = [
  step("somebody's deployment of the same name", async (cluster) => {
    const owner = { apiVersion: 'v1', kind: 'ConfigMap' }
    await cluster.apply({ ...owner, metadata: { name: 'hello' } } as never)
    const { name, uid } = (await cluster.client.get(ConfigMap, key)).metadata
    await cluster.apply(
      foreignDeployment({
        labels: { [appLabel]: 'hello' },
        ownerReferences: [{ ...owner, name, uid, controller: true }],
      }),
    )
  }),
  step('create where the name is taken', create({ image: 'nginx:1.20' }), 'not ready'),
  step(
    'another one takes the name',
    async (cluster) => {
      await remove(Deployment)(cluster)
      await cluster.apply(foreignDeployment({}))
    },
    'not ready',
  ),
  step('try it where another one is', annotate({ 'coxswain.dev/reconcile-at': 'another one' }), 'not ready'),
  step('the name is free', async (cluster) => {
    await remove(Deployment)(cluster)
    await annotate({ 'coxswain.dev/reconcile-at': 'the name is free' })(cluster)
  }),
  step('delete it, too', remove(WebApp)),
]

/** With the label of the app it is in the caches of the operator. */
const foreignIngress = {
  apiVersion: 'networking.k8s.io/v1',
  kind: 'Ingress',
  metadata: { name: 'hello', labels: { [appLabel]: 'hello' } },
  spec: { defaultBackend: { service: { name: 'other', port: { number: 80 } } } },
} as never

const foreignDeployment = (metadata: object): never => {
  const labels = { app: 'other' }
  const template = { metadata: { labels }, spec: { containers: [{ name: 'other', image: 'nginx:1.20' }] } }
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'hello', ...metadata },
    spec: { selector: { matchLabels: labels }, template },
  } as never
}

/** Ways to an end, and what is in the way. */
const ends = { held, orphaned, suspended, taken } as const

export const parts = { creation, updates, drifts, failures, deletion, ...ends } as const

/** Everything, in one life. */
export const wholeLife: readonly ExploreStep[] = Object.values(parts).flat()
