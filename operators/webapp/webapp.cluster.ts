/**
 * The life of an app on a real cluster: kube-apiserver, kube-controller-manager, kube-scheduler and kwok, with exactly
 * the rights of the generated manifests.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { clusterTransport, HttpTransport, loadAccess, RestClient, RestMapper, type Transport } from 'coxswain/client'
import {
  ConfigMap,
  CoreEvent,
  CustomResourceDefinition,
  Deployment,
  Ingress,
  isConditionTrue,
  isNotFound,
  keyOf,
  Namespace,
  Pod,
  Service,
  ServiceAccount,
  type ApiObject,
  type Kind,
  type Live,
  type ObjectKey,
} from 'coxswain'
import { Manager } from 'coxswain/manager'
import { realEnv } from 'coxswain/env'
import { plan } from 'coxswain/plan'
import { fixedCredentials } from '../../src/client/credentials.ts'
import { startCluster, type Cluster } from '../../test/cluster/index.ts'
import { webAppController } from './controller.ts'
import operator from './operator.ts'
import { WebApp } from './schema/webapp.ts'
import { violations, type Observed } from './testing/invariants.ts'

const env = realEnv()
const namespace = 'shop'
const key = { namespace, name: 'hello' }
const open: { stop: () => Promise<void> }[] = []
let cluster: Cluster
let client: RestClient
const broken: string[] = []
const forbidden: string[] = []
const requests: string[] = []

beforeAll(async () => {
  cluster = await startCluster({ controllers: true, scheduler: true, nodes: 2 })
  open.push(cluster)
  const own = clusterTransport(env, await loadAccess({ env, kubeconfig: cluster.kubeconfig }))
  open.unshift({ stop: () => own.close() })
  client = new RestClient({ env, transport: own, fieldManager: 'user' })
  await install()
  await client.create(Namespace, { metadata: { name: namespace } })
  await startOperator()
})
afterAll(async () => {
  for (const each of open) await each.stop()
})

/** As `kubectl apply -f deploy` would, but for the workload, which this process is. */
async function install(): Promise<void> {
  const mapper = new RestMapper(client)
  const { objects } = await operator.manifests()
  for (const object of objects.filter(({ kind }) => kind !== 'Deployment')) {
    await client.apply(await mapper.kindOfObject(object), object as never, { force: true })
  }
  await until(CustomResourceDefinition, { name: 'webapps.coxswain.dev' }, ({ status }) =>
    isConditionTrue((status?.conditions as never) ?? [], 'Established'),
  )
}

/** Under its own service account. */
async function startOperator(): Promise<void> {
  const { items } = await client.list(ServiceAccount, { namespace: 'webapp-system' })
  const account = items.find(({ metadata }) => metadata.name !== 'default') as Live<ServiceAccount>
  const wish = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: { audiences: [] } }
  const answer = await client.createSubresource(ServiceAccount, keyOf(account), 'token', wish)
  const { token } = (answer as unknown as { status: { token: string } }).status
  const credentials = fixedCredentials({ authorization: `Bearer ${token}` })
  const inner = new HttpTransport({
    env,
    server: cluster.url,
    credentials,
    trust: () => Promise.resolve({ ca: cluster.ca }),
  })
  const transport: Transport = {
    host: inner.host,
    async request(request) {
      const response = await inner.request(request)
      if (response.status === 403 || response.status === 401) forbidden.push(`${request.method} ${request.path}`)
      if (request.stream !== true && request.method !== 'GET')
        requests.push(`${request.method} ${request.path.replace(/\?.*/, '')}`)
      const isStatus = /\/webapps\/[^/?]+\/status/.test(request.path) && response.status === 200
      if (isStatus) broken.push(...violations(response.body as unknown as Observed))
      return response
    },
    close: () => inner.close(),
  }
  const manager = new Manager({ env, transport, controllers: [webAppController()] })
  const stop = new AbortController()
  const ended = manager.run(stop.signal)
  open.unshift({
    async stop() {
      stop.abort()
      await ended
      await inner.close()
    },
  })
  await manager.whenWorking()
}

/** Until a watch shows it so; `undefined`: until it is gone. */
async function until<T extends ApiObject>(
  kind: Kind<T>,
  at: ObjectKey,
  fits: ((found: Live<T>) => boolean) | undefined,
): Promise<Live<T>> {
  return seen(kind, { namespace: at.namespace, fieldSelector: `metadata.name=${at.name}` }, fits)
}

async function seen<T extends ApiObject>(
  kind: Kind<T>,
  where: { namespace?: string | undefined; fieldSelector: string },
  fits: ((found: Live<T>) => boolean) | undefined,
): Promise<Live<T>> {
  for await (const batch of await client.watch(kind, where)) {
    for (const event of batch) {
      if (event.type === 'BOOKMARK') continue
      if (event.type === 'DELETED' ? fits === undefined : fits?.(event.object) === true) return event.object
    }
  }
  throw new Error(`the watch of ${kind.kind} ended before it came`)
}

const reported = (reason: string, words = ''): Promise<unknown> =>
  seen(CoreEvent, { namespace, fieldSelector: `involvedObject.kind=WebApp,reason=${reason}` }, ({ message = '' }) =>
    message.includes(words),
  )

const app = (): Promise<Live<WebApp>> => client.get(WebApp, key)
const shows = (fits: (found: Live<WebApp>) => boolean): Promise<Live<WebApp>> =>
  until(WebApp, key, (found) => found.status?.observedGeneration === found.metadata.generation && fits(found))
const ready = (): Promise<Live<WebApp>> => shows(({ status }) => isConditionTrue(status?.conditions ?? [], 'Ready'))
const patch = (spec: object): Promise<unknown> => client.patch(WebApp, key, { type: 'merge', patch: { spec } as never })
const isGone = (kind: Kind): Promise<boolean> =>
  client.get(kind, key).then(
    () => false,
    (error: unknown) => {
      if (!isNotFound(error)) throw error
      return true
    },
  )

describe('on a real cluster', () => {
  it('an app comes up, in few calls, and serves', async () => {
    const from = requests.length
    await client.create(WebApp, {
      metadata: { ...key },
      spec: { image: 'nginx:1.20', env: { ENV: 'production' } },
    })
    expect((await app()).status?.phase).toMatch(/Pending|Creating/)
    const { status } = await ready()
    expect(status).toMatchObject({ phase: 'Running', readyReplicas: 1, url: 'http://hello.shop.svc' })
    await reported('Running')
    // Seven, and one more for each five seconds that the pod takes.
    expect(requests.slice(from).length).toBeLessThanOrEqual(9)
  })

  it('an app on a real cluster follows every field, rolls what must roll, and repairs drift', async () => {
    await patch({ image: 'nginx:1.21', replicas: 2, port: 8080, ingress: { host: 'hello.example.com' } })
    await ready()
    expect((await client.get(Deployment, key)).spec).toMatchObject({
      replicas: 2,
      template: { spec: { containers: [{ image: 'nginx:1.21' }] } },
    })
    expect((await client.get(Service, key)).spec?.ports).toMatchObject([{ port: 8080 }])
    await client.patch(
      Deployment,
      key,
      { type: 'merge', patch: { spec: { replicas: 7 } } },
      { fieldManager: 'mallory' },
    )
    await until(Deployment, key, ({ spec }) => spec?.replicas === 2)
    const ports = [{ name: 'http', port: 81, targetPort: 'http' }]
    await client.patch(Service, key, { type: 'merge', patch: { spec: { ports } } }, { fieldManager: 'mallory' })
    await until(Service, key, ({ spec }) => spec?.ports?.length === 1 && spec.ports[0]?.port === 8080)
    await ready()
    await reported('DriftRepaired', 'spec.replicas was not as it should be (changed by mallory)')
    await reported('DriftRepaired', 'spec.ports was not as it should be (changed by mallory)')
  })

  it('an app on a real cluster does what a plan has said, which itself writes nothing', async () => {
    const {
      metadata: { resourceVersion },
      spec,
    } = await ready()
    const wish = {
      apiVersion: WebApp.apiVersion,
      kind: WebApp.kind,
      metadata: { ...key },
      spec: { ...spec, image: 'nginx:1.22', replicas: 3 },
    } as never
    const made = await plan({ operator, from: client, apply: [wish], now: env.now() })
    expect(made.warnings).toEqual([])
    expect(made.pending).toEqual({ changes: [], events: [], calls: [] })
    expect(made.work.changes).toMatchObject([
      {
        action: 'update',
        kind: 'Deployment',
        fields: [
          { path: 'spec.replicas', before: 2, after: 3 },
          { path: 'spec.template.spec.containers[name=web].image', before: 'nginx:1.21', after: 'nginx:1.22' },
        ],
      },
    ])
    expect(made.outcomes).toMatchObject([{ status: { phase: 'Running', readyReplicas: 3 } }])
    expect((await app()).metadata.resourceVersion).toBe(resourceVersion)
    const before = (await client.get(Deployment, key)).spec
    await client.apply(WebApp, wish, { force: true })
    await ready()
    const after = (await client.get(Deployment, key)).spec
    expect(after).toEqual({
      ...before,
      replicas: 3,
      template: {
        ...before?.template,
        spec: {
          ...before?.template?.spec,
          containers: [{ ...before?.template?.spec?.containers?.[0], image: 'nginx:1.22' }],
        },
      },
    })
    await patch({ replicas: 2 })
    await ready()
  })

  it('an app on a real cluster hands over to an autoscaler, and rolls with its configuration', async () => {
    await client.create(ConfigMap, { metadata: { namespace, name: 'settings' }, data: { a: '1' } })
    await patch({
      replicas: null,
      autoscaling: { min: 1, max: 5, cpu: 80 },
      envFrom: [{ configMapRef: { name: 'settings' } }],
    })
    await ready()
    expect((await client.get(Deployment, key)).spec?.replicas).toBe(2)
    const before = (await app()).status?.configChecksum
    await client.patch(ConfigMap, { namespace, name: 'settings' }, { type: 'merge', patch: { data: { a: '2' } } })
    await shows(({ status }) => status?.configChecksum !== before)
    await ready()
    await patch({ autoscaling: null, replicas: 1 })
    await ready()
    expect((await client.get(Deployment, key)).spec?.replicas).toBe(1)
  })

  it('an app on a real cluster fails when no node takes the pods, rolls back, and recovers', async () => {
    await patch({ onFailure: 'Rollback', progressDeadlineSeconds: 5, resources: { requests: { cpu: '1000' } } })
    const failed = await shows(({ status }) => status?.phase === 'Failed')
    expect(failed.status).toMatchObject({ failedRevision: { reason: 'Unschedulable' } })
    await shows(
      ({ status }) => status?.availableReplicas === 1 && status.updatedReplicas === 1 && status.replicas === 1,
    )
    expect(
      (await client.get(Deployment, key)).spec?.template?.spec?.containers?.[0]?.resources?.requests,
    ).toBeUndefined()
    await patch({ resources: null })
    expect((await ready()).status?.phase).toBe('Running')
  })

  it('an app on a real cluster goes in order, and leaves nothing', async () => {
    await patch({ deletionPolicy: 'WaitForTermination' })
    await ready()
    const going = until(WebApp, key, undefined)
    await client.delete(WebApp, key)
    await going
    for (const kind of [Deployment, Service, Ingress]) expect(await isGone(kind as never)).toBe(true)
    expect((await client.list(Pod, { namespace })).items).toEqual([])
  })

  it('all the while its status kept every rule, and its rights were enough', () => {
    expect(broken).toEqual([])
    expect(forbidden).toEqual([])
  })
})
