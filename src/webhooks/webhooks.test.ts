/** The webhooks of a program over real sockets, on the embedded control plane. */
import { request } from 'node:https'
import { connect } from 'node:tls'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { JsonObject } from '../api/json.ts'
import { inProcessTransport } from '../client/in-process-transport.ts'
import { RestClient } from '../client/rest-client.ts'
import { createControlPlane, type ControlPlane } from '../controlplane/index.ts'
import { afterMicrotasks, realEnv } from '../env/real.ts'
import { simulatedEnv, type SimulatedEnv } from '../env/simulated.ts'
import {
  CustomResourceDefinition,
  MutatingWebhookConfiguration,
  Secret,
  ValidatingWebhookConfiguration,
} from '../schema/builtin/kinds.ts'
import { createLogger } from '../telemetry/log-writer.ts'
import { Metrics } from '../telemetry/metrics.ts'
import { byService, byUrl, conversionSpec, webhookConfigurations } from './configurations.ts'
import { validating } from './admission-webhook.ts'
import { check, conversion, Shop, ShopV1alpha1, tag, webhooks } from './testdata/shop.ts'
import { Webhooks, type WebhooksOptions } from './webhooks.ts'

let env: SimulatedEnv
let plane: ControlPlane
let client: RestClient
let lines: { readonly level: string; readonly msg: string; readonly [field: string]: unknown }[]
let metrics: Metrics
const running: Webhooks[] = []
beforeEach(() => {
  // Certificates are verified with the machine's clock.
  env = simulatedEnv({ start: realEnv().now() })
  plane = createControlPlane({ env })
  client = new RestClient({ env, transport: inProcessTransport(plane.transport()), timeoutMs: 0, fieldManager: 'user' })
  lines = []
  metrics = new Metrics()
})
afterEach(async () => {
  for (const each of running.splice(0)) await each.stop()
  await plane.close()
})

async function start(options: Partial<WebhooksOptions> = {}): Promise<Webhooks> {
  const log = createLogger({ env, write: (line) => lines.push(JSON.parse(line) as (typeof lines)[number]) })
  const made = new Webhooks({
    env,
    client,
    log,
    metrics,
    name: 'shop',
    namespace: 'default',
    webhooks,
    host: '127.0.0.1',
    port: 0,
    ...options,
  })
  running.push(made)
  await made.start()
  return made
}

interface Sent {
  readonly ca: string
  readonly path?: string
  readonly body?: string
  readonly headers?: Record<string, string>
  readonly method?: string
  readonly servername?: string
}

function send(
  made: Webhooks,
  { ca, path = check.path, body = '{}', headers = {}, method = 'POST', servername = 'shop-webhooks.default.svc' }: Sent,
): Promise<{ readonly status: number; readonly text: string }> {
  return new Promise((resolve, reject) => {
    const sent = request(
      {
        host: '127.0.0.1',
        port: made.port,
        path,
        method,
        ca,
        servername,
        agent: false,
        headers: { 'content-type': 'application/json', ...headers },
      },
      (response) => {
        let text = ''
        response
          .setEncoding('utf8')
          .on('data', (chunk) => (text += String(chunk)))
          .on('end', () => resolve({ status: response.statusCode ?? 0, text }))
      },
    )
    sent.on('error', reject)
    sent.end(body)
  })
}

const review = (rooms: number): string =>
  JSON.stringify({
    apiVersion: 'admission.k8s.io/v1',
    kind: 'AdmissionReview',
    request: {
      uid: 'u1',
      operation: 'CREATE',
      name: 'a',
      userInfo: { username: 'ann' },
      object: { metadata: { name: 'a' }, spec: { owner: { name: 'ann' }, rooms } },
    },
  })

async function trusted(): Promise<string> {
  const { data } = await client.get(Secret, { namespace: 'default', name: 'shop-webhooks' })
  return Buffer.from(data?.['ca.crt'] ?? '', 'base64').toString()
}

/** Creates the configurations, as the manifests would. */
async function install(): Promise<void> {
  const reach = byService('shop-webhooks', 'default')
  const { crd } = Shop
  await client.create(CustomResourceDefinition, {
    ...crd,
    spec: { ...crd.spec, conversion: conversionSpec(reach) as never },
  })
  for (const object of webhookConfigurations('shop', webhooks, reach)) {
    await client.create(
      object.kind === 'MutatingWebhookConfiguration' ? MutatingWebhookConfiguration : ValidatingWebhookConfiguration,
      object,
    )
  }
}

describe('the server', () => {
  it('the webhook server answers reviews to whoever trusts its authority and calls it by its Service', async () => {
    const made = await start()
    const ca = await trusted()
    const { status, text } = await send(made, { ca, body: review(21) })
    expect(status).toBe(200)
    expect(JSON.parse(text)).toMatchObject({
      kind: 'AdmissionReview',
      response: { uid: 'u1', allowed: false, status: { code: 422 } },
    })
    expect((await send(made, { ca, path: `${tag.path}?timeout=10s`, body: review(1) })).text).toContain(
      '"patchType":"JSONPatch"',
    )
    await expect(send(made, { ca, servername: 'other.default.svc' })).rejects.toThrow(
      "Hostname/IP does not match certificate's altnames",
    )
    await expect(send(made, { ca: [] as never })).rejects.toThrow(/self.signed certificate|unable to/)
    const reported = metrics.text()
    expect(reported).toContain(`controller_runtime_webhook_requests_total{webhook="${check.path}",code="422"} 1`)
    expect(reported).toContain(`controller_runtime_webhook_requests_in_flight{webhook="${check.path}"} 0`)
    expect(reported).toContain(`controller_runtime_webhook_latency_seconds_count{webhook="${tag.path}"} 1`)
  })

  it.each([
    [
      'an unknown path',
      { path: '/nothing' },
      404,
      'nothing here; try /validate-example-dev-v1-shop, /mutate-example-dev-v1-shop, /convert',
    ],
    ['another method', { method: 'PUT' }, 405, 'by POST'],
    ['another type', { headers: { 'content-type': 'application/yaml' } }, 415, 'application/json'],
    ['no JSON', { body: '{' }, 400, 'JSON'],
    ['no review', { body: '{}' }, 400, 'no AdmissionReview'],
    ['too much', { body: `"${'x'.repeat(7 * 1024 * 1024)}"` }, 413, 'at most 7340032 bytes'],
  ])('the webhook server refuses %s', async (_, sent, status, message) => {
    const made = await start()
    const answer = await send(made, { ca: await trusted(), ...sent })
    expect([answer.status, answer.text]).toEqual([status, expect.stringContaining(message)])
  })

  it('the webhook server logs and counts a handler that throws', async () => {
    const made = await start()
    await send(made, { ca: await trusted(), body: review(1).replace('ann"},"rooms', 'broken"},"rooms') })
    expect(lines).toContainEqual(
      expect.objectContaining({ level: 'error', msg: 'a webhook failed', webhook: check.path }) as never,
    )
    expect(metrics.text()).toContain('\ncontroller_runtime_webhook_panics_total 1\n')
    await send(made, {
      ca: await trusted(),
      path: '/convert',
      body: JSON.stringify({
        kind: 'ConversionReview',
        request: {
          uid: 'u',
          desiredAPIVersion: 'example.dev/v1',
          objects: [{ apiVersion: 'example.dev/v9', kind: 'Shop' }],
        },
      }),
    })
    expect(metrics.text()).toContain('\ncontroller_runtime_conversion_webhook_panics_total 1\n')
  })

  it('the webhook server shows a new certificate when one is due, without a pause', async () => {
    const made = await start()
    const before = await trusted()
    await send(made, { ca: before, body: review(1) })
    await client.patch(
      Secret,
      { namespace: 'default', name: 'shop-webhooks' },
      { type: 'merge', patch: { data: null } },
    )
    await env.advanceAsync(61_000)
    await afterMicrotasks()
    const after = await trusted()
    expect(after).not.toBe(before)
    expect((await send(made, { ca: after, body: review(1) })).status).toBe(200)
    await expect(send(made, { ca: before, body: review(1) })).rejects.toThrow()
  })

  it('the webhook server ends at once though a connection is open on which nothing was asked yet', async () => {
    const made = await start()
    const socket = connect({
      host: '127.0.0.1',
      port: made.port,
      ca: await trusted(),
      servername: 'shop-webhooks.default.svc',
    })
    await new Promise<void>((resolve) => socket.once('secureConnect', () => resolve()))
    const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()))
    socket.on('error', () => undefined)
    await made.stop()
    await closed
  })

  it('the webhook server is not started with webhooks that do not go together', async () => {
    await expect(
      start({ webhooks: [check, validating(Shop, { create: () => undefined })], metrics: new Metrics() }),
    ).rejects.toThrow('two webhooks are at /validate-example-dev-v1-shop')
    running.length = 0
    await expect(start({ webhooks: [{ ...conversion, versions: new Map() }], metrics: new Metrics() })).rejects.toThrow(
      'cannot be converted from and to example.dev/v1alpha1',
    )
    running.length = 0
    const first = await start()
    await expect(start({ port: first.port, metrics: new Metrics() })).rejects.toThrow('the port is in use')
  })
})

describe('a cluster', () => {
  const bundles = async (): Promise<(string | undefined)[]> => {
    const name = 'shop-webhooks'
    const mutating = (await client.get(MutatingWebhookConfiguration, { name })).webhooks ?? []
    const validates = (await client.get(ValidatingWebhookConfiguration, { name })).webhooks ?? []
    const { conversion: converts } = (await client.get(CustomResourceDefinition, { name: 'shops.example.dev' })).spec
    return [
      ...mutating.map(({ clientConfig }) => clientConfig.caBundle),
      ...validates.map(({ clientConfig }) => clientConfig.caBundle),
      converts?.webhook?.clientConfig?.caBundle,
    ]
  }

  // Known failure: runtime 29.
  it('the cluster gets the CA of webhooks, also of later configurations', async () => {
    const made = await start()
    expect(made.problem).toBe(
      'not installed: there is no MutatingWebhookConfiguration shop-webhooks; ' +
        'there is no ValidatingWebhookConfiguration shop-webhooks; ' +
        'there is no CustomResourceDefinition shops.example.dev',
    )
    expect(lines.filter(({ level }) => level === 'warn')).toMatchObject([
      {
        msg: "webhooks are not asked: apply the operator's manifests",
        missing: [
          'there is no MutatingWebhookConfiguration shop-webhooks',
          'there is no ValidatingWebhookConfiguration shop-webhooks',
          'there is no CustomResourceDefinition shops.example.dev',
        ],
      },
    ])
    await install()
    await env.advanceAsync(5_000)
    expect(made.problem).toBeUndefined()
    const bundle = Buffer.from(await trusted()).toString('base64')
    expect(await bundles()).toEqual([bundle, bundle, bundle])
    await client.patch(
      ValidatingWebhookConfiguration,
      { name: 'shop-webhooks' },
      { type: 'json', patch: [{ op: 'remove', path: '/webhooks/0/clientConfig/caBundle' }] },
    )
    await env.advanceAsync(61_000)
    expect(await bundles()).toEqual([bundle, bundle, bundle])
    const before = plane.store.revision
    await env.advanceAsync(600_000)
    expect(plane.store.revision).toBe(before)
    expect(lines.filter(({ level }) => level === 'warn')).toHaveLength(1)
  })

  it('the cluster gets the URL of a local run, and loses it when that ends', async () => {
    await client.create(CustomResourceDefinition, Shop.crd)
    const made = await start({ url: 'local' })
    expect(made.problem).toBeUndefined()
    const { webhooks: [first] = [] } = await client.get(ValidatingWebhookConfiguration, { name: 'shop-webhooks' })
    expect(first).toMatchObject({
      name: 'validate-example-dev-v1-shop.shop.webhook',
      failurePolicy: 'Fail',
      sideEffects: 'None',
      timeoutSeconds: 5,
      matchPolicy: 'Equivalent',
      clientConfig: { url: `https://127.0.0.1:${made.port}/validate-example-dev-v1-shop` },
      rules: [
        {
          apiGroups: ['example.dev'],
          apiVersions: ['v1'],
          operations: ['CREATE', 'UPDATE', 'DELETE'],
          resources: ['shops'],
          scope: 'Namespaced',
        },
      ],
    })
    const ca = Buffer.from(first?.clientConfig.caBundle ?? '', 'base64').toString()
    expect((await send(made, { ca, body: review(1), servername: '' })).status).toBe(200)
    const { conversion: converts } = (await client.get(CustomResourceDefinition, { name: 'shops.example.dev' })).spec
    expect(converts).toMatchObject({
      strategy: 'Webhook',
      webhook: { clientConfig: { url: `https://127.0.0.1:${made.port}/convert` }, conversionReviewVersions: ['v1'] },
    })
    await made.stop()
    expect(made.problem).toBe('not listening')
    await expect(client.get(ValidatingWebhookConfiguration, { name: 'shop-webhooks' })).rejects.toThrow('not found')
    await expect(client.get(MutatingWebhookConfiguration, { name: 'shop-webhooks' })).rejects.toThrow('not found')
    expect((await client.get(CustomResourceDefinition, { name: 'shops.example.dev' })).spec.conversion).toEqual({
      strategy: 'None',
    })
    await expect(client.get(Secret, { namespace: 'default', name: 'shop-webhooks' })).rejects.toThrow('not found')
  })

  it('the cluster asks a local run for other versions, over TLS, and says why when it is gone', async () => {
    await client.create(CustomResourceDefinition, Shop.crd)
    const made = await start({ url: 'local', webhooks: [conversion] })
    const key = { namespace: 'default', name: 'old' }
    await client.create(ShopV1alpha1, { metadata: key, spec: { owner: 'ann', size: 'large' } })
    expect((await client.get(Shop, key)).spec).toEqual({ owner: { name: 'ann' }, rooms: 10 })
    expect((await client.list(ShopV1alpha1, { namespace: 'default' })).items.map(({ spec }) => spec)).toEqual([
      { owner: 'ann', size: 'large' },
    ])
    expect(metrics.text()).toContain('controller_runtime_webhook_requests_total{webhook="/convert",code="200"} 2')
    const known = conversionSpec(byUrl(`https://127.0.0.1:${made.port}`, ''))
    await made.stop()
    await client.patch(
      CustomResourceDefinition,
      { name: 'shops.example.dev' },
      { type: 'merge', patch: { spec: { conversion: known } } },
    )
    await expect(client.get(ShopV1alpha1, key)).rejects.toThrow(
      new RegExp(
        '^conversion webhook for example.dev/v1, Kind=Shop failed: ' +
          String.raw`Post "https://127.0.0.1:\d+/convert\?timeout=30s": dial tcp .* connection refused$`,
      ),
    )
  })

  it('the cluster gets everything that a webhook declares', () => {
    const only = validating(
      Shop,
      { update: () => undefined },
      {
        failurePolicy: 'Ignore',
        timeoutSeconds: 3,
        sideEffects: 'NoneOnDryRun',
        matchPolicy: 'Exact',
        subresources: ['status'],
        namespaceSelector: { matchLabels: { a: 'b' } },
        objectSelector: { matchLabels: { c: 'd' } },
        matchConditions: { 'not-mine': "request.userInfo.username != 'me'" },
      },
    )
    const [configuration] = webhookConfigurations('shop', [only], byService('s', 'n'), { app: 'x' })
    expect(configuration as JsonObject).toEqual({
      apiVersion: 'admissionregistration.k8s.io/v1',
      kind: 'ValidatingWebhookConfiguration',
      metadata: { name: 'shop-webhooks', labels: { app: 'x' } },
      webhooks: [
        {
          name: 'validate-example-dev-v1-shop.shop.webhook',
          clientConfig: { service: { name: 's', namespace: 'n', path: only.path, port: 443 } },
          rules: [
            {
              apiGroups: ['example.dev'],
              apiVersions: ['v1'],
              operations: ['UPDATE'],
              resources: ['shops', 'shops/status'],
              scope: 'Namespaced',
            },
          ],
          failurePolicy: 'Ignore',
          timeoutSeconds: 3,
          sideEffects: 'NoneOnDryRun',
          matchPolicy: 'Exact',
          admissionReviewVersions: ['v1'],
          namespaceSelector: { matchLabels: { a: 'b' } },
          objectSelector: { matchLabels: { c: 'd' } },
          matchConditions: [{ name: 'not-mine', expression: "request.userInfo.username != 'me'" }],
        },
      ],
    })
  })
})
