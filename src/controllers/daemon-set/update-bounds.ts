/** How many pods of an update may be unavailable, or additional. */
import type { DaemonSet, Live } from '../../index.ts'

type Value = string | number | undefined

export function surgeCount(set: Live<DaemonSet>, nodes: number): number {
  return scaled(rollingUpdateOf(set)?.maxSurge, nodes)
}

export function unavailableCount(set: Live<DaemonSet>, nodes: number): number {
  return scaled(rollingUpdateOf(set)?.maxUnavailable, nodes)
}

function rollingUpdateOf({ spec }: Live<DaemonSet>) {
  return spec?.updateStrategy?.type === 'RollingUpdate' ? spec.updateStrategy.rollingUpdate : undefined
}

/** Percentages are rounded up. */
function scaled(value: Value, nodes: number): number {
  if (typeof value !== 'string') return value ?? 0
  return Math.ceil((Number.parseInt(value, 10) * nodes) / 100)
}
