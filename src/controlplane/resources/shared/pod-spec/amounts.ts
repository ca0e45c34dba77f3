/**
 * What a pod needs as a whole. Containers run together and add up; init containers run one after the other, so that
 * the greediest counts, on top of the sidecars that were started before it.
 */
import type { JsonObject } from '../../../../api/json.ts'
import { items, size, struct, text } from '../values.ts'
import { addAmounts, raiseAmounts, readAmounts, type ResourceAmounts } from '../amounts.ts'

export type Requirement = 'requests' | 'limits'

/** The sum over containers, each of which `amountsOf` tells the amounts of. */
export function containerAmounts(
  spec: JsonObject,
  amountsOf: (container: JsonObject, isInit: boolean) => ResourceAmounts,
): ResourceAmounts {
  const total: ResourceAmounts = new Map()
  for (const container of items(spec.containers)) addAmounts(total, amountsOf(container, false))
  const sidecars: ResourceAmounts = new Map()
  const starting: ResourceAmounts = new Map()
  for (const container of items(spec.initContainers)) {
    const own = amountsOf(container, true)
    if (isSidecar(container)) {
      addAmounts(total, own)
      addAmounts(sidecars, own)
      raiseAmounts(starting, sidecars)
    } else {
      const sum = new Map(own)
      addAmounts(sum, sidecars)
      raiseAmounts(starting, sum)
    }
  }
  raiseAmounts(total, starting)
  return total
}

function isSidecar(container: JsonObject): boolean {
  return container.restartPolicy === 'Always'
}

/** What the spec says, with what the pod as a whole asks for in place of the sums. For limit ranges. */
export function specAmounts(spec: JsonObject, which: Requirement): ResourceAmounts {
  const total = containerAmounts(spec, (container) => readAmounts(struct(container.resources)?.[which]))
  for (const [name, amount] of readAmounts(struct(spec.resources)?.[which])) {
    if (name === 'cpu' || name === 'memory') total.set(name, amount)
  }
  return total
}

function isPodLevel(name: string): boolean {
  return name === 'cpu' || name === 'memory' || name.startsWith('hugepages-')
}

/** Whether the pod as a whole asks for anything that a pod as a whole can ask for. */
export function hasPodLevelAmounts(spec: JsonObject, among: readonly Requirement[] = ['requests', 'limits']): boolean {
  const whole = struct(spec.resources)
  return whole !== undefined && among.some((which) => Object.keys(struct(whole[which]) ?? {}).some(isPodLevel))
}

/** What the pod holds: of spec and status the more, while it is being resized, and the overhead. For quota. */
export function heldAmounts(pod: JsonObject, which: Requirement): ResourceAmounts {
  const spec = struct(pod.spec) ?? {}
  const status = struct(pod.status) ?? {}
  const statuses = new Map<string, JsonObject>()
  for (const list of [status.containerStatuses, status.initContainerStatuses]) {
    for (const entry of items(list)) statuses.set(text(entry.name), entry)
  }
  const infeasible = isResizeInfeasible(status)
  const total = containerAmounts(spec, (container, isInit) => {
    const asked = readAmounts(struct(container.resources)?.[which])
    const found = isInit && !isSidecar(container) ? undefined : statuses.get(text(container.name))
    const actual = struct(found?.resources)
    if (found === undefined || actual === undefined) return asked
    const held = infeasible ? (new Map<string, never>() as ResourceAmounts) : asked
    raiseAmounts(held, readAmounts(actual[which]))
    if (which === 'requests') raiseAmounts(held, readAmounts(found.allocatedResources))
    return held
  })
  if (hasPodLevelAmounts(spec, which === 'requests' ? ['requests'] : undefined)) {
    for (const [name, amount] of readAmounts(struct(spec.resources)?.[which])) {
      if (isPodLevel(name)) total.set(name, amount)
    }
  }
  if (size(spec.overhead) > 0) addOverhead(total, readAmounts(spec.overhead), which)
  return total
}

/** Overhead is needed in any case; it raises a limit only where there is one. */
function addOverhead(total: ResourceAmounts, overhead: ResourceAmounts, which: Requirement): void {
  for (const [name, amount] of overhead) {
    if (which === 'limits' && (total.get(name)?.unscaled ?? 0n) === 0n) continue
    addAmounts(total, new Map([[name, amount]]))
  }
}

function isResizeInfeasible(status: JsonObject): boolean {
  const pending = items(status.conditions).find((condition) => condition.type === 'PodResizePending')
  return pending?.reason === 'Infeasible'
}
