/**
 * The status of one object in one run: changed any number of times, written once at the end of the run, only if it
 * differs, or postponed to a later run. The write fails with a conflict (409) if the object has changed since it was
 * read.
 */
import { equalJson, getOwn, isObject, type Json, type JsonObject } from '../api/json.ts'
import { keyOf, type ApiObject, type Live } from '../api/live-object.ts'
import type { Client } from '../client/client.ts'
import { timestamp, type Env } from '../env/env.ts'
import type { Kind } from '../schema/kind.ts'
import { findCondition, withCondition, withoutCondition, type Condition, type ConditionUpdate } from './conditions.ts'
import { PermanentError } from './errors.ts'
import { withoutUndefined } from './json-body.ts'

/** The type of a kind's status. */
export type StatusOf<T extends ApiObject> = T extends { status?: infer Status } ? NonNullable<Status> : JsonObject

export interface StatusTransaction<T extends ApiObject> {
  /** The current status, including changes of this run. */
  readonly current: Readonly<Partial<StatusOf<T>>>
  /** Changes these fields and keeps the others; undefined removes a field. */
  set(fields: Partial<{ [Field in keyof StatusOf<T>]: StatusOf<T>[Field] | undefined }>): void
  /**
   * Sets one condition, with the object's generation as observedGeneration; its transition time changes only with its
   * status.
   */
  condition(update: ConditionUpdate): void
  removeCondition(type: string): void
  /** Annotations of the object that are written with the status, in the same call. */
  annotate(annotations: Readonly<Record<string, string>>): void
  /**
   * Postpones the status write: the key runs again after at most `ms` milliseconds, counted from the first run that
   * postponed its status. Only the last status is written. False: that time is over, and the status is written now. For
   * values that are about to change again. A run that throws writes its status; annotations alone are not postponed.
   */
  postpone(ms: number): boolean
  findCondition(type: string): Readonly<Condition> | undefined
}

/** Where `observedGeneration` is set. */
export interface Observes {
  readonly status: boolean
  readonly conditions: boolean
}

/**
 * `option`: the controller's option `observedGeneration`. Default: in conditions, and in the status if the kind's
 * schema has it.
 */
export function observesOf(kind: Kind, option: boolean | undefined): Observes {
  return { status: option ?? hasObservedGeneration(kind), conditions: option ?? true }
}

/** Only kinds with a schema have this information; built-in kinds need the option. */
function hasObservedGeneration(kind: Kind): boolean {
  let node = (kind as { schema?: Json }).schema
  for (const step of ['properties', 'status', 'properties', 'observedGeneration'])
    node = isObject(node) ? node[step] : undefined
  return node !== undefined
}

/** The merge patch of a status, and of annotations that are written with it. */
export type StatusChanges = JsonObject & { readonly metadata: JsonObject; readonly status?: JsonObject }

export class StatusWriter<T extends ApiObject> implements StatusTransaction<T> {
  readonly #env: Env
  readonly #kind: Kind<T>
  readonly #observes: Observes
  readonly #before: Readonly<JsonObject>
  readonly #generation: number | undefined
  #status: JsonObject
  #annotations: Readonly<Record<string, string>> | undefined
  #touched = false
  #dueAt: number | undefined
  #isPostponed = false

  /** `dueAt`: when a status that earlier runs postponed must be written. */
  constructor(env: Env, kind: Kind<T>, object: Live<T>, observes: Observes, dueAt?: number) {
    this.#env = env
    this.#dueAt = dueAt
    this.#kind = kind
    this.#observes = observes
    this.#before = ((object as JsonObject)['status'] ?? {}) as JsonObject
    this.#generation = object.metadata.generation
    this.#status = { ...this.#before }
  }

  get current(): Readonly<Partial<StatusOf<T>>> {
    return this.#status as Partial<StatusOf<T>>
  }

  set(fields: Partial<{ [Field in keyof StatusOf<T>]: StatusOf<T>[Field] | undefined }>): void {
    this.#touched = true
    for (const [name, value] of Object.entries(fields)) {
      const kept = withoutUndefined(value as Json | undefined)
      if (kept === undefined) delete this.#status[name]
      else this.#status[name] = kept
    }
  }

  condition(update: ConditionUpdate): void {
    this.#touched = true
    const generation = this.#observes.conditions ? this.#generation : undefined
    this.#conditions = withCondition(this.#conditions, update, generation, timestamp(this.#env.now()))
  }

  removeCondition(type: string): void {
    this.#touched = true
    this.#conditions = withoutCondition(this.#conditions, type)
  }

  annotate(annotations: Readonly<Record<string, string>>): void {
    this.#annotations = { ...this.#annotations, ...annotations }
  }

  postpone(ms: number): boolean {
    if (Number.isNaN(ms)) throw new RangeError(`status.postpone(${String(ms)}): give a number of milliseconds`)
    const now = this.#env.monotonic()
    const dueAt = Math.min(this.#dueAt ?? Infinity, now + ms)
    this.#isPostponed = dueAt > now
    this.#dueAt = dueAt
    return this.#isPostponed
  }

  /** When the postponed status of this run must be written; undefined if there is none. */
  get dueAt(): number | undefined {
    return this.#isPostponed && this.#patch() !== undefined ? this.#dueAt : undefined
  }

  findCondition(type: string): Readonly<Condition> | undefined {
    return findCondition(this.#conditions, type)
  }

  get #conditions(): readonly Readonly<Condition>[] {
    return (this.#status['conditions'] ?? []) as unknown as readonly Condition[]
  }

  set #conditions(list: readonly Readonly<Condition>[]) {
    if (list !== this.#conditions) this.#status['conditions'] = list as unknown as Json
  }

  /** The run has completed: observedGeneration is written, even if nothing else changes. */
  observed(): void {
    if (this.#observes.status) this.#touched = true
  }

  #patch(): JsonObject | undefined {
    if (!this.#touched) return undefined
    if (this.#observes.status && this.#generation !== undefined) this.#status['observedGeneration'] = this.#generation
    return mergePatchOf(this.#before, this.#status)
  }

  /** The body of the write; undefined if there is nothing to write. `latest`: the version that this run knows. */
  changes(latest: Live<T>): StatusChanges | undefined {
    const status = this.#patch()
    const annotations =
      this.#annotations === undefined
        ? undefined
        : mergePatchOf(latest.metadata.annotations ?? {}, { ...latest.metadata.annotations, ...this.#annotations })
    if (status === undefined && annotations === undefined) return undefined
    const { resourceVersion, uid } = latest.metadata
    const metadata = annotations === undefined ? { resourceVersion, uid } : { resourceVersion, uid, annotations }
    return status === undefined ? { metadata } : { metadata, status }
  }

  async write(client: Client, latest: Live<T>, changes: StatusChanges, signal: AbortSignal): Promise<Live<T>> {
    // Dropped fields are found in the response and are an error, so no warning is needed.
    const written = await client.patch(
      this.#kind,
      keyOf(latest),
      { type: 'merge', patch: changes },
      { subresource: 'status', fieldValidation: 'Ignore', signal },
    )
    if (changes.status !== undefined) this.#refuseDropped((written as JsonObject)['status'], changes.status)
    return written
  }

  /** The server drops a field that the schema does not have: every run would write it again. */
  #refuseDropped(status: Json | undefined, patch: JsonObject): void {
    const dropped = missing(patch, status, 'status')
    if (dropped.length === 0) return
    throw new PermanentError(
      `the server does not keep ${dropped.join(', ')} of ${this.#kind.kind}: add it to the schema of the ` +
        'kind, or do not set it' +
        (dropped.some((path) => path.endsWith('observedGeneration')) ? ' (the option observedGeneration: false)' : ''),
    )
  }
}

/** The fields that were sent and are missing. */
function missing(sent: Json, stored: Json | undefined, path: string, found: string[] = []): string[] {
  if (sent === null || isVoid(sent)) return found
  if (stored === undefined) {
    found.push(path)
  } else if (Array.isArray(sent)) {
    if (Array.isArray(stored) && sent.length === stored.length)
      sent.forEach((item, index) => missing(item, stored[index], `${path}[${index}]`, found))
  } else if (isObject(sent) && isObject(stored)) {
    for (const name in sent) missing(sent[name] as Json, getOwn(stored, name), `${path}.${name}`, found)
  }
  return found
}

/** Values that a server need not store. */
function isVoid(value: Json): boolean {
  if (typeof value !== 'object' || value === null) return value === '' || value === 0 || value === false
  if (Array.isArray(value)) return value.length === 0
  for (const _ in value) return false
  return true
}

/** A null member, as servers write unset times, counts as absent. */
function isSame(a: Json | undefined, b: Json | undefined): boolean {
  if (a === b || ((a ?? null) === null && (b ?? null) === null)) return true
  if (Array.isArray(a) && Array.isArray(b))
    return a.length === b.length && a.every((item, index) => isSame(item, b[index]))
  if (!isObject(a ?? null) || !isObject(b ?? null)) return equalJson(a, b)
  const [left, right] = [a as JsonObject, b as JsonObject]
  for (const name in left) if (!isSame(left[name], right[name])) return false
  for (const name in right) if (!Object.hasOwn(left, name) && !isSame(undefined, right[name])) return false
  return true
}

/** A merge patch from one to the other; undefined if they are equal. Lists are replaced as a whole. */
export function mergePatchOf(before: Readonly<JsonObject>, after: Readonly<JsonObject>): JsonObject | undefined {
  const patch: JsonObject = {}
  for (const name of Object.keys(after)) {
    const old = before[name]
    const value = after[name] as Json
    if (isSame(old, value)) continue
    patch[name] = isObject(old) && isObject(value) ? (mergePatchOf(old, value) as JsonObject) : value
  }
  for (const name of Object.keys(before)) if (before[name] !== null && !Object.hasOwn(after, name)) patch[name] = null
  return Object.keys(patch).length === 0 ? undefined : patch
}
