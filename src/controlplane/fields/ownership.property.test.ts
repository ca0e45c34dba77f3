/** Apply and update compared with a slow model that has no trees, sets and shapes. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { cloneJson, deepFreeze, isObject, type Json, type JsonObject } from '../../api/json.ts'
import type { KubeObject } from '../../api/object.ts'
import { ApiError } from '../../api/status.ts'
import type { FieldShape, Shape, StructShape } from '../../shape/shape.ts'
import { finishApply, mergeApply } from './apply-patch.ts'
import type { TrackContext } from './context.ts'
import { parseFieldSet, pathsOf } from './field-set.ts'
import { lists, flatten, sorted, keyOf, Model, type Flat } from './testdata/ownership-model.ts'
import { trackUpdate } from './track-update.ts'

// --- the type under test; the model has it in its own form

const text: Shape = { type: 'scalar', scalar: 'string' }
const struct = (fields: Record<string, Shape>): StructShape => ({
  type: 'struct',
  name: '',
  atomic: false,
  preserveUnknown: false,
  fields: new Map(
    Object.entries(fields).map(([name, shape]): [string, FieldShape] => {
      const field: FieldShape = { name, shape, required: false, emit: 'set', patchStrategy: [] }
      return [name, name === 'proto' ? { ...field, default: 'TCP' } : field]
    }),
  ),
})
const map = (values: Shape, atomic = false): Shape => ({ type: 'map', values, atomic })
const list = (items: Shape, ownership: 'atomic' | 'set' | 'map', keys: string[] = []): Shape => ({
  type: 'list',
  items,
  ownership,
  keys,
})
const shape = struct({
  apiVersion: text,
  kind: text,
  metadata: struct({ name: text, labels: map(text) }),
  spec: struct({
    a: text,
    b: text,
    map: map(text),
    set: list(text, 'set'),
    items: list(struct({ id: text, proto: text, x: text, y: text }), 'map', ['id', 'proto']),
    part: struct({ p: text, q: text }),
    atomicList: list(text, 'atomic'),
    atomicMap: map(text, true),
  }),
})

// --- the subject, driven the same way

/** A decoder without defaults: an object that lost its last field stays, empty; a list is dropped. */
function normalise(object: KubeObject): KubeObject {
  const fill = (value: Json, path: string): Json => {
    if (value === null) return {}
    if (!isObject(value)) return value
    const kept = Object.entries(value).filter(([key, item]) => item !== null || !lists.has(`${path}.${key}`))
    return Object.fromEntries(kept.map(([key, item]) => [key, fill(item, `${path}.${key}`)]))
  }
  return fill(object, '') as KubeObject
}

class Subject {
  object: KubeObject | undefined

  #context(now: number): TrackContext {
    const type = { group: '', version: 'v1', apiVersion: 'v1', kind: 'Thing', subresource: '' }
    return { ...type, shape, resetPaths: [], now: now * 1000 }
  }

  update(next: JsonObject, manager: string, now: number): void {
    const object = cloneJson(next) as KubeObject
    trackUpdate(this.object, object, manager, this.#context(now))
    this.object = deepFreeze(object)
  }

  apply(config: JsonObject, manager: string, force: boolean, now: number): string[] {
    try {
      const merge = mergeApply(this.object, deepFreeze(cloneJson(config)), manager, force, this.#context(now))
      const result = finishApply(merge, merge.merged && normalise(merge.merged))
      this.object = deepFreeze(result)
      return []
    } catch (error) {
      if (!(error instanceof ApiError) || error.code !== 409) throw error
      return (error.status.details?.causes ?? [])
        .map(({ message = '', field = '' }) => {
          const [, manager, update] = /^conflict with "([^"]*)"( using v1)?$/.exec(message) ?? []
          return `${manager ?? message} ${update === undefined ? 'Apply' : 'Update'} ${field}`
        })
        .sort()
    }
  }

  flat(): Flat {
    if (this.object === undefined) return new Map()
    const { managedFields: _, ...metadata } = this.object.metadata
    return flatten({ ...this.object, metadata })
  }

  owners(): Record<string, unknown> {
    const entries = (this.object?.metadata.managedFields ?? []).map((entry) => {
      const fields = JSON.parse(JSON.stringify(entry.fieldsV1)) as JsonObject
      const time = entry.time === undefined ? undefined : Date.parse(entry.time) / 1000
      const paths = pathsOf(parseFieldSet(fields)).sort()
      return [`${entry.manager ?? ''} ${entry.operation ?? ''}`, { paths, time }]
    })
    return Object.fromEntries(entries) as Record<string, unknown>
  }
}

const modelOwners = (model: Model): Record<string, unknown> =>
  Object.fromEntries([...model.owners].map(([id, { paths, time }]) => [id, { paths: [...paths].sort(), time }]))
const values = (flat: Flat): Record<string, string> =>
  sorted(Object.fromEntries([...flat].map(([path, { value }]) => [path, value])))

const order = (flat: Flat): string => [...flat.keys()].filter((path) => path.endsWith(']')).join(' ')

// --- random writes. Without empty lists: they name nothing, and upstream drops containers that have only these.

const value = fc.constantFrom('1', '2')
const optional = <T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> =>
  fc.option(arbitrary, { nil: undefined, freq: 2 })
const freeMap = fc.dictionary(fc.constantFrom('k', 'l', 'constructor'), value, { maxKeys: 3 })
const item = fc.record({
  id: fc.constantFrom('i', 'j', 'n'),
  proto: optional(fc.constantFrom('TCP', 'UDP')),
  x: optional(value),
  y: optional(value),
})
const spec = fc.record({
  a: optional(value),
  b: optional(value),
  map: optional(freeMap),
  set: optional(fc.uniqueArray(fc.constantFrom('r', 's', 't', 'u'), { minLength: 1, maxLength: 4 })),
  items: optional(fc.uniqueArray(item, { minLength: 1, maxLength: 3, selector: (it) => keyOf(it as JsonObject) })),
  part: optional(fc.record({ p: optional(value), q: optional(value) })),
  atomicList: optional(fc.array(value, { maxLength: 2 })),
  atomicMap: optional(freeMap),
})
const thing = fc
  .record({ labels: optional(freeMap), spec: optional(spec) })
  .map(({ labels, spec }) => ({ apiVersion: 'v1', kind: 'Thing', metadata: { name: 'n', labels }, spec }))
  .map((found) => JSON.parse(JSON.stringify(found)) as JsonObject)
const write = fc.record({
  verb: fc.constantFrom('apply', 'apply', 'apply', 'force', 'update'),
  manager: fc.constantFrom('m1', 'm2', 'm3'),
  body: thing,
})

interface Write {
  readonly verb: string
  readonly manager: string
  readonly body: JsonObject
}

function run(writes: readonly Write[], each: (step: Step) => void): void {
  const model = new Model()
  const subject = new Subject()
  writes.forEach(({ verb, manager, body }, now) => {
    const before = { flat: subject.flat(), owners: modelOwners(model) }
    let conflicts: string[] = []
    if (verb === 'update') {
      model.update(flatten(body), manager, now)
      subject.update(body, manager, now)
    } else {
      conflicts = subject.apply(body, manager, verb === 'force', now)
      const reordered = order(before.flat) !== order(subject.flat())
      expect(conflicts).toEqual(model.apply(flatten(body), manager, verb === 'force', now, reordered))
    }
    each({ verb, manager, body, now, model, subject, before, conflicts })
  })
}

interface Step {
  readonly verb: string
  readonly manager: string
  readonly body: JsonObject
  readonly now: number
  readonly model: Model
  readonly subject: Subject
  readonly before: { flat: Flat; owners: Record<string, unknown> }
  readonly conflicts: readonly string[]
}

const writes = fc.array(write, { minLength: 1, maxLength: 9 })

describe('ownership', () => {
  it('ownership is what the model says, after any sequence of applies, forced applies and updates', () => {
    fc.assert(
      fc.property(writes, (sequence) => {
        run(sequence, ({ model, subject }) => {
          if (model.object === undefined) return
          expect(values(subject.flat())).toEqual(values(model.object))
          expect(subject.owners()).toEqual(modelOwners(model))
        })
      }),
      { numRuns: 400 },
    )
  })

  it('ownership does nothing when the same is applied again', () => {
    fc.assert(
      fc.property(writes, (sequence) => {
        run(sequence, ({ verb, subject, body, manager, conflicts }) => {
          if (verb === 'update' || conflicts.length > 0) return
          const { object } = subject
          // An object without any owner gets its first one with the next apply, even if that changes nothing.
          if (object?.metadata.managedFields === undefined) return
          expect(subject.apply(body, manager, false, 1000)).toEqual([])
          expect(subject.object).toBe(object)
        })
      }),
      { numRuns: 150 },
    )
  })

  it('ownership gives an applier its values, and without force changes nothing that others own', () => {
    fc.assert(
      fc.property(writes, (sequence) => {
        run(sequence, ({ verb, manager, body, subject, before, conflicts }) => {
          if (verb === 'update' || conflicts.length > 0) return
          const after = subject.flat()
          for (const [path, { kind, value }] of flatten(body)) {
            if (kind === 'leaf') expect(after.get(path)?.value).toBe(value)
          }
          if (verb === 'force') return
          for (const [id, owner] of Object.entries(before.owners)) {
            if (id === `${manager} Apply`) continue
            for (const path of (owner as { paths: string[] }).paths) {
              const now = after.get(path)
              // It may be removed with an item that only its owner's manager owned, and a list with its last item,
              // but it never changes.
              if (now !== undefined) expect(now.value).toBe(before.flat.get(path)?.value)
              else expect(path).toMatch(/^\.spec\.(items\[[^\]]*\]\.|(items|set)$)/)
            }
          }
        })
      }),
      { numRuns: 150 },
    )
  })

  it("ownership keeps items in order: the configuration's among themselves, and the others among themselves", () => {
    const items = fc.uniqueArray(fc.constantFrom(...'abcdefgh'), { maxLength: 7 })
    fc.assert(
      fc.property(items, items, (live, config) => {
        const subject = new Subject()
        const type = { apiVersion: 'v1', kind: 'Thing', metadata: { name: 'n' } }
        const body = (set: string[]): JsonObject => ({ ...type, spec: { set } })
        subject.apply(body(live), 'm1', false, 0)
        subject.apply(body(config), 'm2', false, 1)
        const set = [...subject.flat().keys()].flatMap((path) => /^\.spec\.set\[="(.)"\]$/.exec(path)?.[1] ?? [])
        expect(set.filter((it) => config.includes(it))).toEqual(config)
        expect(set.filter((it) => !config.includes(it))).toEqual(live.filter((it) => !config.includes(it)))
        expect(new Set(set)).toEqual(new Set([...live, ...config]))
      }),
    )
  })
})
