/**
 * Tests an operator's declarations on a real kube-apiserver: it calls the webhooks, converts with them, and the
 * generated RBAC rules are sufficient for the operator's account.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ApiError } from '../../src/api/status.ts'
import { clusterTransport } from '../../src/client/cluster-access.ts'
import { fixedCredentials } from '../../src/client/credentials.ts'
import { HttpTransport } from '../../src/client/http-transport.ts'
import { loadAccess } from '../../src/client/load-access.ts'
import { RestClient } from '../../src/client/rest-client.ts'
import { RestMapper } from '../../src/client/rest-mapper.ts'
import { isConditionTrue } from '../../src/controller/conditions.ts'
import { realEnv } from '../../src/env/real.ts'
import { Manager } from '../../src/manager/manager.ts'
import guestbook, { Guestbook } from '../../src/manifests/testdata/guestbook.ts'
import {
  CustomResourceDefinition,
  Deployment,
  Namespace,
  Service,
  ServiceAccount,
} from '../../src/schema/builtin/kinds.ts'
import { kindName } from '../../src/schema/kind.ts'
import { createLogger } from '../../src/telemetry/log-writer.ts'
import { Metrics } from '../../src/telemetry/metrics.ts'
import { AccessRecorder } from '../../src/cluster/access-recorder.ts'
import { Shop, ShopV1alpha1, webhooks } from '../../src/webhooks/testdata/shop.ts'
import { Webhooks } from '../../src/webhooks/webhooks.ts'
import { startCluster, type Cluster } from '../cluster/index.ts'
import { eventually } from './served-plane.ts'

const env = realEnv()
const log = createLogger({ env, level: 'error', write: (line) => console.error(line) })
const warnings: string[] = []
let cluster: Cluster
let transport: HttpTransport
let client: RestClient

beforeAll(async () => {
  cluster = await startCluster()
  transport = clusterTransport(env, await loadAccess({ env, kubeconfig: cluster.kubeconfig }))
  client = new RestClient({ env, transport, fieldManager: 'user', onWarning: (message) => void warnings.push(message) })
})
afterAll(async () => {
  await transport.close()
  await cluster.stop()
})

async function established(kind: { readonly group: string; readonly plural: string }): Promise<void> {
  await eventually(
    await client.watch(CustomResourceDefinition),
    ({ metadata, status }) =>
      metadata.name === kindName(kind as never) && isConditionTrue((status?.conditions as never) ?? [], 'Established'),
  )
}

async function refused(write: Promise<unknown>): Promise<string> {
  const error = await write.then(
    () => undefined,
    (failure: unknown) => failure,
  )
  if (error instanceof ApiError) return `${error.code} ${error.message}`
  throw new Error(`not refused: ${String(error)}`)
}

describe('webhooks of a local run', () => {
  const shop = (name: string, owner = 'ann', rooms = 1) => ({
    metadata: { namespace: 'default', name },
    spec: { owner: { name: owner }, rooms },
  })
  let served: Webhooks

  beforeAll(async () => {
    await client.create(CustomResourceDefinition, Shop.crd)
    await established(Shop)
    served = new Webhooks({
      env,
      client,
      log,
      metrics: new Metrics(),
      name: 'shop',
      namespace: 'default',
      webhooks,
      host: '127.0.0.1',
      port: 0,
      url: 'local',
    })
    await served.start()
    // The server needs a moment to observe the webhooks: until then it accepts the shop of `nobody`.
    for (let tries = 0; ; tries++) {
      const answer = await client.create(Shop, shop('probe', 'nobody'), { dryRun: true }).then(
        () => undefined,
        (error: unknown) => error,
      )
      if (answer instanceof ApiError && answer.code === 403) return
      if (tries > 200) throw new Error(`the webhook is not called: ${String(answer)}`)
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
  })
  afterAll(() => served.stop())

  it('webhooks of a local run refuse, warn and change', async () => {
    expect(await refused(client.create(Shop, shop('a', 'nobody')))).toBe(
      '403 admission webhook "validate-example-dev-v1-shop.shop.webhook" denied the request: admin may not ' +
        'open a shop of nobody',
    )
    expect(await refused(client.create(Shop, shop('a', 'ann', 21)))).toBe(
      '422 admission webhook "validate-example-dev-v1-shop.shop.webhook" denied the request: ' +
        'Shop.example.dev "a" is invalid: spec.rooms: a shop has at most 20 rooms',
    )
    expect(await refused(client.create(Shop, shop('a', 'broken')))).toBe(
      '500 admission webhook "validate-example-dev-v1-shop.shop.webhook" denied the request: the handler is broken',
    )
    const made = await client.create(Shop, shop('a', 'ann', 12))
    expect(made.spec.tags).toEqual(['by admin'])
    expect(warnings).toContain('that is a large shop')
    expect(
      await refused(client.patch(Shop, made.metadata, { type: 'merge', patch: { spec: { owner: { name: 'bob' } } } })),
    ).toContain('a shop keeps its owner')
    await client.patch(Shop, made.metadata, { type: 'merge', patch: { metadata: { labels: { keep: 'true' } } } })
    expect(await refused(client.delete(Shop, made.metadata))).toContain('a is to be kept')
    await client.patch(Shop, made.metadata, { type: 'merge', patch: { metadata: { labels: null } } })
    await client.delete(Shop, made.metadata)
  })

  it('webhooks of a local run convert, there and back; and are asked about writes in another version', async () => {
    await client.create(ShopV1alpha1, {
      metadata: { namespace: 'default', name: 'old' },
      spec: { owner: 'ann', size: 'large' },
    })
    const key = { namespace: 'default', name: 'old' }
    expect((await client.get(Shop, key)).spec).toMatchObject({ owner: { name: 'ann' }, rooms: 10 })
    const old = await client.get(ShopV1alpha1, key)
    expect(old.spec).toEqual({ owner: 'ann', size: 'large' })
    expect(old.metadata.annotations).toEqual({ 'example.dev/rooms': '10' })
    expect(
      await refused(client.patch(ShopV1alpha1, key, { type: 'merge', patch: { spec: { owner: 'bob' } } })),
    ).toContain('a shop keeps its owner')
    await client.delete(Shop, key)
  })
})

describe('the generated manifests', () => {
  it('the generated manifests are accepted, and grant exactly what the operator needs and uses', async () => {
    const { objects } = await guestbook.manifests()
    const mapper = new RestMapper(client)
    for (const object of objects) {
      const kind = await mapper.kindOfObject(object)
      await client.apply(kind, object as never, { force: true, fieldValidation: 'Strict' })
    }
    await established(Guestbook)
    await client.create(Namespace, { metadata: { name: 'books' } })
    const account = { namespace: 'guestbook-system', name: 'guestbook-operator' }
    const request = await client.createSubresource(ServiceAccount, account, 'token', {
      apiVersion: 'authentication.k8s.io/v1',
      kind: 'TokenRequest',
      spec: {},
    })
    const { token } = (request as unknown as { status: { token: string } }).status
    const own = new HttpTransport({
      env,
      server: cluster.url,
      credentials: fixedCredentials({ authorization: `Bearer ${token}` }),
      trust: () => Promise.resolve({ ca: cluster.ca }),
    })
    const access = new AccessRecorder()
    const lines: string[] = []
    const manager = new Manager({
      env,
      transport: access.transport(own),
      controllers: guestbook.controllers,
      leaderElection: { namespace: 'guestbook-system', name: 'guestbook' },
      log: createLogger({ env, level: 'warn', write: (line) => lines.push(line) }),
    })
    const stop = new AbortController()
    const ended = manager.run(stop.signal)
    try {
      await manager.whenWorking()
      const key = { namespace: 'books', name: 'a' }
      await client.create(Guestbook, { metadata: key, spec: { image: 'x', port: 80 } })
      await eventually(
        await client.watch(Guestbook, { namespace: 'books' }),
        ({ status }) => status?.observedGeneration !== undefined,
      )
      await client.get(Deployment, key)
      await client.get(Service, key)
      await manager.flush()
      await client.delete(Guestbook, key)
      while ((await client.list(Guestbook, { namespace: 'books' })).items.length > 0)
        await new Promise((resolve) => setTimeout(resolve, 20))
      expect(lines).toEqual([])
      expect(access.compare(guestbook)).toEqual({ missing: [], unused: [] })
      const forbidden = new RestClient({ env, transport: own })
      expect(await refused(forbidden.delete(Deployment, key))).toContain('cannot delete resource "deployments"')
    } finally {
      stop.abort()
      await ended
      await own.close()
    }
  })
})
