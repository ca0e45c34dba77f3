/** Step 7: the status. */
import { labelSelectorFrom } from '../../api/index.ts'
import { requeueAfter, type appsV1, type Live, type Pod, type ReconcileResult } from '../../index.ts'
import { timestamp } from '../../env/index.ts'
import { isAvailable, isReady, readySince } from '../shared/pod-state.ts'
import type { Replicated } from './replicated.ts'
import type { ScaleFailure } from './scale-pods.ts'

export function replicaSetStatus(
  set: Live<Replicated>,
  active: readonly Live<Pod>[],
  terminating: number | undefined,
  failure: ScaleFailure | undefined,
  now: number,
): { [Field in keyof appsV1.ReplicaSetStatus]: appsV1.ReplicaSetStatus[Field] | undefined } {
  const template = labelSelectorFrom({ matchLabels: set.spec?.template?.metadata?.labels ?? {} })
  // The API omits counts of 0.
  const count = (test: (pod: Live<Pod>) => boolean): number | undefined => active.filter(test).length || undefined
  const conditions = conditionsOf(set, failure, now)
  return {
    replicas: active.length,
    fullyLabeledReplicas: count(({ metadata }) => template.matches(metadata.labels)),
    readyReplicas: count(isReady),
    availableReplicas: count((pod) => isAvailable(pod, set.spec?.minReadySeconds ?? 0, now)),
    terminatingReplicas: terminating,
    conditions: conditions.length === 0 ? undefined : conditions,
  }
}

function conditionsOf(
  set: Live<Replicated>,
  failure: ScaleFailure | undefined,
  now: number,
): appsV1.ReplicaSetCondition[] {
  const others = (set.status?.conditions ?? []).filter(({ type }) => type !== 'ReplicaFailure')
  if (failure === undefined) return [...others]
  const before = set.status?.conditions?.find(({ type }) => type === 'ReplicaFailure')
  if (before?.reason === failure.reason) return [...others, before]
  const message = failure.error instanceof Error ? failure.error.message : String(failure.error)
  return [
    ...others,
    { type: 'ReplicaFailure', status: 'True', reason: failure.reason, message, lastTransitionTime: timestamp(now) },
  ]
}

/** A ready pod becomes available with time alone, so the controller must requeue. */
export function msUntilAvailable(set: Live<Replicated>, active: readonly Live<Pod>[], now: number): ReconcileResult {
  const least = (set.spec?.minReadySeconds ?? 0) * 1000
  const waits = active
    .flatMap((pod) => readySince(pod) ?? [])
    .map((since) => since + least - now)
    .filter((wait) => wait > 0)
  return waits.length === 0 ? undefined : requeueAfter(Math.min(...waits))
}
