/** One reconcile of one Deployment: its state, and the writes that the steps share. */
import { keyOf, ReplicaSet, type Deployment, type Json, type Live, type ReconcileContext } from '../../index.ts'
import { sizeAnnotations } from './annotations.ts'

export type LiveSet = Live<ReplicaSet>
export type DeploymentContext = ReconcileContext<Deployment>

export function sizeOf({ spec }: LiveSet): number {
  return spec?.replicas ?? 1
}

export function sumOverSets(sets: readonly (LiveSet | undefined)[], count: (set: LiveSet) => number): number {
  return sets.reduce((sum, set) => sum + (set === undefined ? 0 : count(set)), 0)
}

export function byAge(sets: readonly LiveSet[]): LiveSet[] {
  return [...sets].sort(
    (a, b) =>
      compare(a.metadata.creationTimestamp ?? '', b.metadata.creationTimestamp ?? '') ||
      compare(a.metadata.name, b.metadata.name),
  )
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}

/** Scales a ReplicaSet and records the Deployment's size in it; emits an event if the size changes. */
export async function scaleReplicaSet(context: DeploymentContext, set: LiveSet, size: number): Promise<LiveSet> {
  const before = sizeOf(set)
  const annotations = sizeAnnotations(context.object)
  const same = Object.entries(annotations).every(([name, value]) => set.metadata.annotations?.[name] === value)
  if (before === size && same) return set
  const written = await patchReplicaSet(context, set, {
    metadata: { annotations },
    ...(before === size ? {} : { spec: { replicas: size } }),
  })
  if (before !== size)
    context.event(
      'Normal',
      'ScalingReplicaSet',
      `Scaled ${size > before ? 'up' : 'down'} replica set ${set.metadata.name} from ${before} to ${size}`,
    )
  return written
}

/** Fails with a conflict if the ReplicaSet has changed in the meantime. */
export function patchReplicaSet(
  { client, signal }: DeploymentContext,
  set: LiveSet,
  { metadata, ...rest }: { readonly metadata: Record<string, Json> } & Record<string, Json>,
): Promise<LiveSet> {
  const { uid, resourceVersion } = set.metadata
  const patch = { ...rest, metadata: { ...metadata, uid, resourceVersion } }
  return client.patch(
    ReplicaSet,
    keyOf(set),
    { type: 'merge', patch },
    { signal, fieldManager: 'kube-controller-manager' },
  )
}
