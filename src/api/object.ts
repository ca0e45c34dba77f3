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
  apiVersion: string
  kind: string
  name: string
  uid: string
  controller?: boolean
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
  name?: string
  generateName?: string
  namespace?: string
  uid?: string
  resourceVersion?: string
  generation?: number
  creationTimestamp?: string
  deletionTimestamp?: string
  deletionGracePeriodSeconds?: number
  labels?: Record<string, string>
  annotations?: Record<string, string>
  ownerReferences?: OwnerReference[]
  finalizers?: string[]
  managedFields?: ManagedFieldsEntry[]
}

/** Any object that the server stores and serves. Fields other than the type and the metadata are plain JSON. */
export type KubeObject = {
  apiVersion?: string
  kind?: string
  metadata: ObjectMeta
  [field: string]: Json
}

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
