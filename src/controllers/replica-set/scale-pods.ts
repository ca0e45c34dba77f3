/** Steps 4 to 6: creates or deletes the difference between existing and desired pods. */
import { controllerOf, keyOf, Pod, type coreV1, type Live, type ReconcileContext } from '../../index.ts'
import { isNamespaceTerminating } from '../../api/index.ts'
import { controllerReference } from '../../controller/index.ts'
import { createPod } from '../shared/create-pod.ts'
import { inDeletionOrder } from '../shared/deletion-order.ts'
import { isActive } from '../shared/pod-state.ts'
import { slowStart } from '../shared/slow-start.ts'
import { selectorOf, type Replicated } from './replicated.ts'

/** The maximum of creates or deletes in one run. */
const maxBurstPods = 500

/** The error for the condition ReplicaFailure. */
export interface ScaleFailure {
  readonly reason: 'FailedCreate' | 'FailedDelete'
  readonly error: unknown
}

type Context = ReconcileContext<Replicated>

export interface Scaled {
  readonly created: readonly Live<Pod>[]
  readonly failure?: ScaleFailure | undefined
}

export async function scalePods(context: Context, active: readonly Live<Pod>[]): Promise<Scaled> {
  const missing = (context.object.spec?.replicas ?? 1) - active.length
  if (missing > 0) return createPods(context, Math.min(missing, maxBurstPods))
  return {
    created: [],
    failure: missing < 0 ? await deletePods(context, active, Math.min(-missing, maxBurstPods)) : undefined,
  }
}

async function createPods(context: Context, count: number): Promise<Scaled> {
  const pods = Array.from({ length: count }, () => newPod(context))
  const { results: created, errors } = await slowStart(pods, (pod) => createPod(context, pod))
  const [error] = errors
  if (error === undefined || isNamespaceTerminating(error)) return { created }
  return { created, failure: { reason: 'FailedCreate', error } }
}

function newPod({ object: set, kind }: Context): Pod {
  const { name, namespace } = set.metadata
  // Sent as it is and never modified.
  const { metadata, spec } = (set.spec?.template ?? {}) as coreV1.PodTemplateSpec
  const { labels, annotations, finalizers } = metadata ?? {}
  return {
    metadata: {
      generateName: `${name}-`,
      ...(namespace === undefined ? {} : { namespace }),
      ...(labels === undefined ? {} : { labels }),
      ...(annotations === undefined ? {} : { annotations }),
      ...(finalizers === undefined ? {} : { finalizers }),
      ownerReferences: [controllerReference(kind, set)],
    },
    ...(spec === undefined ? {} : { spec }),
  }
}

async function deletePods(
  context: Context,
  active: readonly Live<Pod>[],
  count: number,
): Promise<ScaleFailure | undefined> {
  const victims = inDeletionOrder(active, await related(context, active), context.now()).slice(0, count)
  const results = await Promise.allSettled(
    victims.map(async (pod) => {
      if (await context.delete(Pod, keyOf(pod)))
        context.event('Normal', 'SuccessfulDelete', `Deleted pod: ${pod.metadata.name}`)
    }),
  )
  const failed = results.find((result) => result.status === 'rejected')
  return failed === undefined ? undefined : { reason: 'FailedDelete', error: failed.reason }
}

/** Pods of ReplicaSets with the same owner, such as the old and the new one of a Deployment: they compete for nodes. */
async function related({ object: set, kind, list }: Context, own: readonly Live<Pod>[]): Promise<readonly Live<Pod>[]> {
  const owner = controllerOf(set)
  if (owner === undefined) return own
  const hash = 'pod-template-hash'
  const labels = Object.entries(selectorOf(kind, set)?.matchLabels ?? {}).filter(([name]) => name !== hash)
  return (await list(Pod)).filter(
    (pod) => isActive(pod) && labels.every(([name, value]) => pod.metadata.labels?.[name] === value),
  )
}
