/** The manifests for a case: with its own names, and their variants as objects. */
import { isObject, setOwn } from '../../../src/api/json.ts'
import type { Json, JsonObject } from '../../../src/api/json.ts'
import { clusterResource, resource } from '../steps.ts'
import type { Requests } from '../steps.ts'
import type { KindManifests } from './manifest.ts'

/** Renames the objects, so that cluster-scoped ones do not conflict with those of other cases. */
export function placed(kind: KindManifests): KindManifests {
  return placedValue(kind, kind as unknown as JsonObject) as unknown as KindManifests
}

function placedValue(kind: KindManifests, value: Json): Json {
  if (Array.isArray(value)) return value.map((item) => placedValue(kind, item))
  if (isObject(value))
    return Object.fromEntries(Object.entries(value).map(([key, child]) => [key, placedValue(kind, child)]))
  if (typeof value !== 'string') return value
  if (value === 'NAMESPACE') return '{{ns}}'
  if (kind.namespaced) return value
  return kind.kind === 'IPAddress'
    ? value.replace(/^(192\.0\.2\.1|2001:db8::1)$/, '2001:db8::{{id}}')
    : value.replace(/^(v\d\.)?manifest\b/, '$1{{ns}}')
}

export function requestsOf({ resource: plural, group, version, namespaced }: KindManifests): Requests {
  const groupVersion = group === '' ? version : `${group}/${version}`
  return namespaced ? resource(plural, groupVersion) : clusterResource(plural, groupVersion)
}

export function nameOf(object: JsonObject): string {
  return String((object['metadata'] as JsonObject)['name'])
}

/** Applies a merge patch (RFC 7386), the form of the variants. */
export function merged(object: JsonObject, patch: JsonObject): JsonObject {
  const result: JsonObject = { ...object }
  for (const [key, value] of Object.entries(patch)) {
    const old = result[key]
    if (value === null) delete result[key]
    else setOwn(result, key, isObject(value) ? merged(isObject(old) ? old : {}, value) : value)
  }
  return result
}
