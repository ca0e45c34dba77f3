/**
 * The manifests of a kind: valid objects, a change, and invalid variants. The value `NAMESPACE` stands for the
 * namespace of the object.
 */
import type { JsonObject } from '../../../src/api/json.ts'

export interface BadVariant {
  readonly name: string
  /** A merge patch for the full object. */
  readonly patch: JsonObject
}

export interface KindManifests {
  readonly resource: string
  /** '' for the core group. */
  readonly group: string
  readonly version: string
  readonly kind: string
  readonly namespaced: boolean
  /** Only required fields; `metadata` has a name and no namespace. */
  readonly minimal: JsonObject
  /** As many fields as can be combined; its name differs from that of `minimal`. */
  readonly full: JsonObject
  /** A valid merge patch for the full object. */
  readonly change: JsonObject
  /** Invalid in a create, in an update of the full object, or in both. */
  readonly bad: readonly BadVariant[]
  /** A merge patch for the status of the full object, for kinds with a status subresource. */
  readonly status?: JsonObject
  /**
   * A controller inside kube-apiserver changes such objects at any time, or they affect other objects, so only dry runs
   * are compared.
   */
  readonly tended?: boolean
  /** Invalid changes of the status. */
  readonly badStatus?: readonly BadVariant[]
}

/** Bad variants by name. */
export function variants(patches: Readonly<Record<string, JsonObject>>): BadVariant[] {
  return Object.entries(patches).map(([name, patch]) => ({ name, patch }))
}

/** Metadata with all fields that a client may set. */
export function fullMetadata(name: string): JsonObject {
  return {
    name,
    labels: { app: 'full', 'example.com/tier': 'back' },
    annotations: { note: 'full object', 'example.com/note': '' },
    finalizers: [],
  }
}

/** Invalid metadata for any kind. */
export const badMetadata: Readonly<Record<string, JsonObject>> = {
  'label key': { metadata: { labels: { '-bad-': 'x' } } },
  'label value': { metadata: { labels: { app: 'not valid!' } } },
  'annotation key': { metadata: { annotations: { 'a b': 'x' } } },
  finalizer: { metadata: { finalizers: ['not a finalizer'] } },
  'owner without uid': { metadata: { ownerReferences: [{ apiVersion: 'v1', kind: 'Pod', name: 'x', uid: '' }] } },
}

export const long = (length: number): string => 'x'.repeat(length)
