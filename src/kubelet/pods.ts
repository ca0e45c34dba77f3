/** The kubelets of all simulated nodes: drive each pod that is bound to one through its life cycle. */
import {
  ApiError,
  controller,
  keyOf,
  Node,
  Pod,
  requeueAfter,
  type ControllerDefinition,
  type Live,
  type ReconcileContext,
  type ReconcileResult,
} from '../index.ts'
import { PodAddresses } from './addresses.ts'
import { behaviourOf, type BehaviourRule, type FullBehaviour } from './behaviour.ts'
import { lostAnnotation, nodeAddress } from './nodes.ts'
import { podEvents } from './pod-events.ts'
import { nextStatus } from './pod-status.ts'

export interface KubeletOptions {
  /** Behaviours of pods; the first matching rule applies. Default: they start, become ready and run. */
  readonly behaviours?: readonly BehaviourRule[] | undefined
}

type Context = ReconcileContext<Pod>

export function kubelets({ behaviours = [] }: KubeletOptions = {}): ControllerDefinition<Pod> {
  const addresses = new PodAddresses()
  /** The behaviour of the pod; undefined if it is not on a simulated node, or on a lost one. */
  const behaviourHere = async (context: Context): Promise<FullBehaviour | undefined> => {
    const { object: pod } = context
    const { nodeName = '' } = pod.spec ?? {}
    const node = nodeName === '' ? undefined : await context.get(Node, { name: nodeName })
    if (node?.status?.nodeInfo?.containerRuntimeVersion?.startsWith('simulated://') !== true || !isAtWork(node))
      return undefined
    return behaviourOf(pod, behaviours, (text) => context.event('Warning', 'BadAnnotation', text))
  }
  return controller(Pod)
    .named('kubelet')
    .cached({ indexes: { node: ({ spec }) => [spec?.nodeName ?? []].flat() } })
    .watches(Node, {
      // Pods do not change while their node is lost.
      map: (node, reads) => reads.lister(Pod).byIndex('node', node.metadata.name).map(keyOf),
      when: (old, node) => isAtWork(old) !== isAtWork(node),
    })
    .deleting(async (context) => {
      const behaviour = await behaviourHere(context)
      return behaviour === undefined ? undefined : stop(context, behaviour.stopTakesMs)
    })
    .only(({ spec }) => (spec?.nodeName ?? '') !== '')
    .options({ concurrency: 10, fieldManager: 'kubelet', reconcileOwnWrites: 'never' })
    .reconcile(async (context) => {
      const { object: pod } = context
      const behaviour = await behaviourHere(context)
      const name = pod.spec?.nodeName ?? ''
      if (behaviour === undefined || pod.status?.phase === 'Succeeded' || pod.status?.phase === 'Failed')
        return undefined
      const podIP =
        addresses.known(pod, name) ??
        addresses.next(
          pod,
          name,
          await context.list(Pod, { namespace: '', index: { index: 'node', value: name }, waitMs: 0 }),
        )
      const { status, afterMs } = nextStatus({ pod, behaviour, podIP, hostIP: nodeAddress(name), now: context.now() })
      context.status.set(status)
      podEvents(context, status)
      return afterMs === undefined ? undefined : requeueAfter(Math.max(1, afterMs))
    })
}

/**
 * A node that was marked as Unknown reports Ready before it reports the statuses of its pods: until then they count as
 * not ready.
 */
function isAtWork({ metadata, status }: Live<Node>): boolean {
  const ready = status?.conditions?.find(({ type }) => type === 'Ready')
  return metadata.annotations?.[lostAnnotation] === undefined && ready?.status !== 'Unknown'
}

/** Containers terminate, then the object is deleted. `deletionTimestamp` is the end of the grace period. */
async function stop(
  { object: pod, client, signal, now, event }: Context,
  stopTakesMs: number,
): Promise<ReconcileResult> {
  const { deletionTimestamp = '', deletionGracePeriodSeconds = 0 } = pod.metadata
  const askedAt = Date.parse(deletionTimestamp) - deletionGracePeriodSeconds * 1000
  const endsAt = Math.min(askedAt + stopTakesMs, Date.parse(deletionTimestamp))
  const running = pod.status?.containerStatuses?.filter(({ state }) => state?.running !== undefined) ?? []
  if (now() < endsAt && running.length > 0) {
    for (const { name } of running) event('Normal', 'Killing', `Stopping container ${name}`)
    return requeueAfter(endsAt - now())
  }
  try {
    await client.delete(Pod, keyOf(pod), { gracePeriodSeconds: 0, uid: pod.metadata.uid, signal })
  } catch (error) {
    if (!(error instanceof ApiError && error.code === 404)) throw error
  }
  return undefined
}
