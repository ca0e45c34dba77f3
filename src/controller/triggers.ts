/** Why a key runs: all triggers since its last run, so that a loop can be explained. */
import type { LiveObject } from '../api/live-object.ts'
import { equalJson } from '../api/json.ts'

export interface Trigger {
  /** What happened to the object. `start`: it existed when the controller started. */
  readonly verb: 'start' | 'add' | 'update' | 'delete' | 'resync' | 'requeue' | 'retry' | 'external'
  /** The kind of the object of the event; the controller's own kind for a requeue or a retry. */
  readonly kind: string
  readonly namespace?: string | undefined
  readonly name: string
  /** For an event: the version of the object. */
  readonly version?: string | undefined
  /** For an update: the changed parts, such as `spec` and `metadata.labels`. Computed when read. */
  readonly changed: readonly string[]
}

export function trigger(verb: Trigger['verb'], kind: string, object: LiveObject, old?: LiveObject): Trigger {
  const { namespace, name, resourceVersion: version } = object.metadata
  if (old === undefined) return { verb, kind, namespace, name, version, changed: [] }
  return {
    verb,
    kind,
    namespace,
    name,
    version,
    get changed() {
      return changedFields(old, object)
    },
  }
}

/** Fields that change with every write. */
const noise = new Set(['resourceVersion', 'managedFields', 'generation'])

export function changedFields(old: LiveObject, object: LiveObject): string[] {
  const parts = differing(old, object).filter((name) => name !== 'metadata')
  const metadata = differing(old.metadata, object.metadata).filter((name) => !noise.has(name))
  return [...parts, ...metadata.map((name) => `metadata.${name}`)]
}

function differing(a: object, b: object): string[] {
  const [old, now] = [a as Record<string, unknown>, b as Record<string, unknown>]
  const names: string[] = []
  for (const name in old) if (!equalJson(old[name], now[name])) names.push(name)
  for (const name in now) if (!Object.hasOwn(old, name)) names.push(name)
  return names
}

/** It may retain an old object: only updates compute their changes later. */
function isLazy({ verb }: Trigger): boolean {
  return verb === 'update'
}

/** The maximum of triggers that are kept for a key; others are only counted. */
const maxTriggers = 8

/**
 * The maximum of triggers that may retain old objects until their key runs. Without it, the queue of a warm standby,
 * which is not processed, would retain many more.
 */
const maxLazyTriggers = 1000

export interface Triggers {
  readonly first: readonly Trigger[]
  /** The total number. */
  readonly count: number
}

interface Noted {
  readonly why: Trigger
  /** The time from which a requeue or a retry counts: an earlier run has another trigger. */
  readonly dueAt: number
}

/** The triggers of each key since its last run began. */
export class TriggerLog {
  readonly #byKey = new Map<string, { readonly first: Noted[]; count: number }>()
  #lazyCount = 0

  /** `dueAt`: the time from which the trigger counts, by the monotonic clock. Default: at once. */
  add(key: string, why: Trigger, dueAt = -Infinity): void {
    let triggers = this.#byKey.get(key)
    if (triggers === undefined) this.#byKey.set(key, (triggers = { first: [], count: 0 }))
    triggers.count++
    if (triggers.first.length >= maxTriggers) return
    triggers.first.push({ why: this.#lazyCount >= maxLazyTriggers ? { ...why } : why, dueAt })
    if (isLazy(why)) this.#lazyCount++
  }

  /** Returns and removes the triggers. Those that are due later are dropped, as the queue does. */
  take(key: string, now: number): Triggers {
    const triggers = this.#byKey.get(key)
    if (triggers === undefined) return { first: [], count: 0 }
    this.#byKey.delete(key)
    for (const { why } of triggers.first) if (isLazy(why)) this.#lazyCount--
    const first = triggers.first.filter(({ dueAt }) => dueAt <= now).map(({ why }) => why)
    return { first, count: triggers.count - (triggers.first.length - first.length) }
  }
}
