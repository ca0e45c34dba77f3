import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../api/json.ts'
import type { KubeObject } from '../../api/object.ts'
import { builtinShape } from '../../shape/builtin-shapes.ts'
import { decodeTyped } from '../../shape/decode.ts'
import { any, type FieldShape, type Shape, type StructShape } from '../../shape/shape.ts'
import type { TrackContext } from './context.ts'
import { trackCreate } from './first-entry.ts'
import { trackUpdate } from './track-update.ts'

const start = Date.parse('2026-11-15T23:16:50Z')

function contextOf(shape: Shape, kind: string, more: Partial<TrackContext> = {}): TrackContext {
  return {
    shape,
    group: '',
    version: 'v1',
    apiVersion: 'v1',
    kind,
    subresource: '',
    resetPaths: status,
    now: start,
    ...more,
  }
}

const status = [['status']]
const deployment = contextOf(builtinShape('io.k8s.api.apps.v1.Deployment'), 'Deployment')
const pod = contextOf(builtinShape('io.k8s.api.core.v1.Pod'), 'Pod')
const configMap = contextOf(builtinShape('io.k8s.api.core.v1.ConfigMap'), 'ConfigMap')

const field = (name: string): FieldShape => ({ name, shape: any, required: false, emit: 'set', patchStrategy: [] })
const freeShape: StructShape = {
  type: 'struct',
  name: 'Free',
  atomic: false,
  preserveUnknown: true,
  fields: new Map(['apiVersion', 'kind', 'metadata', 'spec'].map((name) => [name, field(name)])),
}
const free = contextOf(freeShape, 'Free')

type Track = (next: KubeObject, manager: string, context: TrackContext) => void

function entries(body: JsonObject, context: TrackContext, track: Track, manager = 'm'): unknown {
  const next = (
    context === free ? structuredClone(body) : decodeTyped(body, context.shape as StructShape).object
  ) as KubeObject
  track(next, manager, context)
  return JSON.stringify(next.metadata.managedFields)
}

const asUpdate: Track = (next, manager, context) => trackUpdate(undefined, next, manager, context)
const asCreate: Track = (next, manager, context) => trackCreate(next, manager, context, context.now, () => context)

const port = (more: JsonObject): JsonObject => ({
  spec: { containers: [{ name: 'c', ports: [{ containerPort: 80, protocol: 'TCP', ...more }] }] },
})

const bodies: [TrackContext, JsonObject][] = [
  [configMap, { data: { a: '1' } }],
  [configMap, { data: { b: '1' } }],
  [configMap, { data: { a: '1', b: '1' } }],
  [configMap, { data: { b: '1', a: '1' } }],
  [configMap, { immutable: true }],
  [configMap, { metadata: { labels: { a: 'b' }, finalizers: ['x/y'] } }],
  [configMap, { metadata: { labels: { a: 'b' }, finalizers: ['x/z'] } }],
  [configMap, { metadata: { labels: { a: 'b' }, finalizers: ['x/y', 'x/z'] } }],
  [pod, port({})],
  [pod, port({ protocol: 'UDP' })],
  [pod, port({ name: 'http' })],
  [pod, port({ containerPort: 81 })],
  [pod, { spec: { containers: [{ name: 'c' }, { name: 'd' }] } }],
  [pod, { spec: { containers: [{ name: 'c' }, { name: 'c' }] } }],
  [pod, { spec: { containers: [] } }],
  [pod, { spec: { containers: [{ name: 'c', securityContext: {} }] } }],
  [pod, { spec: { containers: [{ name: 'c', securityContext: { privileged: true } }] } }],
  [deployment, { spec: { replicas: 0 } }],
  [deployment, { spec: { selector: { matchLabels: { a: 'b' } } } }],
  [deployment, { spec: { selector: {} } }],
  [deployment, { spec: { strategy: { type: 'Recreate' } } }],
  [
    deployment,
    { spec: { template: { metadata: { creationTimestamp: null }, spec: { containers: [{ name: 'c' }] } } } },
  ],
  [
    deployment,
    {
      spec: {
        template: { metadata: { creationTimestamp: '2026-11-15T23:16:50Z' }, spec: { containers: [{ name: 'c' }] } },
      },
    },
  ],
  [deployment, { status: { replicas: 1 } }],
  [free, { metadata: {}, spec: 1 }],
  [free, { metadata: {}, spec: null }],
  [free, { metadata: {}, spec: {} }],
  [free, { metadata: {}, spec: [1] }],
  [free, { metadata: {}, spec: { a: { b: 1 } } }],
  [free, { metadata: {}, spec: { a: 'text' } }],
  [free, { metadata: {}, other: { constructor: 1 } }],
]

describe('the first entry', () => {
  it('the first entry is what an update of nothing gives, whatever was created before', () => {
    // Several times and in both orders, so that each form is seen both with and without a memo entry.
    const rounds = [...bodies, ...bodies, ...bodies.toReversed(), ...bodies.flatMap((body) => [body, body])]
    for (const [context, body] of rounds) {
      const given = { apiVersion: 'v1', kind: context.kind, ...body }
      expect([body, entries(given, context, asCreate)]).toEqual([body, entries(given, context, asUpdate)])
    }
  })

  it('the first entry is one value for objects of one form that are made by one client within a second', () => {
    const make = (name: string, manager: string, now: number) => {
      const next = decodeTyped({ metadata: { name }, data: { a: name } }, configMap.shape as StructShape)
        .object as KubeObject
      trackCreate(next, manager, configMap, now, () => ({ ...configMap, now }))
      return next.metadata.managedFields
    }
    make('a', 'm', start)
    const first = make('b', 'm', start)
    expect(make('c', 'm', start + 900)).toBe(first)
    expect(make('d', 'm', start + 1000)).toMatchObject([{ manager: 'm', time: '2026-11-15T23:16:51Z' }])
    expect(make('e', 'other', start + 1000)).toMatchObject([
      { manager: 'other', time: '2026-11-15T23:16:51Z', fieldsV1: first?.[0]?.fieldsV1 },
    ])
    expect(Object.isFrozen(first) && Object.isFrozen(first?.[0]) && Object.isFrozen(first?.[0]?.fieldsV1)).toBe(true)
  })

  it('the first entry starts from what the request carries', () => {
    const given = [
      {
        manager: 'x',
        operation: 'Apply',
        apiVersion: 'v1',
        fieldsType: 'FieldsV1',
        fieldsV1: { 'f:data': { 'f:a': {} } },
      },
    ]
    const body = { metadata: { managedFields: given }, data: { a: '1', b: '2' } }
    expect(entries(body, configMap, asCreate)).toEqual(entries(body, configMap, asUpdate))
  })
})
