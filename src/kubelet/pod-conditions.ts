/** The phase of a pod and its conditions, from the statuses of its containers. */
import { timestamp } from '../env/index.ts'
import type { coreV1 } from '../index.ts'
import type { ContainerStatus } from './containers.ts'

export type Phase = 'Pending' | 'Running' | 'Succeeded' | 'Failed'

export interface PhaseInputs {
  /** An init container failed and does not start again. */
  readonly hasFailedInit: boolean
  /** All containers have ended and none starts again. */
  readonly areDone: boolean
  readonly isSidecarRunning: boolean
}

export function phaseOf(statuses: readonly ContainerStatus[], inputs: PhaseInputs): Phase {
  const { hasFailedInit, areDone, isSidecarRunning } = inputs
  if (hasFailedInit && !isSidecarRunning) return 'Failed'
  if (areDone && !isSidecarRunning)
    return statuses.every(({ state }) => state?.terminated?.exitCode === 0) ? 'Succeeded' : 'Failed'
  return statuses.every(hasStarted) ? 'Running' : 'Pending'
}

export function hasStarted({ state, lastState }: ContainerStatus): boolean {
  return state?.running !== undefined || state?.terminated !== undefined || lastState?.terminated !== undefined
}

interface Truths {
  readonly phase: Phase
  readonly initialized: boolean
  readonly ready: boolean
  readonly sandbox: boolean
}

export function conditionsOf(
  before: readonly coreV1.PodCondition[],
  { phase, initialized, ready, sandbox }: Truths,
  now: number,
): coreV1.PodCondition[] {
  const over = phase === 'Succeeded' ? 'PodCompleted' : phase === 'Failed' ? 'PodFailed' : undefined
  const isReady = ready && over === undefined
  const whyNotReady = over ?? (ready ? undefined : 'ContainersNotReady')
  const isInitialized = initialized || phase === 'Succeeded'
  const whyNotInitialized = phase === 'Succeeded' ? over : isInitialized ? undefined : 'ContainersNotInitialized'
  const wanted: readonly { type: string; is: boolean; reason?: string | undefined }[] = [
    { type: 'PodReadyToStartContainers', is: sandbox && over === undefined },
    { type: 'Initialized', is: isInitialized, reason: whyNotInitialized },
    { type: 'Ready', is: isReady, reason: whyNotReady },
    { type: 'ContainersReady', is: isReady, reason: whyNotReady },
  ]
  const own = new Set(wanted.map(({ type }) => type))
  return [
    ...wanted.map(({ type, is, reason }) => {
      const status: coreV1.PodCondition['status'] = is ? 'True' : 'False'
      const old = before.find((each) => each.type === type)
      const lastTransitionTime = old?.status === status ? (old.lastTransitionTime ?? timestamp(now)) : timestamp(now)
      return { type, status, ...(reason === undefined ? {} : { reason }), lastTransitionTime }
    }),
    ...before.filter(({ type }) => !own.has(type)),
  ]
}
