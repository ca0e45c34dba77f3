/** Manifests: whole objects, as files and clusters have them. */
import { parseAllDocuments } from 'yaml'
import { isObject, type Json, type JsonObject } from '../api/json.ts'
import type { KubeObject } from '../api/object.ts'

export type Manifest = KubeObject & { readonly apiVersion: string; readonly kind: string }

/** The objects of a file, YAML or JSON, in their order. Throws for a text that is neither, and for what is no object. */
export function parseManifests(text: string): Manifest[] {
  return parseAllDocuments(text).flatMap((document) => {
    const [problem] = document.errors
    if (problem !== undefined) throw new Error(problem.message)
    return manifestsIn(document.toJS() as Json)
  })
}

/** Those of a List each by itself. */
function manifestsIn(document: Json | undefined): Manifest[] {
  if (document === undefined || document === null) return []
  if (isObject(document) && Array.isArray(document['items']) && String(document['kind']).endsWith('List')) return document['items'].flatMap(manifestsIn)
  const { apiVersion, kind, metadata } = (isObject(document) ? document : {}) as Partial<Manifest>
  if (typeof apiVersion !== 'string' || typeof kind !== 'string') throw new Error('an object has no apiVersion and kind')
  if (typeof metadata?.name !== 'string') throw new Error(`a ${kind} has no metadata.name`)
  return [document as unknown as Manifest]
}

/** As an author would write it: without what the server has filled in, and without its status. */
export function asWritten(object: Readonly<KubeObject>): JsonObject {
  const { status: _status, metadata, ...rest } = object
  const { uid: _uid, resourceVersion: _version, generation: _generation, creationTimestamp: _created, managedFields: _fields, selfLink: _link,
    deletionTimestamp: _deleted, deletionGracePeriodSeconds: _grace, ...own } = metadata as KubeObject['metadata'] & Record<string, unknown>
  return { ...rest, metadata: own } as unknown as JsonObject
}
