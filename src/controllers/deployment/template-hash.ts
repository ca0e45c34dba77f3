/** The label `pod-template-hash`, which tells the ReplicaSets of a Deployment apart. */
import { equalJson } from '../../api/index.ts'
import type { Deployment, Json, JsonObject, Live, ReplicaSet } from '../../index.ts'

export const hashLabel = 'pod-template-hash'

/** No vowels and no digits that look like vowels, so that names contain no words. */
const alphabet = 'bcdfghjklmnpqrstvwxz2456789'

/** 32 bits, encoded with safe characters. `collisions` changes the hash if a name is taken. */
export function templateHash(template: unknown, collisions: number | undefined): string {
  const text = sortedText(template as Json) + (collisions === undefined ? '' : String(collisions))
  let hash = 0x811c9dc5
  for (const byte of Buffer.from(text)) hash = Math.imul(hash ^ byte, 0x01000193) >>> 0
  return [...String(hash)].map((digit) => alphabet[digit.charCodeAt(0) % alphabet.length]).join('')
}

/** Whether a ReplicaSet has the Deployment's template, whatever its hash. */
export function hasTemplate(set: Live<ReplicaSet>, deployment: Live<Deployment>): boolean {
  const [one, other] = [set, deployment].map(({ spec }) => spec?.template as JsonObject | undefined)
  return (
    equalJson(one?.['spec'], other?.['spec']) &&
    equalJson(withoutHash(one?.['metadata']), withoutHash(other?.['metadata']))
  )
}

function withoutHash(metadata: Json | undefined): Json {
  const { labels, ...others } = (metadata ?? {}) as JsonObject
  const { [hashLabel]: _, ...kept } = (labels ?? {}) as JsonObject
  return { ...others, labels: kept }
}

function sortedText(value: Json): string {
  return JSON.stringify(value, (_name, part: Json) => {
    if (typeof part !== 'object' || part === null || Array.isArray(part)) return part
    return Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
  })
}
