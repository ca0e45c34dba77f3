/** Copies of stored metadata. Most updates change only spec or status, so their metadata needs no decoding. */
import type { Json, JsonObject } from '../api/json.ts'
import type { ObjectMeta } from '../api/object.ts'

/**
 * A shallow copy of metadata with upstream's order of fields. Written field by field, because it runs on every write.
 */
export function orderedMetadata(given: ObjectMeta, resourceVersion = given.resourceVersion): ObjectMeta {
  const metadata: ObjectMeta = {}
  if (given.name !== undefined) metadata.name = given.name
  if (given.generateName !== undefined) metadata.generateName = given.generateName
  if (given.namespace !== undefined) metadata.namespace = given.namespace
  if (given.uid !== undefined) metadata.uid = given.uid
  if (resourceVersion !== undefined) metadata.resourceVersion = resourceVersion
  if (given.generation !== undefined) metadata.generation = given.generation
  if (given.creationTimestamp !== undefined) metadata.creationTimestamp = given.creationTimestamp
  if (given.deletionTimestamp !== undefined) metadata.deletionTimestamp = given.deletionTimestamp
  if (given.deletionGracePeriodSeconds !== undefined)
    metadata.deletionGracePeriodSeconds = given.deletionGracePeriodSeconds
  if (given.labels !== undefined) metadata.labels = given.labels
  if (given.annotations !== undefined) metadata.annotations = given.annotations
  if (given.ownerReferences !== undefined) metadata.ownerReferences = given.ownerReferences
  if (given.finalizers !== undefined) metadata.finalizers = given.finalizers
  if (given.managedFields !== undefined) metadata.managedFields = given.managedFields
  return metadata
}

/** A copy of stored metadata that may be modified, except for the entries of managedFields. */
export function copyMetadata(metadata: JsonObject): JsonObject {
  const copy = orderedMetadata(metadata) as JsonObject
  for (const name of ['labels', 'annotations'] as const) {
    if (copy[name] !== undefined) copy[name] = { ...(copy[name] as JsonObject) }
  }
  for (const name of ['ownerReferences', 'finalizers'] as const) {
    if (copy[name] !== undefined) copy[name] = [...(copy[name] as Json[])]
  }
  return copy
}
