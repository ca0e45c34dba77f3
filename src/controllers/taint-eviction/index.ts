/** Pods on nodes with a NoExecute taint: those that do not tolerate it go, the others when their tolerance is over. */
import { controller, keyOf, Node, Pod, requeueAfter, type coreV1, type DeepReadonly, type Live } from '../../index.ts'

type Taint = DeepReadonly<coreV1.Taint>

export const taintEviction = controller(Pod)
  .named('taint-eviction-controller')
  .cached({ indexes: { node: ({ spec }) => [spec?.nodeName ?? []].flat() } })
  .watches(Node, {
    map: (node, reads) => reads.lister(Pod).byIndex('node', node.metadata.name).map(keyOf),
    when: (old, node) => JSON.stringify(old.spec?.taints) !== JSON.stringify(node.spec?.taints),
  })
  .reconcile(async ({ object: pod, get, client, event, signal, now }) => {
    const { nodeName = '' } = pod.spec ?? {}
    if (nodeName === '' || pod.metadata.deletionTimestamp !== undefined) return undefined
    const node = await get(Node, { name: nodeName })
    const taints = (node?.spec?.taints ?? []).filter(({ effect }) => effect === 'NoExecute')
    const until = Math.min(...taints.map((taint) => toleratedUntil(pod, taint, now())))
    if (until === Infinity) return undefined
    if (until > now()) return requeueAfter(until - now())
    event('Normal', 'TaintManagerEviction', `Marking for deletion Pod ${pod.metadata.namespace ?? ''}/${pod.metadata.name}`)
    await client.delete(Pod, keyOf(pod), { uid: pod.metadata.uid, signal })
    return undefined
  })

/** Milliseconds since the epoch: now for no tolerance, Infinity for one without end. */
function toleratedUntil({ spec }: Live<Pod>, taint: Taint, now: number): number {
  const fitting = (spec?.tolerations ?? []).filter(({ key = '', operator = 'Equal', value = '', effect }) => {
    if (effect !== undefined && effect !== taint.effect) return false
    return operator === 'Exists' ? key === '' || key === taint.key : key === taint.key && value === (taint.value ?? '')
  })
  if (fitting.length === 0) return now
  const seconds = fitting.map(({ tolerationSeconds }) => tolerationSeconds ?? Infinity)
  return (taint.timeAdded === undefined ? now : Date.parse(taint.timeAdded)) + Math.min(...seconds) * 1000
}
