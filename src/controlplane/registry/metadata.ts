/** The metadata rules of all resources: what clients may not set, what the server sets, and the order of the fields. */
import { fieldError } from '../../api/field-error.ts'
import { ascendingKeys } from '../../api/json.ts'
import { generatedName } from '../../api/names.ts'
import type { KubeObject, ObjectMeta, OwnerReference } from '../../api/object.ts'
import { apiError } from '../../api/status.ts'
import { timestamp, type Env } from '../../env/env.ts'
import { orderedMetadata } from '../../shape/ordered-metadata.ts'
import type { RegistryCall } from './call.ts'
import type { Resource } from '../contract/resource.ts'

/** A shallow copy of the object with the resourceVersion of `revision`, as it is stored. */
export function withResourceVersion(object: KubeObject, revision: number): KubeObject {
  return setResourceVersion({ ...object }, revision)
}

/** Same, in place: the caller must own the object. */
export function setResourceVersion(object: KubeObject, revision: number): KubeObject {
  object.metadata = orderedMetadata(object.metadata, String(revision))
  return object
}

/** For delete events: the last state of the object, with the revision of the delete. */
export function withStoredResourceVersion(object: KubeObject, revision: number): KubeObject {
  return { ...object, metadata: { ...object.metadata, resourceVersion: String(revision) } }
}

const systemFields = ['uid', 'creationTimestamp', 'deletionTimestamp', 'deletionGracePeriodSeconds', 'selfLink']

export function wipeSystemFields(metadata: ObjectMeta): void {
  // `delete` of a missing property is as slow as of an existing one.
  const fields = metadata as Record<string, unknown>
  for (const field of systemFields) if (fields[field] !== undefined) delete fields[field]
}

export function fillSystemFields(metadata: ObjectMeta, env: Env): void {
  metadata.uid = env.uuid()
  metadata.creationTimestamp = timestamp(env.now())
}

export function fillGeneratedName(metadata: ObjectMeta, env: Env): boolean {
  if ((metadata.name ?? '') !== '' || (metadata.generateName ?? '') === '') return false
  metadata.name = generatedName(metadata.generateName as string, () => env.random())
  return true
}

/** Sets the namespace of the request on the object; throws 400 if it has another one. */
export function matchNamespace(metadata: ObjectMeta, resource: Resource, namespace: string): void {
  const expected = resource.namespaced ? namespace : ''
  const given = metadata.namespace ?? ''
  if (given === expected) return
  if (expected === '') {
    delete metadata.namespace
  } else if (given === '') {
    metadata.namespace = expected
  } else {
    throw apiError.badRequest('the namespace of the provided object does not match the namespace sent on the request')
  }
}

/** The object of a PUT or patch must have the name in the URL. */
export function matchName(metadata: ObjectMeta, name: string): void {
  const given = metadata.name ?? ''
  if (given === '')
    throw apiError.badRequest(`the name of the object (${name} based on URL) was undeterminable: name must be provided`)
  if (given !== name) {
    throw apiError.badRequest(`the name of the object (${given}) does not match the name on the URL (${name})`)
  }
}

/** Drops identical owner references and warns about their uids. */
export function dedupOwners(call: RegistryCall, metadata: ObjectMeta, afterAdmission: boolean): void {
  const owners = metadata.ownerReferences
  if (owners === undefined || owners.length < 2) return
  const kept: OwnerReference[] = []
  const known = new Set<string>()
  const repeated = new Set<string>()
  for (const owner of owners) {
    // References have no nested objects, so their sorted fields identify them.
    const identity = JSON.stringify(owner, ascendingKeys(owner))
    if (known.has(identity)) {
      repeated.add(owner.uid)
      continue
    }
    known.add(identity)
    kept.push(owner)
  }
  if (repeated.size === 0) return
  metadata.ownerReferences = kept
  const when = afterAdmission ? ' after mutating admission happens' : ''
  call.warnings.add(
    `.metadata.ownerReferences contains duplicate entries${when}; API server dedups owner references in 1.20+, ` +
      ('and may reject such requests as early as 1.24; please fix your requests; duplicate UID(s) observed: ' +
        [...repeated].join(', ')),
  )
}

/** Silently restores fields that no update may change. */
export function restoreSystemFields(metadata: ObjectMeta, old: ObjectMeta): void {
  const fields = metadata as { selfLink?: string }
  if (fields.selfLink !== undefined) delete fields.selfLink
  if ((metadata.uid ?? '') === '' && old.uid !== undefined) metadata.uid = old.uid
  if (old.creationTimestamp !== undefined) metadata.creationTimestamp = old.creationTimestamp
  if (old.deletionTimestamp !== undefined) metadata.deletionTimestamp = old.deletionTimestamp
  if (old.deletionGracePeriodSeconds !== undefined && metadata.deletionGracePeriodSeconds === undefined) {
    metadata.deletionGracePeriodSeconds = old.deletionGracePeriodSeconds
  }
}

/** The error for a missing resourceVersion. Upstream puts the resource where the kind belongs. */
export function resourceVersionRequired(resource: Resource, name: string) {
  return apiError.invalid(resource.group, resource.plural, name, [
    fieldError.invalid('metadata.resourceVersion', 0, 'must be specified for an update'),
  ])
}
