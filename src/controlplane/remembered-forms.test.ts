/** Memos of one write must not affect another. Cases found by the fuzzer, with the responses of a real server. */
import { beforeEach, expect, it } from 'vitest'
import type { JsonObject } from '../api/json.ts'
import { simulatedEnv } from '../env/simulated.ts'
import { createControlPlane, type InProcessTransport } from './index.ts'

let api: InProcessTransport
beforeEach(() => {
  api = createControlPlane({ env: simulatedEnv() }).transport()
})

const send = async (method: string, path: string, body: JsonObject, type = 'application/json') =>
  (await api({ method, path, headers: { 'content-type': type }, body })) as unknown as {
    status: number
    body: { message?: string; metadata: { resourceVersion: string; managedFields: { fieldsV1: JsonObject }[] } }
  }

const boats = '/apis/sea.io/v1/namespaces/default/boats'
const boat = (metadata: JsonObject, more: JsonObject = {}): JsonObject => ({
  apiVersion: 'sea.io/v1',
  kind: 'Boat',
  metadata,
  ...more,
})

async function defineBoats(): Promise<void> {
  const members = {
    type: 'array',
    'x-kubernetes-list-type': 'map',
    'x-kubernetes-list-map-keys': ['user'],
    items: { type: 'object', required: ['user'], properties: { user: { type: 'string' } } },
  }
  const openAPIV3Schema = { type: 'object', properties: { spec: { type: 'object', properties: { members } } } }
  await send('POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'boats.sea.io' },
    spec: {
      group: 'sea.io',
      scope: 'Namespaced',
      names: { plural: 'boats', kind: 'Boat' },
      versions: [
        { name: 'v1', served: true, storage: true, subresources: { status: {} }, schema: { openAPIV3Schema } },
      ],
    },
  })
}

it('who gives a namespace its finalizers owns them, whatever others before have left out', async () => {
  const owned: unknown[] = []
  for (const [i, spec] of [undefined, { finalizers: ['kubernetes'] }, {}, { finalizers: ['kubernetes'] }].entries()) {
    const { body } = await send('POST', '/api/v1/namespaces', {
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name: `n${i}` },
      ...(spec === undefined ? {} : { spec }),
    })
    owned.push(body.metadata.managedFields[0]?.fieldsV1['f:spec'])
  }
  expect(owned).toEqual([undefined, { 'f:finalizers': {} }, undefined, { 'f:finalizers': {} }])
})

it('an item that is no object is refused like any other', async () => {
  await defineBoats()
  const { status, body } = await send('POST', boats, boat({ name: 'a' }, { spec: { members: [null] } }))
  expect([status, body.message]).toEqual([
    422,
    'Boat.sea.io "a" is invalid: spec.members[0]: Invalid value: "null": spec.members[0] in body must be of ' +
      'type object: "null"',
  ])
})

it('after an apply of empty labels the next write counts, though it changes nothing', async () => {
  await defineBoats()
  await send('POST', boats, boat({ name: 'a' }))
  const applied = await send(
    'PATCH',
    `${boats}/a?fieldManager=alpha`,
    boat({ name: 'a', labels: {} }),
    'application/apply-patch+yaml',
  )
  const next = await send('PATCH', `${boats}/a/status`, {}, 'application/merge-patch+json')
  const last = await send('PATCH', `${boats}/a/status`, {}, 'application/merge-patch+json')
  const [a, b, c] = [applied, next, last].map(({ body }) => Number(body.metadata.resourceVersion)) as [
    number,
    number,
    number,
  ]
  expect([b - a, c - b]).toEqual([1, 0])
})
