/**
 * Ownership through the scale subresource. A Scale has entries of its own, which speak of `spec.replicas` of
 * the Scale; they are made from the parent's before the write, and what the write made of them goes back to
 * the parent.
 */
import type { ManagedFieldsEntry } from '../../api/object.ts'
import { difference, has, isEmpty, setOfFields, type FieldSet } from './field-set.ts'
import { changedOwner, newOwner, readOwners, Owners, writeOwners, type Owner } from './owners.ts'

/**
 * Where the replicas are in each version of the parent: `{'apps/v1': ['spec', 'replicas']}`; empty where it has no
 * scale.
 */
export type ReplicasPaths = Readonly<Record<string, readonly string[]>>

const scaleApiVersion = 'autoscaling/v1'
const replicasInScale: FieldSet = setOfFields([['spec', 'replicas']])
const replicasPath = ['f:spec', 'f:replicas']

/**
 * The managedFields of the Scale of an object with these entries. Entries of versions without a path are left
 * out.
 */
export function scaleEntries(
  parent: readonly ManagedFieldsEntry[] | undefined,
  paths: ReplicasPaths,
): ManagedFieldsEntry[] | undefined {
  const owners = new Owners()
  for (const owner of readOwners(parent).all) {
    const path = pathIn(paths, owner.apiVersion)
    if (path === undefined || path.length === 0 || !has(owner.fields, elements(path))) continue
    const { manager, operation, subresource, time } = owner
    const inScale = newOwner(manager, operation, scaleApiVersion, subresource, replicasInScale, time)
    owners.set(inScale)
  }
  return writeOwners(owners)
}

/**
 * The parent's managedFields after a write to its Scale that left `scale` as the Scale's entries.
 * New owners speak of the parent in `apiVersion`, and have no time: upstream does not carry it over.
 */
export function parentEntries(
  parent: readonly ManagedFieldsEntry[] | undefined,
  scale: readonly ManagedFieldsEntry[] | undefined,
  apiVersion: string,
  paths: ReplicasPaths,
): ManagedFieldsEntry[] | undefined {
  const before = readOwners(parent)
  const after = readOwners(scale)
  // By the ids that they have in the Scale.
  const owners = new Map<string, Owner>()
  for (const owner of before.all) {
    const path = pathIn(paths, owner.apiVersion)
    if (path === undefined) continue
    if (path.length === 0 || !has(owner.fields, elements(path))) {
      owners.set(owner.id, owner)
    } else if (after.get(owner.id) !== undefined) {
      owners.set(owner.id, owner)
      after.delete(owner.id)
    } else {
      const left = difference(owner.fields, setOfFields([path]))
      if (!isEmpty(left)) owners.set(owner.id, changedOwner(owner, left, owner.time))
    }
  }
  const path = pathIn(paths, apiVersion)
  // An updater is another one in another version, so that the parent's own comes back beside itself, without a time.
  for (const { id, manager, operation, subresource, fields } of after.all) {
    if (path === undefined || !has(fields, replicasPath)) continue
    owners.set(
      id,
      newOwner(manager, operation, apiVersion, subresource, setOfFields([path]), before.get(id)?.time ?? ''),
    )
  }
  return writeOwners(new Owners([...owners.values()]))
}

function pathIn(paths: ReplicasPaths, apiVersion: string): readonly string[] | undefined {
  return Object.hasOwn(paths, apiVersion) ? paths[apiVersion] : undefined
}

function elements(path: readonly string[]): string[] {
  return path.map((name) => `f:${name}`)
}
