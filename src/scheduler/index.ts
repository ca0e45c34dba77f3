/** The scheduler: gives each pod that has no node the node that suits it best, or says why none does. */
import { ApiError, controller, keyOf, Node, Pod, PodDisruptionBudget, requeueAfter, timestamp, type ControllerDefinition, type Live, type ObjectKey, type ReconcileContext } from '../index.ts'
import type { Placed, Placement } from './affinity.ts'
import { refusalOf, refusalText, type Refusal } from './filters.ts'
import { makeRoom } from './make-room.ts'
import { wishesGranted } from './preferences.ts'
import { preempt, priorityOf, type Refused } from './preemption.ts'
import { Overview } from './overview.ts'
import { allocatableOf, NodeSums } from './resources.ts'

const name = 'default-scheduler'
/** Finds pods that have no node. */
const unbound = 'coxswain.dev/unbound'

function isPending({ spec, metadata, status }: Live<Pod>): boolean {
  return (spec?.nodeName ?? '') === '' && metadata.deletionTimestamp === undefined && (spec?.schedulerName ?? name) === name && (spec?.schedulingGates ?? []).length === 0 && status?.phase !== 'Failed'
}

/** Room may have come: whoever waits is looked at again, those that matter most first. */
function everyPending(pods: readonly Live<Pod>[]): ObjectKey[] {
  return pods.filter((pod) => isPending(pod) && wasRefused(pod)).sort((a, b) => priorityOf(b) - priorityOf(a)).map(keyOf)
}

function wasRefused({ status }: Live<Pod>): boolean {
  return status?.conditions?.some(({ type }) => type === 'PodScheduled') === true
}

export function scheduler(): ControllerDefinition<Pod> {
  /** Where pods were bound that the cache still shows without a node, by uid: the next pod must see them there. */
  const assumed = new Map<string, string>()
  const sums = new NodeSums()
  let overview: Overview | undefined
  return controller(Pod)
    .named(name)
    .cached({ indexes: { [unbound]: ({ spec }) => ((spec?.nodeName ?? '') === '' ? [''] : []) } })
    .watches(Node, { map: (_node, reads) => everyPending(reads.lister(Pod).byIndex(unbound, '')), when: (old, node) => old.spec !== node.spec || old.metadata.labels !== node.metadata.labels || old.status?.allocatable !== node.status?.allocatable })
    .watches(Pod, { map: (pod, reads) => ((pod.spec?.nodeName ?? '') === '' || pod.metadata.deletionTimestamp === undefined ? [] : everyPending(reads.lister(Pod).byIndex(unbound, ''))) })
    .reads(PodDisruptionBudget)
    .options({ fieldManager: 'kube-scheduler' })
    .reconcile(async (context) => {
      const { object: pod } = context
      if (!isPending(pod) || assumed.has(pod.metadata.uid)) return undefined
      const nodes = await context.list(Node)
      const pending = await context.list(Pod, { namespace: '', index: { index: unbound, value: '' } })
      // Who matters more goes first; its own turn comes at once.
      if (pending.some((other) => priorityOf(other) > priorityOf(pod) && isNew(other, assumed))) return requeueAfter(1)
      const promised = pending.flatMap((other): Placed[] => {
        const node = assumed.has(other.metadata.uid) ? undefined : reserved(other, pod)
        return node === undefined ? [] : [{ pod: other, node }]
      })
      const lookAround = async (): Promise<Overview> => {
        const waiting = new Set(pending.map(({ metadata }) => metadata.uid))
        for (const uid of assumed.keys()) if (!waiting.has(uid)) assumed.delete(uid)
        return new Overview(await context.list(Pod, { namespace: '' }), assumed, sums, context.now())
      }
      const known = overview?.serves(context.now()) === true ? overview : undefined
      overview = known ?? (await lookAround())
      let found = choose(pod, nodes, overview.with(promised))
      // Room may have come that a former overview does not show.
      if (found.best === undefined && known !== undefined) found = choose(pod, nodes, (overview = await lookAround()).with(promised))
      if (found.best === undefined) return findRoom(context, found.refused, pending)
      overview.add(pod, found.best)
      try {
        await bind(context, found.best)
      } catch (error) {
        // Without an answer from the server the pod may be there, and its room is not given away.
        if (error instanceof ApiError) overview = undefined
        throw error
      }
      assumed.set(pod.metadata.uid, found.best)
      return undefined
    })
}

/** Not looked at yet. */
function isNew(pod: Live<Pod>, assumed: ReadonlyMap<string, string>): boolean {
  return isPending(pod) && !assumed.has(pod.metadata.uid) && !wasRefused(pod)
}

/** Where room was made for another pod that matters as much, that room is its own. */
function reserved(other: Live<Pod>, pod: Live<Pod>): string | undefined {
  return isPending(other) && other.metadata.uid !== pod.metadata.uid && priorityOf(other) >= priorityOf(pod) ? other.status?.nominatedNodeName : undefined
}

/** No node has room: others go, where that helps, and the pod waits; else it says why not. */
async function findRoom(context: ReconcileContext<Pod>, refused: readonly Refused[], pending: readonly Live<Pod>[]): Promise<undefined> {
  const text = refusalText(refused.length, refused.map(({ refusal }) => refusal.reasons))
  if (refused.length === 0) return refuse(context, text, undefined)
  const found = preempt(context.object, refused, await context.list(PodDisruptionBudget, { namespace: '' }), context.now())
  if (found.type === 'none') return refuse(context, `${text} ${found.text}`, undefined)
  if (found.type === 'waiting') return undefined
  await makeRoom(context, found.candidate, pending)
  return refuse(context, text, found.candidate.node)
}

interface Choice {
  readonly best: string | undefined
  /** Why not, of each node, where there is none. */
  readonly refused: readonly Refused[]
}

function choose(pod: Live<Pod>, nodes: readonly Live<Node>[], seen: ReturnType<Overview['with']>): Choice {
  const placements = nodes.map((node): Placement => ({ pod, node, nodes, ...seen }))
  const refusals = placements.map(refusalOf)
  const best = bestOf(placements.filter((_, index) => refusals[index] === undefined))
  if (best !== undefined) return { best: best.node.metadata.name, refused: [] }
  return { best: undefined, refused: placements.map((placement, index) => ({ placement, refusal: refusals[index] as Refusal })) }
}

/** The node that grants most wishes; of those, the one with most room. */
function bestOf(fitting: readonly Placement[]): Placement | undefined {
  const ranked = fitting.map((placement) => ({ placement, wishes: wishesGranted(placement), load: load(placement), name: placement.node.metadata.name }))
  return ranked.sort((a, b) => b.wishes - a.wishes || a.load - b.load || (a.name < b.name ? -1 : 1))[0]?.placement
}

/** The share of the node that is asked for, of the resource that is shortest. */
function load({ node, usedOn }: Placement): number {
  const used = usedOn(node.metadata.name)
  const allocatable = allocatableOf(node)
  let highest = 0
  for (const resource in allocatable) highest = Math.max(highest, (used[resource] ?? 0) / (allocatable[resource] || Infinity))
  return highest
}

async function bind({ object: pod, client, event, signal }: ReconcileContext<Pod>, node: string): Promise<void> {
  const { namespace = '', name: podName, uid } = pod.metadata
  const binding = { apiVersion: 'v1', kind: 'Binding', metadata: { name: podName, namespace, uid }, target: { kind: 'Node', name: node } }
  await client.createSubresource(Pod, keyOf(pod), 'binding', binding, { signal })
  event('Normal', 'Scheduled', `Successfully assigned ${namespace}/${podName} to ${node}`)
}

/** `nominated` is the node on which room is being made. */
function refuse({ object: pod, status, event, now }: ReconcileContext<Pod>, message: string, nominated: string | undefined): undefined {
  const before = pod.status?.conditions?.find(({ type }) => type === 'PodScheduled')
  status.set({ nominatedNodeName: nominated })
  if (before?.status === 'False' && before.message === message) return
  const lastTransitionTime = before?.status === 'False' ? (before.lastTransitionTime ?? timestamp(now())) : timestamp(now())
  const others = (pod.status?.conditions ?? []).filter(({ type }) => type !== 'PodScheduled')
  status.set({ conditions: [...others, { type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message, observedGeneration: pod.metadata.generation, lastTransitionTime }] as never })
  event('Warning', 'FailedScheduling', message)
}
