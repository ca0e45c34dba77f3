/** One pod on each node that should have one: what is missing, and what is too much. */
import type { Live, Node } from '../../index.ts'
import { podRevisionLabel } from '../shared/controller-revisions.ts'
import { isAvailable, isReady } from '../shared/pod-state.ts'
import { inAgeOrder, podsByNode, syncPods, type DaemonRun, type LivePod, type PodsByNode } from './daemon-pods.ts'
import type { FailedPodsBackoff } from './failed-pods.ts'
import { nodeFit } from './node-fit.ts'
import { surgeCount } from './update-bounds.ts'

interface Changes {
  readonly create: string[]
  readonly remove: LivePod[]
  /** Until a failed pod may be deleted. */
  waitMs: number
}

/** Milliseconds until the next failed pod may be deleted; Infinity: there is none that waits. */
export async function managePods(run: DaemonRun, backoff: FailedPodsBackoff): Promise<number> {
  const byNode = await podsByNode(run.context)
  const changes: Changes = { create: [], remove: [], waitMs: Infinity }
  for (const node of run.nodes) manageNode(run, node, byNode, backoff, changes)
  changes.remove.push(...unboundWithoutNode(run.nodes, byNode))
  await syncPods(run, changes.create, changes.remove)
  return changes.waitMs
}

function manageNode(
  run: DaemonRun,
  node: Live<Node>,
  byNode: PodsByNode,
  backoff: FailedPodsBackoff,
  changes: Changes,
): void {
  const { name } = node.metadata
  const { shouldRun, shouldContinue } = nodeFit(run.set, node)
  const pods = byNode.get(name)
  if (pods === undefined) {
    if (shouldRun) changes.create.push(name)
    return
  }
  const kept = pods.filter(({ metadata }) => metadata.deletionTimestamp === undefined)
  if (!shouldContinue) {
    changes.remove.push(...kept)
    return
  }
  const running = kept.filter((pod) => !removeFinished(run, name, pod, backoff, changes))
  if (surgeCount(run.set, 1) === 0) changes.remove.push(...inAgeOrder(running).slice(1))
  else if (running.length > 1) changes.remove.push(...surplusOfSurge(run, running))
  else if (running.length === 0 && shouldRun) changes.create.push(name)
}

/** Whether the pod is finished. It is deleted, failed ones with a growing delay. */
function removeFinished(
  { context, set, now }: DaemonRun,
  node: string,
  pod: LivePod,
  backoff: FailedPodsBackoff,
  changes: Changes,
): boolean {
  const phase = pod.status?.phase
  if (phase !== 'Failed' && phase !== 'Succeeded') return false
  const name = `${pod.metadata.namespace}/${pod.metadata.name}`
  if (phase === 'Succeeded') {
    const message = `Found succeeded daemon pod ${name} on node ${node}, will try to delete it`
    context.event('Normal', 'SucceededDaemonPod', message)
    changes.remove.push(pod)
    return true
  }
  const key = `${set.metadata.uid}/${set.status?.observedGeneration ?? 0}/${node}`
  const left = backoff.left(key, now)
  if (left > 0) {
    changes.waitMs = Math.min(changes.waitMs, left)
    return true
  }
  backoff.note(key, now)
  const message = `Found failed daemon pod ${name} on node ${node}, will try to kill it`
  context.event('Warning', 'FailedDaemonPod', message)
  changes.remove.push(pod)
  return true
}

/** Two pods may be on a node while the new one is not available and the old one is ready. */
function surplusOfSurge({ set, hash, now }: DaemonRun, running: readonly LivePod[]): LivePod[] {
  const surplus: LivePod[] = []
  let newest: LivePod | undefined
  let old: LivePod | undefined
  for (const pod of inAgeOrder(running)) {
    const isNew = pod.metadata.labels?.[podRevisionLabel] === hash
    if (isNew && newest === undefined) newest = pod
    else if (!isNew && old === undefined) old = pod
    else surplus.push(pod)
  }
  if (newest === undefined || old === undefined) return surplus
  if (!isReady(old) || isAvailable(newest, set.spec?.minReadySeconds ?? 0, now)) surplus.push(old)
  return surplus
}

/** Pods for a node that is gone will never be bound. */
function unboundWithoutNode(nodes: readonly Live<Node>[], byNode: PodsByNode): LivePod[] {
  const names = new Set(nodes.map(({ metadata }) => metadata.name))
  return [...byNode]
    .filter(([name]) => !names.has(name))
    .flatMap(([, pods]) => pods.filter(({ spec }) => (spec?.nodeName ?? '') === ''))
}
