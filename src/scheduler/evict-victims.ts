/** Carries out a preemption: marks and deletes the victims, and clears the nomination of pods of lower priority. */
import { ApiError, CoreEvent, keyOf, Pod, type Client, type Live, type ReconcileContext } from '../index.ts'
import { timestamp } from '../env/index.ts'
import { priorityOf } from './pending.ts'
import type { Candidate } from './preemption.ts'

export async function evictVictims(
  context: ReconcileContext<Pod>,
  { node, victims }: Candidate,
  pending: readonly Live<Pod>[],
): Promise<void> {
  const { object: pod, client, signal } = context
  for (const victim of victims) {
    await unlessGone(
      client.patch(
        Pod,
        keyOf(victim),
        {
          type: 'strategic',
          patch: { metadata: { uid: victim.metadata.uid }, status: { conditions: [target(context)] } },
        },
        { subresource: 'status', signal },
      ),
    )
    await unlessGone(client.delete(Pod, keyOf(victim), { uid: victim.metadata.uid, signal }))
    await recordPreempted(client, context, victim, node)
  }
  for (const other of pending) {
    if (other.status?.nominatedNodeName !== node || priorityOf(other) >= priorityOf(pod)) continue
    const patch = { metadata: { uid: other.metadata.uid }, status: { nominatedNodeName: null } }
    await unlessGone(client.patch(Pod, keyOf(other), { type: 'merge', patch }, { subresource: 'status', signal }))
  }
}

function target({ object: pod, now }: ReconcileContext<Pod>) {
  const message = `${pod.spec?.schedulerName ?? 'default-scheduler'}: preempting to accommodate a higher priority pod`
  return {
    type: 'DisruptionTarget',
    status: 'True',
    reason: 'PreemptionByScheduler',
    message,
    lastTransitionTime: timestamp(now()),
  }
}

async function unlessGone(call: Promise<unknown>): Promise<void> {
  try {
    await call
  } catch (error) {
    if (!(error instanceof ApiError && (error.code === 404 || error.reason === 'Conflict'))) throw error
  }
}

/** An event about the victim, not about the pod that is scheduled. */
async function recordPreempted(
  client: Client,
  { object: pod, now, signal }: ReconcileContext<Pod>,
  victim: Live<Pod>,
  node: string,
): Promise<void> {
  const { name, namespace = '', uid, resourceVersion } = victim.metadata
  const time = timestamp(now())
  const source = { component: 'default-scheduler' }
  await client
    .create(
      CoreEvent,
      {
        metadata: { name: `${name}.${pod.metadata.uid}`, namespace },
        involvedObject: { apiVersion: 'v1', kind: 'Pod', name, namespace, uid, resourceVersion },
        type: 'Normal',
        reason: 'Preempted',
        action: 'Preempting',
        message: `Preempted by pod ${pod.metadata.uid} on node ${node}`,
        count: 1,
        firstTimestamp: time,
        lastTimestamp: time,
        source,
        reportingComponent: source.component,
        reportingInstance: source.component,
      },
      { signal },
    )
    .catch(() => undefined)
}
