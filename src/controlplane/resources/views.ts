/**
 * Kinds that are served in more than one version or group: their storage version, and the conversion from and to it.
 */
import type { VersionView } from '../contract/resource.ts'
import { eventsView } from './event/view.ts'
import { autoscalerView } from './horizontal-pod-autoscaler/view.ts'

interface SharedKind {
  /** The storage version, and the name of its type. */
  readonly stored: { readonly apiVersion: string; readonly type: string }
  readonly shown: { readonly apiVersion: string; readonly type: string }
  readonly view: VersionView
}

const autoscaler: SharedKind = {
  stored: { apiVersion: 'autoscaling/v2', type: 'io.k8s.api.autoscaling.v2.HorizontalPodAutoscaler' },
  shown: { apiVersion: 'autoscaling/v1', type: 'io.k8s.api.autoscaling.v1.HorizontalPodAutoscaler' },
  view: autoscalerView,
}

const event: SharedKind = {
  stored: { apiVersion: 'v1', type: 'io.k8s.api.core.v1.Event' },
  shown: { apiVersion: 'events.k8s.io/v1', type: 'io.k8s.api.events.v1.Event' },
  view: eventsView,
}

/** The kind that two versions of a resource share; undefined for most. */
export function sharedKind(apiVersion: string, plural: string): SharedKind | undefined {
  if (plural === 'horizontalpodautoscalers' && apiVersion.startsWith('autoscaling/')) return autoscaler
  if (plural === 'events' && (apiVersion === 'v1' || apiVersion === 'events.k8s.io/v1')) return event
  return undefined
}
