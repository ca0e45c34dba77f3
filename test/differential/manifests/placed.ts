/** Manifests as a case sends them: with names of its own, and with what is other than in the full object. */
import { isObject, setOwn } from '../../../src/api/json.ts'
import type { Json, JsonObject } from '../../../src/api/json.ts'
import { clusterResource, resource } from '../steps.ts'
import type { Requests } from '../steps.ts'
import type { KindManifests } from './manifest.ts'

/** The manifests with the names of this case: cluster-wide objects must not meet those of others. */
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

/** RFC 7386, which the manifests use to say what is other than in the full object. */
export function merged(object: JsonObject, patch: JsonObject): JsonObject {
  const result: JsonObject = { ...object }
  for (const [key, value] of Object.entries(patch)) {
    const old = result[key]
    if (value === null) delete result[key]
    else setOwn(result, key, isObject(value) ? merged(isObject(old) ? old : {}, value) : value)
  }
  return result
}
