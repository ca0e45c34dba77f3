/** The identity of a StatefulSet's pods: their names, ordinals and labels. */
import type { Live, Pod, StatefulSet } from '../../index.ts'

export type LiveSet = Live<StatefulSet>

export const podNameLabel = 'statefulset.kubernetes.io/pod-name'
export const podIndexLabel = 'apps.kubernetes.io/pod-index'

const maxInt32 = 2_147_483_647

/** Whose pod it is by its name: `web` for `web-0`. */
export function setNameOf({ metadata }: Live<Pod>): string | undefined {
  return /^(.*)-\d+$/.exec(metadata.name)?.[1]
}

/** Undefined for a name that no StatefulSet gives, such as `web-01`. */
export function ordinalOf({ metadata }: Live<Pod>): number | undefined {
  const digits = /-(0|[1-9]\d{0,9})$/.exec(metadata.name)?.[1]
  return digits === undefined || Number(digits) > maxInt32 ? undefined : Number(digits)
}

export function podName(set: LiveSet, ordinal: number): string {
  return `${set.metadata.name}-${ordinal}`
}

export function firstOrdinal({ spec }: LiveSet): number {
  return spec?.ordinals?.start ?? 0
}

export function wantedReplicas({ spec }: LiveSet): number {
  return spec?.replicas ?? 1
}

export function isDesiredOrdinal(set: LiveSet, ordinal: number): boolean {
  return ordinal >= firstOrdinal(set) && ordinal < firstOrdinal(set) + wantedReplicas(set)
}

export function identityLabels(set: LiveSet, ordinal: number): Record<string, string> {
  return { [podNameLabel]: podName(set, ordinal), [podIndexLabel]: String(ordinal) }
}

/** False for an adopted pod without the label. */
export function hasIdentity({ metadata }: Live<Pod>): boolean {
  return metadata.labels?.[podNameLabel] === metadata.name
}
