/** Evicts pods from nodes with NoExecute taints: at once without a toleration, otherwise when it expires. */
import {
  controller,
  isNotFound,
  keyOf,
  keyText,
  Node,
  Pod,
  requeueAfter,
  type coreV1,
  type Live,
  type ReconcileContext,
} from '../../index.ts'
import { timestamp } from '../../env/index.ts'
import { podNodeIndex, podsByNode } from '../../scheduler/index.ts'
import type { DeepReadonly } from '../../api/index.ts'
import { toleratedFor } from './tolerance.ts'

export function taintEviction() {
  /** When the toleration of each pod started, by key. A new process starts again, as upstream does. */
  const waiting = new Map<string, { readonly uid: string; readonly since: number }>()
  return (
    controller(Pod)
      .named('taint-eviction-controller')
      .cached(podNodeIndex)
      .watches(Node, {
        map: (node, reads) => reads.lister(Pod).byIndex(podsByNode, node.metadata.name).map(keyOf),
        when: (old, node) => JSON.stringify(old.spec?.taints) !== JSON.stringify(node.spec?.taints),
      })
      .only((pod, reads) => evictingTaints(reads.lister(Node).get({ name: pod.spec?.nodeName ?? '' })).length > 0)
      // With other controllers that see the taint, which upstream are faster: a DaemonSet deletes its pods itself.
      .options({ fieldManager: 'kube-controller-manager', batchPerTick: true })
      .gone((key) => void waiting.delete(keyText(key)))
      .deleting(({ key }) => void waiting.delete(keyText(key)))
      .reconcile(async (context) => {
        const { object: pod, key, get, event, now } = context
        const tolerance = toleratedFor(pod, evictingTaints(await get(Node, { name: pod.spec?.nodeName ?? '' })))
        const known = waiting.get(keyText(key))
        if (tolerance === Infinity) {
          if (waiting.delete(keyText(key)) && known?.uid === pod.metadata.uid)
            event('Normal', 'TaintManagerEviction', `Cancelling deletion of Pod ${keyText(key)}`)
          return undefined
        }
        const since = known?.uid === pod.metadata.uid ? known.since : now()
        waiting.set(keyText(key), { uid: pod.metadata.uid, since })
        const left = since + tolerance - now()
        if (left > 0) return requeueAfter(left)
        await evict(context)
        waiting.delete(keyText(key))
        return undefined
      })
  )
}

function evictingTaints(node: Live<Node> | undefined): readonly DeepReadonly<coreV1.Taint>[] {
  return (node?.spec?.taints ?? []).filter(({ effect }) => effect === 'NoExecute')
}

/** The pod gets a condition with the reason. */
async function evict({ object: pod, key, client, event, signal, now }: ReconcileContext<Pod>): Promise<void> {
  const { uid, generation } = pod.metadata
  const condition = {
    type: 'DisruptionTarget',
    status: 'True',
    reason: 'DeletionByTaintManager',
    message: 'Taint manager: deleting due to NoExecute taint',
    ...(generation === undefined ? {} : { observedGeneration: generation }),
    lastTransitionTime: timestamp(now()),
  }
  event('Normal', 'TaintManagerEviction', `Marking for deletion Pod ${keyText(key)}`)
  try {
    await client.patch(
      Pod,
      key,
      { type: 'strategic', patch: { metadata: { uid }, status: { conditions: [condition] } } },
      { subresource: 'status', signal },
    )
    await client.delete(Pod, key, { uid, signal })
  } catch (error) {
    if (!isNotFound(error)) throw error
  }
}
