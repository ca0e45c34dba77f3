/** The annotations in which a Deployment and its ReplicaSets keep revisions and sizes. */
import type { Deployment, Live, LiveObject } from '../../index.ts'
import { rolloutBounds, desiredReplicas } from './bounds.ts'

export const revisionAnnotation = 'deployment.kubernetes.io/revision'
export const historyAnnotation = 'deployment.kubernetes.io/revision-history'
const desiredAnnotation = 'deployment.kubernetes.io/desired-replicas'
const maxAnnotation = 'deployment.kubernetes.io/max-replicas'

/** Annotations of a Deployment that its ReplicaSets do not inherit. */
const notInherited = new Set([
  'kubectl.kubernetes.io/last-applied-configuration',
  revisionAnnotation,
  historyAnnotation,
  desiredAnnotation,
  maxAnnotation,
  'deprecated.deployment.rollback.to',
])

export function revisionOf({ metadata }: LiveObject): number {
  const revision = Number(metadata.annotations?.[revisionAnnotation] ?? '0')
  return Number.isSafeInteger(revision) ? revision : 0
}

/** The size of the Deployment when the ReplicaSet was last scaled. */
export function desiredReplicasAnnotation({ metadata }: LiveObject): number | undefined {
  return numberOf(metadata.annotations?.[desiredAnnotation])
}

export function maxReplicasAnnotation({ metadata }: LiveObject): number | undefined {
  return numberOf(metadata.annotations?.[maxAnnotation])
}

export function sizeAnnotations(deployment: Live<Deployment>): Record<string, string> {
  const replicas = desiredReplicas(deployment)
  return {
    [desiredAnnotation]: String(replicas),
    [maxAnnotation]: String(replicas + rolloutBounds(deployment).maxSurge),
  }
}

/** The annotations that a ReplicaSet inherits from its Deployment. */
export function inheritedAnnotations({ metadata }: LiveObject): Record<string, string> {
  return Object.fromEntries(Object.entries(metadata.annotations ?? {}).filter(([name]) => !notInherited.has(name)))
}

/** With the revision, and the earlier revisions of the ReplicaSet. */
export function revisionAnnotations(set: LiveObject | undefined, revision: number): Record<string, string> {
  const before = set?.metadata.annotations?.[revisionAnnotation]
  if (before === undefined || Number(before) >= revision) return { [revisionAnnotation]: before ?? String(revision) }
  const history = set?.metadata.annotations?.[historyAnnotation]
  const past = [...(history === undefined || history === '' ? [] : history.split(',')), before].filter(
    (each) => each !== '0' && each !== '',
  )
  return {
    [revisionAnnotation]: String(revision),
    ...(past.length === 0 ? {} : { [historyAnnotation]: past.join(',') }),
  }
}

function numberOf(text: string | undefined): number | undefined {
  return text === undefined || !/^\d{1,10}$/.test(text) ? undefined : Number(text)
}
