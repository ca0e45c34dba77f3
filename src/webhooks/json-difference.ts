/** Computes the JSON patch (RFC 6902) from one value to another. */
import { equalJson, isObject, type Json } from '../api/json.ts'
import type { JsonPatchOperation } from '../client/client.ts'

/** Lists of the same length are compared item by item; others are replaced. */
export function jsonDifference(before: Json, after: Json, path = ''): readonly JsonPatchOperation[] {
  if (equalJson(before, after)) return []
  if (isObject(before) && isObject(after)) {
    const removed = Object.keys(before)
      .filter((name) => !Object.hasOwn(after, name))
      .map((name) => ({ op: 'remove', path: below(path, name) }) as const)
    const changed = Object.entries(after)
      .filter(([, value]) => value !== undefined)
      .flatMap(([name, value]) =>
        Object.hasOwn(before, name)
          ? jsonDifference(before[name] as Json, value, below(path, name))
          : [{ op: 'add', path: below(path, name), value } as const],
      )
    return [...removed, ...changed]
  }
  if (Array.isArray(before) && Array.isArray(after) && before.length === after.length) {
    return after.flatMap((value, index) => jsonDifference(before[index] as Json, value, below(path, String(index))))
  }
  return [{ op: 'replace', path, value: after }]
}

function below(path: string, name: string): string {
  return `${path}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`
}
