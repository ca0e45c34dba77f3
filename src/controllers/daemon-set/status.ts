/** The status of a DaemonSet: how many nodes should have a pod, and how their pods are. */
import type { appsV1 } from '../../index.ts'
import { isAvailable, isReady, readySince } from '../shared/pod-state.ts'
import { inAgeOrder, isUpdated, podsByNode, type DaemonRun } from './daemon-pods.ts'
import { nodeFit } from './node-fit.ts'

export interface DaemonSetState {
  readonly status: { [Field in keyof appsV1.DaemonSetStatus]: appsV1.DaemonSetStatus[Field] | undefined }
  /** Until a ready pod becomes available; Infinity: there is none that waits. */
  readonly availableMs: number
}

export async function daemonSetState(run: DaemonRun): Promise<DaemonSetState> {
  const byNode = await podsByNode(run.context)
  const minReadySeconds = run.set.spec?.minReadySeconds ?? 0
  let desired = 0
  let current = 0
  let misscheduled = 0
  let ready = 0
  let available = 0
  let updated = 0
  let availableMs = Infinity
  for (const node of run.nodes) {
    const pods = byNode.get(node.metadata.name)
    if (!nodeFit(run.set, node).shouldRun) {
      if (pods !== undefined) misscheduled++
      continue
    }
    desired++
    if (pods === undefined) continue
    current++
    for (const pod of pods) {
      const left = (readySince(pod) ?? Infinity) + minReadySeconds * 1000 - run.now
      if (left > 0) availableMs = Math.min(availableMs, left)
    }
    const [oldest] = inAgeOrder(pods)
    if (oldest === undefined) continue
    if (isReady(oldest)) ready++
    if (isAvailable(oldest, minReadySeconds, run.now)) available++
    if (isUpdated(oldest, run)) updated++
  }
  return {
    status: {
      currentNumberScheduled: current,
      desiredNumberScheduled: desired,
      numberMisscheduled: misscheduled,
      numberReady: ready,
      // The API omits these if they are 0.
      updatedNumberScheduled: updated || undefined,
      numberAvailable: available || undefined,
      numberUnavailable: desired - available || undefined,
    },
    availableMs,
  }
}
