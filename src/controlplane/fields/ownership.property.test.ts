/**
 * Apply and update against a slow model. The model knows nothing of trees, sets and shapes: an object is a
 * flat list of paths with values, an owner a list of paths, and every rule is a sentence over these lists.
 */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { cloneJson, deepFreeze, isObject, type Json, type JsonObject } from '../../api/json.ts'
import type { KubeObject } from '../../api/object.ts'
import { ApiError } from '../../api/status.ts'
import type { FieldShape, Shape, StructShape } from '../shape/shape.ts'
import { applyPatch } from './apply-patch.ts'
import type { TrackContext } from './context.ts'
import { parseFieldSet, pathsOf } from './field-set.ts'
import { trackUpdate } from './track-update.ts'

// --- the type under test, written twice: as a Shape, and as what the model reads

const text: Shape = { type: 'scalar', scalar: 'string' }
const struct = (fields: Record<string, Shape>): StructShape => ({
  type: 'struct', name: '', atomic: false, preserveUnknown: false,
  fields: new Map(
    Object.entries(fields).map(([name, shape]): [string, FieldShape] => {
      const field: FieldShape = { name, shape, required: false, emit: 'set', patchStrategy: [] }
      return [name, name === 'proto' ? { ...field, default: 'TCP' } : field]
    }),
  ),
})
const map = (values: Shape, atomic = false): Shape => ({ type: 'map', values, atomic })
const list = (items: Shape, ownership: 'atomic' | 'set' | 'map', keys: string[] = []): Shape => ({
  type: 'list', items, ownership, keys,
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

// --- the model's objects: path to what is there

type Kind = 'leaf' | 'container' | 'item'
interface Unit {
  readonly kind: Kind
  /** JSON of a leaf; '' otherwise: a container or an item is just there. */
  readonly value: string
  readonly above: readonly string[]
  /** A map that holds nothing: whoever applies it owns it. */
  readonly hollowMap: boolean
}
type Flat = Map<string, Unit>

const lists = new Set(['.spec.set', '.spec.items'])
const containers = new Set(['.metadata', '.metadata.labels', '.spec', '.spec.map', '.spec.part', ...lists])

function flatten(object: JsonObject): Flat {
  const flat: Flat = new Map()
  const visit = (value: Json, path: string, above: readonly string[]): void => {
    const isItem = path.startsWith('.spec.items[') && path.endsWith(']')
    const kind: Kind = isItem ? 'item' : containers.has(path) ? 'container' : 'leaf'
    const leaf = kind === 'leaf'
    flat.set(path, {
      kind, above, value: leaf ? valueText(value) : '',
      hollowMap: kind === 'container' && isObject(value) && Object.keys(value).length === 0,
    })
    if (!leaf) inside(value, path, [...above, path])
  }
  const inside = (value: Json, path: string, above: readonly string[]): void => {
    if (Array.isArray(value)) {
      for (const item of value) visit(item, path + keyOf(item), above)
    } else if (isObject(value)) {
      for (const [key, item] of Object.entries(value)) visit(item, `${path}.${key}`, above)
    }
  }
  inside(object, '', [])
  return flat
}

/** The order of keys does not count, that of items does. */
function valueText(value: Json): string {
  return JSON.stringify(isObject(value) ? sorted(value) : value)
}

function sorted<T extends object>(value: T): T {
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))) as T
}

function keyOf(item: Json): string {
  if (!isObject(item)) return `[=${JSON.stringify(item)}]`
  return `[id=${JSON.stringify(item['id'])},proto=${JSON.stringify(item['proto'] ?? 'TCP')}]`
}

// --- the model's rules

interface ModelOwner {
  readonly paths: ReadonlySet<string>
  readonly time: number | undefined
}

const untracked = new Set(['.apiVersion', '.kind', '.metadata', '.metadata.name'])

class Model {
  object: Flat | undefined
  owners = new Map<string, ModelOwner>()

  update(next: Flat, manager: string, now: number): void {
    if (this.object === undefined || this.owners.size > 0) {
      this.#record(this.object ?? new Map(), next, `${manager} Update`, now)
    }
    this.object = next
  }

  /** Everything new or different is the updater's, and nobody else's; everything gone is nobody's. */
  #record(before: Flat, after: Flat, id: string, now: number): void {
    const touched = changed(before, after)
    const gone = [...before.keys()].filter((path) => !after.has(path))
    this.#takeFromAll('', new Set([...touched, ...gone]))
    const taken = touched.filter((path) => !untracked.has(path))
    if (taken.length === 0) return
    this.owners.set(id, { paths: new Set([...(this.owners.get(id)?.paths ?? []), ...taken]), time: now })
  }

  /**
   * Returns the conflicts, as `manager path`; changes nothing if there are any. The order of items is not in
   * the model: it must be told whether that changed, since it counts as a change of the object.
   */
  apply(config: Flat, manager: string, force: boolean, now: number, reordered: boolean): string[] {
    const before = { object: this.object, owners: new Map(this.owners) }
    if (this.object !== undefined && this.owners.size === 0) {
      this.#record(new Map(), this.object, 'before-first-apply Update', now)
    }
    const id = `${manager} Apply`
    const live: Flat = this.object ?? new Map([['.apiVersion', unit('"v1"')], ['.kind', unit('"Thing"')]])
    const last = this.owners.get(id)
    const names = ([, { kind, hollowMap }]: [string, Unit]): boolean => kind !== 'container' || hollowMap
    const named = new Set([...config].filter(names).map(([path]) => path))
    const after = this.#prune(new Map([...live, ...config]), last?.paths ?? new Set(), named, id)
    const touched = new Set(changed(live, after))
    const conflicts: string[] = []
    for (const [other, { paths }] of this.owners) {
      if (other !== id) for (const path of paths) if (touched.has(path)) conflicts.push(`${other} ${path}`)
    }
    if (conflicts.length > 0 && !force) {
      this.object = before.object
      this.owners = before.owners
      return conflicts.sort()
    }
    const gone = [...live.keys()].filter((path) => !after.has(path))
    this.#takeFromAll(id, new Set([...touched, ...gone]))
    const paths = new Set([...named].filter((path) => !untracked.has(path)))
    const time = touched.size > 0 || gone.length > 0 || reordered ? now : last?.time
    if (paths.size > 0) this.owners.set(id, { paths, time })
    else this.owners.delete(id)
    this.object = withoutEmptyLists(after)
    return []
  }

  /**
   * A path goes when the applier named it last time, or it is a container on the way to such a path; and
   * nobody owns it now, nor, if it is a container, anything in it. What is in something that goes goes with
   * it.
   */
  #prune(merged: Flat, last: ReadonlySet<string>, named: ReadonlySet<string>, id: string): Flat {
    if (last.size === 0) return merged
    const owned = new Set(named)
    for (const [other, { paths }] of this.owners) if (other !== id) for (const path of paths) owned.add(path)
    const inside = (paths: ReadonlySet<string>, container: string): boolean =>
      [...paths].some((path) => path.startsWith(`${container}.`) || path.startsWith(`${container}[`))
    const goes = (path: string, { kind }: Unit): boolean => {
      const candidate = last.has(path) || (kind === 'container' && inside(last, path))
      const kept = owned.has(path) || (kind === 'container' && inside(owned, path))
      return candidate && !kept
    }
    const gone = new Set([...merged].filter(([path, it]) => goes(path, it)).map(([path]) => path))
    return new Map([...merged].filter(([path, { above }]) => ![path, ...above].some((over) => gone.has(over))))
  }

  #takeFromAll(but: string, taken: ReadonlySet<string>): void {
    for (const [id, { paths, time }] of this.owners) {
      if (id === but) continue
      const left = new Set([...paths].filter((path) => !taken.has(path)))
      if (left.size === 0) this.owners.delete(id)
      else this.owners.set(id, { paths: left, time })
    }
  }
}

/** The decoder drops a list that lost its last item; whoever owned the list itself is not told. */
function withoutEmptyLists(flat: Flat): Flat {
  const filled = new Set([...flat.values()].flatMap(({ above }) => above))
  return new Map([...flat].filter(([path]) => !lists.has(path) || filled.has(path)))
}

const unit = (value: string): Unit => ({ kind: 'leaf', value, above: [], hollowMap: false })

/** Added or modified. */
function changed(before: Flat, after: Flat): string[] {
  return [...after].filter(([path, { value }]) => before.get(path)?.value !== value).map(([path]) => path)
}

// --- the subject, driven the same way

/** A decoder with no defaults: an object that lost its last part stays, empty; a list goes. */
function normalise(object: KubeObject): KubeObject {
  const fill = (value: Json, path: string): Json => {
    if (value === null) return {}
    if (!isObject(value)) return value
    const kept = Object.entries(value).filter(([key, item]) => item !== null || !lists.has(`${path}.${key}`))
    return Object.fromEntries(kept.map(([key, item]) => [key, fill(item, `${path}.${key}`)]))
  }
  return fill(object as unknown as JsonObject, '') as unknown as KubeObject
}

class Subject {
  object: KubeObject | undefined

  #context(now: number): TrackContext {
    const type = { group: '', version: 'v1', apiVersion: 'v1', kind: 'Thing', subresource: '' }
    return { ...type, shape, resetPaths: [], now: now * 1000, normalise }
  }

  update(next: JsonObject, manager: string, now: number): void {
    const object = cloneJson(next) as unknown as KubeObject
    trackUpdate(this.object, object, manager, this.#context(now))
    this.object = deepFreeze(object)
  }

  apply(config: JsonObject, manager: string, force: boolean, now: number): string[] {
    try {
      const result = applyPatch(this.object, deepFreeze(cloneJson(config)), manager, force, this.#context(now))
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

// --- random writes. Empty lists are not among them: they name nothing, and upstream forgets what holds only them.

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
  it('is what the model says, after any sequence of applies, forced applies and updates', () => {
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

  it('does nothing when the same is applied again', () => {
    fc.assert(
      fc.property(writes, (sequence) => {
        run(sequence, ({ verb, subject, body, manager, conflicts }) => {
          if (verb === 'update' || conflicts.length > 0) return
          const { object } = subject
          // An object that nobody owns anything of gets its first owner by the next apply, whatever that says.
          if (object?.metadata.managedFields === undefined) return
          expect(subject.apply(body, manager, false, 1000)).toEqual([])
          expect(subject.object).toBe(object)
        })
      }),
      { numRuns: 150 },
    )
  })

  it('gives an applier its values, and without force changes nothing that others own', () => {
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
              // It may go with an item that only its owner's manager held, but it never changes.
              if (now !== undefined) expect(now.value).toBe(before.flat.get(path)?.value)
              else expect(path).toMatch(/^\.spec\.items\[[^\]]*\]\./)
            }
          }
        })
      }),
      { numRuns: 150 },
    )
  })

  it('keeps items in order: the configuration\'s among themselves, and the others among themselves', () => {
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
