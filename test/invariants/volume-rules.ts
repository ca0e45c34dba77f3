/**
 * The rules for volumes and claims: each is bound to one of the other at most, and both sides agree; nothing goes while
 * it is in use; a released volume is never bound again; nothing is left of what is deleted.
 */
import { controllerOf } from '../../src/index.ts'
import type { StoreEvent } from '../../src/controlplane/storage/store.ts'
import { capacityMilli, claimsOf, requestedMilli, volumeAnnotations } from '../../src/scheduler/index.ts'
import type { Scene } from './actions.ts'
import {
  controlledBy,
  isFinished,
  type ClusterState,
  type LiveClaim,
  type LivePod,
  type LiveVolume,
} from './cluster-state.ts'
import type { Workloads } from './play.ts'

export const volumes: Workloads = {
  watch,
  makePeace: async ({ world }) => world.heal(),
  problemsAtRest: (state) => [
    ...state.claims.flatMap((claim) => claimProblems(state, claim)),
    ...state.volumes.flatMap((volume) => volumeProblems(state, volume)),
    ...state.pods.flatMap((pod) => podProblems(state, pod)),
  ],
}

function watch({ world, rules: { state } }: Scene): readonly string[] {
  const violations: string[] = []
  /** The pods on nodes that used a claim when its deletion began, by the uid of the claim. */
  const usersAtDeletion = new Map<string, readonly string[]>()
  const check = (event: StoreEvent): readonly string[] => {
    const [, , resource] = event.key.split('/')
    if (resource === 'persistentvolumes') return volumeWriteProblems(event)
    if (resource !== 'persistentvolumeclaims') return []
    const claim = event.current.object as unknown as LiveClaim
    const { uid, name } = claim.metadata
    if (event.type === 'put' && claim.metadata.deletionTimestamp !== undefined && !usersAtDeletion.has(uid))
      usersAtDeletion.set(
        uid,
        usersOf(state, claim).map((pod) => pod.metadata.uid),
      )
    if (event.type === 'delete')
      return usersOf(state, claim)
        .filter((pod) => usersAtDeletion.get(uid)?.includes(pod.metadata.uid) === true)
        .map((pod) => `claim ${name} is deleted while pod ${pod.metadata.name} uses it`)
    const others = state.claims.filter((other) => other.metadata.uid !== uid && isBound(other))
    return isBound(claim) && others.some(({ spec }) => spec?.volumeName === claim.spec?.volumeName)
      ? [`claim ${name} is bound to ${claim.spec?.volumeName}, which another claim has`]
      : []
  }
  world.plane.store.watch('/registry/', world.plane.store.revision, (event) => {
    violations.push(...check(event).map((problem) => `${problem} (revision ${event.revision})`))
  })
  return violations
}

function volumeWriteProblems({ type, current, previous }: StoreEvent): readonly string[] {
  const volume = current.object as unknown as LiveVolume
  const before = previous?.object as unknown as LiveVolume | undefined
  const { name } = volume.metadata
  if (type === 'delete') return before?.status?.phase === 'Bound' ? [`volume ${name} is deleted while bound`] : []
  return before?.status?.phase === 'Released' && volume.spec?.claimRef?.uid !== before.spec?.claimRef?.uid
    ? [`volume ${name} was released and is bound again`]
    : []
}

function isBound({ status }: LiveClaim): boolean {
  return status?.phase === 'Bound'
}

function isGoing({ metadata }: LiveClaim | LiveVolume | LivePod): boolean {
  return metadata.deletionTimestamp !== undefined
}

function usersOf({ pods }: ClusterState, { metadata }: LiveClaim): readonly LivePod[] {
  return pods.filter(
    (pod) => (pod.spec?.nodeName ?? '') !== '' && claimsOf(pod).some(({ name }) => name === metadata.name),
  )
}

function claimProblems(state: ClusterState, claim: LiveClaim): string[] {
  const { metadata, spec, status } = claim
  const { name } = metadata
  const owner = metadata.ownerReferences?.[0]
  const owners = [...state.pods, ...state.statefulSets].map((object) => object.metadata.uid)
  const problems = [
    ...(isGoing(claim) && usersOf(state, claim).length === 0 ? [`claim ${name} is half deleted`] : []),
    ...(owner !== undefined && !owners.includes(owner.uid) ? [`claim ${name} is left of ${owner.name}`] : []),
  ]
  if (isGoing(claim)) return problems
  if (!isBound(claim)) return [...problems, ...pendingProblems(state, claim)]
  const volume = state.volumes.find((each) => each.metadata.name === spec?.volumeName)
  const told = [volume?.spec?.claimRef?.uid, volume?.status?.phase].join(' ')
  if (volume === undefined || told !== `${metadata.uid} Bound`)
    return [...problems, `claim ${name} is bound to ${spec?.volumeName}, which is ${told}`]
  const wanted = spec?.resources?.requests?.storage
  const sizes = [status?.capacity?.storage, volume.spec?.capacity?.storage]
  if (isProvisioned(volume) && sizes.some((size) => size !== wanted))
    problems.push(`claim ${name} asks for ${wanted} and has ${sizes.join()}`)
  return problems
}

/** A claim that is not bound has no volume to wait for; one that needs no pod to be provisioned is bound. */
function pendingProblems({ volumes: all }: ClusterState, claim: LiveClaim): string[] {
  const { metadata, spec, status } = claim
  const { name } = metadata
  if (status?.phase !== 'Pending') return [`claim ${name} is ${status?.phase}`]
  const { storageClassName = '', volumeName = '' } = spec ?? {}
  if (storageClassName === 'fast' && volumeName === '') return [`claim ${name} has no volume`]
  if (storageClassName !== '') return []
  return all
    .filter((volume) => {
      const { claimRef, storageClassName: other } = volume.spec ?? {}
      return (
        volume.status?.phase === 'Available' &&
        !isGoing(volume) &&
        (volumeName === '' || volumeName === volume.metadata.name) &&
        (claimRef === undefined || claimRef.name === name) &&
        (other ?? '') === '' &&
        capacityMilli(volume) >= requestedMilli(claim)
      )
    })
    .map((volume) => `claim ${name} waits although ${volume.metadata.name} is available`)
}

function isProvisioned({ metadata }: LiveVolume): boolean {
  return metadata.annotations?.[volumeAnnotations.provisionedBy] !== undefined
}

function volumeProblems(state: ClusterState, volume: LiveVolume): string[] {
  const { metadata, spec, status } = volume
  const claim = state.claims.find((each) => each.metadata.uid === spec?.claimRef?.uid)
  const phase = claim === undefined ? (spec?.claimRef?.uid === undefined ? 'Available' : 'Released') : 'Bound'
  const isKept = phase !== 'Released' || spec?.persistentVolumeReclaimPolicy !== 'Delete'
  return [
    ...(status?.phase === phase ? [] : [`volume ${metadata.name} is ${status?.phase} and should be ${phase}`]),
    ...(isKept ? [] : [`volume ${metadata.name} is left of its claim`]),
    ...(isGoing(volume) && phase !== 'Bound' ? [`volume ${metadata.name} is half deleted`] : []),
    ...(claim === undefined || claim.spec?.volumeName === metadata.name
      ? []
      : [`volume ${metadata.name} is bound to ${claim.metadata.name}, which has ${claim.spec?.volumeName}`]),
  ]
}

/** A pod is on a node unless one of its claims is missing, in deletion or without a volume. */
function podProblems(state: ClusterState, pod: LivePod): string[] {
  const { name } = pod.metadata
  const owner = controllerOf(pod)
  const isLeft = owner !== undefined && !state.statefulSets.some((set) => controlledBy(set, [pod]).length > 0)
  const problems = isLeft ? [`pod ${name} is left of ${owner.name}`] : []
  if (isGoing(pod)) return [...problems, `pod ${name} is half deleted`]
  if (isFinished(pod) || pod.status?.phase === 'Running') return problems
  const claims = claimsOf(pod).map((each) => state.claims.find(({ metadata }) => metadata.name === each.name))
  const isReady = claims.every(
    (claim) => claim !== undefined && !isGoing(claim) && (isBound(claim) || isProvisionable(claim)),
  )
  return isReady ? [...problems, `pod ${name} does not run`] : problems
}

function isProvisionable({ spec }: LiveClaim): boolean {
  return (spec?.storageClassName ?? '') !== '' && (spec?.volumeName ?? '') === ''
}
