/** Owner references. Only the controller reference, with its uid, makes an object ours. */
import type { ApiObject, Live, LiveObject } from '../api/live-object.ts'
import type { OwnerReference } from '../api/object.ts'
import type { Kind } from '../schema/kind.ts'

/** The reference that makes `owner` the controller of an object. */
export function controllerReference<T extends ApiObject>(kind: Kind<T>, owner: Live<T>): OwnerReference {
  const { name, uid } = owner.metadata
  return { apiVersion: kind.apiVersion, kind: kind.kind, name, uid, controller: true, blockOwnerDeletion: true }
}

/** The reference to the controller of an object, if it has one. */
export function controllerOf(object: LiveObject): Readonly<OwnerReference> | undefined {
  return object.metadata.ownerReferences?.find(({ controller }) => controller === true)
}

export function isControlledBy(object: LiveObject, owner: LiveObject): boolean {
  return controllerOf(object)?.uid === owner.metadata.uid
}

/** Whether a reference is to an object of this kind, in any version. */
export function refersTo(reference: Readonly<OwnerReference>, kind: Kind): boolean {
  const slash = reference.apiVersion.indexOf('/')
  const group = slash < 0 ? '' : reference.apiVersion.slice(0, slash)
  return reference.kind === kind.kind && group === kind.group
}
