/** The pods of a StatefulSet by ordinal: the desired ones, and those to be deleted. */
import type { Live, Pod } from '../../index.ts'
import { isAvailable, isReady } from '../shared/pod-state.ts'
import { podRevisionLabel } from '../shared/controller-revisions.ts'
import type { ClaimingPod } from './claim-owners.ts'
import { wantedReplicas, firstOrdinal, isDesiredOrdinal, ordinalOf, podName, type LiveSet } from './identity.ts'

/** One ordinal. The steps of a run replace the pod when they have written it. */
export interface Member {
  readonly ordinal: number
  readonly name: string
  /** Undefined until it is created. */
  pod: Live<Pod> | undefined
  isTerminating: boolean
}

export interface Members {
  /** One for each desired ordinal, ascending. */
  readonly replicas: readonly Member[]
  /** Pods with other ordinals, descending: the order in which they are deleted. */
  readonly condemned: readonly Member[]
}

/** The maximum of missing pods that one run considers; a StatefulSet may want two billion. */
const maxMissingPods = 500

export function membersOf(set: LiveSet, pods: readonly Live<Pod>[]): Members {
  const found = new Map<number, Live<Pod>>()
  for (const pod of pods) {
    const ordinal = ordinalOf(pod)
    if (ordinal !== undefined) found.set(ordinal, pod)
  }
  const missing: number[] = []
  const end = firstOrdinal(set) + wantedReplicas(set)
  for (let ordinal = firstOrdinal(set); ordinal < end && missing.length < maxMissingPods; ordinal++)
    if (!found.has(ordinal)) missing.push(ordinal)
  const members = [...found.keys(), ...missing]
    .sort((a, b) => a - b)
    .map((ordinal) => member(set, ordinal, found.get(ordinal)))
  const [replicas, surplus] = [true, false].map((isWanted) =>
    members.filter(({ ordinal }) => isDesiredOrdinal(set, ordinal) === isWanted),
  ) as [Member[], Member[]]
  return { replicas, condemned: surplus.reverse() }
}

function member(set: LiveSet, ordinal: number, pod: Live<Pod> | undefined): Member {
  return {
    ordinal,
    name: podName(set, ordinal),
    pod,
    isTerminating: pod?.metadata.deletionTimestamp !== undefined,
  }
}

export function claimingPod({ name, ordinal, pod }: Member): ClaimingPod {
  return { name, ordinal, uid: pod?.metadata.uid }
}

export function podRevision({ pod }: Member): string | undefined {
  return pod?.metadata.labels?.[podRevisionLabel]
}

export function isRunningAndReady({ pod }: Member): boolean {
  return pod?.status?.phase === 'Running' && isReady(pod)
}

export function isUnavailable(set: LiveSet, { pod, isTerminating }: Member, now: number): boolean {
  return pod === undefined || isTerminating || !isAvailable(pod, set.spec?.minReadySeconds ?? 0, now)
}

/** With the policy OrderedReady, the next pod is created or deleted only if this one is running and available. */
export function isHealthy(set: LiveSet, member: Member, now: number): boolean {
  return isRunningAndReady(member) && !isUnavailable(set, member, now)
}

/** The first one, by ordinal, that holds up the deletion of the others. */
export function firstUnavailable(set: LiveSet, { replicas, condemned }: Members, now: number): Member | undefined {
  const isFound = (each: Member): boolean => isUnavailable(set, each, now)
  return replicas.find(isFound) ?? condemned.findLast(isFound)
}
