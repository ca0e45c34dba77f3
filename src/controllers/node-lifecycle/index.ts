/**
 * Nodes that say nothing: whose lease is not renewed is Unknown, and taints keep pods away from nodes that are not ready.
 * Whether a lease is old is judged by the own clock since it last changed, never by the time that it says.
 */
import { controller, keyOf, Lease, Node, requeueAfter, timestamp, type coreV1, type Live, type ReconcileContext } from '../../index.ts'

const leaseNamespace = 'kube-node-lease'
/** Milliseconds without a renewal after which a node is Unknown. */
const gracePeriod = 50_000

const notReady = 'node.kubernetes.io/not-ready'
const unreachable = 'node.kubernetes.io/unreachable'

type Taint = coreV1.Taint

export function nodeLifecycle() {
  const seen = new Map<string, { readonly renewTime: string; readonly at: number }>()
  return controller(Node)
    .named('node-lifecycle-controller')
    .watches(Lease, {
      map: (lease) => [{ name: lease.metadata.name }],
      informer: { namespaces: [leaseNamespace] },
      // A renewal is worth a run only of a node that was given up; silence is noticed by waiting.
      when: (old, lease) => old.spec?.renewTime !== lease.spec?.renewTime,
    })
    .options({ fieldManager: 'kube-controller-manager' })
    .gone(({ name }) => void seen.delete(name))
    .reconcile(async (context) => {
      const { object: node, now } = context
      const lease = await context.get(Lease, { namespace: leaseNamespace, name: node.metadata.name })
      const renewTime = lease?.spec?.renewTime
      if (renewTime !== undefined && seen.get(node.metadata.name)?.renewTime !== renewTime) seen.set(node.metadata.name, { renewTime, at: now() })
      const left = renewTime === undefined ? Infinity : (seen.get(node.metadata.name)?.at ?? now()) + gracePeriod - now()
      const ready = left > 0 ? readyOf(node) : 'Unknown'
      if (ready === 'Unknown') giveUp(context)
      await syncTaints(context, ready)
      return left > 0 && left < Infinity ? requeueAfter(left) : undefined
    })
}

function readyOf({ status }: Live<Node>): string {
  return status?.conditions?.find(({ type }) => type === 'Ready')?.status ?? 'False'
}

function giveUp({ object: node, status, event, now }: ReconcileContext<Node>): void {
  if (readyOf(node) === 'Unknown') return
  const conditions = (node.status?.conditions ?? []).map((condition) => ({
    ...condition, status: 'Unknown' as const, reason: 'NodeStatusUnknown', message: 'Kubelet stopped posting node status.', lastTransitionTime: timestamp(now()),
  }))
  status.set({ conditions })
  event('Normal', 'NodeNotReady', `Node ${node.metadata.name} status is now: NodeNotReady`)
}

async function syncTaints({ object: node, client, signal, now }: ReconcileContext<Node>, ready: string): Promise<void> {
  const key = ready === 'True' ? undefined : ready === 'Unknown' ? unreachable : notReady
  const present = node.spec?.taints ?? []
  const others = present.filter((taint) => taint.key !== notReady && taint.key !== unreachable)
  const kept = (effect: Taint['effect']): Taint[] => (key === undefined ? [] : [present.find((taint) => taint.key === key && taint.effect === effect) ?? { key, effect, timeAdded: timestamp(now()) }])
  const wanted = [...others, ...kept('NoSchedule'), ...kept('NoExecute')]
  if (wanted.length === present.length && wanted.every((taint) => present.some((other) => other.key === taint.key && other.effect === taint.effect))) return
  const patch = { metadata: { uid: node.metadata.uid, resourceVersion: node.metadata.resourceVersion }, spec: { taints: wanted.length === 0 ? null : wanted } }
  await client.patch(Node, keyOf(node), { type: 'merge', patch: patch as never }, { signal })
}
