/** When that happened which endpoints were last changed for: by it the delay until they are in use is measured. */
import type { Live, Pod, Service } from '../../index.ts'

export const triggerAnnotation = 'endpoints.kubernetes.io/last-change-trigger-time'

/**
 * The first of the pods' changes since `previous`, which is the annotation of the object that is to be changed. Of a new
 * object the creation of the Service. Undefined: it cannot be told.
 */
export function triggerTime(service: Live<Service>, pods: readonly Live<Pod>[], before: { readonly annotation: string | undefined } | undefined): string | undefined {
  if (before === undefined) return service.metadata.creationTimestamp
  const times = pods.flatMap(({ status }) => status?.conditions?.find(({ type }) => type === 'Ready')?.lastTransitionTime ?? [])
  const since = Date.parse(before.annotation ?? '')
  const sorted = times.filter((time) => Number.isNaN(since) || Date.parse(time) > since).sort((a, b) => Date.parse(a) - Date.parse(b))
  return Number.isNaN(since) ? sorted.at(-1) : sorted[0]
}
