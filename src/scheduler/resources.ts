/** Requests of pods and resources of nodes as plain numbers: CPU in millicores, everything else in whole units. */
import { parseQuantity, milliValue, integerValue } from '../api/index.ts'
import type { Live, Node, Pod } from '../index.ts'

export type ResourceTotals = Readonly<Record<string, number>>

export function sumOf(all: readonly ResourceTotals[]): ResourceTotals {
  const sum: Record<string, number> = {}
  for (const amounts of all) for (const name in amounts) sum[name] = (sum[name] ?? 0) + (amounts[name] ?? 0)
  return sum
}

/** The sum of all containers, or the largest init container plus the sidecars that run already. */
export function podRequests({ spec }: Live<Pod>): ResourceTotals {
  const containers = (spec?.containers ?? []).map(({ resources }) => amounts(resources?.requests))
  const inits = spec?.initContainers ?? []
  const sidecars = inits
    .filter(({ restartPolicy }) => restartPolicy === 'Always')
    .map(({ resources }) => amounts(resources?.requests))
  const steady = [...containers, ...sidecars].reduce(plus, amounts(spec?.overhead))
  const peaks = inits
    .filter(({ restartPolicy }) => restartPolicy !== 'Always')
    .map(({ resources }) => sidecars.reduce(plus, amounts(resources?.requests)))
  return { ...peaks.reduce(maxPerResource, steady), pods: 1 }
}

export function allocatableOf({ status }: Live<Node>): ResourceTotals {
  return amounts(status?.allocatable)
}

function plus(a: ResourceTotals, b: ResourceTotals): ResourceTotals {
  return combine(a, b, (x, y) => x + y)
}

function maxPerResource(a: ResourceTotals, b: ResourceTotals): ResourceTotals {
  return combine(a, b, Math.max)
}

function combine(a: ResourceTotals, b: ResourceTotals, by: (x: number, y: number) => number): ResourceTotals {
  const names = new Set([...Object.keys(a), ...Object.keys(b)])
  return Object.fromEntries([...names].map((name) => [name, by(a[name] ?? 0, b[name] ?? 0)]))
}

function amounts(list: Readonly<Record<string, string | number>> | undefined): ResourceTotals {
  return Object.fromEntries(
    Object.entries(list ?? {}).map(([name, text]) => {
      const quantity = parseQuantity(String(text))
      return [name, Number(name === 'cpu' ? milliValue(quantity) : integerValue(quantity))]
    }),
  )
}
