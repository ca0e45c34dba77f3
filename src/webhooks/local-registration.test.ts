/** A local run restores what it replaced, and deletes only what it created. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { ApiObject } from '../api/live-object.ts'
import type { Client } from '../client/client.ts'
import type { Transport } from '../client/transport.ts'
import { inProcessTransport } from '../client/in-process-transport.ts'
import { RestClient } from '../client/rest-client.ts'
import { createControlPlane, type ControlPlane } from '../controlplane/index.ts'
import { realEnv } from '../env/real.ts'
import { simulatedEnv } from '../env/simulated.ts'
import { silentLogger } from '../telemetry/logger.ts'
import { Metrics } from '../telemetry/metrics.ts'
import {
  CustomResourceDefinition,
  MutatingWebhookConfiguration,
  ValidatingWebhookConfiguration,
} from '../schema/builtin/kinds.ts'
import type { Kind } from '../schema/kind.ts'
import { byService, conversionSpec, webhookConfigurations } from './configurations.ts'
import { conversion, Shop } from './testdata/shop.ts'
import { mutating, validating } from './admission-webhook.ts'
import { clusterRegistration, type Registration } from './registration.ts'
import { localRegistration } from './local-registration.ts'
import { Webhooks } from './webhooks.ts'

const webhooks = [
  validating(Shop, { create: () => undefined }),
  mutating(Shop, { create: () => undefined }),
  conversion,
]
const kinds = [
  MutatingWebhookConfiguration,
  ValidatingWebhookConfiguration,
  CustomResourceDefinition,
] as readonly Kind[]
const ca = 'a certificate'

let plane: ControlPlane
let client: Client
beforeEach(() => {
  const env = simulatedEnv()
  plane = createControlPlane({ env })
  client = new RestClient({ env, transport: inProcessTransport(plane.transport()), fieldManager: 'test' })
})
afterEach(() => plane.close())

const run = (id: string): Registration =>
  localRegistration(client, { id, operator: 'shop', webhooks, url: `https://127.0.0.1:1${id}` })

const nameOf = (kind: Kind): string =>
  kind.kind === 'CustomResourceDefinition' ? 'shops.example.dev' : 'shop-webhooks'

/** The manifests of the operator, as `kubectl apply --server-side` writes them. */
async function deploy(force = false): Promise<void> {
  const reach = byService('shop-webhooks', 'shops')
  const spec = { ...Shop.crd.spec, conversion: conversionSpec(reach) }
  const objects = [...webhookConfigurations('shop', webhooks, reach, { app: 'shop' }), { ...Shop.crd, spec }]
  for (const object of objects) {
    const kind = kinds.find((each) => each.kind === object.kind) as Kind
    await client.apply<ApiObject>(kind, object as never, { fieldManager: 'kubectl', force })
  }
}

/** All that a client sees, but for what every write changes. */
async function state(): Promise<readonly unknown[]> {
  const all = await Promise.all(kinds.map((kind) => client.get(kind, { name: nameOf(kind) }).catch(() => undefined)))
  return all.map((object) => {
    if (object === undefined) return undefined
    const { metadata, spec, webhooks: entries } = object as unknown as Record<string, Record<string, unknown>>
    const { resourceVersion: _, generation: __, ...rest } = metadata as Record<string, unknown>
    return { metadata: rest, spec, webhooks: entries }
  })
}

/** The URL, or the Service, of each webhook. */
async function reached(): Promise<readonly string[]> {
  const text = JSON.stringify(await state())
  return [
    ...new Set(
      [...text.matchAll(/"url":"(https:\/\/[^/]*)|"service":\{[^}]*"name":"([^"]*)"/g)].map(
        (each) => each[1] ?? each[2] ?? '',
      ),
    ),
  ]
}

describe('a local run', () => {
  it('a local run replaces the webhooks of a deployed operator, and restores them with their owners', async () => {
    await deploy()
    const before = await state()
    const local = run('1')
    expect(await local.trust(ca)).toEqual([])
    expect(await reached()).toContain('https://127.0.0.1:11')
    expect(JSON.stringify(await state())).not.toContain('"service":{')
    await local.end()
    expect(await state()).toEqual(before)
    // Its owner can change it without a conflict.
    await deploy(false)
    expect(await state()).toEqual(before)
  })

  it('a local run deletes what it has created, and nothing else', async () => {
    await client.create(CustomResourceDefinition, Shop.crd)
    const before = await state()
    const local = run('1')
    expect(await local.trust(ca)).toEqual([])
    expect(await state()).not.toContain(undefined)
    await local.end()
    expect(await state()).toEqual(before)
    await deploy(true)
    const deployed = await state()
    await local.end()
    expect(await state()).toEqual(deployed)
  })

  it('a local run that never got to write deletes nothing', async () => {
    await deploy()
    const before = await state()
    await run('1').end()
    expect(await state()).toEqual(before)
  })

  it('a local run restores what one that was killed had replaced or created', async () => {
    await deploy()
    const before = await state()
    await run('1').trust(ca)
    const second = run('2')
    await second.trust(ca)
    await second.end()
    expect(await state()).toEqual(before)

    await client.delete(MutatingWebhookConfiguration, { name: 'shop-webhooks' })
    await run('3').trust(ca)
    const fourth = run('4')
    await fourth.trust(ca)
    await fourth.end()
    expect((await state())[0]).toBeUndefined()
    expect((await state())[1]).toEqual(before[1])
  })

  it('a local run that starts later has the webhooks until it ends; then the first one has them again', async () => {
    await deploy()
    const before = await state()
    const [first, second] = [run('1'), run('2')]
    await first.trust(ca)
    await second.trust(ca)
    expect(await first.trust(ca)).toEqual(
      kinds.map(({ kind }) =>
        expect.stringMatching(`^another local run has ${kind} .*: end it, or start this one again`),
      ),
    )
    await first.end()
    expect(await reached()).toEqual(['https://127.0.0.1:12'])
    await second.end()
    expect(await state()).toEqual(before)
    expect(await first.trust(ca)).toEqual([])
    expect(await reached()).toEqual(['https://127.0.0.1:11'])
  })

  it('a local run writes nothing at rest, renews its CA, and repairs what others change', async () => {
    await deploy()
    const local = run('1')
    await local.trust(ca)
    const { revision } = plane.store
    await local.trust(ca)
    expect(plane.store.revision).toBe(revision)
    await local.trust('another certificate')
    expect(JSON.stringify(await state())).toContain(Buffer.from('another certificate').toString('base64'))
    await client.patch(
      ValidatingWebhookConfiguration,
      { name: 'shop-webhooks' },
      { type: 'merge', patch: { webhooks: [] } },
    )
    await local.trust('another certificate')
    expect(await reached()).toEqual(['https://127.0.0.1:11'])
  })

  it('a local run says which CRD is missing', async () => {
    expect(await run('1').trust(ca)).toEqual(['there is no CustomResourceDefinition shops.example.dev'])
  })

  it('a local run keeps the deployed operator from writing its CA there', async () => {
    await deploy()
    await run('1').trust(ca)
    const before = await state()
    expect(await clusterRegistration(client, 'shop', webhooks).trust('its own certificate')).toEqual([])
    expect(await state()).toEqual(before)
  })
})

describe('webhooks that could not be installed', () => {
  it('webhooks that could not be installed are a problem that says why, until they are', async () => {
    const env = simulatedEnv({ start: realEnv().now() })
    let isDenied = true
    const inner = inProcessTransport(plane.transport())
    const transport: Transport = {
      prompt: true,
      request: (asked) =>
        isDenied && asked.path.includes('webhookconfigurations')
          ? Promise.resolve({ status: 403, headers: {}, body: 'not for you' })
          : inner.request(asked),
      close: () => inner.close(),
    }
    const denied = new RestClient({ env, transport, timeoutMs: 0, fieldManager: 'test' })
    await deploy()
    const metrics = new Metrics()
    const address = { host: '127.0.0.1', port: 0 }
    const around = { env, client: denied, log: silentLogger, metrics, namespace: 'default', url: 'local' }
    const made = new Webhooks({ ...around, ...address, name: 'shop', webhooks })
    await made.start()
    expect(made.problem).toMatch(/^not installed: .*: not for you$/)
    isDenied = false
    await env.advanceAsync(5_000)
    expect(made.problem).toBeUndefined()
    expect(await reached()).toEqual([`https://127.0.0.1:${made.port}`])
    await made.stop()
    expect(made.problem).toBe('not listening')
    expect(await reached()).toEqual(['shop-webhooks'])
  })
})
