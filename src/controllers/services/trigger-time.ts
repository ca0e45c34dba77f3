/** When that happened which endpoints were last changed for: by it the delay until they are in use is measured. */
import type { Live, Pod, Service } from '../../index.ts'

export const triggerAnnotation = 'endpoints.kubernetes.io/last-change-trigger-time'

/**
 * The first of the pods' changes since the last one that was told, or since the Service was made. Of a new object, the
 * creation of the Service. Undefined: nothing that could be told has changed.
 */
export function triggerTime(service: Live<Service>, pods: readonly Live<Pod>[], before: { readonly annotation: string | undefined } | undefined): string | undefined {
  const { creationTimestamp } = service.metadata
  if (before === undefined) return creationTimestamp
  const since = Date.parse(before.annotation ?? creationTimestamp ?? '')
  const times = pods.flatMap(({ status }) => status?.conditions?.find(({ type }) => type === 'Ready')?.lastTransitionTime ?? [])
  return times.filter((time) => Date.parse(time) > since).sort((a, b) => Date.parse(a) - Date.parse(b))[0]
}
