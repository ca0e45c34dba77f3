/** Manifests: whole objects, as files and clusters have them. */
import { isObject, type Json, type JsonObject } from '../api/json.ts'
import type { ApiObject, Live } from '../api/live-object.ts'
import type { KubeObject } from '../api/object.ts'
import { parseYaml } from '../codec/yaml-text.ts'
import type { Kind } from '../schema/kind.ts'

export type Manifest = KubeObject & { readonly apiVersion: string; readonly kind: string }

/**
 * The objects of a file, YAML (as Kubernetes reads it) or JSON, in their order. Throws for a text that is neither, and
 * for what is no object.
 */
export function parseManifests(text: string): Manifest[] {
  return text.split(/^---(?=\s|$).*$/m).flatMap((document) => manifestsIn(parseYaml(document).value))
}

/** Those of a List each by itself. */
function manifestsIn(document: Json | undefined): Manifest[] {
  if (document === undefined || document === null) return []
  if (isObject(document) && Array.isArray(document['items']) && String(document['kind']).endsWith('List'))
    return document['items'].flatMap(manifestsIn)
  const { apiVersion, kind, metadata } = (isObject(document) ? document : {}) as Partial<Manifest>
  if (typeof apiVersion !== 'string' || typeof kind !== 'string')
    throw new Error('an object has no apiVersion and kind')
  if (typeof metadata?.name !== 'string') throw new Error(`a ${kind} has no metadata.name`)
  return [document as unknown as Manifest]
}

/**
 * As an author would write it: without its status, what the server has filled in, and the note that kubectl keeps for
 * itself.
 */
export function asWritten(object: Readonly<KubeObject>): JsonObject {
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

/** Objects of lists do not say what they are. */
export function typed({ apiVersion, kind }: Kind, object: Live<ApiObject>): Manifest {
  return { ...object, apiVersion, kind } as unknown as Manifest
}
