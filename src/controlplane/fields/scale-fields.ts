/**
 * Field ownership through the scale subresource. A Scale has its own managedFields, about its `spec.replicas`. They are
 * derived from those of the parent before the write, and written back to the parent after it.
 */
import type { ManagedFieldsEntry } from '../../api/object.ts'
import { difference, has, isEmpty, setOfFields, type FieldSet } from './field-set.ts'
import { changedOwner, newOwner, readOwners, Owners, writeOwners, type Owner } from './owners.ts'

/**
 * The path of the replicas in each version of the parent: `{'apps/v1': ['spec', 'replicas']}`; empty if it has no
 * scale.
 */
export type ReplicasPaths = Readonly<Record<string, readonly string[]>>

const scaleApiVersion = 'autoscaling/v1'
const replicasInScale: FieldSet = setOfFields([['spec', 'replicas']])
const replicasPath = ['f:spec', 'f:replicas']

/** The managedFields of the Scale of an object with these entries. Entries of versions without a path are left out. */
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
 * The managedFields of the parent after a write that left `scale` as the entries of the Scale. New owners get paths of
 * the parent in `apiVersion` and no time, since upstream does not copy it.
 */
export function parentEntries(
  parent: readonly ManagedFieldsEntry[] | undefined,
  scale: readonly ManagedFieldsEntry[] | undefined,
  apiVersion: string,
  paths: ReplicasPaths,
): ManagedFieldsEntry[] | undefined {
  const before = readOwners(parent)
  const after = readOwners(scale)
  // By their ids in the Scale.
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
  // An update through another version is another owner, so the parent's owner is duplicated without a time.
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
