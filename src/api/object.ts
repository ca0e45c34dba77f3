/**
 * The types of a Kubernetes object: apiVersion and kind, metadata, owner references. These are type aliases and not
 * interfaces, so that each is assignable to {@link JsonObject} without a cast.
 */
import type { Json, JsonObject } from './json.ts'

export interface GroupVersionKind {
  group: string
  version: string
  kind: string
}

export type OwnerReference = {
  /** `v1`, `apps/v1`. */
  apiVersion: string
  kind: string
  /** The owner is in the same namespace, or cluster-scoped. */
  name: string
  uid: string
  /** Whether the owner manages this object; at most one owner does. Default false. */
  controller?: boolean
  /** Whether a foreground deletion of the owner waits for this object. Default false. */
  blockOwnerDeletion?: boolean
}

/** One manager's entry of `metadata.managedFields`. */
export type ManagedFieldsEntry = {
  manager?: string
  operation?: 'Apply' | 'Update'
  apiVersion?: string
  time?: string
  fieldsType?: string
  fieldsV1?: JsonObject
  subresource?: string
}

export type ObjectMeta = {
  /** Unique among the objects of the kind in the namespace. Cannot be changed. Required without `generateName`. */
  name?: string
  /** A prefix: the server adds five random characters and sets `name`. For creates only; ignored if `name` is set. */
  generateName?: string
  /** The namespace; absent for cluster-scoped kinds. Cannot be changed. Clients do not guess it. */
  namespace?: string
  /** Identifies this object among all that ever had its name. Set by the server. */
  uid?: string
  /**
   * Changes with each write. Opaque: compare for equality only. In an update, the write fails with a conflict (409) if
   * the object has another one by then.
   */
  resourceVersion?: string
  /** Counts changes of the spec, from 1. A status with a lower `observedGeneration` is outdated. Set by the server. */
  generation?: number
  /** When the object was created, RFC 3339, in whole seconds. Set by the server. */
  creationTimestamp?: string
  /**
   * When the object is to be gone, RFC 3339. Set by the server once a deletion is requested and has to wait for
   * finalizers or a grace period. Cannot be unset.
   */
  deletionTimestamp?: string
  /** Seconds that the object had left when its deletion was requested. Set by the server. */
  deletionGracePeriodSeconds?: number
  /** For selection: keys and values of at most 63 characters; a key may have a prefix, `example.dev/name`. */
  labels?: Record<string, string>
  /** For everything that need not be selected: any text, 256 KiB in all. */
  annotations?: Record<string, string>
  /** The objects that this one depends on: garbage collection deletes it when none of them exists any more. */
  ownerReferences?: OwnerReference[]
  /** Names of cleanups that must be done before the object goes; each is removed by whoever did it. */
  finalizers?: string[]
  /** Who set which field. Written by the server; rarely worth reading. */
  managedFields?: ManagedFieldsEntry[]
}

/** Any object that the server stores and serves. Fields other than the type and the metadata are plain JSON. */
export type KubeObject = {
  apiVersion?: string
  kind?: string
  metadata: ObjectMeta
} & { [field: string]: Json }

export type ListMeta = {
  resourceVersion?: string
  continue?: string
  remainingItemCount?: number
}

/** `apps/v1` for a named group, `v1` for the core group. */
export function apiVersionOf(group: string, version: string): string {
  return group === '' ? version : `${group}/${version}`
}

/** The inverse of {@link apiVersionOf}; undefined if the text has more than one slash. */
export function parseApiVersion(apiVersion: string): { group: string; version: string } | undefined {
  const parts = apiVersion.split('/')
  if (parts.length === 1) return { group: '', version: parts[0] as string }
  if (parts.length === 2) return { group: parts[0] as string, version: parts[1] as string }
  return undefined
}
