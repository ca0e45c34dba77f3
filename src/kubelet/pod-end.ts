/**
 * How pods end other than by their containers alone: sidecars stop after the others, a deadline stops all, and so does
 * a deletion.
 */
import { timestamp } from '../env/index.ts'
import type { coreV1, Live, Pod } from '../index.ts'
import { ended, terminated, type ContainerStatus } from './containers.ts'
import type { BehaviourOf } from './init-containers.ts'
import { conditionsOf } from './pod-conditions.ts'
import { isSidecar } from './restart-policy.ts'

export interface Stopping {
  readonly statuses: ContainerStatus[]
  readonly isRunning: boolean
  readonly afterMs: number
}

/** Stops sidecars in reverse order, each when the one after it has ended. They end with exit code 0. */
export function stopSidecars(
  { spec }: Pod,
  inits: readonly ContainerStatus[],
  mains: readonly ContainerStatus[],
  behaviourOf: BehaviourOf,
  now: number,
): Stopping {
  const statuses = [...inits]
  const names = (spec?.initContainers ?? []).filter(isSidecar).map(({ name }) => name)
  for (const name of names.reverse()) {
    const i = statuses.findIndex((each) => each.name === name)
    const status = statuses[i]
    if (status?.state?.running === undefined) continue
    const since = Math.max(...[...mains, ...statuses].map(finishedAt))
    const stopAt = (since === -Infinity ? now : since) + stopMs(spec, name, 'sidecar', behaviourOf)
    if (now < stopAt) return { statuses, isRunning: true, afterMs: stopAt - now }
    statuses[i] = ended(status, { exitCode: 0, exitReason: '', terminationMessage: '' }, now)
    return { statuses, isRunning: statuses.some(({ state }) => state?.running !== undefined), afterMs: 1 }
  }
  return { statuses, isRunning: false, afterMs: Infinity }
}

function finishedAt({ state }: ContainerStatus): number {
  return state?.terminated === undefined ? -Infinity : Date.parse(state.terminated.finishedAt ?? '')
}

function stopMs(spec: Pod['spec'], name: string, role: 'main' | 'init' | 'sidecar', behaviourOf: BehaviourOf): number {
  return Math.min(behaviourOf(name, role).stopTakesMs, (spec?.terminationGracePeriodSeconds ?? 30) * 1000)
}

/** Milliseconds until the deadline of the pod; 0 if it is over. Infinity: it has none, or has not started. */
export function msUntilDeadline({ spec, status }: Pod, now: number): number {
  if (spec?.activeDeadlineSeconds === undefined || status?.startTime === undefined) return Infinity
  return Math.max(0, Date.parse(status.startTime) + spec.activeDeadlineSeconds * 1000 - now)
}

/** How long the slowest running container takes to stop, without regard to the grace period. */
export function msToStop({ spec, status }: Live<Pod>, behaviourOf: BehaviourOf): number {
  const isRunning = (name: string): boolean =>
    [...(status?.containerStatuses ?? []), ...(status?.initContainerStatuses ?? [])].some(
      (each) => each.name === name && each.state?.running !== undefined,
    )
  const times = [
    ...(spec?.containers ?? []).map(({ name }) => ({ name, role: 'main' as const })),
    ...(spec?.initContainers ?? []).map(({ name, restartPolicy }) => ({
      name,
      role: restartPolicy === 'Always' ? ('sidecar' as const) : ('init' as const),
    })),
  ].map(({ name, role }) => (isRunning(name) ? behaviourOf(name, role).stopTakesMs : 0))
  return Math.max(0, ...times)
}

export interface Ending {
  readonly isKilled: boolean
  readonly reason?: string | undefined
  readonly message?: string | undefined
}

/** The last status of a pod whose containers were told to stop. */
export function stoppedStatus(pod: Live<Pod>, { isKilled, reason, message }: Ending, now: number): coreV1.PodStatus {
  const before = pod.status as coreV1.PodStatus | undefined
  const stop = (status: ContainerStatus): ContainerStatus =>
    status.state?.running === undefined ? status : terminated(status, isKilled, now)
  const containerStatuses = before?.containerStatuses?.map(stop)
  const initContainerStatuses = before?.initContainerStatuses?.map(stop)
  const isSuccess =
    reason === undefined &&
    containerStatuses !== undefined &&
    containerStatuses.every(({ state }) => state?.terminated?.exitCode === 0)
  const phase = isSuccess ? 'Succeeded' : 'Failed'
  const initialized =
    before?.conditions?.some(({ type, status }) => type === 'Initialized' && status === 'True') === true
  return {
    phase,
    ...(reason === undefined ? {} : { reason }),
    ...(message === undefined ? {} : { message }),
    conditions: conditionsOf(before?.conditions ?? [], { phase, initialized, ready: false, sandbox: false }, now),
    startTime: before?.startTime ?? timestamp(now),
    ...(containerStatuses === undefined ? {} : { containerStatuses }),
    ...(initContainerStatuses === undefined ? {} : { initContainerStatuses }),
  }
}
