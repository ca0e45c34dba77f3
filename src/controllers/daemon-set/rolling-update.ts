/** Replaces old pods, within the bounds of the update strategy. */
import type { Live, Node } from '../../index.ts'
import { isAvailable } from '../shared/pod-state.ts'
import { isUpdated, podsByNode, syncPods, type DaemonRun, type LivePod, type PodsByNode } from './daemon-pods.ts'
import { nodeFit } from './node-fit.ts'
import { surgeCount, unavailableCount } from './update-bounds.ts'

interface PodPair {
  readonly updated: LivePod | undefined
  readonly old: LivePod | undefined
}

export async function rollingUpdate(run: DaemonRun): Promise<void> {
  const byNode = await podsByNode(run.context)
  const eligible = run.nodes.filter((node) => nodeFit(run.set, node).shouldRun)
  for (const { metadata } of eligible) if (!byNode.has(metadata.name)) byNode.set(metadata.name, [])
  const maxSurge = surgeCount(run.set, eligible.length)
  if (maxSurge > 0) return surgePods(run, byNode, eligible, maxSurge)
  // An update that allows neither could not progress.
  const least = eligible.length > 0 ? 1 : 0
  return replacePods(run, byNode, Math.max(least, unavailableCount(run.set, eligible.length)))
}

/** Deletes old pods; the next runs create new ones. Old pods that are not available do not count. */
async function replacePods(run: DaemonRun, byNode: PodsByNode, maxUnavailable: number): Promise<void> {
  const replaced: LivePod[] = []
  const candidates: LivePod[] = []
  let unavailable = 0
  for (const pods of byNode.values()) {
    const pair = podPair(run, pods)
    const only = pair === undefined ? undefined : onlyOf(pair)
    if (only === undefined || !isPodAvailable(run, only)) unavailable++
    if (only === undefined || only !== pair?.old) continue
    if (isPodAvailable(run, only)) candidates.push(only)
    else replaced.push(only)
  }
  const count = Math.max(0, maxUnavailable - unavailable)
  await syncPods(run, [], [...replaced, ...candidates.slice(0, count)])
}

/** Creates new pods beside old ones, and deletes an old one when the new one is available. */
async function surgePods(
  run: DaemonRun,
  byNode: PodsByNode,
  eligible: readonly Live<Node>[],
  maxSurge: number,
): Promise<void> {
  const eligibleNames = new Set(eligible.map(({ metadata }) => metadata.name))
  const remove: LivePod[] = []
  /** Old and available, on nodes that should have none. */
  const misplaced: LivePod[] = []
  const allowed: string[] = []
  const candidates: string[] = []
  let surging = 0
  let available = 0
  for (const [node, pods] of byNode) {
    const pair = podPair(run, pods)
    if (pair === undefined) {
      surging++
      continue
    }
    const { updated, old } = pair
    const isOldAvailable = old !== undefined && isPodAvailable(run, old)
    const isUpdatedAvailable = updated !== undefined && isPodAvailable(run, updated)
    if (old === undefined ? isUpdatedAvailable : isOldAvailable) available++
    if (old === undefined) continue
    if (updated === undefined) {
      if (eligibleNames.has(node)) (isOldAvailable ? candidates : allowed).push(node)
      else (isOldAvailable ? misplaced : remove).push(old)
    } else if (isUpdatedAvailable) remove.push(old)
    else surging++
  }
  // Pods on nodes that should have none are deleted when enough others are available.
  remove.push(...misplaced.slice(0, Math.max(0, available - eligible.length)))
  await syncPods(run, [...allowed, ...candidates.slice(0, Math.max(0, maxSurge - surging))], remove)
}

/** The new and the old pod of a node. Undefined: there are several of one, which the next run removes. */
function podPair(run: DaemonRun, pods: readonly LivePod[]): PodPair | undefined {
  let updated: LivePod | undefined
  let old: LivePod | undefined
  for (const pod of pods) {
    if (pod.metadata.deletionTimestamp !== undefined) continue
    if (isUpdated(pod, run)) {
      if (updated !== undefined) return undefined
      updated = pod
    } else {
      if (old !== undefined) return undefined
      old = pod
    }
  }
  return { updated, old }
}

/** Undefined: none, or both. */
function onlyOf({ updated, old }: PodPair): LivePod | undefined {
  return updated !== undefined && old !== undefined ? undefined : (updated ?? old)
}

function isPodAvailable({ set, now }: DaemonRun, pod: LivePod): boolean {
  return isAvailable(pod, set.spec?.minReadySeconds ?? 0, now)
}
