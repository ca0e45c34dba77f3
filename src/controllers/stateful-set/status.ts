/** Step 7: the status of the StatefulSet. */
import { requeueAfter, type appsV1, type ReconcileResult } from '../../index.ts'
import { isAvailable, readySince } from '../shared/pod-state.ts'
import { wantedReplicas, type LiveSet } from './identity.ts'
import { isRunningAndReady, podRevision, type Member, type Members } from './members.ts'
import type { Versions } from './revisions.ts'

type Status = { [Field in keyof appsV1.StatefulSetStatus]: appsV1.StatefulSetStatus[Field] | undefined }

export function setStatus(set: LiveSet, members: Members, versions: Versions, now: number): Status {
  const { current, update, collisionCount } = versions
  const all = [...members.replicas, ...members.condemned].filter(({ pod }) => pod !== undefined)
  const count = (test: (member: Member) => boolean): number => all.filter(test).length
  const replicas = all.length
  const readyReplicas = count(isRunningAndReady)
  const updatedReplicas = count((member) => !member.isTerminating && podRevision(member) === update.name)
  const wanted = wantedReplicas(set)
  const isComplete =
    set.spec?.updateStrategy?.type === 'RollingUpdate' &&
    updatedReplicas === wanted &&
    readyReplicas === wanted &&
    replicas === wanted
  const currentReplicas = isComplete
    ? updatedReplicas
    : count((member) => !member.isTerminating && podRevision(member) === current.name)
  return {
    replicas,
    // The API omits these if they are 0.
    readyReplicas: readyReplicas || undefined,
    currentReplicas: currentReplicas || undefined,
    updatedReplicas: updatedReplicas || undefined,
    availableReplicas: count((member) => isRunningAndAvailable(set, member, now)),
    // Empty only if the StatefulSet was deleted before its first run.
    currentRevision: (isComplete ? update.name : current.name) || undefined,
    updateRevision: update.name || undefined,
    collisionCount,
  }
}

function isRunningAndAvailable({ spec }: LiveSet, member: Member, now: number): boolean {
  const { pod } = member
  return pod !== undefined && isRunningAndReady(member) && isAvailable(pod, spec?.minReadySeconds ?? 0, now)
}

/** A ready pod becomes available with time alone, so the controller must requeue. */
export function whenAvailable({ spec }: LiveSet, { replicas, condemned }: Members, now: number): ReconcileResult {
  const least = (spec?.minReadySeconds ?? 0) * 1000
  const waits = [...replicas, ...condemned]
    .flatMap(({ pod }) => (pod === undefined ? [] : (readySince(pod) ?? [])))
    .map((since) => since + least - now)
    .filter((wait) => wait > 0)
  return waits.length === 0 ? undefined : requeueAfter(Math.min(...waits))
}
