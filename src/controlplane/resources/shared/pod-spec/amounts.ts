/**
 * The resources of a whole pod. Containers run together, so their resources are added up. Init containers run one after
 * the other, so only the largest counts, together with the sidecars that were started before it.
 */
import type { JsonObject } from '../../../../api/json.ts'
import { items, size, struct, text } from '../values.ts'
import { addAmounts, raiseAmounts, readAmounts, type ResourceAmounts } from '../amounts.ts'

export type Requirement = 'requests' | 'limits'

/** The resources of all containers; `amountsOf` returns those of one. */
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

/** The resources in the spec; those of the pod level replace the sums. For limit ranges. */
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

/** Whether the spec has pod-level resources. */
export function hasPodLevelAmounts(spec: JsonObject, among: readonly Requirement[] = ['requests', 'limits']): boolean {
  const whole = struct(spec.resources)
  return whole !== undefined && among.some((which) => Object.keys(struct(whole[which]) ?? {}).some(isPodLevel))
}

/** The resources that the pod uses: during a resize the larger of spec and status, plus the overhead. For quota. */
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

/** Overhead is always added to requests, but to a limit only if there is one. */
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
