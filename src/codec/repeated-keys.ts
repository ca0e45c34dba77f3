/**
 * Duplicate keys as a typed decoder reads them: it decodes into the same struct, map or list item again, so fields that
 * the second value lacks keep their first value.
 */
import { getOwn, isObject, setOwn, type Json, type JsonObject } from '../api/json.ts'

/** Fields that are structs in all kinds: null leaves a struct unchanged, but empties maps and lists. */
const structs = new Set(['metadata', 'spec', 'status'])

const space = /[ \n\r\t]*/y
const plainText = /"[^"\\]*(?:\\.[^"\\]*)*"/y
const otherScalar = /[^,\]} \n\r\t]+/y

/** The value of valid JSON text of bounded depth. */
export function mergeRepeatedKeys(text: string): Json {
  let at = 0

  function take(pattern: RegExp): string {
    pattern.lastIndex = at
    const found = pattern.exec(text)?.[0] ?? ''
    at += found.length
    return found
  }

  /** Consumes the next character if it is `char`. */
  function takes(char: string): boolean {
    take(space)
    if (text[at] !== char) return false
    at++
    return true
  }

  function read(before: Json | undefined, depth: number): Json {
    if (takes('{')) return readObject(before, depth)
    if (takes('[')) return readList(before, depth)
    return JSON.parse(take(text[at] === '"' ? plainText : otherScalar)) as Json
  }

  function readObject(before: Json | undefined, depth: number): JsonObject {
    const result: JsonObject = {}
    if (isObject(before)) for (const key of Object.keys(before)) setOwn(result, key, before[key] as Json)
    while (!takes('}')) {
      takes(',')
      take(space)
      const key = JSON.parse(take(plainText)) as string
      takes(':')
      const known = getOwn(result, key)
      const value = read(known, depth + 1)
      if (value !== null || depth > 0 || !structs.has(key) || !isObject(known)) setOwn(result, key, value)
    }
    return result
  }

  function readList(before: Json | undefined, depth: number): Json[] {
    const result: Json[] = []
    while (!takes(']')) {
      takes(',')
      result.push(read(Array.isArray(before) ? before[result.length] : undefined, depth + 1))
    }
    return result
  }

  return read(undefined, 0)
}
