/** Why an object is not as its spec wants it: conditions by the rules of kstatus, and those of built-in kinds. */
import { conditionText, kstatusOf, saysNotReady } from '../controller/kstatus.ts'
import type { Condition } from '../controller/conditions.ts'
import { isBuiltIn, type Examined } from './examined.ts'

/** Conditions of built-in kinds that should have this status. A condition that is absent is no problem. */
const wanted: Readonly<Record<string, 'True' | 'False'>> = {
  Available: 'True',
  Progressing: 'True',
  PodScheduled: 'True',
  Established: 'True',
  NamesAccepted: 'True',
  ReplicaFailure: 'False',
  Failed: 'False',
  FailureTarget: 'False',
  NonStructuralSchema: 'False',
  MemoryPressure: 'False',
  DiskPressure: 'False',
  PIDPressure: 'False',
  ScalingActive: 'True',
  AbleToScale: 'True',
}

export function badConditions({ kind, object }: Examined): readonly Partial<Condition>[] {
  const { conditions = [] } = kstatusOf(object)
  // Containers of a pod that has completed are not ready, and should not be.
  if (kind.kind === 'Pod' && phaseOf(object) === 'Succeeded') return []
  const isBad = (condition: Partial<Condition>): boolean => {
    if (saysNotReady(condition)) return true
    const status = isBuiltIn(kind) ? wanted[condition.type ?? ''] : undefined
    return status !== undefined && condition.status !== status
  }
  // Schemas that preserve unknown fields allow anything here.
  return Array.isArray(conditions) ? conditions.filter(isBad) : []
}

/** Undefined if its status is of the current generation, or does not say of which it is. */
export function unobserved({ object }: Pick<Examined, 'object'>): number | undefined {
  const { observedGeneration } = kstatusOf(object)
  const { generation } = object.metadata
  return observedGeneration === undefined || generation === undefined || observedGeneration >= generation
    ? undefined
    : observedGeneration
}

/** Reasons in the order of their weight: containers of pods, then the phase, then conditions. Empty: it is ready. */
export function whyUnready(examined: Examined): readonly string[] {
  const { kind, object } = examined
  if (object.metadata.deletionTimestamp !== undefined)
    return (object.metadata.finalizers ?? []).length === 0
      ? []
      : [`is being deleted and waits for ${(object.metadata.finalizers ?? []).join(', ')}`]
  const containers = kind.kind === 'Pod' && kind.group === '' ? containerProblems(object) : []
  const phase = phaseOf(object)
  const observed = unobserved(examined)
  return [
    ...containers,
    ...(['Pending', 'Lost', 'Failed'].includes(phase) && isBuiltIn(kind) ? [`its phase is ${phase}`] : []),
    ...(observed === undefined
      ? []
      : [`its status is of generation ${observed}, and its spec of ${object.metadata.generation ?? 0}`]),
    ...badConditions(examined).map(conditionText),
  ]
}

interface ContainerStatus {
  readonly name?: string
  readonly ready?: boolean
  readonly restartCount?: number
  readonly state?: ContainerState
  readonly lastState?: ContainerState
}

interface ContainerState {
  readonly waiting?: { readonly reason?: string; readonly message?: string }
  readonly terminated?: { readonly reason?: string; readonly exitCode?: number; readonly message?: string }
}

/** Waiting reasons of a pod on its way to its start. */
const starting: ReadonlySet<string> = new Set(['ContainerCreating', 'PodInitializing'])

export function containerProblems(pod: Examined['object']): readonly string[] {
  const status = (pod['status'] ?? {}) as {
    readonly initContainerStatuses?: readonly ContainerStatus[]
    readonly containerStatuses?: readonly ContainerStatus[]
  }
  const all = [...(status.initContainerStatuses ?? []), ...(status.containerStatuses ?? [])]
  return all.flatMap(({ name = '', state, lastState, restartCount = 0 }) => {
    const { reason = '', message = '' } = state?.waiting ?? {}
    const ended = state?.terminated ?? lastState?.terminated
    const hasFailed = ended?.exitCode !== undefined && ended.exitCode !== 0
    if (reason !== '' && !starting.has(reason))
      return [
        `container ${name} waits: ${[reason, message].filter((text) => text !== '').join(': ')}`,
        ...(hasFailed ? [endText(name, ended, restartCount)] : []),
      ]
    return state?.terminated !== undefined && hasFailed ? [endText(name, ended, restartCount)] : []
  })
}

function endText(name: string, ended: NonNullable<ContainerState['terminated']>, restarts: number): string {
  const message = ended.message === undefined ? '' : `: ${ended.message.trim()}`
  const how = `code ${ended.exitCode ?? 0} (${ended.reason ?? 'Error'})${message}`
  return `container ${name} ended with ${how}; ${restarts} restarts`
}

function phaseOf(object: Examined['object']): string {
  return (object['status'] as { readonly phase?: string } | undefined)?.phase ?? ''
}
