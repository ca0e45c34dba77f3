/** The taints that a node's state calls for. Others, which people put there, are left alone. */
import { timestamp } from '../../env/index.ts'
import type { coreV1, Live, Node } from '../../index.ts'
import { findReady } from './conditions.ts'

type Taint = coreV1.Taint

const prefix = 'node.kubernetes.io/'
const notReady = `${prefix}not-ready`
const unreachable = `${prefix}unreachable`
const unschedulable = `${prefix}unschedulable`

/** By a condition's type and status. */
const ofConditions: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  Ready: { False: notReady, Unknown: unreachable },
  MemoryPressure: { True: `${prefix}memory-pressure` },
  DiskPressure: { True: `${prefix}disk-pressure` },
  PIDPressure: { True: `${prefix}pid-pressure` },
  NetworkUnavailable: { True: `${prefix}network-unavailable` },
}

const keepAway = new Set([unschedulable, ...Object.values(ofConditions).flatMap((keys) => Object.values(keys))])

/** All taints that the node should have; undefined when it has them. */
export function wantedTaints(node: Live<Node>, now: number): Taint[] | undefined {
  const present = (node.spec?.taints ?? []) as readonly Taint[]
  const wanted = [...scheduleTaints(node), ...executeTaints(node)]
  const isOurs = ({ key, effect }: Taint): boolean =>
    (effect === 'NoSchedule' && keepAway.has(key)) ||
    (effect === 'NoExecute' && (key === notReady || key === unreachable))
  const isSame =
    (a: Taint) =>
    (b: Taint): boolean =>
      a.key === b.key && a.effect === b.effect
  const kept = present.filter((taint) => !isOurs(taint) || wanted.some(isSame(taint)))
  const added = wanted.filter((taint) => !present.some(isSame(taint)))
  if (added.length === 0 && kept.length === present.length) return undefined
  return [...kept, ...added.map((taint) => ({ ...taint, timeAdded: timestamp(now) }))]
}

/** New pods stay away from a node that is not well. */
function scheduleTaints({ spec, status }: Live<Node>): Taint[] {
  const keys = (status?.conditions ?? []).flatMap(({ type, status: is }) => ofConditions[type]?.[is] ?? [])
  return [...keys, ...(spec?.unschedulable === true ? [unschedulable] : [])].map((key) => ({
    key,
    effect: 'NoSchedule',
  }))
}

/** Pods that are there have to go, when they have tolerated it for as long as they do. */
function executeTaints(node: Live<Node>): Taint[] {
  const key = ofConditions['Ready']?.[findReady(node)?.status ?? '']
  return key === undefined ? [] : [{ key, effect: 'NoExecute' }]
}
