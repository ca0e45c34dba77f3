/** Which active pods a Job removes when it has too many. */
import { isReady, readySince, restarts } from '../shared/pod-state.ts'
import { completionIndex, isIndexed, type LiveJob, type LivePod } from './job-pods.ts'

/** At least `count`, and of an Indexed Job all without a valid index and all but one of each index. */
export function podsToRemove(job: LiveJob, active: readonly LivePod[], count: number): readonly LivePod[] {
  const { surplus, others } = isIndexed(job)
    ? splitByIndex(active, job.spec?.completions ?? 0)
    : { surplus: [], others: active }
  const missing = count - surplus.length
  return missing <= 0 ? surplus : [...surplus, ...inRemovalOrder(others).slice(0, missing)]
}

function splitByIndex(active: readonly LivePod[], completions: number) {
  const surplus: LivePod[] = []
  const byIndex = new Map<number, LivePod[]>()
  for (const pod of active) {
    const index = completionIndex(pod)
    if (index === undefined || index >= completions) surplus.push(pod)
    else byIndex.set(index, [...(byIndex.get(index) ?? []), pod])
  }
  const others: LivePod[] = []
  for (const pods of byIndex.values()) {
    const ordered = pods.length === 1 ? pods : inRemovalOrder(pods)
    surplus.push(...ordered.slice(0, -1))
    others.push(ordered.at(-1) as LivePod)
  }
  return { surplus, others }
}

const phaseOrder: Readonly<Record<string, number>> = { Pending: 0, Unknown: 1, Running: 2 }

const keys: readonly ((pod: LivePod) => number)[] = [
  ({ spec }) => ((spec?.nodeName ?? '') === '' ? 0 : 1),
  ({ status }) => phaseOrder[status?.phase ?? ''] ?? 0,
  (pod) => (isReady(pod) ? 1 : 0),
  (pod) => -(readySince(pod) ?? 0),
  (pod) => -restarts(pod),
  ({ metadata }) => -Date.parse(metadata.creationTimestamp ?? ''),
]

/** Not scheduled; not running; not ready; ready for a shorter time; more restarts; younger. */
function inRemovalOrder(pods: readonly LivePod[]): LivePod[] {
  return [...pods].sort((a, b) => {
    for (const key of keys) {
      const difference = key(a) - key(b)
      if (difference !== 0) return difference
    }
    return 0
  })
}
