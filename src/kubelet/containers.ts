/** The state of one container at one moment, and its next state. */
import { timestamp } from '../env/index.ts'
import type { coreV1 } from '../index.ts'
import { exitCodeOf, type FullBehaviour } from './behaviour.ts'

export type ContainerStatus = coreV1.ContainerStatus

export interface NextContainerStatus {
  readonly status: ContainerStatus
  /** Milliseconds until the next change. */
  readonly afterMs?: number | undefined
}

export interface ContainerInputs {
  readonly container: { readonly name: string; readonly image?: string | undefined }
  readonly before: ContainerStatus | undefined
  readonly behaviour: FullBehaviour
  /** Whether it starts again after this exit code. */
  readonly restarts: (exitCode: number) => boolean
  /** When it may start: the pod is scheduled, and init containers are done. Undefined: not yet. */
  readonly mayStartAt: number | undefined
  readonly readyDelayMs: number
  readonly now: number
}

/** The first restart is immediate. The delay of the second one doubles with each further one, up to the maximum. */
const firstBackoffMs = 10_000
const maxBackoffMs = 300_000
/** A container that ran for so long starts again without a delay. */
const backoffResetMs = 2 * maxBackoffMs

export function nextContainer(facts: ContainerInputs): NextContainerStatus {
  const { before } = facts
  const running = before?.state?.running
  if (running !== undefined) return whileRunning(facts, before as ContainerStatus, Date.parse(running.startedAt ?? ''))
  const ended = before?.state?.terminated
  if (ended !== undefined) return whenEnded(facts, before as ContainerStatus)
  if (before?.state?.waiting?.reason === 'CrashLoopBackOff') return whileBackingOff(facts, before)
  return beforeStart(facts)
}

function beforeStart(facts: ContainerInputs): NextContainerStatus {
  const { container, behaviour, mayStartAt, now, before } = facts
  if (mayStartAt === undefined) return { status: waiting(container, 'PodInitializing', before) }
  const startAt = mayStartAt + behaviour.startAfterMs
  if (now < startAt) return { status: waiting(container, 'ContainerCreating', before), afterMs: startAt - now }
  if (behaviour.failPull) {
    const hasFailed = /^(ErrImagePull|ImagePullBackOff)$/.test(before?.state?.waiting?.reason ?? '')
    const message = pullMessage(container)
    if (hasFailed) return { status: waiting(container, 'ImagePullBackOff', before, message) }
    return { status: waiting(container, 'ErrImagePull', before, message), afterMs: 0 }
  }
  return begun(facts, before?.restartCount ?? 0)
}

/** Without a readiness delay, a container is ready as soon as it runs. */
function begun(facts: ContainerInputs, restartCount: number): NextContainerStatus {
  const { container, behaviour, readyDelayMs, now, before } = facts
  const ready = readyTime(behaviour, readyDelayMs, now) <= now
  const status = { ...started(container, restartCount, now, before), ready }
  const change = nextChange(facts, ready, Date.parse(timestamp(now)))
  return { status, ...(change === Infinity ? {} : { afterMs: Math.max(0, change - now) }) }
}

/** When a running container changes next; Infinity: never. */
function nextChange({ behaviour, readyDelayMs }: ContainerInputs, ready: boolean, startedAt: number): number {
  const exitAt = behaviour.exitAfterMs === null ? Infinity : startedAt + behaviour.exitAfterMs
  return ready ? exitAt : Math.min(exitAt, readyTime(behaviour, readyDelayMs, startedAt))
}

function pullMessage({ image = '' }: ContainerInputs['container']): string {
  return `Back-off pulling image "${image}": the simulated registry does not have it`
}

function whileRunning(facts: ContainerInputs, before: ContainerStatus, startedAt: number): NextContainerStatus {
  const { behaviour, readyDelayMs, now } = facts
  if (behaviour.exitAfterMs !== null && now >= startedAt + behaviour.exitAfterMs)
    return { status: ended(before, behaviour, now), afterMs: 0 }
  const ready = now >= readyTime(behaviour, readyDelayMs, startedAt)
  const change = nextChange(facts, ready, startedAt)
  return {
    status: ready === before.ready ? before : { ...before, ready },
    ...(change === Infinity ? {} : { afterMs: change - now }),
  }
}

/** Infinity: never. */
export function readyTime({ readyAfterMs }: FullBehaviour, delayMs: number, startedAt: number): number {
  return readyAfterMs === null ? Infinity : startedAt + delayMs + readyAfterMs
}

/** The delay of the readiness probe, in milliseconds. */
export function probeDelay({
  readinessProbe,
}: {
  readonly readinessProbe?: { readonly initialDelaySeconds?: number | undefined } | undefined
}): number {
  return (readinessProbe?.initialDelaySeconds ?? 0) * 1000
}

function whenEnded(facts: ContainerInputs, before: ContainerStatus): NextContainerStatus {
  const { restarts, now } = facts
  const { terminated } = before.state ?? {}
  if (terminated === undefined || !restarts(terminated.exitCode)) return { status: before }
  const waitMs = backoffMs(before.restartCount, terminated)
  const lastState = { terminated }
  if (waitMs === 0) return begun({ ...facts, before: { ...before, lastState } }, before.restartCount + 1)
  const message = `back-off ${waitMs / 1000}s restarting failed container=${before.name}`
  const status = {
    ...before,
    ready: false,
    started: false,
    state: { waiting: { reason: 'CrashLoopBackOff', message } },
    lastState,
  }
  const restartAt = Date.parse(terminated.finishedAt ?? '') + waitMs
  return { status, afterMs: Math.max(1, restartAt - now) }
}

function whileBackingOff(facts: ContainerInputs, before: ContainerStatus): NextContainerStatus {
  const { now } = facts
  const { terminated } = before.lastState ?? {}
  const restartAt = Date.parse(terminated?.finishedAt ?? '') + backoffMs(before.restartCount, terminated)
  if (now < restartAt) return { status: before, afterMs: restartAt - now }
  return begun(facts, before.restartCount + 1)
}

function backoffMs(restarts: number, terminated: Terminated | undefined): number {
  const ranMs = Date.parse(terminated?.finishedAt ?? '') - Date.parse(terminated?.startedAt ?? '')
  if (restarts === 0 || ranMs >= backoffResetMs) return 0
  return Math.min(firstBackoffMs * 2 ** (restarts - 1), maxBackoffMs)
}

type Terminated = coreV1.ContainerStateTerminated

function identity({
  name,
  image = '',
}: ContainerInputs['container']): Pick<ContainerStatus, 'name' | 'image' | 'imageID'> {
  return { name, image, imageID: '' }
}

function waiting(
  container: ContainerInputs['container'],
  reason: string,
  before: ContainerStatus | undefined,
  message?: string,
): ContainerStatus {
  if (before?.state?.waiting?.reason === reason) return before
  return {
    ...identity(container),
    ready: false,
    started: false,
    restartCount: before?.restartCount ?? 0,
    state: { waiting: { reason, ...(message === undefined ? {} : { message }) } },
    lastState: before?.lastState ?? {},
  }
}

function started(
  container: ContainerInputs['container'],
  restartCount: number,
  now: number,
  before: ContainerStatus | undefined,
): ContainerStatus {
  return {
    ...identity(container),
    imageID: `simulated://${container.image ?? ''}`,
    containerID: `simulated://${container.name}-${restartCount}`,
    ready: false,
    started: true,
    restartCount,
    state: { running: { startedAt: timestamp(now) } },
    lastState: before?.lastState ?? {},
  }
}

/** The status of a running container that has exited. */
export function ended(
  before: ContainerStatus,
  behaviour: Pick<FullBehaviour, 'exitCode' | 'exitReason' | 'terminationMessage'>,
  now: number,
): ContainerStatus {
  const { exitReason, terminationMessage } = behaviour
  const exitCode = exitCodeOf(behaviour, before.restartCount)
  const startedAt = before.state?.running?.startedAt
  const reason = exitReason !== '' ? exitReason : exitCode === 0 ? 'Completed' : 'Error'
  const terminated = {
    exitCode,
    reason,
    ...(terminationMessage === '' ? {} : { message: terminationMessage }),
    finishedAt: timestamp(now),
    ...(startedAt === undefined ? {} : { startedAt }),
    ...(before.containerID === undefined ? {} : { containerID: before.containerID }),
  }
  return { ...before, ready: false, started: false, state: { terminated } }
}

/** After SIGTERM: 143, or 137 if it was killed at the end of the grace period. */
export function terminated(before: ContainerStatus, isKilled: boolean, now: number): ContainerStatus {
  return ended(before, { exitCode: isKilled ? 137 : 143, exitReason: 'Error', terminationMessage: '' }, now)
}
