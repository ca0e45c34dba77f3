/**
 * The embedded control plane must convert by webhook as a real kube-apiserver does: both get the same requests, in two
 * versions of a kind, with one webhook over HTTPS that responds correctly and in every incorrect way.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Json, JsonObject } from '../../src/api/json.ts'
import { clusterTransport } from '../../src/client/cluster-access.ts'
import { inProcessTransport } from '../../src/client/in-process-transport.ts'
import { loadAccess } from '../../src/client/load-access.ts'
import type { Transport } from '../../src/client/transport.ts'
import { boat, boatDefinition, versions, type Mode } from '../../src/controlplane/conversion/testdata/boats.ts'
import { createControlPlane, type ControlPlane } from '../../src/controlplane/index.ts'
import { realEnv } from '../../src/env/real.ts'
import { startCluster, type Cluster } from '../cluster/index.ts'
import { serveConversions, type ConversionServer } from './conversion-server.ts'

const crds = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'
const at = (version: string, name = ''): string => `/apis/sea.io/${version}/namespaces/default/boats${name}`
const merge = 'application/merge-patch+json'
const apply = 'application/apply-patch+yaml'

let webhook: ConversionServer
let cluster: Cluster
let plane: ControlPlane
let sides: readonly [real: Transport, ours: Transport]

beforeAll(async () => {
  webhook = await serveConversions()
  cluster = await startCluster()
  plane = createControlPlane()
  sides = [
    clusterTransport(realEnv(), await loadAccess({ env: realEnv(), kubeconfig: cluster.kubeconfig })),
    inProcessTransport(plane.transport()),
  ]
  await define(webhook.clientConfig)
})
afterAll(async () => {
  for (const side of sides) await side.close()
  await plane.close()
  await cluster.stop()
  webhook.close()
})

interface Step {
  readonly mode?: Mode
  readonly method: string
  readonly path: string
  readonly body?: JsonObject
  readonly type?: string
  readonly accept?: string
}

const get = (path: string, more: Partial<Step> = {}): Step => ({ method: 'GET', path, ...more })
const post = (path: string, body: JsonObject, more: Partial<Step> = {}): Step => ({
  method: 'POST',
  path,
  body,
  ...more,
})
const patch = (path: string, body: JsonObject, more: Partial<Step> = {}): Step => ({
  method: 'PATCH',
  path,
  body,
  type: merge,
  ...more,
})
const applied = (version: string, name: string, query: string, spec: JsonObject): Step =>
  patch(`${at(version, `/${name}`)}?${query}`, boat(version, name, spec), { type: apply })
const remove = (path: string, more: Partial<Step> = {}): Step => ({ method: 'DELETE', path, ...more })

async function send(
  side: Transport,
  { mode = 'right', method, path, body, type = 'application/json', accept = 'application/json' }: Step,
): Promise<{ readonly status: number; readonly body: Json }> {
  webhook.mode = mode
  const headers = { accept, 'user-agent': 'walker/1', ...(body === undefined ? {} : { 'content-type': type }) }
  const response = await side.request({ method, path, headers, body })
  return { status: response.status, body: response.body as Json }
}

/** Removes values that differ each time. Revisions are numbered in order of appearance. */
function normal(value: unknown, revisions: Map<string, string>): unknown {
  if (Array.isArray(value)) return value.map((each) => normal(each, revisions))
  if (typeof value === 'string')
    return value.replace(/[0-9a-f]{8}-[0-9a-f-]{27}/g, 'UID').replace(/\d{4}-\d\d-\d\dT[\d:]+Z/g, 'TIME')
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, each]) => {
        // Managed fields are sorted by time, in seconds.
        if (name === 'managedFields' && Array.isArray(each))
          return [name, each.map((entry) => JSON.stringify(normal(entry, revisions))).sort()]
        if (name === 'description') return [name, 'TEXT']
        if (name === 'continue' && each !== '') return [name, 'TOKEN']
        if (name !== 'resourceVersion' || typeof each !== 'string') return [name, normal(each, revisions)]
        if (!revisions.has(each)) revisions.set(each, `revision ${revisions.size}`)
        return [name, revisions.get(each)]
      }),
  )
}

/** The caches of a real server restart after a failed conversion; until then its responses depend on timing. */
async function working(side: Transport): Promise<void> {
  for (let tries = 0; tries < 200; tries++) {
    if ((await send(side, get(at('v2')))).status === 200) return
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  throw new Error('the server does not convert any more')
}

/** The responses of each side to the steps. */
async function compared(steps: readonly Step[]): Promise<readonly [real: unknown, ours: unknown]> {
  const outcomes: unknown[] = []
  for (const side of sides) {
    const revisions = new Map<string, string>()
    const answers: unknown[] = []
    for (const step of steps)
      answers.push([`${step.mode ?? 'right'} ${step.method} ${step.path}`, normal(await send(side, step), revisions)])
    outcomes.push(answers)
    await send(side, remove(at('v1')))
    await working(side)
  }
  return outcomes as [unknown, unknown]
}

/**
 * Waits until a real server serves the current definition: until then it calls another webhook, or stores another
 * version.
 */
async function define(clientConfig: JsonObject, storage = 'v1'): Promise<void> {
  const stored = versions.map((each) => ({ ...each, storage: each['name'] === storage }))
  for (const side of sides) {
    const made = await send(side, post(crds, boatDefinition(clientConfig, { versions: stored })))
    if (made.status === 409)
      await send(side, patch(`${crds}/boats.sea.io`, boatDefinition(clientConfig, { versions: stored })))
  }
  const other = storage === 'v1' ? 'v2' : 'v1'
  for (let tries = 0; tries < 200; tries++) {
    webhook.asked.length = 0
    const { status } = await send(sides[0], post(`${at(other)}?dryRun=All`, boat(other, 'probe', {})))
    const first = webhook.asked[0]?.['desiredAPIVersion']
    if (status === 201 && first === `sea.io/${storage}`) return
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  throw new Error('the real server does not convert')
}

describe('a kind in two versions', () => {
  it('a kind in two versions is written and read in both, each by its own rules', async () => {
    const [real, ours] = await compared([
      post(at('v1'), boat('v1', 'a', { size: 3, crew: 2 })),
      post(at('v2'), boat('v2', 'b', { length: '5m', hands: 4, extra: 1 })),
      get(at('v1', '/b')),
      get(at('v2', '/a')),
      get(at('v2', '/b')),
      get(at('v2')),
      get(at('v1')),
      get(at('v2', '/none')),
      post(at('v2'), boat('v2', 'a', { length: '5m' })),
      post(`${at('v2')}?dryRun=All`, boat('v2', 'c', { length: '5m' })),
      post(at('v2'), boat('v2', 'c', { length: '5mmmmmmmm' })),
      post(at('v2'), boat('v1', 'c', { size: 3 })),
      patch(at('v2', '/a'), { spec: { length: '7m' } }),
      patch(at('v2', '/a'), {}),
      patch(at('v2', '/a'), {}),
      get(at('v1', '/a')),
      patch(at('v2', '/a'), [{ op: 'replace', path: '/spec/hands', value: 9 }] as unknown as JsonObject, {
        type: 'application/json-patch+json',
      }),
      patch(at('v2', '/a'), { spec: { hands: 60 } }),
      patch(at('v1', '/a'), { spec: { crew: 60 } }),
      get(at('v2', '/a')),
      patch(at('v2', '/a'), { spec: { length: '8m' } }),
      patch(at('v2', '/b'), { metadata: { labels: { a: 'b' }, annotations: null } }),
      get(at('v1', '/b')),
      get(at('v2', '/b'), { mode: 'undeclared' }),
      post(at('v2'), boat('v2', 'd', { length: '5m' }), { mode: 'undeclared' }),
      get(at('v1', '/d')),
    ])
    expect(ours).toEqual(real)
  })

  it('a kind in two versions has a status, a scale, columns and selectors in both', async () => {
    const table = 'application/json;as=Table;v=v1;g=meta.k8s.io'
    const [real, ours] = await compared([
      post(at('v1'), boat('v1', 'a', { size: 3, crew: 2 })),
      post(at('v2'), boat('v2', 'b', { length: '5m', hands: 4 })),
      patch(at('v2', '/a/status'), { status: { aboard: 3 }, spec: { hands: 7 } }),
      get(at('v2', '/a/status')),
      get(at('v2', '/a/scale')),
      patch(at('v2', '/a/scale'), { spec: { replicas: 9 } }),
      get(at('v1', '/a')),
      patch(at('v2', '/b/scale'), { spec: { replicas: 5 } }),
      get(at('v1', '/b')),
      get(at('v2'), { accept: table }),
      get(at('v1'), { accept: table }),
      get(at('v2', '/a'), { accept: table }),
      get(at('v2'), { accept: 'application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io' }),
      get(`${at('v2')}?fieldSelector=spec.length%3D5m`),
      get(`${at('v1')}?fieldSelector=spec.length%3D5m`),
      get(`${at('v2')}?limit=1`),
    ])
    expect(ours).toEqual(real)
  })

  it('a kind in two versions has owners of fields in both', async () => {
    const [real, ours] = await compared([
      post(at('v1'), boat('v1', 'a', { size: 3, crew: 2 })),
      applied('v2', 'a', 'fieldManager=m', { length: '4m' }),
      applied('v2', 'a', 'fieldManager=m&force=true', { length: '4m' }),
      applied('v2', 'a', 'fieldManager=m&force=true', { hands: 3 }),
      applied('v2', 'a', 'fieldManager=n', { hands: 3 }),
      applied('v2', 'c', 'fieldManager=m', { length: '4m' }),
      applied('v1', 'c', 'fieldManager=m', { size: 4 }),
      applied('v1', 'c', 'fieldManager=n', { crew: 4 }),
      patch(at('v1', '/c'), { spec: { crew: 5 } }),
      get(at('v2', '/c')),
      patch(at('v2', '/c'), { spec: { flag: 'x' } }),
      applied('v2', 'a', 'fieldManager=m&force=true', { length: '6m' }),
      { ...applied('v1', 'a', 'fieldManager=m', { crew: 8 }), mode: 'undeclared' },
      applied('v1', 'a', 'fieldManager=o&force=true', { size: 9, note: 'x' }),
      applied('v2', 'a', 'fieldManager=o&force=true', { flag: 'y' }),
      { ...applied('v1', 'a', 'fieldManager=o', { size: 5 }), mode: 'failure' },
      patch(at('v1', '/a'), { spec: { crew: 7 } }, { mode: 'failure' }),
      get(at('v1', '/a')),
    ])
    expect(ours).toEqual(real)
  })

  it('a kind in two versions is changed by webhooks that know one of them', async () => {
    const configurations = '/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations'
    const clientConfig = {
      ...webhook.clientConfig,
      url: String(webhook.clientConfig['url']).replace('/convert', '/stamp'),
    }
    const rules = [
      { apiGroups: ['sea.io'], apiVersions: ['v1'], operations: ['CREATE', 'UPDATE'], resources: ['boats'] },
    ]
    const webhooks = [
      { name: 'stamp.sea.io', clientConfig, rules, sideEffects: 'None', admissionReviewVersions: ['v1'] },
    ]
    for (const side of sides) await send(side, post(configurations, { metadata: { name: 'stamp' }, webhooks }))
    const probe = post(`${at('v1')}?dryRun=All`, boat('v1', 'probe', {}))
    const isStamped = async (side: Transport): Promise<boolean> =>
      JSON.stringify((await send(side, probe)).body).includes('undefined, crew')
    for (let tries = 0; tries < 100 && !(await isStamped(sides[0])); tries++)
      await new Promise((resolve) => setTimeout(resolve, 50))
    const [real, ours] = await compared([
      post(at('v1'), boat('v1', 'a', { size: 3, crew: 2 })),
      post(at('v2'), boat('v2', 'b', { length: '5m', hands: 4 })),
      get(at('v1', '/b')),
      patch(at('v2', '/a'), { spec: { hands: 3 } }),
      get(at('v1', '/a')),
      applied('v2', 'a', 'fieldManager=m&force=true', { hands: 5 }),
      post(at('v2'), boat('v2', 'c', { length: '5m' }), { mode: 'failure' }),
      post(at('v2'), boat('v2', 'c', { length: '5m' }), { mode: 'up-only' }),
      get(at('v1', '/c')),
    ])
    for (const side of sides) await send(side, remove(`${configurations}/stamp`))
    expect(ours).toEqual(real)
    while (await isStamped(sides[0])) await new Promise((resolve) => setTimeout(resolve, 50))
  })

  it('a kind in two versions is deleted in both', async () => {
    const held = { metadata: { finalizers: ['sea.io/anchor'] } }
    const [real, ours] = await compared([
      ...['a', 'b', 'c', 'd'].map((name) => post(at('v1'), boat('v1', name, { size: 3 }))),
      patch(at('v2', '/c'), held),
      patch(at('v2', '/d'), held),
      remove(at('v2', '/a')),
      remove(at('v2', '/a')),
      remove(at('v2', '/c')),
      remove(`${at('v2', '/d')}?propagationPolicy=Foreground`),
      patch(at('v2', '/c'), { metadata: { finalizers: null } }),
      get(at('v2', '/c')),
      patch(at('v1', '/d'), { metadata: { finalizers: null } }),
      remove(at('v2')),
      get(at('v1')),
    ])
    expect(ours).toEqual(real)
  })
})

const wrong: readonly Mode[] = [
  'failure',
  'bare-failure',
  'fewer',
  'renamed',
  'other-uid',
  'other-namespace',
  'other-version',
  'other-kind',
  'bad-label',
  'number-label',
  'no-metadata',
  'no-review',
  'no-response',
  'other-review',
  'status-500',
  'status-404',
  'no-json',
  'hung-up',
  'other-rest',
]

describe('a webhook that answers wrongly', () => {
  it('a webhook that answers wrongly fails reads and writes in the same words', async () => {
    const [real, ours] = await compared([
      post(at('v1'), boat('v1', 'a', { size: 3, crew: 2 })),
      ...wrong.flatMap((mode) => [
        get(at('v2', '/a'), { mode }),
        post(`${at('v2')}?dryRun=All`, boat('v2', 'x', { length: '5m' }), { mode }),
      ]),
    ])
    expect(ours).toEqual(real)
  })

  it('a webhook that answers wrongly prevents a write, unless only the way back fails', async () => {
    // The list waits until a real server has converted the objects for its caches; otherwise the patch would convert
    // them.
    const [real, ours] = await compared([
      post(at('v2'), boat('v2', 'a', { length: '5m', hands: 2 })),
      get(at('v2')),
      post(at('v2'), boat('v2', 'b', { length: '5m' }), { mode: 'failure' }),
      get(at('v1', '/b')),
      patch(at('v2', '/a'), { spec: { hands: 3 } }, { mode: 'failure' }),
      remove(at('v2', '/a'), { mode: 'failure' }),
      get(at('v1', '/a')),
      patch(at('v2', '/a'), { spec: { hands: 4 } }, { mode: 'up-only' }),
      get(at('v1', '/a')),
      post(at('v2'), boat('v2', 'c', { length: '5m' }), { mode: 'up-only' }),
      get(at('v1', '/c')),
      patch(at('v1', '/a'), { spec: { crew: 5 } }, { mode: 'failure' }),
      get(at('v1', '/a')),
    ])
    expect(ours).toEqual(real)
  })
})

describe('a watch', () => {
  it('a watch of converted objects reports the same changes in the same order', async () => {
    const outcomes: unknown[] = []
    for (const side of sides) {
      const { body } = await send(side, get(at('v1')))
      const { resourceVersion } = (body as { readonly metadata: { readonly resourceVersion: string } }).metadata
      const stop = new AbortController()
      const seen: unknown[] = []
      const { events } = await side.request({
        method: 'GET',
        path: `${at('v2')}?watch=true&resourceVersion=${resourceVersion}`,
        headers: {},
        stream: true,
        signal: stop.signal,
      })
      for (const step of [
        post(at('v1'), boat('v1', 'a', { size: 3, crew: 2 })),
        patch(at('v1', '/a'), { spec: { size: 4 } }),
        post(at('v2'), boat('v2', 'b', { length: '5m' })),
        patch(at('v2', '/a'), { spec: { length: '6m' } }),
        remove(at('v1', '/a')),
        remove(at('v2', '/b')),
      ])
        await send(side, step)
      const revisions = new Map<string, string>()
      for await (const batch of events ?? []) {
        seen.push(...batch.map(({ type, object }) => [type, normal(object, revisions)]))
        if (seen.length >= 6) break
      }
      stop.abort()
      outcomes.push(seen)
    }
    expect(outcomes[1]).toEqual(outcomes[0])
  })
})

describe('another storage version', () => {
  it('another storage version leaves objects in the old one until they are written', async () => {
    const steps = [
      post(at('v1'), boat('v1', 'a', { size: 3, note: 'x' })),
      post(at('v2'), boat('v2', 'b', { length: '5m' })),
    ]
    for (const side of sides) for (const step of steps) await send(side, step)
    await define(webhook.clientConfig, 'v2')
    const [real, ours] = await compared([
      get(at('v1', '/a')),
      get(at('v2', '/a')),
      get(at('v1')),
      get(at('v2')),
      patch(at('v1', '/a'), {}),
      patch(at('v1', '/a'), {}),
      get(at('v1', '/a')),
      get(at('v2', '/a')),
      patch(at('v2', '/b'), { spec: { hands: 3 } }),
      get(at('v1', '/b')),
      get(at('v1', '/a'), { mode: 'failure' }),
      remove(at('v1', '/a')),
      remove(at('v2')),
    ])
    expect(ours).toEqual(real)
    const stored = await Promise.all(sides.map((side) => send(side, get(`${crds}/boats.sea.io`))))
    expect(stored.map(({ body }) => (body as { readonly status: JsonObject }).status['storedVersions'])).toEqual([
      ['v1', 'v2'],
      ['v1', 'v2'],
    ])
  })
})

describe('a webhook that cannot be reached', () => {
  it.each<[string, JsonObject]>([
    ['no Service', { url: null, caBundle: null, service: { name: 'absent', namespace: 'default' } }],
    ['no Service, with a path', { service: { path: '/x', port: 8443 } }],
    ['nobody listens', { service: null, url: 'https://127.0.0.1:1' }],
  ])('%s', async (_name, clientConfig) => {
    const change = patch(`${crds}/boats.sea.io`, { spec: { conversion: { webhook: { clientConfig } } } })
    for (const side of sides) await send(side, change)
    const probe = post(`${at('v1')}?dryRun=All`, boat('v1', 'x', {}))
    const ours = await send(sides[1], probe)
    const messageOf = ({ body }: { readonly body: Json }): string => (body as { readonly message: string }).message
    expect(messageOf(ours)).toContain('conversion webhook for sea.io/v1, Kind=Boat failed: Post ')
    // A real server needs a moment to observe the change.
    for (let tries = 0; tries < 100 && messageOf(await send(sides[0], probe)) !== messageOf(ours); tries++)
      await new Promise((resolve) => setTimeout(resolve, 50))
    expect(await send(sides[0], probe)).toEqual(ours)
  })
})
