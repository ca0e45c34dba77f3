/**
 * What the manifests of a kind are: right objects, a change, and wrong variants of them.
 * `NAMESPACE` as a value stands for the namespace in which the object is made.
 */
import type { JsonObject } from '../../../src/api/json.ts'

export interface BadVariant {
  readonly name: string
  /** A merge patch on the full object. */
  readonly patch: JsonObject
}

export interface KindManifests {
  readonly resource: string
  /** '' for the core group. */
  readonly group: string
  readonly version: string
  readonly kind: string
  readonly namespaced: boolean
  /** Only what must be there; `metadata` has a name and no namespace. */
  readonly minimal: JsonObject
  /** As many fields as go together; the name is another than that of `minimal`. */
  readonly full: JsonObject
  /** A merge patch that changes what may change of the full object. */
  readonly change: JsonObject
  /** Wrong at creation, or wrong as a change of the full object, or both. */
  readonly bad: readonly BadVariant[]
  /** A merge patch on the status of the full object, for kinds with a status subresource. */
  readonly status?: JsonObject
  /**
   * A controller inside kube-apiserver writes to such objects whenever it likes, or they change what others get: only
   * dry runs are compared.
   */
  readonly tended?: boolean
  /** Wrong changes of the status. */
  readonly badStatus?: readonly BadVariant[]
}

/** Bad variants by name. */
export function variants(patches: Readonly<Record<string, JsonObject>>): BadVariant[] {
  return Object.entries(patches).map(([name, patch]) => ({ name, patch }))
}

/** Metadata with as much as a client may set. */
export function fullMetadata(name: string): JsonObject {
  return {
    name,
    labels: { app: 'full', 'example.com/tier': 'back' },
    annotations: { note: 'full object', 'example.com/note': '' },
    finalizers: [],
  }
}

/** Wrong metadata, the same for every kind. */
export const badMetadata: Readonly<Record<string, JsonObject>> = {
  'label key': { metadata: { labels: { '-bad-': 'x' } } },
  'label value': { metadata: { labels: { app: 'not valid!' } } },
  'annotation key': { metadata: { annotations: { 'a b': 'x' } } },
  finalizer: { metadata: { finalizers: ['not a finalizer'] } },
  'owner without uid': { metadata: { ownerReferences: [{ apiVersion: 'v1', kind: 'Pod', name: 'x', uid: '' }] } },
}

export const long = (length: number): string => 'x'.repeat(length)
