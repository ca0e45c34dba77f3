/** The taints that follow from the state of a node. Taints of users are left alone. */
import { timestamp } from '../../env/index.ts'
import type { coreV1, Live, Node } from '../../index.ts'
import { readyCondition } from './conditions.ts'

type Taint = coreV1.Taint

const prefix = 'node.kubernetes.io/'
const notReady = `${prefix}not-ready`
const unreachable = `${prefix}unreachable`
const unschedulable = `${prefix}unschedulable`

/** By type and status of a condition. */
const ofConditions: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  Ready: { False: notReady, Unknown: unreachable },
  MemoryPressure: { True: `${prefix}memory-pressure` },
  DiskPressure: { True: `${prefix}disk-pressure` },
  PIDPressure: { True: `${prefix}pid-pressure` },
  NetworkUnavailable: { True: `${prefix}network-unavailable` },
}

const keepAway = new Set([unschedulable, ...Object.values(ofConditions).flatMap((keys) => Object.values(keys))])

/** All taints that the node should have; undefined if it has them. */
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

/** NoSchedule: new pods stay away from an unhealthy node. */
function scheduleTaints({ spec, status }: Live<Node>): Taint[] {
  const keys = (status?.conditions ?? []).flatMap(({ type, status: is }) => ofConditions[type]?.[is] ?? [])
  return [...keys, ...(spec?.unschedulable === true ? [unschedulable] : [])].map((key) => ({
    key,
    effect: 'NoSchedule',
  }))
}

/** NoExecute: running pods are evicted after their toleration. */
function executeTaints(node: Live<Node>): Taint[] {
  const key = ofConditions['Ready']?.[readyCondition(node)?.status ?? '']
  return key === undefined ? [] : [{ key, effect: 'NoExecute' }]
}
