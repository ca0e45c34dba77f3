/** Steps 4 to 6: creates or deletes the difference between existing and desired pods. */
import { ApiError, controllerOf, keyOf, Pod, type coreV1, type Live, type ReconcileContext } from '../../index.ts'
import { controllerReference } from '../../controller/index.ts'
import { inDeletionOrder } from '../shared/deletion-order.ts'
import { isActive } from '../shared/pod-state.ts'
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

/** Slow start: one, then two, four, eight, so that a full quota does not refuse five hundred creates. */
async function createPods(context: Context, count: number): Promise<Scaled> {
  const created: Live<Pod>[] = []
  for (let done = 0, batch = 1; done < count; batch *= 2) {
    const size = Math.min(batch, count - done)
    const results = await Promise.allSettled(Array.from({ length: size }, () => createPod(context)))
    for (const result of results) if (result.status === 'fulfilled') created.push(result.value)
    const failed = results.find((result) => result.status === 'rejected')
    if (failed !== undefined)
      return {
        created,
        failure: isEnding(failed.reason) ? undefined : { reason: 'FailedCreate', error: failed.reason },
      }
    done += size
  }
  return { created }
}

async function createPod({ object: set, kind, client, signal, event }: Context): Promise<Live<Pod>> {
  const { name, namespace } = set.metadata
  // Sent as it is and never modified.
  const { metadata, spec } = (set.spec?.template ?? {}) as coreV1.PodTemplateSpec
  const { labels, annotations, finalizers } = metadata ?? {}
  const pod: Pod = {
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
  try {
    const created = await client.create(Pod, pod, { signal, fieldManager: 'kube-controller-manager' })
    event('Normal', 'SuccessfulCreate', `Created pod: ${created.metadata.name}`)
    return created
  } catch (error) {
    if (!isEnding(error))
      event('Warning', 'FailedCreate', `Error creating: ${error instanceof Error ? error.message : String(error)}`)
    throw error
  }
}

/** The namespace is being deleted: nothing can or needs to be created in it. */
function isEnding(error: unknown): boolean {
  return (
    error instanceof ApiError &&
    error.status.details?.causes?.some(({ reason }) => reason === 'NamespaceTerminating') === true
  )
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
