/** Ready-made update filters for `when`. They never hide an add, a delete, the start of a deletion or a resync. */
import { equalJson } from '../api/json.ts'
import type { ApiObject } from '../api/live-object.ts'
import type { UpdateFilter } from './definition.ts'

/** The spec has changed. Not for kinds without a generation (ConfigMap, Secret): they would never run. */
export const generationChanged: UpdateFilter<ApiObject> = (old, object) =>
  old.metadata.generation !== object.metadata.generation

export const labelsChanged: UpdateFilter<ApiObject> = (old, object) =>
  !equalJson(old.metadata.labels ?? {}, object.metadata.labels ?? {})

export const annotationsChanged: UpdateFilter<ApiObject> = (old, object) =>
  !equalJson(old.metadata.annotations ?? {}, object.metadata.annotations ?? {})

export const finalizersChanged: UpdateFilter<ApiObject> = (old, object) =>
  !equalJson(old.metadata.finalizers ?? [], object.metadata.finalizers ?? [])

/** Whether the values that `part` returns have changed: `changed((pod) => pod.status?.phase)`. */
export function changed<T extends ApiObject>(
  part: (object: Parameters<UpdateFilter<T>>[0]) => unknown,
): UpdateFilter<T> {
  return (old, object) => !equalJson(part(old), part(object))
}

export function anyOf<T extends ApiObject>(...filters: readonly UpdateFilter<T>[]): UpdateFilter<T> {
  return (old, object) => filters.some((filter) => filter(old, object))
}

export function allOf<T extends ApiObject>(...filters: readonly UpdateFilter<T>[]): UpdateFilter<T> {
  return (old, object) => filters.every((filter) => filter(old, object))
}
