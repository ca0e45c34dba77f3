/** Plain JSON values, as they come off the wire. */
export type Json = null | boolean | number | string | Json[] | JsonObject

export interface JsonObject {
  [key: string]: Json
}

/** A JSON value that must not be modified: stores and caches return these. */
export type FrozenJson =
  | null
  | boolean
  | number
  | string
  | readonly FrozenJson[]
  | { readonly [key: string]: FrozenJson }

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Sets a key that may be `__proto__`, which plain assignment would turn into a prototype change. */
export function setOwn(target: JsonObject, key: string, value: Json): void {
  if (key === '__proto__') {
    Object.defineProperty(target, key, { value, writable: true, enumerable: true, configurable: true })
  } else {
    target[key] = value
  }
}

/**
 * Reads own properties only, never inherited ones such as `constructor`. Inherited properties are functions, which no
 * JSON value is, except for `__proto__`. So `hasOwn`, which is slower than the read, is rarely needed.
 */
export function getOwn(target: JsonObject, key: string): Json | undefined {
  const value: unknown = target[key]
  if (typeof value === 'function' || key === '__proto__') return Object.hasOwn(target, key) ? target[key] : undefined
  return value as Json | undefined
}

/** Freezes a JSON tree in place. Stops at parts that are already frozen, so shared subtrees cost nothing. */
export function deepFreeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value
  Object.freeze(value)
  if (Array.isArray(value)) {
    for (const item of value) deepFreeze(item)
  } else {
    for (const key in value) deepFreeze(value[key])
  }
  return value
}

/** A deep copy. */
export function cloneJson<T extends Json | undefined>(value: T): T {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map((item) => cloneJson(item)) as Json as T
  const copy: JsonObject = {}
  for (const key of Object.keys(value)) setOwn(copy, key, cloneJson(value[key] as Json))
  return copy as T
}

/** Whether objects and lists are nested in each other by more levels than this. */
export function isDeeper(value: Json, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false
  if (levels === 0) return true
  if (Array.isArray(value)) return value.some((item) => isDeeper(item, levels - 1))
  for (const key of Object.keys(value)) if (isDeeper(value[key] as Json, levels - 1)) return true
  return false
}

/** Deep equality of JSON values; the order of object keys does not matter. */
export function equalJson(a: unknown, b: unknown): boolean {
  if (a === b) return true
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false
  if (Array.isArray(a)) {
    if (!Array.isArray(b) || a.length !== b.length) return false
    for (let i = 0; i < a.length; i++) if (!equalJson(a[i], b[i])) return false
    return true
  }
  if (Array.isArray(b)) return false
  let more = 0
  for (const key in a) {
    const value = (a as JsonObject)[key]
    const other = getOwn(b as JsonObject, key)
    if (value !== other && !equalJson(value, other)) return false
    more++
  }
  for (const _ in b) more--
  return more === 0
}

/** Up to this many keys, insertion sort: keys are mostly sorted already, and `sort` would allocate more memory. */
const fewKeys = 32

/** The own keys, sorted. */
export function ascendingKeys(value: object): string[] {
  const keys = Object.keys(value)
  if (keys.length > fewKeys) return keys.sort()
  for (let i = 1; i < keys.length; i++) {
    const key = keys[i] as string
    let at = i
    for (; at > 0 && (keys[at - 1] as string) > key; at--) keys[at] = keys[at - 1] as string
    keys[at] = key
  }
  return keys
}

/** A copy with the keys of all objects sorted, as Go writes maps. */
export function sortedKeys<T extends Json>(value: T): T
export function sortedKeys(value: Json): Json {
  if (Array.isArray(value)) return value.map((item) => sortedKeys(item))
  if (!isObject(value)) return value
  const sorted: JsonObject = {}
  for (const key of Object.keys(value).toSorted()) setOwn(sorted, key, sortedKeys(value[key] as Json))
  return sorted
}
