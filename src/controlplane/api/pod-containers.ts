/**
 * Selects a container of a pod, and one of its runs, from the pod's spec and status. Errors have upstream's messages.
 */
import { isObject, type JsonObject } from '../../api/json.ts'
import type { KubeObject } from '../../api/object.ts'
import { apiError } from '../../api/status.ts'

/** One run of a container, from start to termination. */
export interface ContainerInstance {
  /** The containerID. */
  readonly id: string
  /** Milliseconds since the epoch, in whole seconds. */
  readonly startedAt: number
  /** As `startedAt`. Undefined while it runs. */
  readonly finishedAt?: number | undefined
  readonly exitCode?: number | undefined
  /** The reason of the termination, such as `OOMKilled`. */
  readonly reason?: string | undefined
}

export function containerName(pod: KubeObject, asked: string): string {
  const { name = '' } = pod.metadata
  const all = ['initContainers', 'containers', 'ephemeralContainers'].flatMap((list) => namesIn(pod, list))
  if (asked !== '') {
    if (!all.includes(asked)) throw apiError.badRequest(`container ${asked} is not valid for pod ${name}`)
    return asked
  }
  const own = namesIn(pod, 'containers')
  if (own.length === 1) return own[0] as string
  throw apiError.badRequest(`a container name must be specified for pod ${name}, choose one of: [${all.join(' ')}]`)
}

function namesIn(pod: KubeObject, list: string): string[] {
  return objects(part(pod, 'spec')[list]).map((container) => String(container['name']))
}

/** Throws if the container has not started, or has no previous run. */
export function instanceOf(pod: KubeObject, container: string, previous: boolean): ContainerInstance {
  const of = `container ${JSON.stringify(container)} in pod ${JSON.stringify(pod.metadata.name ?? '')}`
  const status = statusOf(pod, container)
  if (status === undefined) throw apiError.badRequest(`${of} is not available`)
  const last = instance(status, 'lastState', 'terminated')
  if (previous) {
    if (last === undefined) throw apiError.badRequest(`previous terminated ${of} not found`)
    return last
  }
  const found = instance(status, 'state', 'running') ?? instance(status, 'state', 'terminated') ?? last
  if (found !== undefined) return found
  const state = part(status, 'state')
  if (isObject(state['terminated'])) throw apiError.badRequest(`${of} is terminated`)
  const { reason } = part(state, 'waiting')
  if (typeof reason !== 'string') throw apiError.badRequest(`${of} is waiting to start - no logs yet`)
  throw apiError.badRequest(`${of} is waiting to start: ${pullFailures[reason] ?? reason}`)
}

const pullFailures: Readonly<Record<string, string>> = {
  ErrImagePull: "image can't be pulled",
  ImagePullBackOff: 'trying and failing to pull image',
}

/** The run with this containerID in the current status of the pod. Undefined if the status no longer has it. */
export function instanceById(pod: KubeObject, container: string, id: string): ContainerInstance | undefined {
  const status = statusOf(pod, container)
  if (status === undefined) return undefined
  return [
    instance(status, 'state', 'running'),
    instance(status, 'state', 'terminated'),
    instance(status, 'lastState', 'terminated'),
  ].find((each) => each?.id === id)
}

function instance(
  status: JsonObject,
  state: 'state' | 'lastState',
  is: 'running' | 'terminated',
): ContainerInstance | undefined {
  const found = part(status, state)[is]
  if (!isObject(found)) return undefined
  const id = (is === 'running' ? status : found)['containerID']
  if (typeof id !== 'string' || id === '') return undefined
  const startedAt = Date.parse(String(found['startedAt']))
  if (is === 'running') return { id, startedAt }
  return {
    id,
    startedAt,
    finishedAt: Date.parse(String(found['finishedAt'])),
    exitCode: Number(found['exitCode'] ?? 0),
    reason: String(found['reason'] ?? ''),
  }
}

function statusOf(pod: KubeObject, container: string): JsonObject | undefined {
  const status = part(pod, 'status')
  return ['containerStatuses', 'initContainerStatuses', 'ephemeralContainerStatuses']
    .flatMap((list) => objects(status[list]))
    .find(({ name }) => name === container)
}

function part(of: JsonObject | KubeObject, name: string): JsonObject {
  const found = (of as JsonObject)[name]
  return isObject(found) ? found : {}
}

function objects(list: unknown): JsonObject[] {
  return Array.isArray(list) ? list.filter(isObject) : []
}
