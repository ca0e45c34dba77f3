/** Init containers run one after the other; sidecars (restartPolicy Always) keep running beside the others. */
import type { coreV1 } from '../index.ts'
import type { FullBehaviour, ContainerRole } from './behaviour.ts'
import { nextContainer, probeDelay, type ContainerStatus } from './containers.ts'
import { isSidecar, restartsAfter } from './restart-policy.ts'

/** The behaviour of a container of the pod. */
export type BehaviourOf = (name: string, role: ContainerRole) => FullBehaviour

export interface InitInputs {
  readonly containers: readonly coreV1.Container[]
  readonly before: readonly ContainerStatus[] | undefined
  readonly behaviourOf: BehaviourOf
  readonly restartPolicy: string
  readonly scheduledAt: number
  readonly now: number
}

export interface Inits {
  readonly statuses: ContainerStatus[]
  /** When all containers that must exit have exited, and the sidecars run. */
  readonly doneAt: number | undefined
  /** One failed and does not start again: the pod fails. */
  readonly hasFailed: boolean
  readonly afterMs: number
}

export function initContainers({
  containers,
  before,
  behaviourOf,
  restartPolicy,
  scheduledAt,
  now,
}: InitInputs): Inits {
  const statuses: ContainerStatus[] = []
  let startAt: number | undefined = scheduledAt
  let afterMs = Infinity
  let hasFailed = false
  for (const [i, container] of containers.entries()) {
    const isBeside = isSidecar(container)
    const own = behaviourOf(container.name, isBeside ? 'sidecar' : 'init')
    const restarts = (exitCode: number): boolean =>
      (isBeside || exitCode !== 0) && restartsAfter(container, restartPolicy, exitCode)
    const { status, afterMs: changeMs } = nextContainer({
      container,
      behaviour: i === 0 ? own : { ...own, startAfterMs: 0 },
      restarts,
      mayStartAt: startAt,
      readyDelayMs: isBeside ? probeDelay(container) : 0,
      now,
      before: before?.find(({ name }) => name === container.name),
    })
    const { terminated, running } = status.state ?? {}
    const isDone = terminated?.exitCode === 0
    statuses.push(isBeside || status.ready === isDone ? status : { ...status, ready: isDone })
    if (startAt !== undefined && changeMs !== undefined) afterMs = Math.min(afterMs, Math.max(1, changeMs))
    if (!isBeside && terminated !== undefined && !isDone && !restarts(terminated.exitCode)) hasFailed = true
    const passed = isBeside ? running?.startedAt : isDone ? terminated.finishedAt : undefined
    startAt = startAt === undefined || passed === undefined ? undefined : Date.parse(passed)
  }
  return { statuses, doneAt: startAt, hasFailed, afterMs }
}
