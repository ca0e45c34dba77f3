/** Removes fields that an applier set last time and leaves out now. */
import type { KubeObject } from '../../api/object.ts'
import type { Shape } from '../../shape/shape.ts'
import { configurationFieldsLeft, configurationFields } from './configuration-fields.ts'
import type { TrackContext, VersionedObject } from './context.ts'
import { difference, emptySet, intersection, isEmpty, union, type FieldSet } from './field-set.ts'
import type { Owner, Owners } from './owners.ts'
import { removeFields } from './remove.ts'
import { withNamedFields } from './schema-change.ts'
import { converted, inVersion } from './object-version.ts'

/** The prefix of messages about failed conversions. */
const task = 'failed to prune fields: '

/**
 * The merged object without the fields that `last` (the applier before this apply) owned and nobody owns now; `owners`
 * already has the new fields of the applier. A removed item is removed with all its fields, including those that others
 * changed or that were defaulted. An item that another manager owns, too, stays and only loses fields.
 */
export function prune(merged: KubeObject, last: Owner | undefined, owners: Owners, context: TrackContext): KubeObject {
  if (last === undefined || isEmpty(last.fields)) return merged
  const version = inVersion(
    merged,
    last.apiVersion,
    context,
    `${task}failed to convert merged object to last applied version: `,
  )
  if (version === undefined) return merged
  const { shape } = version
  const whole = version.object
  const lastFields = withNamedFields(last.fields, shape)
  let pruned = remove(shape, whole, lastFields)
  pruned = keepOwned(version, pruned, last.apiVersion, owners, context)
  const gone = difference(namedFieldsOf(shape, whole), namedFieldsLeft(shape, pruned))
  const result = remove(shape, whole, intersection(gone, lastFields))
  if (last.apiVersion === context.apiVersion) return result
  return converted(result, context.apiVersion, context, task)?.object ?? result
}

/** Puts back pruned fields that have an owner: first those owned through the pruned version, then the others. */
function keepOwned(
  whole: VersionedObject,
  pruned: KubeObject,
  apiVersion: string,
  owners: Owners,
  context: TrackContext,
): KubeObject {
  const owned = new Map<string, FieldSet>([[apiVersion, emptySet]])
  for (const owner of owners.all) {
    owned.set(owner.apiVersion, union(owned.get(owner.apiVersion) ?? emptySet, owner.fields))
  }
  let kept = pruned
  for (const [version, fields] of owned) {
    if (version === apiVersion) {
      kept = keepFields(whole.shape, whole.object, kept, fields)
      continue
    }
    const adding = `${task}failed add back owned items: failed to convert`
    const versionWhole = convertFrom(
      whole.object,
      apiVersion,
      version,
      context,
      `${adding} merged object at version ${version}: `,
    )
    const versionKept = convertFrom(
      kept,
      apiVersion,
      version,
      context,
      `${adding} pruned object at version ${version}: `,
    )
    if (versionWhole === undefined || versionKept === undefined) continue
    const result = keepFields(versionWhole.shape, versionWhole.object, versionKept.object, fields)
    kept = convertFrom(result, version, apiVersion, context)?.object ?? kept
  }
  return kept
}

function keepFields(shape: Shape, whole: KubeObject, pruned: KubeObject, owned: FieldSet): KubeObject {
  const stays = union(namedFieldsLeft(shape, pruned), withNamedFields(owned, shape))
  return remove(shape, whole, difference(namedFieldsOf(shape, whole), stays))
}

function convertFrom(
  object: KubeObject,
  from: string,
  to: string,
  context: TrackContext,
  work = task,
): VersionedObject | undefined {
  return inVersion(from === context.apiVersion ? object : backFrom(object, from, context), to, context, work)
}

/** The object converted back to the version of the request. */
function backFrom(object: KubeObject, from: string, context: TrackContext): KubeObject {
  if (from === context.apiVersion) return object
  const adding = `${task}failed add back dangling items: failed to convert pruned object to last applied version: `
  return converted(object, context.apiVersion, context, adding)?.object ?? object
}

function remove(shape: Shape, object: KubeObject, paths: FieldSet): KubeObject {
  return removeFields(shape, object, paths) as KubeObject
}

function namedFieldsOf(shape: Shape, object: KubeObject): FieldSet {
  return withNamedFields(configurationFields(shape, object), shape)
}

function namedFieldsLeft(shape: Shape, object: KubeObject): FieldSet {
  return withNamedFields(configurationFieldsLeft(shape, object), shape)
}
