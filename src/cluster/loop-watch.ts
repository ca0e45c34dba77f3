/**
 * Finds reconcile loops in a test cluster, so that a test fails at once and does not run until its timeout: fields that
 * are written over and over although nobody changes the spec.
 *
 * Signs of a loop: the runtime's own detector has warned of a write, and it goes on; or a field keeps returning to
 * earlier values (a fight of two writers). The progress of a rollout does neither. A field that changes thousands of
 * times within a minute is a loop in any case.
 */
import { keyOf, keyText } from '../api/live-object.ts'
import type { KubeObject } from '../api/object.ts'
import type { EndedRun } from '../controller/run-result.ts'
import type { Store, StoreEvent, StoreWatch } from '../controlplane/storage/store.ts'
import type { Env } from '../env/env.ts'
import { fieldDifferences } from '../flow/field-changes.ts'
import type { WriteSites } from './write-sites.ts'

const windowMs = 60_000
/** More writes of one object than this within a minute are looked at. */
const maxUnseenWrites = 30
/** Changes of one field of an object that the runtime has warned of. */
const maxWarnedChanges = 40
/** Changes of one field of any object. */
const maxChanges = 2000
/** Returns of one field to an earlier value. */
const maxReturns = 20
const shownValues = 6
/** The same time is another one in every write, and follows from the rest. */
const isTime = (path: string): boolean => /(Time|Timestamp)$/.test(path)

interface FieldHistory {
  readonly path: string
  changes: number
  returns: number
  readonly seen: Set<string>
  /** The last values, as JSON. */
  readonly values: string[]
}

interface ObjectHistory {
  since: number
  writes: number
  readonly fields: Map<string, FieldHistory>
}

export class LoopWatch {
  readonly #env: Env
  readonly #sites: WriteSites
  readonly #watch: StoreWatch
  readonly #objects = new Map<string, ObjectHistory>()
  /** What the runtime has warned of: `App web`. */
  readonly #warned = new Set<string>()
  #found: string | undefined

  constructor(store: Store, env: Env, sites: WriteSites) {
    this.#env = env
    this.#sites = sites
    this.#watch = store.watch('/registry/', store.revision, (event) => this.#note(event))
  }

  /** Describes the loop, if there is one. */
  get found(): string | undefined {
    return this.#found
  }

  note({ loop, writes }: EndedRun): void {
    if (loop === undefined) return
    for (const { what } of writes) this.#warned.add(what.split(' ').slice(0, 2).join(' '))
    this.#sites.isOn = true
  }

  stop(): void {
    this.#watch.stop()
  }

  #note({ type, key, current, previous }: StoreEvent): void {
    if (type === 'delete' || previous === undefined || isHeartbeat(key) || this.#found !== undefined) return
    const history = this.#historyOf(key)
    if (++history.writes <= maxUnseenWrites) return
    this.#sites.isOn = true
    const { kind = '' } = current.object
    for (const { path, after, isSecret } of fieldDifferences(kind, previous.object, current.object, 50))
      if (!isTime(path)) this.#change(history, path, isSecret ? '***' : JSON.stringify(after ?? null))
    const most = this.#warned.has(`${kind} ${current.object.metadata.name ?? ''}`) ? maxWarnedChanges : maxChanges
    const looping = [...history.fields.values()].filter(
      ({ changes, returns }) => returns > maxReturns || changes > most,
    )
    if (looping.length > 0) this.#found = this.#described(current.object, history, looping)
  }

  /** Starts again with each minute. */
  #historyOf(key: string): ObjectHistory {
    const now = this.#env.now()
    const known = this.#objects.get(key)
    if (known !== undefined && now - known.since < windowMs) return known
    const fresh: ObjectHistory = { since: now, writes: 0, fields: new Map() }
    this.#objects.set(key, fresh)
    return fresh
  }

  #change({ fields }: ObjectHistory, path: string, value: string): void {
    const field = fields.get(path) ?? { path, changes: 0, returns: 0, seen: new Set(), values: [] }
    fields.set(path, field)
    field.changes++
    if (field.seen.has(value)) field.returns++
    field.seen.add(value)
    field.values.push(value)
    if (field.values.length > shownValues) field.values.shift()
  }

  #described(object: KubeObject, { writes }: ObjectHistory, fields: readonly FieldHistory[]): string {
    const name = `${object.kind ?? ''} ${keyText(keyOf(object))}`
    const lines = fields.map(({ path, values }) => `  ${path}: ${values.map(shortened).join(' → ')} → …`)
    const writers = [...new Set(fields.flatMap(({ path }) => this.#sites.writers(name, path)))]
    const by = writers.length === 0 ? [] : ['written by', ...writers.map((each) => `  ${each}`)]
    return [`${name} is in a reconcile loop: ${writes} writes within a minute change`, ...lines, ...by].join('\n')
  }
}

/** Leases and events are written without end, and are no desired state. */
function isHeartbeat(key: string): boolean {
  return /^\/registry\/(leases|events|events\.k8s\.io|minions|nodes)\//.test(key)
}

function shortened(text: string): string {
  return text.length > 40 ? `${text.slice(0, 39)}…` : text
}
