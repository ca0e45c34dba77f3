/**
 * What simulated containers and nodes use, for the metrics API: derived from requests, so that it is the same in every
 * run. A container that runs uses a tenth of the CPU and half of the memory that it requests. Annotations of the pod
 * override it: `coxswain.dev/cpu: 250m` and `coxswain.dev/memory: 64Mi` for the whole pod, which counts for its first
 * container; with `.CONTAINER` appended, for one container.
 */
import { integerValue, milliValue, parseQuantity, type DeepReadonly } from '../api/index.ts'
import type { coreV1, Live, Node, Pod } from '../index.ts'

/** `{ cpu: '25m', memory: '65536Ki' }` */
export type ResourceUsage = Readonly<Record<'cpu' | 'memory', string>>

export interface ContainerUsage {
  readonly name: string
  readonly usage: ResourceUsage
}

/** CPU in thousandths of a core. */
interface Amounts {
  cpu: bigint
  memoryBytes: bigint
}

/** Of a container without requests. */
const idle: Amounts = { cpu: 1n, memoryBytes: 8n * 1024n * 1024n }
/** Of a node without pods. */
const nodeItself: Amounts = { cpu: 100n, memoryBytes: 512n * 1024n * 1024n }

/** The containers that run; undefined if none does, or if the pod is not on a simulated node. */
export function podUsage(pod: Live<Pod>): readonly ContainerUsage[] | undefined {
  const used = containersOf(pod)
  return used.length === 0 ? undefined : used.map(([name, amounts]) => ({ name, usage: usageOf(amounts) }))
}

/** The node itself and its pods; undefined if it is not simulated, or not Ready. */
export function nodeUsage({ status }: Live<Node>, pods: readonly Live<Pod>[]): ResourceUsage | undefined {
  const isReady = status?.conditions?.some(({ type, status: is }) => type === 'Ready' && is === 'True') === true
  if (!isReady || status?.nodeInfo?.containerRuntimeVersion?.startsWith('simulated://') !== true) return undefined
  const sum = { ...nodeItself }
  for (const pod of pods)
    for (const [, { cpu, memoryBytes }] of containersOf(pod)) {
      sum.cpu += cpu
      sum.memoryBytes += memoryBytes
    }
  return usageOf(sum)
}

function containersOf(pod: Live<Pod>): readonly (readonly [name: string, amounts: Amounts])[] {
  const { initContainers = [], containers = [] } = pod.spec ?? {}
  const { initContainerStatuses = [], containerStatuses = [] } = pod.status ?? {}
  const running = new Set(
    [...initContainerStatuses, ...containerStatuses]
      .filter(({ state, containerID }) => state?.running !== undefined && containerID?.startsWith('simulated://'))
      .map(({ name }) => name),
  )
  return [...initContainers, ...containers]
    .filter(({ name }) => running.has(name))
    .map((container) => [container.name, amountsOf(pod, container, container === containers[0])])
}

function amountsOf(pod: Live<Pod>, container: DeepReadonly<coreV1.Container>, isFirst: boolean): Amounts {
  const { cpu, memory } = container.resources?.requests ?? {}
  return {
    cpu: annotated(pod, 'cpu', container.name, isFirst, milliValue) ?? share(milliOf(cpu), 10n) ?? idle.cpu,
    memoryBytes:
      annotated(pod, 'memory', container.name, isFirst, integerValue) ?? share(bytesOf(memory), 2n) ?? idle.memoryBytes,
  }
}

type Requested = string | number | undefined

function milliOf(requested: Requested): bigint | undefined {
  return requested === undefined ? undefined : milliValue(parseQuantity(String(requested)))
}

function bytesOf(requested: Requested): bigint | undefined {
  return requested === undefined ? undefined : integerValue(parseQuantity(String(requested)))
}

/** At least one. */
function share(requested: bigint | undefined, part: bigint): bigint | undefined {
  if (requested === undefined || requested === 0n) return undefined
  return requested < part ? 1n : requested / part
}

/** The annotation of the container. Otherwise that of the pod, if it has one, counts for the first container. */
function annotated(
  { metadata: { annotations = {} } }: Live<Pod>,
  resource: string,
  container: string,
  isFirst: boolean,
  valueOf: (quantity: ReturnType<typeof parseQuantity>) => bigint,
): bigint | undefined {
  const read = (name: string): bigint | undefined => {
    const text = annotations[`coxswain.dev/${name}`]
    try {
      return text === undefined ? undefined : valueOf(parseQuantity(text))
    } catch {
      // An invalid value counts as missing.
      return undefined
    }
  }
  const own = read(`${resource}.${container}`)
  const whole = own === undefined ? read(resource) : undefined
  return own ?? (whole === undefined || isFirst ? whole : 0n)
}

function usageOf({ cpu, memoryBytes }: Amounts): ResourceUsage {
  return { cpu: `${cpu}m`, memory: `${memoryBytes / 1024n}Ki` }
}
