/** Computes the QoS class of a pod. */
import type { JsonObject } from '../../../api/json.ts'
import { addQuantities, compareQuantities, parseQuantity, type Quantity } from '../../../api/quantity.ts'
import { entries, items, struct, text } from './values.ts'

/**
 * Guaranteed: every container has limits for CPU and memory, and requests equal to them. BestEffort: no requests and
 * limits at all.
 */
export function qosClass(spec: JsonObject): 'Guaranteed' | 'Burstable' | 'BestEffort' {
  const requests = new Map<string, Quantity>()
  const limits = new Map<string, Quantity>()
  let guaranteed = true
  for (const requirements of requirementsOf(spec)) {
    collect(requests, requirements?.requests)
    if (collect(limits, requirements?.limits) < 2) guaranteed = false
  }
  if (requests.size === 0 && limits.size === 0) return 'BestEffort'
  if (!guaranteed || requests.size !== limits.size) return 'Burstable'
  for (const [name, request] of requests) {
    const limit = limits.get(name)
    if (limit === undefined || compareQuantities(limit, request) !== 0) return 'Burstable'
  }
  return 'Guaranteed'
}

function requirementsOf(spec: JsonObject): (JsonObject | undefined)[] {
  const whole = struct(spec.resources)
  if (whole !== undefined) return [whole]
  return [...items(spec.containers), ...items(spec.initContainers)].map((container) => struct(container.resources))
}

/** Adds CPU and memory to the sums; returns how many of the two are set. */
function collect(sums: Map<string, Quantity>, list: unknown): number {
  let found = 0
  for (const [name, value] of entries(list)) {
    if (name !== 'cpu' && name !== 'memory') continue
    const quantity = parseQuantity(text(value))
    if (quantity.unscaled <= 0n) continue
    found++
    const sum = sums.get(name)
    sums.set(name, sum === undefined ? quantity : addQuantities(sum, quantity))
  }
  return found
}
