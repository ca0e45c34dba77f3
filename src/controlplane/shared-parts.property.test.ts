/**
 * Writes share unchanged parts and cached information with the live object. A second server has no such information:
 * each object that it reads is a copy. Both must give byte-identical responses, whatever is written.
 */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { cloneJson, deepFreeze, type Json, type JsonObject } from '../api/json.ts'
import type { KubeObject } from '../api/object.ts'
import { simulatedEnv } from '../env/simulated.ts'
import type { InProcessRequest } from './api/in-process.ts'
import { createControlPlane } from './index.ts'
import type { Stored } from './storage/store.ts'

const item = {
  type: 'object',
  required: ['id'],
  properties: { id: { type: 'string' }, size: { type: 'integer', default: 3 } },
}

function definition(maxLength: number, generation: 'keyed' | 'atomic'): Json {
  const list = generation === 'keyed' ? { 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['id'] } : {}
  const part = {
    type: 'object',
    properties: {
      text: { type: 'string', maxLength },
      since: { type: 'string', format: 'date-time' },
      count: { type: 'integer', default: 1 },
      items: { type: 'array', ...list, items: item },
      free: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
    },
  }
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'things.ex.io' },
    spec: {
      group: 'ex.io',
      scope: 'Namespaced',
      names: { plural: 'things', singular: 'thing', kind: 'Thing', listKind: 'ThingList' },
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          subresources: { status: {}, scale: { specReplicasPath: '.spec.count', statusReplicasPath: '.status.count' } },
          schema: { openAPIV3Schema: { type: 'object', properties: { spec: part, status: part } } },
        },
      ],
    },
  }
}

const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'
const thing = '/apis/ex.io/v1/namespaces/default/things/t'
const deployment = '/apis/apps/v1/namespaces/default/deployments/d'

const text = fc.constantFrom('a', 'bb', 'ccc')
const labels = fc.dictionary(text, text, { maxKeys: 2 })
const optional = { requiredKeys: [] }
const metadata = fc.record(
  {
    labels,
    annotations: fc.oneof(labels, fc.constant(null)),
    finalizers: fc.array(fc.constantFrom('ex.io/a', 'b'), { maxLength: 2 }),
  },
  optional,
)
const part = fc.record(
  {
    text: fc.oneof(text, fc.constant(null)),
    since: fc.constantFrom('2026-01-01T00:00:00Z', 'never'),
    count: fc.oneof(fc.nat(4), fc.constant(null)),
    items: fc.array(fc.record({ id: text, size: fc.nat(3) }, optional), { maxLength: 3 }),
    free: fc.dictionary(text, fc.dictionary(text, text)),
    stray: text,
  },
  optional,
)
const content = fc.record({ metadata, spec: part, status: part }, optional)

const strategic = fc.record(
  {
    metadata,
    spec: fc.record(
      {
        replicas: fc.nat(3),
        paused: fc.boolean(),
        template: fc.record(
          {
            metadata: fc.record({ labels: labels.map((all) => ({ ...all, app: 'x' })) }),
            spec: fc.record(
              { containers: fc.array(fc.record({ name: text, image: text }), { minLength: 1, maxLength: 2 }) },
              optional,
            ),
          },
          optional,
        ),
      },
      optional,
    ),
    status: fc.record({ replicas: fc.nat(3) }, optional),
  },
  optional,
)

const merge = 'application/merge-patch+json'
const apply = 'application/apply-patch+yaml'
const manager = fc.constantFrom('one', 'two')
const typed = (apiVersion: string, kind: string, name: string, object: JsonObject): JsonObject => ({
  ...object,
  apiVersion,
  kind,
  metadata: { ...(object['metadata'] as JsonObject | undefined), name },
})

type Write = (live: JsonObject | undefined) => InProcessRequest
const patch =
  (path: string, type: string, body: Json): Write =>
  () => ({ method: 'PATCH', path, headers: { 'content-type': type }, body })

const write: fc.Arbitrary<Write> = fc.oneof(
  fc
    .tuple(fc.constantFrom('', '/status'), manager, content)
    .map(([sub, by, body]) => patch(`${thing}${sub}?fieldManager=${by}`, merge, body)),
  fc
    .tuple(fc.constantFrom('', '/status'), manager, fc.boolean(), content)
    .map(([sub, by, force, body]) =>
      patch(`${thing}${sub}?fieldManager=${by}&force=${String(force)}`, apply, typed('ex.io/v1', 'Thing', 't', body)),
    ),
  fc
    .tuple(text, fc.constantFrom('text', 'items/0/size', 'items/-', 'free/a'))
    .map(([value, path]) =>
      patch(thing, 'application/json-patch+json', [
        { op: 'add', path: `/spec/${path}`, value: path === 'items/-' ? { id: value } : value },
      ]),
    ),
  fc.tuple(manager, content).map(([by, body]): Write => (live) => ({
    method: 'PUT',
    path: `${thing}?fieldManager=${by}`,
    headers: { 'content-type': 'application/json' },
    body: {
      ...live,
      ...body,
      metadata: { ...(live?.['metadata'] as JsonObject | undefined), ...(body.metadata as JsonObject | undefined) },
    },
  })),
  fc.nat(3).map((replicas) => patch(`${thing}/scale`, merge, { spec: { replicas } })),
  fc
    .tuple(fc.constantFrom(2, 3), fc.constantFrom<'keyed' | 'atomic'>('keyed', 'atomic'))
    .map(([length, list]) =>
      patch(`${definitions}/things.ex.io`, merge, { spec: (definition(length, list) as JsonObject)['spec'] as Json }),
    ),
  fc
    .tuple(
      fc.constantFrom(merge, 'application/strategic-merge-patch+json'),
      fc.constantFrom('', '/status'),
      manager,
      strategic,
    )
    .map(([type, sub, by, body]) => patch(`${deployment}${sub}?fieldManager=${by}`, type, body)),
  fc
    .tuple(manager, fc.boolean(), strategic)
    .map(([by, force, body]) =>
      patch(
        `${deployment}?fieldManager=${by}&force=${String(force)}`,
        apply,
        typed('apps/v1', 'Deployment', 'd', body),
      ),
    ),
)

/** The stored version with only what a store must keep. */
function forgotten({ key, revision, needsRewrite, object }: Stored): Stored {
  const copy = cloneJson<Json>(object) as KubeObject
  return { key, revision, needsRewrite, object: deepFreeze(copy) }
}

async function story(writes: readonly Write[], knowsNothing: boolean): Promise<string[]> {
  const env = simulatedEnv({ seed: 1 })
  const plane = createControlPlane({ env })
  if (knowsNothing) {
    const { store } = plane
    const get = store.get.bind(store)
    store.get = (key) => {
      const stored = get(key)
      return stored !== undefined && /\/(things|deployments)\//.test(key) ? forgotten(stored) : stored
    }
  }
  const api = plane.transport()
  const answers: string[] = []
  const send = async (request: InProcessRequest): Promise<void> => void answers.push(JSON.stringify(await api(request)))
  await send({ method: 'POST', path: definitions, body: definition(2, 'keyed') })
  await send({
    method: 'POST',
    path: '/apis/ex.io/v1/namespaces/default/things',
    body: { apiVersion: 'ex.io/v1', kind: 'Thing', metadata: { name: 't' }, spec: { items: [{ id: 'a' }] } },
  })
  await send({
    method: 'POST',
    path: '/apis/apps/v1/namespaces/default/deployments',
    body: {
      metadata: { name: 'd' },
      spec: {
        selector: { matchLabels: { app: 'x' } },
        template: { metadata: { labels: { app: 'x' } }, spec: { containers: [{ name: 'a', image: 'a' }] } },
      },
    },
  })
  for (const each of writes) {
    env.advance(700)
    const live = await api({ method: 'GET', path: thing })
    await send(each(live.body as JsonObject))
  }
  await plane.close()
  return answers
}

describe('writes', () => {
  it('writes come to the same, whether what they share with the live object is known or not', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(write, { minLength: 3, maxLength: 12 }), async (writes) => {
        expect(await story(writes, false)).toEqual(await story(writes, true))
      }),
      { numRuns: 60 },
    )
  }, 60_000)
})
