/**
 * Interns the field sets of managers. Objects that one controller applies have nearly the same set, a tree that is as
 * large as the rest of the object. It is shared part by part, because the key of the owner reference in it differs for
 * each object.
 */
import { isObject, type Json, type JsonObject } from '../api/json.ts'

const maxParts = 1024
/** The keys below it are uids of owners. */
const ownPart = 'f:ownerReferences'

/** The entry of one field manager in a cached object. */
export interface CachedManager {
  readonly operation?: string
  readonly subresource?: string
  readonly fieldsV1?: JsonObject
}

/** The field sets of one kind. Bounded: parts that occur once would otherwise accumulate. */
export class FieldSets {
  /** Parts by their text. */
  #known = new Map<string, Json>()

  /** Frozen managers are shared already. */
  share(managers: unknown): void {
    if (!Array.isArray(managers)) return
    for (const { fieldsV1 } of managers as readonly CachedManager[]) {
      for (const top in fieldsV1) {
        const parts = fieldsV1[top]
        if (!isObject(parts) || Object.isFrozen(parts)) continue
        for (const name in parts) if (name !== ownPart) parts[name] = this.#one(parts[name] as Json)
      }
    }
  }

  #one(part: Json): Json {
    const text = textOf(part)
    if (text === undefined) return part
    const known = this.#known.get(text)
    if (known !== undefined) return known
    if (this.#known.size >= maxParts) this.#known = new Map()
    this.#known.set(text, part)
    return part
  }
}

/** Undefined for a part that is nested too deeply for recursion. */
function textOf(part: Json): string | undefined {
  try {
    return JSON.stringify(part)
  } catch {
    return undefined
  }
}
