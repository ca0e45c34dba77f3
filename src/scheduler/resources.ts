/** Requests of pods and resources of nodes as plain numbers: CPU in millicores, everything else in whole units. */
import { parseQuantity, milliValue, integerValue } from '../api/index.ts'
import type { DeepReadonly } from '../api/index.ts'
import type { coreV1, Live, Node, Pod } from '../index.ts'

export type ResourceTotals = Readonly<Record<string, number>>

export function sumOf(all: readonly ResourceTotals[]): ResourceTotals {
  const sum: Record<string, number> = {}
  for (const amounts of all) addTo(sum, amounts)
  return sum
}

/** The sum of all containers, or the largest init container plus the sidecars that run already. */
export function podRequests({ spec }: Live<Pod>): ResourceTotals {
  const total = amounts(spec?.overhead)
  for (const { resources } of spec?.containers ?? []) addTo(total, amounts(resources?.requests))
  if (spec?.initContainers !== undefined) addInitContainers(total, spec.initContainers)
  total['pods'] = 1
  return total
}

function addInitContainers(total: Totals, containers: readonly DeepReadonly<coreV1.Container>[]): void {
  const sidecars: Totals = {}
  const others: ResourceTotals[] = []
  for (const { restartPolicy, resources } of containers) {
    if (restartPolicy === 'Always') addTo(sidecars, amounts(resources?.requests))
    else others.push(amounts(resources?.requests))
  }
  addTo(total, sidecars)
  for (const peak of others) {
    const withSidecars = sumOf([peak, sidecars])
    for (const name in withSidecars) total[name] = Math.max(total[name] ?? 0, withSidecars[name] ?? 0)
  }
}

export function allocatableOf({ status }: Live<Node>): ResourceTotals {
  return amounts(status?.allocatable)
}

type Totals = Record<string, number>

function addTo(total: Totals, more: ResourceTotals): void {
  for (const name in more) total[name] = (total[name] ?? 0) + (more[name] ?? 0)
}

function amounts(list: Readonly<Record<string, string | number>> = {}): Totals {
  const found: Totals = {}
  for (const name in list) {
    const quantity = parseQuantity(String(list[name]))
    found[name] = Number(name === 'cpu' ? milliValue(quantity) : integerValue(quantity))
  }
  return found
}
