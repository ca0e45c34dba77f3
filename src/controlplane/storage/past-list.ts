/**
 * A list at an earlier revision: the current keys with every later change undone.
 *
 * The cost is that of the page plus the changes since then, not of the whole prefix.
 */
import type { OrderedKeys } from './ordered-keys.ts'
import type { Stored } from './store.ts'
import type { StoreChange, StoredVersion } from './stored-version.ts'

/** A key that exists now, and its newest version. */
export interface Slot {
  readonly key: string
  version: StoredVersion
}

export interface Range {
  /** The first key, inclusive. */
  readonly from: string
  /** The end, exclusive. */
  readonly end: string
  /** 0: no limit. */
  readonly limit: number
}

/** `changes`: all changes of the range after `revision`, oldest first. */
export function listPast(
  keys: OrderedKeys<Slot>,
  slots: ReadonlyMap<string, Slot>,
  range: Range,
  revision: number,
  changes: readonly StoreChange[],
): { items: Stored[]; remaining: number } {
  const { from, end, limit } = range
  // The version of each changed key at that time: the oldest change since then has it.
  const then = new Map<string, StoredVersion | undefined>()
  for (const change of changes) {
    if (!then.has(change.key) && !keys.before(change.key, from)) then.set(change.key, change.previous)
  }

  const gone: StoredVersion[] = []
  let total = keys.count(from, end)
  for (const [key, version] of then) {
    const live = slots.has(key)
    if (version !== undefined && !live) {
      gone.push(version)
      total++
    } else if (version === undefined && live) {
      total--
    }
  }
  gone.sort((a, b) => (keys.before(a.key, b.key) ? -1 : 1))

  const items: Stored[] = []
  const full = (): boolean => limit > 0 && items.length >= limit
  let nextGone = 0
  keys.each(from, end, (slot) => {
    for (; nextGone < gone.length; nextGone++) {
      const version = gone[nextGone] as StoredVersion
      if (!keys.before(version.key, slot.key)) break
      if (full()) return false
      items.push(version)
    }
    if (full()) return false
    const version = slot.version.revision <= revision ? slot.version : then.get(slot.key)
    if (version !== undefined) items.push(version)
    return true
  })
  for (; nextGone < gone.length && !full(); nextGone++) items.push(gone[nextGone] as StoredVersion)
  return { items, remaining: total - items.length }
}
