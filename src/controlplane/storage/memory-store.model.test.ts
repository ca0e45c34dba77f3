/** The store compared with a naive model that keeps a copy of everything for every revision. */
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { KubeObject } from '../../api/object.ts'
import { simulatedEnv } from '../../env/simulated.ts'
import { MemoryStore } from './memory-store.ts'
import type { StoreListOptions, StoreEvent } from './store.ts'
import { CompactedError } from './store.ts'

/** Names that sort differently in UTF-8 and UTF-16, around the slash, and as prefixes of each other. */
const names = ['x', 'x-', 'y', 'é', '\uffee', '\u{1f600}', 'constructor']
const keys = [
  ...['a/', 'a-b/', 'b/'].flatMap((space) => names.map((name) => `/registry/configmaps/${space}${name}`)),
  ...['a', 'b'].map((namespace) => `/registry/ex.io/widgets/${namespace}/x`),
  '/registry/ex.io/gadgets/x',
  '/registry/namespaces/a',
  '/registry/namespaces/b',
]
const prefixes = [
  '/',
  '/registry/',
  '/registry/configmaps/',
  '/registry/configmaps/a/',
  '/registry/configmaps/a-b/',
  '/registry/ex.io/',
  '/registry/ex.io/widgets/',
  '/registry/ex.io/widgets/b/',
  '/registry/ex.io/gadgets/',
  '/registry/namespaces/',
  '/registry/nothing/',
]

type State = ReadonlyMap<string, number>

class Model {
  readonly snapshots: State[] = [new Map()]
  compacted = 0

  get revision(): number {
    return this.snapshots.length - 1
  }

  get now(): State {
    return this.snapshots[this.revision] as State
  }

  write(key: string, live: boolean): void {
    const next = new Map(this.now)
    if (live) next.set(key, this.snapshots.length)
    else next.delete(key)
    this.snapshots.push(next)
  }

  list(prefix: string, revision: number): string[] {
    const state = this.snapshots[revision] as State
    const below = [...state].filter(([key]) => key.startsWith(prefix))
    const sorted = below.toSorted(([a], [b]) => Buffer.compare(Buffer.from(a), Buffer.from(b)))
    return sorted.map(([key, version]) => `${key}@${version}`)
  }
}

const command = fc.oneof(
  { weight: 8, arbitrary: fc.record({ put: fc.constantFrom(...keys) }) },
  { weight: 5, arbitrary: fc.record({ delete: fc.constantFrom(...keys) }) },
  { weight: 2, arbitrary: fc.record({ wrong: fc.constantFrom(...keys), by: fc.constantFrom(-1, 1, 1000) }) },
  { weight: 1, arbitrary: fc.record({ compact: fc.nat(60) }) },
  { weight: 1, arbitrary: fc.record({ minutes: fc.nat(6) }) },
)
type Command = typeof command extends fc.Arbitrary<infer T> ? T : never
const commands = fc.array(command, { maxLength: 60, size: 'max' })

const object = (revision: number): KubeObject => ({ metadata: { resourceVersion: String(revision) } })

/** Runs one command on both. */
function run(store: MemoryStore, model: Model, step: Command): void {
  if ('put' in step) {
    const stored = store.put(step.put, model.now.get(step.put) ?? 0, object)
    model.write(step.put, true)
    expect(stored?.revision).toBe(model.revision)
  } else if ('delete' in step) {
    const present = model.now.get(step.delete)
    const stored = store.delete(step.delete, present ?? 0, object)
    if (present !== undefined) model.write(step.delete, false)
    expect(stored?.revision).toBe(present === undefined ? undefined : model.revision)
  } else if ('wrong' in step) {
    const expected = (model.now.get(step.wrong) ?? 0) + step.by
    expect(store.put(step.wrong, expected, object)).toBeUndefined()
    expect(store.delete(step.wrong, expected, object)).toBeUndefined()
  } else if ('compact' in step) {
    store.compact(step.compact)
    model.compacted = Math.max(model.compacted, Math.min(step.compact, model.revision))
  }
}

function list(store: MemoryStore, prefix: string, options: StoreListOptions = {}): string[] {
  return store.list(prefix, options).items.map((item) => {
    expect(item.object.metadata.resourceVersion).toBe(String(item.revision))
    return `${item.key}@${item.revision}`
  })
}

/** A store and a model after the same commands; compaction runs with the clock, as in the model. */
function play(steps: readonly Command[], maxHistory: number, failures: unknown[] = []): [MemoryStore, Model] {
  const env = simulatedEnv({ start: 0 })
  const store = new MemoryStore({ env, maxHistory, onCallbackError: (error) => failures.push(error) })
  const model = new Model()
  let revisionAtTick = 0
  for (const step of steps) {
    run(store, model, step)
    if ('minutes' in step) {
      for (let i = 0; i < step.minutes; i++) {
        env.advance(60_000)
        if (env.now() % 300_000 !== 0) continue
        model.compacted = Math.max(model.compacted, revisionAtTick)
        revisionAtTick = model.revision
      }
    }
    model.compacted = Math.max(model.compacted, model.revision - maxHistory)
    expect([store.revision, store.compactedRevision]).toEqual([model.revision, model.compacted])
  }
  return [store, model]
}

const histories = fc.constantFrom(0, 5, 20, 1000)

describe('the memory store, against the model', () => {
  it('the memory store lists any kept revision of any prefix as it was, and refuses exactly the others', () => {
    fc.assert(
      fc.property(commands, histories, (steps, maxHistory) => {
        const [store, model] = play(steps, maxHistory)
        for (const prefix of prefixes) {
          expect(list(store, prefix)).toEqual(model.list(prefix, model.revision))
          expect(store.count(prefix)).toBe(model.list(prefix, model.revision).length)
          for (let revision = 0; revision <= model.revision; revision++) {
            if (revision < model.compacted) {
              expect(() => store.list(prefix, { revision })).toThrow(CompactedError)
              expect(() => store.watch(prefix, revision, () => undefined)).toThrow(CompactedError)
            } else {
              expect(list(store, prefix, { revision })).toEqual(model.list(prefix, revision))
            }
          }
        }
        for (const key of keys) expect(store.get(key)?.revision).toBe(model.now.get(key))
      }),
      { numRuns: 60 },
    )
  })

  it('a list at R and the events after R make up the state now, for any R and prefix', () => {
    fc.assert(
      fc.property(commands, commands, histories, (steps, more, maxHistory) => {
        const failures: unknown[] = []
        const [store, model] = play(steps, maxHistory, failures)
        const followers = prefixes.flatMap((prefix) => {
          const starts: { prefix: string; state: Map<string, number>; last: number }[] = []
          for (let revision = model.compacted; revision <= model.revision; revision++) {
            const items = store.list(prefix, { revision }).items
            const state = new Map(items.map((item) => [item.key, item.revision]))
            const follower = { prefix, state, last: revision }
            store.watch(prefix, revision, (event) => follow(follower, event))
            starts.push(follower)
          }
          return starts
        })
        const check = (): void => {
          expect(failures).toEqual([])
          for (const { prefix, state } of followers) {
            expect(new Map(state)).toEqual(new Map([...model.now].filter(([key]) => key.startsWith(prefix))))
          }
        }
        check()
        for (const step of more) run(store, model, step)
        check()
      }),
      { numRuns: 40 },
    )
  })

  it('pages make up one consistent list while others write', () => {
    const limits = fc.integer({ min: 1, max: 7 })
    fc.assert(
      fc.property(commands, commands, limits, fc.constantFrom(...prefixes), (steps, more, limit, prefix) => {
        const [store, model] = play(steps, 1000)
        const writes = more.filter((step) => !('compact' in step))
        const whole = model.list(prefix, model.revision)
        const { revision } = model
        const pages: string[] = []
        let start = ''
        for (;;) {
          const page = store.list(prefix, { start, limit, revision })
          expect(page.revision).toBe(revision)
          pages.push(...page.items.map((item) => `${item.key}@${item.revision}`))
          expect(page.remaining).toBe(whole.length - pages.length)
          expect(page.items.length).toBeLessThanOrEqual(limit)
          const last = page.items.at(-1)
          if (page.remaining === 0 || last === undefined) break
          start = `${last.key.slice(prefix.length)}\u0000`
          for (const step of writes.splice(0, 5)) run(store, model, step)
        }
        expect(pages).toEqual(whole)
      }),
      { numRuns: 150 },
    )
  })
})

/** Applies an event as an informer does, and checks that it fits the state. */
function follow(view: { prefix: string; state: Map<string, number>; last: number }, event: StoreEvent): void {
  expect(event.key.startsWith(view.prefix)).toBe(true)
  expect(event.revision).toBeGreaterThan(view.last)
  expect(event.current.revision).toBe(event.revision)
  expect(event.current.object.metadata.resourceVersion).toBe(String(event.revision))
  expect(event.previous?.revision).toBe(view.state.get(event.key))
  view.last = event.revision
  if (event.type === 'put') view.state.set(event.key, event.revision)
  else view.state.delete(event.key)
}
