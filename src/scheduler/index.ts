/** The scheduler: binds each pod without a node to the most suitable one, or reports why none is suitable. */
import {
  ApiError,
  controller,
  keyOf,
  Node,
  PersistentVolume,
  PersistentVolumeClaim,
  Pod,
  PodDisruptionBudget,
  requeueAfter,
  StorageClass,
  type ControllerDefinition,
  type Live,
  type ReconcileContext,
} from '../index.ts'
import { timestamp } from '../env/index.ts'
import { namedNodes, type Placement } from './affinity.ts'
import { claimsOf, podClaimIndex } from './pod-claims.ts'
import { podInfo } from './pod-info.ts'
import { bindVolumes, volumesOf, type PodVolumes } from './pod-volumes.ts'
import { notNamed, runFilters, unplaceableMessage, unschedulableMessage } from './filters.ts'
import { podsForClaim, podsForStorageClass, podsForVolume } from './volume-events.ts'
import { SchedulerCache } from './scheduler-cache.ts'
import { evictVictims } from './evict-victims.ts'
import { unboundPods, unschedulablePods, isPending, schedulerName } from './pending.ts'
import { scoreOf } from './preferences.ts'
import { preempt, type RejectedNode } from './preemption.ts'

export { matchesNode, tolerates, toleratesTaints } from './affinity.ts'
export { claimOwnerProblem, claimsOf, ephemeralClaimName, podClaimIndex, podsByClaim } from './pod-claims.ts'
export { podNodeIndex, podsByNode } from './pods-by-node.ts'
export {
  capacityMilli,
  capacityOfClaim,
  classOfClaim,
  classOfVolume,
  findVolume,
  hasAccessModes,
  hasSameAttributesClass,
  hasSameMode,
  isFullyBound,
  isVolumeOf,
  namesClass,
  requestedMilli,
  reservation,
  volumeAnnotations,
  waitsForConsumer,
} from './volume-matching.ts'

export function scheduler(): ControllerDefinition<Pod> {
  const cache = new SchedulerCache()
  return controller(Pod)
    .named(schedulerName)
    .only(isPending)
    .when((_old, pod) => isPending(pod))
    .cached({
      indexes: { [unboundPods]: ({ spec }) => ((spec?.nodeName ?? '') === '' ? [''] : []), ...podClaimIndex.indexes },
    })
    .watches(Node, {
      map: (_node, reads) => unschedulablePods(reads.lister(Pod).byIndex(unboundPods, '')),
      when: (old, node) =>
        old.spec !== node.spec ||
        old.metadata.labels !== node.metadata.labels ||
        old.status?.allocatable !== node.status?.allocatable,
    })
    .watches(Pod, {
      map: (pod, reads) => {
        const { uid, deletionTimestamp } = pod.metadata
        const current = reads.lister(Pod).get(keyOf(pod))
        cache.update(uid, current?.metadata.uid === uid ? current : undefined)
        return (pod.spec?.nodeName ?? '') === '' || deletionTimestamp === undefined
          ? []
          : unschedulablePods(reads.lister(Pod).byIndex(unboundPods, ''))
      },
    })
    .watches(PersistentVolumeClaim, { map: podsForClaim })
    .watches(PersistentVolume, { map: podsForVolume })
    .watches(StorageClass, { map: podsForStorageClass })
    .reads(PodDisruptionBudget)
    .options({ fieldManager: 'kube-scheduler', reconcileOwnWrites: 'never' })
    .reconcile(async (context) => {
      const { object: pod } = context
      if (!isPending(pod) || cache.isBound(pod)) return undefined
      if (cache.hasMoreImportant(pod)) {
        cache.replaceWaiting(await context.list(Pod, { namespace: '', index: { index: unboundPods, value: '' } }))
        // Pods of higher priority go first; this one is requeued.
        if (cache.hasMoreImportant(pod)) return requeueAfter(1)
      }
      const nodes = await context.list(Node)
      let volumes: PodVolumes | undefined
      if (claimsOf(pod).length > 0) {
        volumes = await volumesOf(context)
        // An earlier run may have assumed the pod, to wait for its volumes.
        cache.forget(pod)
      }
      let found = choose(pod, nodes, cache, volumes)
      if (found.best === undefined) {
        // Before a preemption or a wait, the cache is synced with all pods.
        cache.replace(await context.list(Pod, { namespace: '' }))
        found = choose(pod, nodes, cache, volumes)
      }
      const { best } = found
      if (best === undefined) return findRoom(context, found.refused, volumes?.problem)
      cache.assume(pod, best.metadata.name, false)
      try {
        if (volumes !== undefined && !(await bindVolumes(context, volumes, best))) {
          context.status.set({ nominatedNodeName: best.metadata.name })
          return undefined
        }
        await bind(context, best.metadata.name)
      } catch (error) {
        if (error instanceof ApiError) cache.forget(pod)
        throw error
      }
      cache.assume(pod, best.metadata.name, true)
      return undefined
    })
}

/** No node has room: preempts pods if that helps, and the pod waits; otherwise reports why none fits. */
async function findRoom(
  context: ReconcileContext<Pod>,
  refused: readonly RejectedNode[],
  problem: string | undefined,
): Promise<undefined> {
  if (problem !== undefined) return refuse(context, unplaceableMessage(refused.length, problem), undefined)
  const text = unschedulableMessage(
    refused.length,
    refused.map(({ rejection }) => rejection.reasons),
  )
  if (refused.length === 0) return refuse(context, text, undefined)
  const found = preempt(
    context.object,
    refused,
    await context.list(PodDisruptionBudget, { namespace: '' }),
    context.now(),
  )
  if (found.type === 'none') return refuse(context, `${text} ${found.text}`, undefined)
  if (found.type === 'waiting') return undefined
  await evictVictims(
    context,
    found.candidate,
    await context.list(Pod, { namespace: '', index: { index: unboundPods, value: '' } }),
  )
  return refuse(context, text, found.candidate.node)
}

interface Choice {
  readonly best: Live<Node> | undefined
  /** If there is none: the reason of each node. */
  readonly refused: readonly RejectedNode[]
}

/** The nominated node if it fits, otherwise the one with the highest score; among equals, with the lowest load. */
function choose(
  pod: Live<Pod>,
  nodes: readonly Live<Node>[],
  cache: SchedulerCache,
  volumes: PodVolumes | undefined,
): Choice {
  const { usageOf, antiAffinityPods } = cache.viewFor(pod)
  const incoming = podInfo(pod)
  const named = namedNodes(pod)
  const refused: RejectedNode[] = []
  let best: Ranked | undefined
  for (const node of nodes) {
    const usage = usageOf(node.metadata.name)
    const allocatable = cache.allocatableOf(node)
    const placement = { incoming, node, usage, allocatable, nodes, volumes, usageOf, antiAffinityPods }
    const rejection = named?.has(node.metadata.name) === false ? notNamed : runFilters(placement)
    if (rejection === undefined && node.metadata.name === pod.status?.nominatedNodeName) return { best: node, refused }
    if (rejection === undefined) best = better(best, { node, preference: scoreOf(placement), load: load(placement) })
    else if (best === undefined) refused.push({ placement, rejection })
  }
  return { best: best?.node, refused }
}

interface Ranked {
  readonly node: Live<Node>
  readonly preference: number
  readonly load: number
}

function better(a: Ranked | undefined, b: Ranked): Ranked {
  if (a === undefined) return b
  const byName = a.node.metadata.name < b.node.metadata.name ? -1 : 1
  return (b.preference - a.preference || a.load - b.load || byName) < 0 ? a : b
}

/** The requested share of the node's scarcest resource. */
function load({ usage: { used }, allocatable }: Placement): number {
  let highest = 0
  for (const resource in allocatable)
    highest = Math.max(highest, (used[resource] ?? 0) / (allocatable[resource] || Infinity))
  return highest
}

async function bind({ object: pod, client, event, signal }: ReconcileContext<Pod>, node: string): Promise<void> {
  const { namespace = '', name: podName, uid } = pod.metadata
  const binding = {
    apiVersion: 'v1',
    kind: 'Binding',
    metadata: { name: podName, namespace, uid },
    target: { kind: 'Node', name: node },
  }
  await client.createSubresource(Pod, keyOf(pod), 'binding', binding, { signal })
  event('Normal', 'Scheduled', `Successfully assigned ${namespace}/${podName} to ${node}`)
}

/** `nominated`: the node on which victims are being evicted. */
function refuse(
  { object: pod, status, event, now }: ReconcileContext<Pod>,
  message: string,
  nominated: string | undefined,
): undefined {
  const before = pod.status?.conditions?.find(({ type }) => type === 'PodScheduled')
  status.set({ nominatedNodeName: nominated })
  if (before?.status === 'False' && before.message === message) return
  const lastTransitionTime =
    before?.status === 'False' ? (before.lastTransitionTime ?? timestamp(now())) : timestamp(now())
  const others = (pod.status?.conditions ?? []).filter(({ type }) => type !== 'PodScheduled')
  status.set({
    conditions: [
      ...others,
      {
        type: 'PodScheduled',
        status: 'False',
        reason: 'Unschedulable',
        message,
        observedGeneration: pod.metadata.generation,
        lastTransitionTime,
      },
    ] as never,
  })
  event('Warning', 'FailedScheduling', message)
}
