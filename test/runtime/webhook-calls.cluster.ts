/**
 * The embedded control plane must call admission webhooks as a real kube-apiserver does: both get the same writes, with
 * the same webhooks over HTTPS; their responses and their reviews must be equal.
 */
import { createServer, type Server } from 'node:https'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { JsonObject } from '../../src/api/json.ts'
import { ApiError } from '../../src/api/status.ts'
import type { ApiObject } from '../../src/api/live-object.ts'
import type { Client } from '../../src/client/client.ts'
import { clusterTransport } from '../../src/client/cluster-access.ts'
import type { HttpTransport } from '../../src/client/http-transport.ts'
import { inProcessTransport } from '../../src/client/in-process-transport.ts'
import { loadAccess } from '../../src/client/load-access.ts'
import { RestClient } from '../../src/client/rest-client.ts'
import { createControlPlane, type ControlPlane } from '../../src/controlplane/index.ts'
import { realEnv } from '../../src/env/real.ts'
import {
  ConfigMap,
  CustomResourceDefinition,
  Deployment,
  MutatingWebhookConfiguration,
  Namespace,
  Pod,
  ValidatingWebhookConfiguration,
} from '../../src/schema/builtin/kinds.ts'
import { memoryCertificates } from '../../src/webhooks/certificates.ts'
import { Shop, ShopV1alpha1 } from '../../src/webhooks/testdata/shop.ts'
import { startCluster, type Cluster } from '../cluster/index.ts'

const env = realEnv()
const namespace = 'webhook-calls'

interface Side {
  readonly client: Client
  readonly warnings: string[]
  /** The reviews that the webhooks received. */
  readonly asked: JsonObject[]
}

let cluster: Cluster
let transport: HttpTransport
let plane: ControlPlane
let server: Server
let caBundle: string
let sides: readonly [real: Side, ours: Side]
/** The side whose reviews are being recorded. */
let current: Side
let respond: (path: string, request: JsonObject) => JsonObject

beforeAll(async () => {
  const { ca, cert, key } = await memoryCertificates(env, ['127.0.0.1']).current()
  caBundle = Buffer.from(ca).toString('base64')
  server = createServer({ cert, key }, (request, response) => {
    let text = ''
    request
      .setEncoding('utf8')
      .on('data', (chunk) => (text += String(chunk)))
      .on('end', () => {
        const review = JSON.parse(text) as { request: JsonObject }
        const path = (request.url ?? '').split('?')[0] ?? ''
        current.asked.push({ path: request.url ?? '', ...normal(review as unknown as JsonObject) })
        if (path === '/broken') return void response.writeHead(500, { 'content-type': 'text/plain' }).end('no')
        if (path === '/missing') return void response.writeHead(404).end()
        const uid = review.request['uid'] as string
        response.writeHead(200, { 'content-type': 'application/json' }).end(
          JSON.stringify({
            apiVersion: 'admission.k8s.io/v1',
            kind: 'AdmissionReview',
            response: { uid, allowed: true, ...respond(path, review.request) },
          }),
        )
      })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))

  cluster = await startCluster()
  transport = clusterTransport(env, await loadAccess({ env, kubeconfig: cluster.kubeconfig }))
  plane = createControlPlane()
  const side = (to: ConstructorParameters<typeof RestClient>[0]['transport']): Side => {
    const warnings: string[] = []
    return {
      client: new RestClient({
        env,
        transport: to,
        fieldManager: 'user',
        onWarning: (message) => void warnings.push(message),
      }),
      warnings,
      asked: [],
    }
  }
  sides = [side(transport), side(inProcessTransport(plane.transport()))]
  current = sides[0]
  for (const { client } of sides) {
    await client.create(Namespace, { metadata: { name: namespace, labels: { calls: 'yes' } } })
    await client.create(CustomResourceDefinition, Shop.crd)
  }
})
afterAll(async () => {
  server.closeAllConnections()
  server.close()
  await transport.close()
  await plane.close()
  await cluster.stop()
})

/** Removes values that differ each time, or that identify the sender. */
function normal<T>(value: T): T {
  const text = JSON.stringify(value, (name, each: unknown) =>
    ['uid', 'resourceVersion', 'creationTimestamp', 'time', 'userInfo', 'selfLink'].includes(name) ? undefined : each,
  )
  return JSON.parse(text) as T
}

const rule = {
  apiGroups: [''],
  apiVersions: ['v1'],
  operations: ['CREATE', 'UPDATE', 'DELETE'],
  resources: ['configmaps'],
}

function entry(name: string, more: JsonObject = {}): JsonObject {
  const { port } = server.address() as AddressInfo
  return {
    name: `${name}.example.dev`,
    clientConfig: { url: `https://127.0.0.1:${port}/${name}`, caBundle },
    rules: [rule],
    sideEffects: 'None',
    admissionReviewVersions: ['v1'],
    namespaceSelector: { matchLabels: { calls: 'yes' } },
    ...more,
  }
}

async function install(
  kind: typeof ValidatingWebhookConfiguration | typeof MutatingWebhookConfiguration,
  name: string,
  webhooks: JsonObject[],
): Promise<void> {
  for (const { client } of sides) await client.create<ApiObject>(kind, { metadata: { name }, webhooks } as ApiObject)
}

async function uninstall(
  kind: typeof ValidatingWebhookConfiguration | typeof MutatingWebhookConfiguration,
  name: string,
): Promise<void> {
  for (const { client } of sides) await client.delete(kind, { name })
}

type Write = (client: Client) => Promise<unknown>

/** The results of the writes on each side: responses including rejections, warnings, reviews. */
async function compared(writes: readonly Write[]): Promise<readonly [real: unknown, ours: unknown]> {
  const outcomes: unknown[] = []
  for (const side of sides) {
    current = side
    side.asked.length = 0
    side.warnings.length = 0
    const answers: unknown[] = []
    for (const write of writes) {
      answers.push(
        await write(side.client).then(
          (object) => normal(object ?? null),
          (error: unknown) =>
            error instanceof ApiError ? { code: error.code, status: normal(error.status) } : { error: String(error) },
        ),
      )
    }
    outcomes.push({ answers, warnings: side.warnings.filter((text) => text !== 'very'), asked: [...side.asked] })
  }
  return outcomes as [unknown, unknown]
}

/** Waits until a real server has observed the configurations: until then it responds differently to the first write. */
async function effective(write: Write, isKnown: () => boolean): Promise<void> {
  current = sides[0]
  for (let tries = 0; tries < 200; tries++) {
    await write(sides[0].client).catch(() => undefined)
    if (isKnown()) return
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  throw new Error('the real server does not call the webhook')
}

const map = (name: string, data: Record<string, string> = { a: 'b' }) => ({ metadata: { namespace, name }, data })
const creates =
  (name: string, data?: Record<string, string>): Write =>
  (client) =>
    client.create(ConfigMap, map(name, data))
const probe: Write = (client) => client.create(ConfigMap, map('probe'), { dryRun: true })
const patch = (...operations: JsonObject[]): JsonObject => ({
  patchType: 'JSONPatch',
  patch: Buffer.from(JSON.stringify(operations)).toString('base64'),
})

describe('webhooks are called as by a real server', () => {
  it('validating: what they see, how they refuse and warn', async () => {
    respond = (_path, { name }) =>
      name === 'no'
        ? { allowed: false, status: { code: 403, reason: 'Forbidden', message: 'not this one' } }
        : name === 'bare'
          ? { allowed: false }
          : name === 'odd'
            ? {
                allowed: false,
                status: { code: 200, reason: 'Odd', details: { causes: [{ field: 'x', message: 'y' }] } },
              }
            : { warnings: [`careful with ${String(name)}`, 'very'] }
    await install(ValidatingWebhookConfiguration, 'check', [entry('check')])
    await effective(probe, () => sides[0].asked.length > 0)
    const [real, ours] = await compared([
      creates('a'),
      creates('no'),
      creates('bare'),
      creates('odd'),
      (client) => client.create(ConfigMap, { metadata: { namespace, generateName: 'gen-' } }).then(() => undefined),
      (client) => client.patch(ConfigMap, { namespace, name: 'a' }, { type: 'merge', patch: { data: { c: 'd' } } }),
      (client) => client.apply(ConfigMap, { metadata: { namespace, name: 'a' }, data: { e: 'f' } }, { force: true }),
      (client) => client.apply(ConfigMap, { metadata: { namespace, name: 'fresh' }, data: { e: 'f' } }),
      (client) => client.delete(ConfigMap, { namespace, name: 'a' }),
      (client) => client.create(ConfigMap, map('dry'), { dryRun: true }),
    ])
    await uninstall(ValidatingWebhookConfiguration, 'check')
    expect(JSON.parse(withoutGenerated(ours))).toEqual(JSON.parse(withoutGenerated(real)))
  })

  it('mutating: order, patches, reinvocation, and what validation says of the result', async () => {
    respond = (path, request) => {
      const { data = {}, metadata } = request['object'] as {
        data?: Record<string, string>
        metadata: { name?: string }
      }
      if (metadata.name === 'invalid')
        return patch({ op: 'add', path: '/metadata/labels', value: { 'not valid': 'x' } })
      return Object.hasOwn(data, path.slice(1))
        ? {}
        : patch({ op: 'add', path: `/data${path}`, value: Object.keys(data).sort().join() })
    }
    await install(MutatingWebhookConfiguration, 'two', [entry('c', { reinvocationPolicy: 'IfNeeded' }), entry('b')])
    await install(MutatingWebhookConfiguration, 'one', [entry('a', { reinvocationPolicy: 'IfNeeded' })])
    await effective(probe, () => new Set(sides[0].asked.map(({ path }) => path)).size >= 3)
    const [real, ours] = await compared([
      creates('m'),
      creates('invalid'),
      (client) => client.patch(ConfigMap, { namespace, name: 'm' }, { type: 'merge', patch: { data: { a: null } } }),
    ])
    for (const name of ['one', 'two']) await uninstall(MutatingWebhookConfiguration, name)
    expect(ours).toEqual(real)
  })

  it('failures, by their policy', async () => {
    respond = () => ({ uid: 'wrong' })
    const broken = ['broken', 'missing', 'wrong'].map((name) =>
      entry(name, { matchConditions: [{ name: 'mine', expression: `object.metadata.name == 'fail-${name}'` }] }),
    )
    const dead = entry('dead', {
      clientConfig: { url: 'https://127.0.0.1:1/dead', caBundle },
      matchConditions: [{ name: 'mine', expression: "object.metadata.name == 'fail-dead'" }],
    })
    const stranger = {
      ...entry('stranger'),
      clientConfig: { url: `https://127.0.0.1:${(server.address() as AddressInfo).port}/stranger` },
      matchConditions: [{ name: 'mine', expression: "object.metadata.name == 'fail-stranger'" }],
    }
    const served = entry('served', {
      clientConfig: { service: { name: 'none', namespace, path: '/x' }, caBundle },
      matchConditions: [{ name: 'mine', expression: "object.metadata.name == 'fail-served'" }],
    })
    await install(ValidatingWebhookConfiguration, 'failing', [
      ...broken,
      dead,
      stranger,
      served,
      entry('lenient', { failurePolicy: 'Ignore', clientConfig: { url: 'https://127.0.0.1:1/lenient', caBundle } }),
    ])
    await effective(
      (client) => client.create(ConfigMap, map('fail-wrong'), { dryRun: true }),
      () => sides[0].asked.some(({ path }) => String(path).startsWith('/wrong')),
    )
    const [real, ours] = await compared(
      ['broken', 'missing', 'wrong', 'dead', 'stranger', 'served', 'not'].map((name) => creates(`fail-${name}`)),
    )
    await uninstall(ValidatingWebhookConfiguration, 'failing')
    const words = (outcome: unknown): string =>
      JSON.stringify(outcome).replaceAll(/response\.uid=\\+"[-0-9a-f]+\\+"/g, 'response.uid=UID')
    expect(JSON.parse(words(ours))).toEqual(JSON.parse(words(real)))
  })

  it('whom they are about: subresources, labels, conditions, other versions', async () => {
    respond = () => ({})
    const of = (apiGroups: string[], resources: string[], more: JsonObject = {}): JsonObject => ({
      rules: [{ ...rule, apiGroups, resources, ...more }],
    })
    await install(ValidatingWebhookConfiguration, 'about', [
      entry('pods', of([''], ['pods', 'pods/status', 'pods/eviction', 'pods/binding'])),
      entry('scale', of(['apps'], ['deployments/scale'])),
      entry('shops', of(['example.dev'], ['shops'])),
      entry('exact', { ...of(['example.dev'], ['shops']), matchPolicy: 'Exact' }),
      entry('labelled', { objectSelector: { matchLabels: { seen: 'yes' } } }),
      entry('conditional', {
        matchConditions: [
          {
            name: 'x',
            expression:
              "request.operation == 'CREATE' && request.namespace == 'webhook-calls' && " +
              "object.data.?a.orValue('') == 'see'",
          },
        ],
      }),
      entry('namespaces', of([''], ['namespaces'])),
    ])
    await effective(
      (client) => client.create(ConfigMap, map('probe', { a: 'see' }), { dryRun: true }),
      () => sides[0].asked.length > 0,
    )
    const pod = { metadata: { namespace, name: 'p' }, spec: { containers: [{ name: 'a', image: 'b' }] } }
    const labels = { app: 'x' }
    const deployment = {
      metadata: { namespace, name: 'd' },
      spec: { selector: { matchLabels: labels }, template: { metadata: { labels }, spec: pod.spec } },
    }
    const names = (outcome: unknown): unknown =>
      (outcome as { asked: JsonObject[] }).asked.map(({ path, request }) => [
        path,
        ...['operation', 'name', 'subResource', 'kind', 'resource', 'requestKind', 'options'].map(
          (field) => (request as JsonObject)[field] ?? null,
        ),
        ...['object', 'oldObject'].map(
          (field) => ((request as JsonObject)[field] as JsonObject | null)?.['kind'] ?? null,
        ),
      ])
    const [real, ours] = await compared([
      (client) => client.create(Pod, pod),
      (client) =>
        client.patch(
          Pod,
          pod.metadata,
          { type: 'merge', patch: { status: { message: 'x' } } },
          { subresource: 'status' },
        ),
      (client) =>
        client.createSubresource(Pod, pod.metadata, 'binding', {
          apiVersion: 'v1',
          kind: 'Binding',
          metadata: { name: 'p' },
          target: { kind: 'Node', name: 'n' },
        }),
      (client) =>
        client.createSubresource(Pod, pod.metadata, 'eviction', {
          apiVersion: 'policy/v1',
          kind: 'Eviction',
          metadata: { name: 'p' },
        }),
      (client) => client.create(Deployment, deployment),
      (client) =>
        client.patch(
          Deployment,
          deployment.metadata,
          { type: 'merge', patch: { spec: { replicas: 2 } } },
          { subresource: 'scale' },
        ),
      (client) =>
        client.create(ShopV1alpha1, { metadata: { namespace, name: 's' }, spec: { owner: 'ann', size: 'large' } }),
      (client) =>
        client.create(ConfigMap, { ...map('l'), metadata: { namespace, name: 'l', labels: { seen: 'yes' } } }),
      async (client) => {
        const patch = { metadata: { labels: null } }
        const unlabelled = await client.patch(ConfigMap, { namespace, name: 'l' }, { type: 'merge', patch })
        // The real server patches what its watch cache has, and starts again if that is not the latest.
        await client.get(ConfigMap, unlabelled.metadata, { resourceVersion: unlabelled.metadata.resourceVersion })
        return unlabelled
      },
      (client) => client.patch(ConfigMap, { namespace, name: 'l' }, { type: 'merge', patch: { data: { x: 'y' } } }),
      creates('c1', { a: 'see' }),
      creates('c2', { a: 'not' }),
      creates('c3', {}),
      (client) => client.create(Namespace, { metadata: { name: 'webhook-other', labels: { calls: 'yes' } } }),
      (client) => client.create(Namespace, { metadata: { name: 'webhook-none' } }),
    ])
    await uninstall(ValidatingWebhookConfiguration, 'about')
    expect(names(ours)).toEqual(names(real))
  })
})

/** Replaces generated names. */
function withoutGenerated(outcome: unknown): string {
  return JSON.stringify(outcome).replaceAll(/gen-[a-z0-9]{5}/g, 'gen-?')
}
