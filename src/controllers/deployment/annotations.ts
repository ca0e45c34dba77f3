/** The annotations in which a Deployment and its ReplicaSets keep revisions and sizes. */
import type { Deployment, Live, LiveObject } from '../../index.ts'
import { rolloutBounds, desiredReplicas } from './bounds.ts'

export const revisionAnnotation = 'deployment.kubernetes.io/revision'
export const historyAnnotation = 'deployment.kubernetes.io/revision-history'
const desiredAnnotation = 'deployment.kubernetes.io/desired-replicas'
const maxAnnotation = 'deployment.kubernetes.io/max-replicas'

/** In characters. */
const maxHistoryLength = 2_000

/** Annotations of a Deployment that its ReplicaSets do not inherit. */
const notInherited = new Set([
  'kubectl.kubernetes.io/last-applied-configuration',
  revisionAnnotation,
  historyAnnotation,
  desiredAnnotation,
  maxAnnotation,
  'deprecated.deployment.rollback.to',
])

/** Revisions have 64 bits, more than a JavaScript number. Zero: there is none, or none that can be read. */
export function revisionOf({ metadata }: LiveObject): bigint {
  return parseInt64(metadata.annotations?.[revisionAnnotation] ?? '0') ?? 0n
}

function parseInt64(text: string): bigint | undefined {
  if (!/^[+-]?\d+$/.test(text)) return undefined
  const value = BigInt(text.replace(/^\+/, ''))
  return BigInt.asIntN(64, value) === value ? value : undefined
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
export function revisionAnnotations(set: LiveObject | undefined, revision: bigint): Record<string, string> {
  const before = set?.metadata.annotations?.[revisionAnnotation]
  const known = before === undefined || before === '' ? 0n : parseInt64(before)
  // A revision that is higher, or that cannot be read, stays.
  if (known === undefined || known >= revision) return before === undefined ? {} : { [revisionAnnotation]: before }
  const annotations = { [revisionAnnotation]: String(revision) }
  if (before === undefined) return annotations
  return { ...annotations, [historyAnnotation]: withEarlier(set?.metadata.annotations?.[historyAnnotation], before) }
}

/** The history with one more revision. It loses its first ones when it gets too long. */
function withEarlier(history: string | undefined, revision: string): string {
  if (history === undefined || history === '' || history.startsWith(',')) return revision
  const revisions = history.split(',')
  let length = history.length + 1 + revision.length
  while (length > maxHistoryLength && revisions.length > 0) length -= (revisions.shift() ?? '').length + 1
  return length > maxHistoryLength ? history : [...revisions, revision].join(',')
}

function numberOf(text: string | undefined): number | undefined {
  return text === undefined || !/^\d{1,10}$/.test(text) ? undefined : Number(text)
}
