/**
 * A write that shares parts with the live object must have the same result as a write of equal values that shares
 * nothing: records about parts only save time.
 */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { cloneJson, deepFreeze, isObject, type Json, type JsonObject } from '../../api/json.ts'
import type { KubeObject } from '../../api/object.ts'
import type { Decoded, LiveVersion, Resource, WriteContext } from '../contract/resource.ts'
import { applyJsonPatch } from '../patch/json-patch.ts'
import { applyMergePatch } from '../patch/merge-patch.ts'
import { UnmarshalError } from '../../shape/decode.ts'
import { decodedParts, knownPart, partsOf } from '../../api/known-part.ts'
import { customResources } from './custom-resources.ts'

const item = {
  type: 'object',
  required: ['id'],
  properties: {
    id: { type: 'string' },
    size: { type: 'integer', default: 3, maximum: 4 },
    more: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
  },
}
const part = {
  type: 'object',
  properties: {
    text: { type: 'string', maxLength: 2, nullable: true },
    time: { type: 'string', format: 'date-time' },
    keyed: { type: 'array', 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['id'], items: item },
    unique: { type: 'array', 'x-kubernetes-list-type': 'set', items: { type: 'string', maxLength: 2 } },
    plain: { type: 'array', maxItems: 3, items: { ...item, required: [] } },
    map: { type: 'object', additionalProperties: { ...item, required: [] } },
    either: {
      oneOf: [{ required: ['a'] }, { required: ['b'] }],
      type: 'object',
      properties: { a: { type: 'string' }, b: { type: 'string' } },
    },
    inner: {
      type: 'object',
      default: {},
      properties: { x: { type: 'string', default: 'd', enum: ['d', 'e'] }, y: { type: 'integer' } },
    },
    object: { type: 'object', 'x-kubernetes-embedded-resource': true, 'x-kubernetes-preserve-unknown-fields': true },
  },
}

function resourceOf(statusDefault: boolean): Resource {
  const status = statusDefault ? { ...part, default: {} } : part
  const crd = {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'things.ex.io', generation: 1 },
    spec: {
      group: 'ex.io',
      scope: 'Namespaced',
      names: { plural: 'things', singular: 'thing', kind: 'Thing', listKind: 'ThingList' },
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          subresources: { status: {} },
          schema: {
            openAPIV3Schema: {
              type: 'object',
              properties: {
                spec: part,
                status,
                loose: { 'x-kubernetes-preserve-unknown-fields': true, type: 'object' },
              },
            },
          },
        },
      ],
    },
    status: { acceptedNames: { plural: 'things', singular: 'thing', kind: 'Thing', listKind: 'ThingList' } },
  }
  return customResources(crd)[0] as Resource
}

const text = fc.constantFrom('a', 'bb', 'ccc', 'd')
const anyItem = fc.record(
  { id: text, size: fc.integer({ min: 1, max: 6 }), more: fc.dictionary(text, text), odd: fc.boolean() },
  { requiredKeys: [] },
)
const values = fc.record(
  {
    text: fc.oneof(text, fc.constant(null)),
    time: fc.constantFrom('2026-01-01T00:00:00Z', 'never'),
    keyed: fc.array(anyItem, { maxLength: 3 }),
    unique: fc.array(text, { maxLength: 3 }),
    plain: fc.array(fc.oneof(anyItem, fc.constant(null)), { maxLength: 4 }),
    map: fc.dictionary(text, fc.oneof(anyItem, fc.constant(null)), { maxKeys: 3 }),
    either: fc.record({ a: text, b: text }, { requiredKeys: [] }),
    inner: fc.oneof(fc.record({ x: text, y: fc.integer() }, { requiredKeys: [] }), fc.constant(null)),
    object: fc.record(
      {
        apiVersion: fc.constantFrom('v1', 'a/b/c'),
        kind: text,
        metadata: fc.record({ name: text, labels: fc.dictionary(text, text) }, { requiredKeys: [] }),
        x: text,
      },
      { requiredKeys: [] },
    ),
    stray: text,
  },
  { requiredKeys: [] },
)
const metadata = fc.record(
  {
    labels: fc.dictionary(text, text),
    annotations: fc.oneof(fc.dictionary(text, text), fc.constant(null)),
    finalizers: fc.array(text, { maxLength: 2 }),
    stray: text,
  },
  { requiredKeys: [] },
)
const itemAdded = fc
  .tuple(fc.constantFrom('keyed', 'plain'), anyItem)
  .map(([list, value]) => [{ op: 'add', path: `/spec/${list}/-`, value }])
const changes = fc.record(
  { metadata, spec: values, status: values, loose: fc.dictionary(text, values), stray: text },
  { requiredKeys: [] },
)

/** Applies a merge patch, or a JSON patch if there is such a list. */
function changed(live: JsonObject, change: Json): JsonObject {
  if (isObject(change)) return applyMergePatch(live, change) as JsonObject
  const list = String(((change as JsonObject[])[0] as JsonObject)['path']).split('/')[2] as string
  return Array.isArray((live['spec'] as JsonObject)[list]) ? (applyJsonPatch(live, change) as JsonObject) : live
}

interface Outcome {
  readonly object?: Json | undefined
  readonly unknown?: readonly string[] | undefined
  readonly errors?: readonly unknown[] | undefined
  readonly failure?: string | undefined
  readonly made?: LiveVersion
}

/** An object as the store keeps it, with the records about its parts. */
function stored({ object, parts }: Decoded): LiveVersion {
  return { object: deepFreeze(object), parts }
}

function contextOf(decoded: Decoded, live: LiveVersion | undefined): WriteContext {
  return { warn: () => {}, decoded, liveParts: live?.parts } as unknown as WriteContext
}

type Step = 'sent' | 'applied' | 'status'

/** Decodes and validates as the registry does. */
function write(
  resource: Resource,
  patched: JsonObject,
  old: KubeObject,
  live: LiveVersion | undefined,
  step: Step,
): Outcome {
  try {
    const decoded =
      step === 'applied'
        ? (resource.decodeApplied as NonNullable<Resource['decodeApplied']>)(patched, live)
        : resource.decode(patched, false, live)
    const { object } = decoded
    const kept = step === 'status' ? 'spec' : 'status'
    if (old[kept] === undefined) delete object[kept]
    else object[kept] = old[kept]
    const { strategy } = resource
    const context = contextOf(decoded, live)
    const errors =
      (step === 'status'
        ? strategy.validateStatusUpdate?.(object, old, context)
        : strategy.validateUpdate?.(object, old, context)) ?? []
    return {
      object: cloneJson(object),
      unknown: decoded.unknown,
      errors,
      made: { object, parts: partsOf(object, decoded.parts, live?.parts) },
    }
  } catch (error) {
    if (!(error instanceof UnmarshalError)) throw error
    return { failure: error.message }
  }
}

function reported({ object, unknown, errors, failure }: Outcome): Outcome {
  return { object, unknown, errors, failure }
}

const start: JsonObject = {
  apiVersion: 'ex.io/v1',
  kind: 'Thing',
  metadata: { name: 'n', labels: { a: 'a' } },
  spec: {},
}

describe.each([[false], [true]])('custom resources; the status has a default: %s', (statusDefault) => {
  it('are decoded and validated alike, whatever is known of them', () => {
    const step = fc.constantFrom<Step>('sent', 'applied', 'status')
    fc.assert(
      fc.property(
        values,
        fc.array(fc.tuple(step, fc.oneof(changes, itemAdded)), { minLength: 1, maxLength: 6 }),
        (given, writes) => {
          const resource = resourceOf(statusDefault)
          // Not validated: values from an older schema may be invalid, and validation ratcheting accepts them while
          // they are unchanged.
          let live = stored(resource.decode({ ...cloneJson(start), spec: { ...given, object: {} } }))
          for (const [how, change] of writes) {
            const patched = changed(live.object, change)
            const plain = resourceOf(statusDefault)
            const expected = write(
              plain,
              cloneJson(patched),
              cloneJson<Json>(live.object) as KubeObject,
              undefined,
              how,
            )
            const outcome = write(resource, patched, live.object, live, how)
            expect(reported(outcome)).toEqual(reported(expected))
            if (outcome.errors?.length !== 0) continue
            live = outcome.made as LiveVersion
            deepFreeze(live.object)
          }
        },
      ),
      { numRuns: 250 },
    )
  })
})

describe('what a write leaves alone', () => {
  const resource = resourceOf(false)

  it('what a write leaves alone is the very value of the live object, and is known', () => {
    const version = stored(
      resource.decode({ ...start, spec: { keyed: [{ id: 'a' }], inner: { y: 1 } }, loose: { a: 1 } }),
    )
    const live = version.object
    const patched = applyMergePatch(live, { spec: { inner: { y: 2 } } }) as JsonObject
    const { object, parts } = resource.decode(patched, false, version)
    const { next: _, ...known } = { ...knownPart(live['loose'], version.parts) }
    expect(known.part).toBe(live['loose'])
    expect(knownPart(object['loose'] as Json, parts)).toMatchObject(known)
    expect(object['loose']).toBe(live['loose'])
    expect((object['spec'] as JsonObject)['keyed']).toBe((live['spec'] as JsonObject)['keyed'])
    expect((object['spec'] as JsonObject)['inner']).toEqual({ x: 'd', y: 2 })
    expect(object.metadata.labels).toBe(live.metadata.labels)
    expect(object.metadata).not.toBe(live.metadata)
  })

  it('what a write leaves alone is not taken over from an object that another schema decoded', () => {
    const version = stored(resource.decode({ ...start, loose: { a: 1 } }))
    const live = version.object
    const { object } = resourceOf(false).decode(live, false, version)
    expect(object['loose']).toEqual(live['loose'])
    expect(object['loose']).not.toBe(live['loose'])
  })

  it('what a write leaves alone is known to be valid only if nothing was forgiven', () => {
    const version = stored(resource.decode({ ...start, spec: { text: 'too long', inner: { y: 1 } } }))
    const bad = version.object
    const patched = applyMergePatch(bad, { spec: { inner: { y: 2 } } }) as JsonObject
    const decoded = resource.decode(patched, false, version)
    const { object } = decoded
    expect(resource.strategy.validateUpdate?.(object, bad, contextOf(decoded, version))).toEqual([])
    expect(knownPart(object['spec'] as Json, decoded.parts)).toMatchObject({ part: object['spec'], isValid: false })
    const next = stored(decoded)
    const again = resource.decode(applyMergePatch(object, { spec: { text: 'longer yet' } }) as JsonObject, false, next)
    expect(resource.strategy.validateUpdate?.(again.object, object, contextOf(again, next))).toMatchObject([
      { type: 'TooLong', field: 'spec.text' },
    ])
    // The same error where ratcheting does not apply: in a part that changes elsewhere, and was invalid before.
    const moved = resource.decode(applyMergePatch(object, { status: { text: 'too long' } }) as JsonObject, false, next)
    expect(resource.strategy.validateStatusUpdate?.(moved.object, object, contextOf(moved, next))).toMatchObject([
      { type: 'TooLong', field: 'status.text' },
    ])
  })

  it('what a write leaves alone is found by its identity, in any list that has it', () => {
    const schema = {}
    const spec = { a: 1 }
    const parts = decodedParts({ metadata: {}, spec, status: 1 }, schema, undefined)
    expect(parts).toEqual({ part: spec, schema, isValid: false, shape: undefined, next: undefined })
    expect(knownPart(spec, undefined, parts)).toBe(parts)
    expect([knownPart({ a: 1 }, parts), knownPart(null, parts), knownPart(undefined, parts)]).toEqual([
      undefined,
      undefined,
      undefined,
    ])
    expect(partsOf({ spec }, undefined, parts)).toEqual(parts)
    expect([partsOf({ spec: {} }, parts), partsOf({ spec })]).toEqual([undefined, undefined])
  })
})
