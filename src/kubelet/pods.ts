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
import { podNodeIndex, podsByNode } from '../scheduler/index.ts'
import { PodAddresses } from './addresses.ts'
import { behaviourOf, type BehaviourRule } from './behaviour.ts'
import type { BehaviourOf } from './init-containers.ts'
import { lostAnnotation, nodeAddress } from './nodes.ts'
import { msToStop, stoppedStatus } from './pod-end.ts'
import { podEvents } from './pod-events.ts'
import { nextStatus } from './pod-status.ts'
import { PodStops } from './pod-stops.ts'

export interface KubeletOptions {
  /** The first matching rule applies. Default: pods start, become ready and run; those of Jobs succeed after 1 s. */
  readonly behaviours?: readonly BehaviourRule[] | undefined
}

type Context = ReconcileContext<Pod>

export function kubelets({ behaviours = [] }: KubeletOptions = {}): ControllerDefinition<Pod> {
  const addresses = new PodAddresses()
  const stops = new PodStops()
  /** The behaviour of the pod's containers; undefined if it is not on a simulated node, or on a lost one. */
  const behaviourHere = async (context: Context): Promise<BehaviourOf | undefined> => {
    const { object: pod } = context
    const { nodeName = '' } = pod.spec ?? {}
    const node = nodeName === '' ? undefined : await context.get(Node, { name: nodeName })
    if (node?.status?.nodeInfo?.containerRuntimeVersion?.startsWith('simulated://') !== true || !isAtWork(node))
      return undefined
    const problem = (text: string): void => context.event('Warning', 'BadAnnotation', text)
    return (name, role) => behaviourOf(pod, { name, role }, behaviours, problem)
  }
  return controller(Pod)
    .named('kubelet')
    .cached(podNodeIndex)
    .watches(Node, {
      // Pods do not change while their node is lost.
      map: (node, reads) => reads.lister(Pod).byIndex(podsByNode, node.metadata.name).map(keyOf),
      when: (old, node) => isAtWork(old) !== isAtWork(node),
    })
    .deleting(async (context) => {
      const ofContainer = await behaviourHere(context)
      return ofContainer === undefined ? undefined : stop(context, stops, msToStop(context.object, ofContainer))
    })
    .gone((key) => stops.forget(key))
    .only(({ spec }) => (spec?.nodeName ?? '') !== '')
    .options({ concurrency: 10, fieldManager: 'kubelet', reconcileOwnWrites: 'never' })
    .reconcile(async (context) => {
      const { object: pod } = context
      const ofContainer = await behaviourHere(context)
      const name = pod.spec?.nodeName ?? ''
      if (ofContainer === undefined || isOver(pod)) return undefined
      const podIP =
        addresses.known(pod, name) ??
        addresses.next(
          pod,
          name,
          await context.list(Pod, { namespace: '', index: { index: podsByNode, value: name }, waitMs: 0 }),
        )
      const { status, afterMs } = nextStatus({
        pod,
        behaviourOf: ofContainer,
        podIP,
        hostIP: nodeAddress(name),
        now: context.now(),
      })
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

function isOver({ status }: Live<Pod>): boolean {
  return status?.phase === 'Succeeded' || status?.phase === 'Failed'
}

/**
 * Containers terminate, then the object is deleted. A pod that finalizers keep, as those of Jobs, gets a last status
 * first: its controller counts it by its phase.
 */
async function stop(context: Context, stops: PodStops, stopTakesMs: number): Promise<ReconcileResult> {
  const { object: pod, client, signal, now, event, status } = context
  const { deletionGracePeriodSeconds = 0, finalizers = [] } = pod.metadata
  const graceMs = deletionGracePeriodSeconds * 1000
  const endsAt = stops.begunAt(pod, now()) + Math.min(stopTakesMs, graceMs)
  const running = pod.status?.containerStatuses?.filter(({ state }) => state?.running !== undefined) ?? []
  if (now() < endsAt && running.length > 0) {
    for (const { name } of running) event('Normal', 'Killing', `Stopping container ${name}`)
    return requeueAfter(endsAt - now())
  }
  if (finalizers.length > 0 && !isOver(pod)) {
    status.set(stoppedStatus(pod, { isKilled: stopTakesMs >= graceMs }, now()))
    return requeueAfter(1)
  }
  try {
    await client.delete(Pod, keyOf(pod), { gracePeriodSeconds: 0, uid: pod.metadata.uid, signal })
  } catch (error) {
    if (!(error instanceof ApiError && error.code === 404)) throw error
  }
  return undefined
}
