/**
 * What a Kubernetes object is: its type's names, its metadata, its owners. These are type aliases and not interfaces, so
 * that each is assignable to {@link JsonObject}: an object is JSON, and needs no cast to be treated as such.
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

/** Any object: what the server stores and serves. Fields beyond the type and the metadata are plain JSON. */
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

/** The inverse of {@link apiVersionOf}; undefined when the text has more than one slash. */
export function parseApiVersion(apiVersion: string): { group: string; version: string } | undefined {
  const parts = apiVersion.split('/')
  if (parts.length === 1) return { group: '', version: parts[0] as string }
  if (parts.length === 2) return { group: parts[0] as string, version: parts[1] as string }
  return undefined
}
