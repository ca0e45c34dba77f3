/** Manifests: whole objects, from files and clusters. */
import { isObject, type Json, type JsonObject } from '../api/json.ts'
import type { ApiObject, Live } from '../api/live-object.ts'
import type { KubeObject } from '../api/object.ts'
import { parseYaml } from '../codec/yaml-text.ts'
import type { Kind } from '../schema/kind.ts'

export type Manifest = KubeObject & { readonly apiVersion: string; readonly kind: string }

/**
 * The objects of a file in YAML (as Kubernetes reads it) or JSON, in order. Throws if it is neither, or not an object.
 */
export function parseManifests(text: string): Manifest[] {
  return text.split(/^---(?=\s|$).*$/m).flatMap((document) => manifestsIn(parseYaml(document).value))
}

/** The items of a List count one by one. */
function manifestsIn(document: Json | undefined): Manifest[] {
  if (document === undefined || document === null) return []
  if (isObject(document) && Array.isArray(document['items']) && String(document['kind']).endsWith('List'))
    return document['items'].flatMap(manifestsIn)
  const { apiVersion, kind, metadata } = (isObject(document) ? document : {}) as Partial<Manifest>
  if (typeof apiVersion !== 'string' || typeof kind !== 'string')
    throw new Error('an object has no apiVersion and kind')
  if (typeof metadata?.name !== 'string') throw new Error(`a ${kind} has no metadata.name`)
  return [document as Manifest]
}

/** As an author would write it: without status, server-set fields, and the annotation of `kubectl apply`. */
export function withoutServerFields(object: Readonly<KubeObject>): JsonObject {
  const { status: _status, metadata, ...rest } = object
  const own = Object.entries(metadata)
    .filter(([name]) => !filledIn.has(name))
    .map(([name, value]) => [name, name === 'annotations' ? withoutNote(value as Annotations) : value])
  return { ...rest, metadata: Object.fromEntries(own.filter(([, value]) => value !== undefined)) }
}

const filledIn = new Set([
  'uid',
  'resourceVersion',
  'generation',
  'creationTimestamp',
  'managedFields',
  'selfLink',
  'deletionTimestamp',
  'deletionGracePeriodSeconds',
])

type Annotations = NonNullable<KubeObject['metadata']['annotations']>

function withoutNote({
  'kubectl.kubernetes.io/last-applied-configuration': note,
  ...annotations
}: Annotations): Annotations | undefined {
  return note !== undefined && Object.keys(annotations).length === 0 ? undefined : annotations
}

/** Items of lists have no apiVersion and kind. */
export function withType({ apiVersion, kind }: Kind, object: Live<ApiObject>): Manifest {
  return { ...object, apiVersion, kind } as Manifest
}
