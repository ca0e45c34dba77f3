/** How many pods a budget expects, and how many of them must be healthy. */
import {
  ApiError,
  controllerOf,
  Deployment,
  ReplicaSet,
  StatefulSet,
  type KubeObject,
  type Kind,
  type Live,
  type OwnerReference,
  type Pod,
  type PodDisruptionBudget,
  type ReconcileContext,
} from '../../index.ts'
import { RestMapper } from '../../client/index.ts'

export interface Expectation {
  readonly expectedPods: number
  readonly desiredHealthy: number
  /** Pods without a controller, if the expected number depends on controllers. */
  readonly unmanaged: readonly string[]
}

type Context = ReconcileContext<PodDisruptionBudget>

export async function expectationOf(context: Context, pods: readonly Live<Pod>[]): Promise<Expectation> {
  const { maxUnavailable, minAvailable = 0 } = context.object.spec ?? {}
  if (maxUnavailable === undefined && typeof minAvailable === 'number')
    return { expectedPods: pods.length, desiredHealthy: minAvailable, unmanaged: [] }
  const { scale: expectedPods, unmanaged } = await scaleOf(context, pods)
  const desiredHealthy =
    maxUnavailable === undefined
      ? share(minAvailable, expectedPods)
      : Math.max(0, expectedPods - share(maxUnavailable, expectedPods))
  return { expectedPods, desiredHealthy, unmanaged }
}

/** A number, or a percentage, which is rounded up. */
function share(value: number | string, of: number): number {
  return typeof value === 'number' ? value : Math.ceil((Number.parseInt(value, 10) * of) / 100)
}

/** The total scale of the controllers of the pods. */
async function scaleOf(
  context: Context,
  pods: readonly Live<Pod>[],
): Promise<{ readonly scale: number; readonly unmanaged: readonly string[] }> {
  const scales = new Map<string, number>()
  const looked = new Set<string>()
  const unmanaged: string[] = []
  for (const pod of pods) {
    const reference = controllerOf(pod)
    if (reference === undefined) unmanaged.push(pod.metadata.name)
    if (reference === undefined || looked.has(reference.uid)) continue
    looked.add(reference.uid)
    const found = await scaledBy(context, reference)
    if (found === undefined) throw new Error(`found no controllers for pod "${pod.metadata.name}"`)
    scales.set(found.uid, found.replicas)
  }
  return { scale: [...scales.values()].reduce((sum, replicas) => sum + replicas, 0), unmanaged }
}

interface Scaled {
  readonly uid: string
  readonly replicas: number
}

/** For a ReplicaSet of a Deployment, the scale of the Deployment: a rollout has two ReplicaSets. */
async function scaledBy(context: Context, reference: Readonly<OwnerReference>): Promise<Scaled | undefined> {
  if (isOf(reference, StatefulSet)) return replicasOf(await context.get(StatefulSet, reference.name), reference)
  if (!isOf(reference, ReplicaSet)) return byScale(context, reference)
  const set = await context.get(ReplicaSet, reference.name)
  const own = replicasOf(set, reference)
  const above = set === undefined ? undefined : controllerOf(set)
  if (own === undefined || above === undefined || !isOf(above, Deployment)) return own
  return replicasOf(await context.get(Deployment, above.name), above) ?? own
}

function isOf({ apiVersion, kind }: Readonly<OwnerReference>, of: Kind): boolean {
  return kind === of.kind && apiVersion.slice(0, apiVersion.indexOf('/') + 1) === `${of.group}/`
}

function replicasOf(
  object: { readonly metadata: { readonly uid: string }; readonly spec?: { readonly replicas?: number } } | undefined,
  { uid }: Readonly<OwnerReference>,
): Scaled | undefined {
  return object?.metadata.uid === uid ? { uid, replicas: object.spec?.replicas ?? 1 } : undefined
}

/** Other kinds have a scale subresource, including custom resources. */
async function byScale(
  { client, object, signal }: Context,
  { apiVersion, kind, name, uid }: Readonly<OwnerReference>,
): Promise<Scaled | undefined> {
  const found = await new RestMapper(client).kindOfObject({ apiVersion, kind })
  try {
    const scale = (await client.get(
      found,
      { namespace: object.metadata.namespace, name },
      { subresource: 'scale', signal },
    )) as KubeObject
    const { replicas = 0 } = (scale.spec ?? {}) as { replicas?: number }
    return scale.metadata.uid === uid ? { uid, replicas } : undefined
  } catch (error) {
    if (error instanceof ApiError && error.code === 404) return undefined
    throw error
  }
}
