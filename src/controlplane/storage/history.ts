/**
 * History: the changes since the compacted revision, ordered by revision. Kept in one log for all resources and in one
 * per resource, so that a watch of a quiet resource does not have to scan changes of busy ones.
 */
import type { StoreChange } from './stored-version.ts'
import { weightOf } from './stored-version.ts'

/** A queue of changes with ascending revisions. */
class ChangeLog {
  #items: (StoreChange | undefined)[] = []
  #head = 0

  get length(): number {
    return this.#items.length - this.#head
  }

  push(change: StoreChange): void {
    this.#items.push(change)
  }

  first(): StoreChange | undefined {
    return this.#items[this.#head]
  }

  dropFirst(): void {
    this.#items[this.#head++] = undefined
    // Frees the dropped slots when they are the majority: amortised constant cost per drop.
    if (this.#head > 64 && this.#head * 2 > this.#items.length) {
      this.#items = this.#items.slice(this.#head)
      this.#head = 0
    }
  }

  /** A copy: the log may change while it is read. */
  after(revision: number): StoreChange[] {
    let low = this.#head
    let high = this.#items.length
    while (low < high) {
      const middle = (low + high) >>> 1
      if ((this.#items[middle] as StoreChange).revision <= revision) low = middle + 1
      else high = middle
    }
    return this.#items.slice(low) as StoreChange[]
  }
}

export class History {
  readonly #all = new ChangeLog()
  readonly #byResource = new Map<string, ChangeLog>()
  #weight = 0

  get length(): number {
    return this.#all.length
  }

  /** Approximate number of bytes that only history keeps alive. */
  get weight(): number {
    return this.#weight
  }

  add(change: StoreChange): void {
    this.#all.push(change)
    this.#weight += weightOf(change)
    const resource = resourceOfKey(change.key)
    if (resource === undefined) return
    let log = this.#byResource.get(resource)
    if (log === undefined) {
      log = new ChangeLog()
      this.#byResource.set(resource, log)
    }
    log.push(change)
  }

  /** The changes below the prefix after the given revision, oldest first. */
  after(prefix: string, revision: number): StoreChange[] {
    const resource = resourceOfKey(prefix)
    const log = resource === undefined ? this.#all : this.#byResource.get(resource)
    if (log === undefined) return []
    const changes = log.after(revision)
    return prefix === resource ? changes : changes.filter((change) => change.key.startsWith(prefix))
  }

  dropOldest(): void {
    const change = this.#all.first()
    if (change === undefined) return
    this.#all.dropFirst()
    this.#weight -= weightOf(change)
    const resource = resourceOfKey(change.key)
    const log = resource === undefined ? undefined : this.#byResource.get(resource)
    if (resource === undefined || log === undefined) return
    log.dropFirst()
    if (log.length === 0) this.#byResource.delete(resource)
  }
}

/**
 * The part of a key, or of a prefix, that identifies the resource: `/registry/configmaps/`, or
 * `/registry/ex.io/widgets/` if the first segment is a group (has a dot). Undefined for a prefix that spans resources.
 * It only decides how changes are grouped: two resources in one group would cost time, but nothing else.
 */
export function resourceOfKey(key: string): string | undefined {
  // A write calls this several times for its key.
  if (key.startsWith(lastResource)) return lastResource
  const first = key.indexOf('/', 1) + 1
  if (first === 0) return undefined
  let end = key.indexOf('/', first) + 1
  if (end === 0) return undefined
  const dot = key.indexOf('.', first)
  if (dot >= 0 && dot < end) end = key.indexOf('/', end) + 1
  if (end === 0) return undefined
  lastResource = key.slice(0, end)
  return lastResource
}

let lastResource = '/registry/pods/'
