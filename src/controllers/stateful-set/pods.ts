/** The writes of pods: create with an identity, repair the identity, delete; with their events. */
import { ApiError, keyOf, Pod, StatefulSet, type coreV1, type Json, type Live } from '../../index.ts'
import { controllerReference } from '../../controller/index.ts'
import { podRevisionLabel } from '../shared/controller-revisions.ts'
import {
  createMissingClaims,
  existingClaims,
  haveRightOwners,
  messageOf,
  syncClaimOwners,
  usesItsClaims,
  volumesWithClaims,
  type SetContext,
} from './claims.ts'
import { hasIdentity, identityLabels, type LiveSet } from './identity.ts'
import { claimingPod, type Member } from './members.ts'
import type { Version } from './revisions.ts'

const fieldManager = 'kube-controller-manager'

/** Creates the claims of the pod first. */
export async function createPod(context: SetContext, member: Member, version: Version): Promise<void> {
  const { object: set, client, signal } = context
  const claims = await noting(context, 'Create', member, () => createMissingClaims(context, claimingPod(member)))
  let created: Live<Pod>
  try {
    created = await client.create(Pod, newPod(set, member, version), { signal, fieldManager })
  } catch (error) {
    if (!(error instanceof ApiError && error.reason === 'AlreadyExists')) note(context, 'Create', member, error)
    throw error
  }
  member.pod = created
  await noting(context, 'Update', member, () => syncClaimOwners(context, claims, claimingPod(member)))
  note(context, 'Create', member)
}

function newPod(set: LiveSet, { name, ordinal }: Member, { template, name: revision }: Version): Pod {
  const { namespace = '', name: owner } = set.metadata
  // Sent as it is and never modified.
  const { metadata, spec } = template() as coreV1.PodTemplateSpec
  const { labels, annotations, finalizers } = metadata ?? {}
  const volumes = volumesWithClaims(set, ordinal, spec?.volumes)
  return {
    metadata: {
      name,
      generateName: `${owner}-`,
      namespace,
      labels: { ...labels, ...identityLabels(set, ordinal), [podRevisionLabel]: revision },
      ...(annotations === undefined ? {} : { annotations }),
      ...(finalizers === undefined ? {} : { finalizers }),
      ownerReferences: [controllerReference(StatefulSet, set)],
    },
    spec: {
      ...(spec as coreV1.PodSpec),
      hostname: name,
      ...(set.spec?.serviceName === undefined ? {} : { subdomain: set.spec.serviceName }),
      ...(volumes === undefined ? {} : { volumes: [...volumes] }),
    },
  }
}

/** Creates claims that a pod waits for. */
export async function createClaimsOf(context: SetContext, member: Member): Promise<void> {
  const claims = await createMissingClaims(context, claimingPod(member))
  await noting(context, 'Update', member, () => syncClaimOwners(context, claims, claimingPod(member)))
}

/** Labels, volumes and claims as a pod of this ordinal has them; an adopted one may lack some. */
export async function repairPod(context: SetContext, member: Member): Promise<void> {
  const { object: set, client, signal } = context
  const { pod, ordinal } = member
  if (pod === undefined) return
  const claims = await existingClaims(context, ordinal)
  const isRight = {
    identity: hasIdentity(pod),
    volumes: usesItsClaims(set, ordinal, pod),
    owners: haveRightOwners(set, claims, claimingPod(member)),
  }
  if (isRight.identity && isRight.volumes && isRight.owners) return
  await noting(context, 'Update', member, async () => {
    if (!isRight.volumes) await createMissingClaims(context, claimingPod(member))
    if (!isRight.owners) await syncClaimOwners(context, claims, claimingPod(member))
    if (isRight.identity && isRight.volumes) return
    const { uid, resourceVersion } = pod.metadata
    const patch: Record<string, Json> = { metadata: { uid, resourceVersion, labels: identityLabels(set, ordinal) } }
    const volumes = volumesWithClaims(set, ordinal, pod.spec?.volumes as coreV1.Volume[] | undefined)
    if (!isRight.volumes) patch['spec'] = { volumes: volumes as unknown as Json }
    member.pod = await client.patch(Pod, keyOf(pod), { type: 'merge', patch }, { signal, fieldManager })
  })
  note(context, 'Update', member)
}

export async function deletePod(context: SetContext, member: Member): Promise<void> {
  const { pod } = member
  if (pod === undefined) return
  const isDeleted = await noting(context, 'Delete', member, () => context.delete(Pod, keyOf(pod)))
  member.isTerminating = true
  if (isDeleted) note(context, 'Delete', member)
}

type Verb = 'Create' | 'Update' | 'Delete'

/** Emits an event if `write` fails. */
async function noting<T>(context: SetContext, verb: Verb, member: Member, write: () => Promise<T>): Promise<T> {
  try {
    return await write()
  } catch (error) {
    note(context, verb, member, error)
    throw error
  }
}

function note({ object: set, event }: SetContext, verb: Verb, { name }: Member, error?: unknown): void {
  const what = `${verb} Pod ${name} in StatefulSet ${set.metadata.name}`
  if (error === undefined) event('Normal', `Successful${verb}`, `${what} successful`)
  else event('Warning', `Failed${verb}`, `${what} failed error: ${messageOf(error)}`)
}
