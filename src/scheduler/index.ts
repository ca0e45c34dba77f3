/** The scheduler: gives each pod that has no node the node that suits it best, or says why none does. */
import { controller, keyOf, Node, Pod, timestamp, type ControllerDefinition, type Live, type ObjectKey, type ReconcileContext } from '../index.ts'
import type { Placement } from './affinity.ts'
import { reasonsAgainst, refusalText } from './filters.ts'
import { allocatableOf, plus, requestsOf } from './resources.ts'

const name = 'default-scheduler'

function isPending({ spec, metadata, status }: Live<Pod>): boolean {
  return (spec?.nodeName ?? '') === '' && metadata.deletionTimestamp === undefined && (spec?.schedulerName ?? name) === name && (spec?.schedulingGates ?? []).length === 0 && status?.phase !== 'Failed'
}

/** Room may have come: whoever waits is looked at again. */
const everyPending = (pods: readonly Live<Pod>[]): ObjectKey[] => pods.filter((pod) => isPending(pod) && pod.status?.conditions?.some(({ type }) => type === 'PodScheduled') === true).map(keyOf)

export function scheduler(): ControllerDefinition<Pod> {
  /** Where pods were bound that the cache still shows without a node, by uid: the next pod must see them there. */
  const assumed = new Map<string, string>()
  return controller(Pod)
    .named(name)
    .cached({ indexes: { node: ({ spec }) => [spec?.nodeName ?? []].flat() } })
    .watches(Node, { map: (_node, reads) => everyPending(reads.lister(Pod).list()), when: (old, node) => old.spec !== node.spec || old.metadata.labels !== node.metadata.labels || old.status?.allocatable !== node.status?.allocatable })
    .watches(Pod, { map: (pod, reads) => ((pod.spec?.nodeName ?? '') === '' || pod.metadata.deletionTimestamp === undefined ? [] : everyPending(reads.lister(Pod).list())) })
    .options({ fieldManager: 'kube-scheduler' })
    .reconcile(async (context) => {
      const { object: pod } = context
      if (!isPending(pod) || assumed.has(pod.metadata.uid)) return
      const nodes = await context.list(Node)
      const all = await context.list(Pod, { namespace: '' })
      const waiting = new Set(all.filter(({ spec }) => (spec?.nodeName ?? '') === '').map(({ metadata }) => metadata.uid))
      for (const uid of assumed.keys()) if (!waiting.has(uid)) assumed.delete(uid)
      const onNode = byNode(all, assumed)
      const podsOn = (node: string): readonly Live<Pod>[] => onNode.get(node) ?? []
      const placements = nodes.map((node): Placement => ({ pod, node, nodes, podsOn }))
      const refusals = placements.map(reasonsAgainst)
      const fitting = placements.filter((_, index) => refusals[index]?.length === 0)
      const best = fitting.sort((a, b) => load(a) - load(b) || (a.node.metadata.name < b.node.metadata.name ? -1 : 1))[0]
      if (best === undefined) refuse(context, refusalText(nodes.length, refusals))
      else {
        await bind(context, best.node.metadata.name)
        assumed.set(pod.metadata.uid, best.node.metadata.name)
      }
    })
}

/** Pods that hold something of their node: all but those that have ended. */
function byNode(pods: readonly Live<Pod>[], assumed: ReadonlyMap<string, string>): ReadonlyMap<string, readonly Live<Pod>[]> {
  const onNode = new Map<string, Live<Pod>[]>()
  for (const pod of pods) {
    const node = pod.spec?.nodeName ?? assumed.get(pod.metadata.uid) ?? ''
    if (node === '' || pod.status?.phase === 'Succeeded' || pod.status?.phase === 'Failed') continue
    const present = onNode.get(node)
    if (present === undefined) onNode.set(node, [pod])
    else present.push(pod)
  }
  return onNode
}

/** The share of the node that is asked for, of the resource that is shortest. */
function load({ node, podsOn }: Placement): number {
  const used = podsOn(node.metadata.name).map(requestsOf).reduce(plus, {})
  return Math.max(...Object.entries(allocatableOf(node)).map(([resource, amount]) => (amount === 0 ? 0 : (used[resource] ?? 0) / amount)))
}

async function bind({ object: pod, client, event, signal }: ReconcileContext<Pod>, node: string): Promise<void> {
  const { namespace = '', name: podName, uid } = pod.metadata
  const binding = { apiVersion: 'v1', kind: 'Binding', metadata: { name: podName, namespace, uid }, target: { kind: 'Node', name: node } }
  await client.createSubresource(Pod, keyOf(pod), 'binding', binding, { signal })
  event('Normal', 'Scheduled', `Successfully assigned ${namespace}/${podName} to ${node}`)
}

function refuse({ object: pod, status, event, now }: ReconcileContext<Pod>, message: string): void {
  const before = pod.status?.conditions?.find(({ type }) => type === 'PodScheduled')
  if (before?.status === 'False' && before.message === message) return
  const lastTransitionTime = before?.status === 'False' ? (before.lastTransitionTime ?? timestamp(now())) : timestamp(now())
  const others = (pod.status?.conditions ?? []).filter(({ type }) => type !== 'PodScheduled')
  status.set({ conditions: [...others, { type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message, lastTransitionTime }] as never })
  event('Warning', 'FailedScheduling', message)
}
