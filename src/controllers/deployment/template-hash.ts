/** The label `pod-template-hash`, which tells the ReplicaSets of a Deployment apart. */
import { equalJson } from '../../api/index.ts'
import type { Deployment, Json, JsonObject, Live, ReplicaSet } from '../../index.ts'

export const hashLabel = 'pod-template-hash'

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
