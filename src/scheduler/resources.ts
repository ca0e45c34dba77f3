/** What pods ask of a node, as plain numbers: CPU in thousandths, all else in whole units. */
import { parseQuantity, milliValue, integerValue } from '../api/index.ts'
import type { Live, Node, Pod } from '../index.ts'

export type Amounts = Readonly<Record<string, number>>

/** Objects of the cache are never changed, so what was counted once is known. */
const known = new WeakMap<Live<Pod>, Amounts>()

export function requestsOf(pod: Live<Pod>): Amounts {
  let amounts = known.get(pod)
  if (amounts === undefined) known.set(pod, (amounts = countRequests(pod)))
  return amounts
}

export function sumOf(pods: readonly Live<Pod>[]): Amounts {
  const sum: Record<string, number> = {}
  for (const pod of pods) {
    const amounts = requestsOf(pod)
    for (const name in amounts) sum[name] = (sum[name] ?? 0) + (amounts[name] ?? 0)
  }
  return sum
}

/** Containers together; init containers one at a time, beside the sidecars that run already. */
function countRequests({ spec }: Live<Pod>): Amounts {
  const containers = (spec?.containers ?? []).map(({ resources }) => amounts(resources?.requests))
  const inits = spec?.initContainers ?? []
  const sidecars = inits
    .filter(({ restartPolicy }) => restartPolicy === 'Always')
    .map(({ resources }) => amounts(resources?.requests))
  const steady = [...containers, ...sidecars].reduce(plus, amounts(spec?.overhead))
  const peaks = inits
    .filter(({ restartPolicy }) => restartPolicy !== 'Always')
    .map(({ resources }) => sidecars.reduce(plus, amounts(resources?.requests)))
  return { ...peaks.reduce(most, steady), pods: 1 }
}

const knownNodes = new WeakMap<Live<Node>, Amounts>()

export function allocatableOf(node: Live<Node>): Amounts {
  let found = knownNodes.get(node)
  if (found === undefined) knownNodes.set(node, (found = amounts(node.status?.allocatable)))
  return found
}

function plus(a: Amounts, b: Amounts): Amounts {
  return combine(a, b, (x, y) => x + y)
}

function most(a: Amounts, b: Amounts): Amounts {
  return combine(a, b, Math.max)
}

function combine(a: Amounts, b: Amounts, by: (x: number, y: number) => number): Amounts {
  const names = new Set([...Object.keys(a), ...Object.keys(b)])
  return Object.fromEntries([...names].map((name) => [name, by(a[name] ?? 0, b[name] ?? 0)]))
}

function amounts(list: Readonly<Record<string, string | number>> | undefined): Amounts {
  return Object.fromEntries(
    Object.entries(list ?? {}).map(([name, text]) => {
      const quantity = parseQuantity(String(text))
      return [name, Number(name === 'cpu' ? milliValue(quantity) : integerValue(quantity))]
    }),
  )
}
