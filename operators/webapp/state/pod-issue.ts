/** Why pods do not come up, in words for the app's user: what a person would look for in `kubectl describe pod`. */
import type { coreV1, Live, Pod } from 'coxswain'
import type { DeepReadonly } from 'coxswain/api'

export interface PodIssue {
  /** CamelCase, for a condition. */
  readonly reason:
    | 'ImagePullFailed'
    | 'CrashLooping'
    | 'OutOfMemory'
    | 'Unschedulable'
    | 'ContainerNotCreated'
    | 'ContainerExited'
    | 'PodFailed'
  readonly message: string
  /** The field of the app's spec that is most likely to blame. */
  readonly path: string
}

type ContainerStatus = DeepReadonly<coreV1.ContainerStatus>

const pullReasons = new Set([
  'ErrImagePull',
  'ImagePullBackOff',
  'InvalidImageName',
  'ErrImageNeverPull',
  'ImageInspectError',
  'RegistryUnavailable',
])
const createReasons = new Set([
  'CreateContainerConfigError',
  'CreateContainerError',
  'RunContainerError',
  'PreStartHookError',
  'PostStartHookError',
])

/** Of the newest pod that has any. */
export function podsIssue(pods: readonly Live<Pod>[]): PodIssue | undefined {
  const byAge = [...pods].sort((a, b) =>
    (b.metadata.creationTimestamp ?? '').localeCompare(a.metadata.creationTimestamp ?? ''),
  )
  for (const pod of byAge) {
    const issue = podIssue(pod)
    if (issue !== undefined) return issue
  }
  return undefined
}

export function podIssue({ metadata, status }: Live<Pod>): PodIssue | undefined {
  if (metadata.deletionTimestamp !== undefined) return undefined
  const scheduled = status?.conditions?.find(({ type }) => type === 'PodScheduled')
  if (scheduled?.status === 'False' && scheduled.reason === 'Unschedulable') {
    return {
      reason: 'Unschedulable',
      message: `no node takes pod ${metadata.name}: ${scheduled.message ?? ''}`,
      path: 'spec.resources',
    }
  }
  for (const container of status?.containerStatuses ?? []) {
    const issue = containerIssue(metadata.name, container)
    if (issue !== undefined) return issue
  }
  if (status?.phase !== 'Failed') return undefined
  const why = status.message ?? status.reason ?? 'nobody says why'
  return { reason: 'PodFailed', message: `pod ${metadata.name} failed: ${why}`, path: 'spec' }
}

function containerIssue(pod: string, { ready, image, state, lastState }: ContainerStatus): PodIssue | undefined {
  if (ready) return undefined
  const { reason = '', message = '' } = state?.waiting ?? {}
  if (pullReasons.has(reason)) {
    const text = `image ${image} cannot be pulled: ${message === '' ? reason : message}`
    return { reason: 'ImagePullFailed', message: text, path: 'spec.image' }
  }
  if (createReasons.has(reason)) {
    return {
      reason: 'ContainerNotCreated',
      message: `the container of pod ${pod} cannot be made (${reason}): ${message}`,
      path: 'spec',
    }
  }
  const ended = state?.terminated ?? (reason === 'CrashLoopBackOff' ? lastState?.terminated : undefined)
  if (ended === undefined && reason !== 'CrashLoopBackOff') return undefined
  if (ended?.reason === 'OOMKilled') {
    const message = `the container of pod ${pod} used more memory than it may`
    return { reason: 'OutOfMemory', message, path: 'spec.resources.limits.memory' }
  }
  const how = ended === undefined ? '' : `: it ended with exit code ${ended.exitCode}${exitMessage(ended.message)}`
  return reason === 'CrashLoopBackOff'
    ? { reason: 'CrashLooping', message: `the container of pod ${pod} ends again and again${how}`, path: 'spec.image' }
    : { reason: 'ContainerExited', message: `the container of pod ${pod} is not running${how}`, path: 'spec.image' }
}

/** What the container itself left behind, cut short. */
function exitMessage(message: string | undefined): string {
  return message === undefined || message === '' ? '' : ` (${message.trim().slice(0, 200)})`
}

/** For the cache: keeps only the fields of a pod that are read here, a small part of it. */
export function withoutBulk(pod: Pod): Pod {
  const { apiVersion, kind, metadata, status } = pod
  const { name, namespace, uid, resourceVersion, labels, creationTimestamp, deletionTimestamp } = metadata
  const kept = { name, namespace, uid, resourceVersion, labels, creationTimestamp, deletionTimestamp }
  return {
    apiVersion,
    kind,
    metadata: Object.fromEntries(Object.entries(kept).filter(([, value]) => value !== undefined)),
    status: {
      phase: status?.phase,
      reason: status?.reason,
      message: status?.message,
      conditions: status?.conditions?.filter(({ type }) => type === 'PodScheduled'),
      containerStatuses: status?.containerStatuses?.map(
        ({ name: container, image, imageID, ready, restartCount, state, lastState }) => ({
          name: container,
          image,
          imageID,
          ready,
          restartCount,
          state,
          lastState,
        }),
      ),
    },
  } as Pod
}

/** Whether an update of a pod says anything new to its app: readiness comes with the Deployment. */
export function hasOtherIssue(old: Live<Pod>, pod: Live<Pod>): boolean {
  return podIssue(old)?.message !== podIssue(pod)?.message
}
