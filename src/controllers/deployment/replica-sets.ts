/** The ReplicaSets of a Deployment: finds the one with its template, or creates it. */
import { ApiError, Deployment, isControlledBy, keyOf, ReplicaSet, RetryableError, type Live } from '../../index.ts'
import { controllerReference } from '../../controller/index.ts'
import { templateHash } from '../shared/revision-hash.ts'
import {
  inheritedAnnotations,
  revisionAnnotation,
  revisionAnnotations,
  revisionOf,
  sizeAnnotations,
} from './annotations.ts'
import { isRolling, rolloutBounds, desiredReplicas } from './bounds.ts'
import { noteProgress, progressCondition, progressing } from './progress.ts'
import { byAge, patchReplicaSet, sizeOf, sumOverSets, type DeploymentContext, type LiveSet } from './rollout.ts'
import { hashLabel, hasTemplate } from './template-hash.ts'

export interface ReplicaSets {
  /** The ReplicaSet with the Deployment's template. */
  readonly current: LiveSet | undefined
  readonly old: readonly LiveSet[]
}

/** The oldest of several ReplicaSets with the template, which upgrades can leave behind. */
export function splitByTemplate(deployment: Live<Deployment>, sets: readonly LiveSet[]): ReplicaSets {
  const current = byAge(sets).find((set) => hasTemplate(set, deployment))
  return { current, old: sets.filter((set) => set !== current) }
}

/** Updates revision and annotations of the new ReplicaSet, and the revision of the Deployment. */
export async function syncRevision(context: DeploymentContext, { current, old }: ReplicaSets): Promise<ReplicaSets> {
  if (current === undefined) return { current, old }
  const { object: deployment } = context
  const annotations = { ...inheritedAnnotations(deployment), ...revisionAnnotations(current, nextRevision(old)) }
  const minReadySeconds = deployment.spec?.minReadySeconds ?? 0
  const same = Object.entries(annotations).every(([name, value]) => current.metadata.annotations?.[name] === value)
  const updated =
    same && (current.spec?.minReadySeconds ?? 0) === minReadySeconds
      ? current
      : await patchReplicaSet(context, current, { metadata: { annotations }, spec: { minReadySeconds } })
  if (progressCondition(deployment) === undefined)
    noteProgress(context, progressing('True', 'FoundNewReplicaSet', `Found new replica set "${updated.metadata.name}"`))
  await noteRevision(context, updated, old)
  return { current: updated, old }
}

function nextRevision(old: readonly LiveSet[]): bigint {
  const highest = old.map(revisionOf).reduce((max, revision) => (revision > max ? revision : max), 0n)
  return BigInt.asIntN(64, highest + 1n)
}

/** Written with the status: a separate annotation update would increase the generation. */
async function noteRevision(
  { object: deployment, patch, status }: DeploymentContext,
  set: LiveSet,
  old: readonly LiveSet[],
): Promise<void> {
  const revision = set.metadata.annotations?.[revisionAnnotation]
  if (revision === undefined || deployment.metadata.annotations?.[revisionAnnotation] === revision) return
  const annotations = { [revisionAnnotation]: revision }
  // Written before old ReplicaSets are scaled; without old ones, only the status write is left.
  if (old.length > 0) await patch({ metadata: { annotations } }, { subresource: 'status' })
  else status.annotate(annotations)
}

/** The size that the new ReplicaSet may have now: within the surge, and at most the desired size. */
export function newReplicaSetSize(deployment: Live<Deployment>, { current, old }: ReplicaSets): number {
  const wanted = desiredReplicas(deployment)
  if (!isRolling(deployment)) return wanted
  const size = current === undefined ? 0 : sizeOf(current)
  const room = wanted + rolloutBounds(deployment).maxSurge - sumOverSets([current, ...old], sizeOf)
  return room <= 0 ? size : size + Math.min(room, wanted - size)
}

export async function createNewReplicaSet(context: DeploymentContext, sets: ReplicaSets): Promise<LiveSet> {
  const { object: deployment, client, signal, status } = context
  // Sent as it is and never modified.
  const { spec } = deployment as Deployment
  if (spec === undefined) throw new RetryableError('the Deployment has no spec')
  const hash = templateHash(spec.template, status.current.collisionCount)
  const labels = { ...spec.template.metadata?.labels, [hashLabel]: hash }
  const replicas = newReplicaSetSize(deployment, sets)
  const set: ReplicaSet = {
    metadata: {
      name: `${deployment.metadata.name}-${hash}`,
      ...(deployment.metadata.namespace === undefined ? {} : { namespace: deployment.metadata.namespace }),
      labels,
      annotations: {
        ...inheritedAnnotations(deployment),
        ...sizeAnnotations(deployment),
        ...revisionAnnotations(undefined, nextRevision(sets.old)),
      },
      ownerReferences: [controllerReference(Deployment, deployment)],
    },
    spec: {
      replicas,
      minReadySeconds: spec.minReadySeconds ?? 0,
      selector: { ...spec.selector, matchLabels: { ...spec.selector.matchLabels, [hashLabel]: hash } },
      template: { ...spec.template, metadata: { ...spec.template.metadata, labels } },
    },
  }
  const created = await createOrFind(set)
  if (created.isNew)
    noteProgress(
      context,
      progressing('True', 'NewReplicaSetCreated', `Created new replica set "${created.set.metadata.name}"`),
    )
  await noteRevision(context, created.set, sets.old)
  if (created.isNew && replicas > 0)
    context.event(
      'Normal',
      'ScalingReplicaSet',
      `Scaled up replica set ${set.metadata.name ?? ''} from 0 to ${replicas}`,
    )
  return created.set

  async function createOrFind(wanted: ReplicaSet): Promise<{ readonly set: LiveSet; readonly isNew: boolean }> {
    try {
      return {
        set: await client.create(ReplicaSet, wanted, { signal, fieldManager: 'kube-controller-manager' }),
        isNew: true,
      }
    } catch (error) {
      if (!(error instanceof ApiError && error.reason === 'AlreadyExists')) throw error
      const found = await client.get(ReplicaSet, keyOf(wanted), { signal })
      if (isControlledBy(found, deployment) && hasTemplate(found, deployment)) return { set: found, isNew: false }
      status.set({ collisionCount: (status.current.collisionCount ?? 0) + 1 })
      throw new RetryableError(
        `the name ${wanted.metadata.name ?? ''} is taken by another ReplicaSet; trying another hash`,
      )
    }
  }
}
