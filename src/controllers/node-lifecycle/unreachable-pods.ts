/** Marks pods on nodes without heartbeats as not ready, since their kubelet cannot. */
import { controller, keyOf, mutableCopy, Node, Pod, type Live } from '../../index.ts'
import { timestamp } from '../../env/index.ts'
import { podNodeIndex, podsByNode } from '../../scheduler/index.ts'
import { isReady } from '../shared/pod-state.ts'
import { readyCondition } from './conditions.ts'

export function podsOnUnreachableNodes() {
  return controller(Pod)
    .named('node-lifecycle-controller-pods')
    .cached(podNodeIndex)
    .watches(Node, {
      map: (node, reads) => reads.lister(Pod).byIndex(podsByNode, node.metadata.name).map(keyOf),
      when: (old, node) => readyCondition(old)?.status !== readyCondition(node)?.status,
    })
    .only((pod, reads) => isReady(pod) && isUnreachable(reads.lister(Node).get({ name: pod.spec?.nodeName ?? '' })))
    .options({ fieldManager: 'kube-controller-manager', eventSource: 'node-controller' })
    .reconcile(async ({ object: pod, get, status, event, now }) => {
      if (!isReady(pod) || !isUnreachable(await get(Node, { name: pod.spec?.nodeName ?? '' }))) return
      const conditions = mutableCopy(pod).status?.conditions ?? []
      const lastTransitionTime = timestamp(now())
      status.set({
        conditions: conditions.map((each) =>
          each.type === 'Ready' ? { ...each, status: 'False' as const, lastTransitionTime } : each,
        ),
      })
      event('Warning', 'NodeNotReady', 'Node is not ready')
    })
}

function isUnreachable(node: Live<Node> | undefined): boolean {
  return node !== undefined && readyCondition(node)?.status === 'Unknown'
}
