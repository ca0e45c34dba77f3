/**
 * The status of a pod on a simulated node, from its spec, its last status, its behaviour and the time. A pure function.
 */
import { timestamp } from '../env/index.ts'
import type { coreV1, Live, Pod } from '../index.ts'
import { nextContainer, probeDelay, type ContainerStatus, type NextContainerStatus } from './containers.ts'
import { initContainers, type BehaviourOf } from './init-containers.ts'
import { conditionsOf, hasStarted, phaseOf } from './pod-conditions.ts'
import { msToStop, msUntilDeadline, stoppedStatus, stopSidecars } from './pod-end.ts'
import { isSidecar, restartsAfter } from './restart-policy.ts'

export interface NextStatus {
  readonly status: coreV1.PodStatus
  /** Milliseconds until the next change. */
  readonly afterMs?: number | undefined
}

export interface PodInputs {
  readonly pod: Live<Pod>
  readonly behaviourOf: BehaviourOf
  readonly podIP: string
  readonly hostIP: string
  readonly now: number
}

/** The reason and the message of a pod that exceeds its activeDeadlineSeconds. */
export const overdue = {
  reason: 'DeadlineExceeded',
  message: 'Pod was active on the node longer than the specified deadline',
}

export function nextStatus(inputs: PodInputs): NextStatus {
  const { pod, behaviourOf, now } = inputs
  const deadlineMs = msUntilDeadline(pod as Pod, now)
  if (deadlineMs === 0) return whenOverdue(pod, behaviourOf, now)
  const { status, afterMs = Infinity } = whileActive(inputs)
  const nextMs = Math.min(afterMs, isOver(status) ? Infinity : deadlineMs)
  return { status, ...(nextMs === Infinity ? {} : { afterMs: nextMs }) }
}

function isOver({ phase }: coreV1.PodStatus): boolean {
  return phase === 'Succeeded' || phase === 'Failed'
}

/** The containers are told to stop. The phase changes when they have ended. */
function whenOverdue(pod: Live<Pod>, behaviourOf: BehaviourOf, now: number): NextStatus {
  const { spec, status } = pod as Pod
  const graceMs = (spec?.terminationGracePeriodSeconds ?? 30) * 1000
  const deadlineAt = Date.parse(status?.startTime ?? '') + (spec?.activeDeadlineSeconds ?? 0) * 1000
  const takesMs = msToStop(pod, behaviourOf)
  const leftMs = deadlineAt + Math.min(takesMs, graceMs) - now
  if (leftMs > 0) return { status: status ?? {}, afterMs: leftMs }
  return { status: stoppedStatus(pod, { isKilled: takesMs > graceMs, ...overdue }, now) }
}

function whileActive({ pod, behaviourOf, podIP, hostIP, now }: PodInputs): NextStatus {
  // Unchanged parts are shared with the new status, and never modified.
  const { spec, status: before } = pod as Pod
  const restartPolicy = spec?.restartPolicy ?? 'Always'
  const scheduledAt = Date.parse(
    before?.conditions?.find(({ type, status }) => type === 'PodScheduled' && status === 'True')?.lastTransitionTime ??
      before?.startTime ??
      timestamp(now),
  )
  const found = (list: readonly ContainerStatus[] | undefined, name: string): ContainerStatus | undefined =>
    list?.find((each) => each.name === name)
  const { initContainers: initSpecs = [], containers: mainSpecs = [], ephemeralContainers = [] } = spec ?? {}
  const inits = initContainers({
    containers: initSpecs,
    before: before?.initContainerStatuses,
    behaviourOf,
    restartPolicy,
    scheduledAt,
    now,
  })
  const restarts = (container: coreV1.Container, exitCode: number): boolean =>
    restartsAfter(container, restartPolicy, exitCode)
  const mains = mainSpecs.map((container): NextContainerStatus => {
    const behaviour = behaviourOf(container.name, 'main')
    return nextContainer({
      container,
      behaviour: initSpecs.length > 0 ? { ...behaviour, startAfterMs: 0 } : behaviour,
      restarts: (exitCode) => restarts(container, exitCode),
      mayStartAt: inits.doneAt,
      now,
      readyDelayMs: probeDelay(container),
      before: found(before?.containerStatuses, container.name),
    })
  })
  // Ephemeral containers are added to a running pod and start at once.
  const debuggers = ephemeralContainers.map((container): NextContainerStatus =>
    nextContainer({
      container,
      behaviour: {
        ...behaviourOf(container.name, 'sidecar'),
        startAfterMs: 0,
        readyAfterMs: null,
        exitAfterMs: null,
      },
      restarts: () => false,
      mayStartAt: 0,
      readyDelayMs: 0,
      now,
      before: found(before?.ephemeralContainerStatuses, container.name),
    }),
  )
  const statuses = mains.map(({ status }) => status)
  const areDone = mainSpecs.every((container, i) => {
    const exitCode = statuses[i]?.state?.terminated?.exitCode
    return exitCode !== undefined && !restarts(container, exitCode)
  })
  const isEnding = areDone || inits.hasFailed
  const sidecars = initSpecs.filter(isSidecar)
  const stopping =
    isEnding && sidecars.length > 0
      ? stopSidecars(pod as Pod, inheritedRuns(inits.statuses, before), statuses, behaviourOf, now)
      : { statuses: inits.statuses, isRunning: false, afterMs: inits.afterMs }
  const phase = phaseOf(statuses, { hasFailedInit: inits.hasFailed, areDone, isSidecarRunning: stopping.isRunning })
  const isRunning = statuses.some(({ state }) => state?.running !== undefined)
  const areSidecarsReady = sidecars.every(({ name }) => found(stopping.statuses, name)?.ready === true)
  return {
    status: {
      phase,
      conditions: conditionsOf(
        before?.conditions ?? [],
        {
          phase,
          initialized: inits.doneAt !== undefined || statuses.some(hasStarted),
          ready: areSidecarsReady && statuses.every(({ ready }) => ready),
          sandbox: isRunning || phase === 'Running',
        },
        now,
      ),
      hostIP,
      hostIPs: [{ ip: hostIP }],
      ...(isRunning || before?.podIP !== undefined
        ? { podIP: before?.podIP ?? podIP, podIPs: [{ ip: before?.podIP ?? podIP }] }
        : {}),
      startTime: before?.startTime ?? timestamp(now),
      ...(stopping.statuses.length === 0 ? {} : { initContainerStatuses: stopping.statuses }),
      containerStatuses: statuses,
      ...(debuggers.length === 0 ? {} : { ephemeralContainerStatuses: debuggers.map(({ status }) => status) }),
    },
    afterMs: Math.min(stopping.afterMs, ...mains.map((each) => each.afterMs ?? Infinity)),
  }
}

/** A sidecar that has ended while the pod ends does not start again. */
function inheritedRuns(
  statuses: readonly ContainerStatus[],
  before: coreV1.PodStatus | undefined,
): readonly ContainerStatus[] {
  return statuses.map((status) => {
    const old = before?.initContainerStatuses?.find(({ name }) => name === status.name)
    return old?.state?.terminated === undefined ? status : old
  })
}
