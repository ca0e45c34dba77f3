/**
 * The status of a pod on a simulated node, from its spec, its last status, its behaviour and the time. A pure function.
 */
import { timestamp } from '../env/index.ts'
import type { coreV1, Live, Pod } from '../index.ts'
import type { FullBehaviour } from './behaviour.ts'
import { nextContainer, probeDelay, type ContainerStatus, type NextContainerStatus } from './containers.ts'

export interface NextStatus {
  readonly status: coreV1.PodStatus
  /** Milliseconds until the next change. */
  readonly afterMs?: number | undefined
}

export interface PodInputs {
  readonly pod: Live<Pod>
  readonly behaviour: FullBehaviour
  readonly podIP: string
  readonly hostIP: string
  readonly now: number
}

export function nextStatus({ pod, behaviour, podIP, hostIP, now }: PodInputs): NextStatus {
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

  const inits = initContainers(spec?.initContainers ?? [], before?.initContainerStatuses, scheduledAt, behaviour, now)
  const containers = (spec?.containers ?? []).map((container): NextContainerStatus =>
    nextContainer({
      container,
      behaviour: inits.isDelayed ? { ...behaviour, startAfterMs: 0 } : behaviour,
      restartPolicy,
      mayStartAt: inits.doneAt,
      now,
      readyDelayMs: probeDelay(container),
      before: found(before?.containerStatuses, container.name),
    }),
  )
  // Ephemeral containers are added to a running pod and start at once.
  const debuggers = (spec?.ephemeralContainers ?? []).map((container): NextContainerStatus =>
    nextContainer({
      container,
      behaviour: { ...behaviour, startAfterMs: 0, readyAfterMs: null, exitAfterMs: null },
      restartPolicy: 'Never',
      mayStartAt: 0,
      readyDelayMs: 0,
      now,
      before: found(before?.ephemeralContainerStatuses, container.name),
    }),
  )
  const statuses = containers.map(({ status }) => status)
  const phase = phaseOf(statuses, restartPolicy)
  const afterMs = Math.min(...[...containers, inits].map((each) => each.afterMs ?? Infinity))
  const isRunning = statuses.some(({ state }) => state?.running !== undefined)
  return {
    status: {
      phase,
      conditions: conditionsOf(
        before?.conditions ?? [],
        {
          phase,
          initialized: inits.doneAt !== undefined,
          ready: statuses.every(({ ready }) => ready),
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
      ...(inits.statuses.length === 0 ? {} : { initContainerStatuses: inits.statuses }),
      containerStatuses: statuses,
      ...(debuggers.length === 0 ? {} : { ephemeralContainerStatuses: debuggers.map(({ status }) => status) }),
    },
    ...(afterMs === Infinity ? {} : { afterMs }),
  }
}

interface Inits {
  readonly statuses: ContainerStatus[]
  /** When all containers that must exit have exited. */
  readonly doneAt: number | undefined
  readonly isDelayed: boolean
  readonly afterMs?: number | undefined
}

/** Init containers run one after the other; sidecars (restartPolicy Always) keep running beside the others. */
function initContainers(
  containers: readonly coreV1.Container[],
  before: readonly ContainerStatus[] | undefined,
  scheduledAt: number,
  behaviour: FullBehaviour,
  now: number,
): Inits {
  const statuses: ContainerStatus[] = []
  let startAt: number | undefined = scheduledAt
  let afterMs: number | undefined
  for (const container of containers) {
    const isSidecar = container.restartPolicy === 'Always'
    const own = {
      ...behaviour,
      startAfterMs: startAt === scheduledAt ? behaviour.startAfterMs : 0,
      exitAfterMs: isSidecar ? null : behaviour.initTakesMs,
      exitCode: 0,
      exitReason: '',
    }
    const next = nextContainer({
      container,
      behaviour: own,
      restartPolicy: isSidecar ? 'Always' : 'Never',
      mayStartAt: startAt,
      readyDelayMs: 0,
      now,
      before: before?.find(({ name }) => name === container.name),
    })
    statuses.push(isSidecar ? next.status : { ...next.status, ready: next.status.state?.terminated?.exitCode === 0 })
    if (startAt !== undefined && next.afterMs !== undefined)
      afterMs = Math.min(afterMs ?? Infinity, Math.max(1, next.afterMs))
    const { terminated, running } = next.status.state ?? {}
    const passed = isSidecar ? running?.startedAt : terminated?.finishedAt
    startAt = passed === undefined ? undefined : Date.parse(passed)
  }
  return { statuses, doneAt: startAt, isDelayed: containers.length > 0, ...(afterMs === undefined ? {} : { afterMs }) }
}

function phaseOf(
  statuses: readonly ContainerStatus[],
  restartPolicy: string,
): 'Pending' | 'Running' | 'Succeeded' | 'Failed' {
  const over = statuses.filter(({ state }) => state?.terminated !== undefined)
  if (over.length === statuses.length && restartPolicy !== 'Always') {
    const failed = over.some(({ state }) => state?.terminated?.exitCode !== 0)
    if (!failed) return 'Succeeded'
    if (restartPolicy === 'Never') return 'Failed'
  }
  const begun = statuses.every(
    ({ state, lastState }) =>
      state?.running !== undefined || state?.terminated !== undefined || lastState?.terminated !== undefined,
  )
  return begun ? 'Running' : 'Pending'
}

interface Truths {
  readonly phase: string
  readonly initialized: boolean
  readonly ready: boolean
  readonly sandbox: boolean
}

function conditionsOf(
  before: readonly coreV1.PodCondition[],
  { phase, initialized, ready, sandbox }: Truths,
  now: number,
): coreV1.PodCondition[] {
  const over = phase === 'Succeeded' ? 'PodCompleted' : phase === 'Failed' ? 'PodFailed' : undefined
  const wanted: readonly { type: string; is: boolean; reason?: string | undefined }[] = [
    { type: 'PodReadyToStartContainers', is: sandbox && over === undefined },
    {
      type: 'Initialized',
      is: initialized,
      reason: over === 'PodCompleted' ? over : initialized ? undefined : 'ContainersNotInitialized',
    },
    { type: 'Ready', is: ready && over === undefined, reason: over ?? (ready ? undefined : 'ContainersNotReady') },
    {
      type: 'ContainersReady',
      is: ready && over === undefined,
      reason: over ?? (ready ? undefined : 'ContainersNotReady'),
    },
  ]
  const own = new Set(wanted.map(({ type }) => type))
  return [
    ...wanted.map(({ type, is, reason }) => {
      const status = is ? 'True' : 'False'
      const old = before.find((each) => each.type === type)
      const lastTransitionTime = old?.status === status ? (old.lastTransitionTime ?? timestamp(now)) : timestamp(now)
      return { type, status, ...(reason === undefined ? {} : { reason }), lastTransitionTime }
    }),
    ...before.filter(({ type }) => !own.has(type)),
  ]
}
