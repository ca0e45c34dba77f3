/**
 * The node lifecycle controller: 1 registers new nodes, 2 sets conditions to Unknown after the grace period, 3 sets
 * taints by conditions, 4 keeps deprecated label names in sync with the current ones. For the pods of nodes without
 * heartbeats see `unreachable-pods.ts`.
 */
import { controller, keyOf, Lease, Node, requeueAfter, type ReconcileContext } from '../../index.ts'
import { readyCondition, unknownConditions } from './conditions.ts'
import { Heartbeats } from './heartbeats.ts'
import { wantedTaints } from './taints.ts'

const leaseNamespace = 'kube-node-lease'

type Context = ReconcileContext<Node>

export function nodeLifecycle() {
  const heartbeats = new Heartbeats()
  return controller(Node)
    .named('node-lifecycle-controller')
    .watches(Lease, {
      map: (lease) => [{ name: lease.metadata.name }],
      informer: { namespaces: [leaseNamespace] },
      when: (old, lease) => old.spec?.renewTime !== lease.spec?.renewTime,
    })
    .options({ fieldManager: 'kube-controller-manager', eventSource: 'node-controller' })
    .gone(({ name }) => heartbeats.forget(name))
    .reconcile(async (context) => {
      const { object: node, event, now } = context
      const { name } = node.metadata
      if (!heartbeats.isKnown(name))
        event('Normal', 'RegisteredNode', `Node ${name} event: Registered Node ${name} in Controller`)
      const lease = await context.get(Lease, { namespace: leaseNamespace, name })
      const left = heartbeats.left(node, lease, now())
      // The taints follow in the run after this write.
      if (left <= 0 && giveUp(context)) return undefined
      await syncTaints(context)
      await syncLabels(context)
      return left > 0 ? requeueAfter(left) : undefined
    })
}

/** False if nothing changes. */
function giveUp({ object: node, status, event, now }: Context): boolean {
  const conditions = unknownConditions(node, now())
  if (conditions === undefined) return false
  status.set({ conditions })
  if (readyCondition(node)?.status === 'True')
    event('Normal', 'NodeNotReady', `Node ${node.metadata.name} status is now: NodeNotReady`)
  return true
}

async function syncTaints({ object: node, client, signal, now }: Context): Promise<void> {
  const taints = wantedTaints(node, now())
  if (taints === undefined) return
  const patch = {
    metadata: { uid: node.metadata.uid, resourceVersion: node.metadata.resourceVersion },
    spec: { taints: taints.length === 0 ? null : taints },
  }
  await client.patch(Node, keyOf(node), { type: 'merge', patch: patch as never }, { signal })
}

const olderNames = { 'kubernetes.io/os': 'beta.kubernetes.io/os', 'kubernetes.io/arch': 'beta.kubernetes.io/arch' }

async function syncLabels({ object: node, client, signal }: Context): Promise<void> {
  const labels = node.metadata.labels ?? {}
  const missing = Object.entries(olderNames).filter(
    ([name, older]) => labels[name] !== undefined && labels[older] !== labels[name],
  )
  if (missing.length === 0) return
  const patch = {
    metadata: {
      uid: node.metadata.uid,
      labels: Object.fromEntries(missing.map(([name, older]) => [older, labels[name] ?? ''])),
    },
  }
  await client.patch(Node, keyOf(node), { type: 'strategic', patch }, { signal })
}
