/** TrackContext: what field tracking needs to know about the written type and the request. */
import { deepFreeze, type JsonObject } from '../../api/json.ts'
import type { KnownParts } from '../../api/known-part.ts'
import { Memo, memoCounter } from '../../api/memo.ts'
import type { KubeObject } from '../../api/object.ts'
import { timestamp } from '../../env/env.ts'
import { zeroValue } from '../../shape/builtin-shapes.ts'
import { perShape, type Shape } from '../../shape/shape.ts'
import { emptySet, setOfFields, type FieldSet } from './field-set.ts'

export interface TrackContext {
  readonly shape: Shape
  readonly group: string
  readonly version: string
  /** `apps/v1` */
  readonly apiVersion: string
  readonly kind: string
  /** '' for the main resource. */
  readonly subresource: string
  /** Paths that this endpoint does not store: a write through it owns neither them nor paths below them. */
  readonly resetPaths: readonly (readonly string[])[]
  /** Objects may have values that the shape does not allow, because they were written with another schema. */
  readonly mayNotFit?: boolean
  /** Memos about the parts of the new object, and of the live one. */
  readonly parts?: KnownParts | undefined
  readonly liveParts?: KnownParts | undefined
  /** Milliseconds since the epoch. */
  readonly now: number
  /**
   * Converts the object to another served API version, for entries that were written through it, and returns its shape.
   * Must not change the object. If it is missing or returns undefined, entries of other versions are dropped, as
   * upstream does for versions that are no longer served. May throw a {@link ConversionError}.
   */
  readonly convert?: ((object: KubeObject, apiVersion: string) => VersionedObject | undefined) | undefined
}

export interface VersionedObject {
  readonly object: KubeObject
  readonly shape: Shape
  /** The object must be validated: the conversion does not guarantee that it fits the shape. */
  readonly unchecked?: boolean
  /** Paths that the endpoint does not store, in that version. Default: those of the version of the request. */
  readonly resetPaths?: TrackContext['resetPaths']
}

/** By the shape of whole objects, which mostly belongs to one kind. */
const emptyObjects = perShape<Shape, { last: KubeObject | undefined }>(() => ({ last: undefined }))

/** The base of a create: the fields that upstream's types always have. Shared and frozen. */
export function emptyObject({ shape, apiVersion, kind }: TrackContext): KubeObject {
  const known = emptyObjects(shape)
  if (known.last?.kind !== kind || known.last.apiVersion !== apiVersion) {
    const zero = zeroValue({ name: '', shape, required: true, emit: 'always', patchStrategy: [] })
    known.last = deepFreeze({ ...(zero as JsonObject), apiVersion, kind } as KubeObject)
  }
  return known.last
}

/** The time of this write as managedFields shows it. */
export function operationTime(context: TrackContext): string {
  return timestamp(context.now)
}

interface ResetSet {
  readonly paths: TrackContext['resetPaths']
  readonly set: FieldSet
}

/** The lists of paths are constants of the kinds, so the same values repeat. */
const resetSets = new Memo<ResetSet>(memoCounter('fields that endpoints reset', 8))

export function resetFields({ resetPaths }: Pick<TrackContext, 'resetPaths'>): FieldSet {
  if (resetPaths.length === 0) return emptySet
  const { entries } = resetSets
  for (let i = 0; i < entries.length; i++) if (entries[i]?.paths === resetPaths) return resetSets.hit(i).set
  resetSets.miss()
  const set = deepFreeze(setOfFields(resetPaths))
  resetSets.add({ paths: resetPaths, set })
  return set
}

/** Fields that nobody owns. */
export const untracked: FieldSet = setOfFields([
  ['apiVersion'],
  ['kind'],
  ['metadata'],
  ['metadata', 'name'],
  ['metadata', 'namespace'],
  ['metadata', 'creationTimestamp'],
  ['metadata', 'selfLink'],
  ['metadata', 'uid'],
  ['metadata', 'clusterName'],
  ['metadata', 'generation'],
  ['metadata', 'managedFields'],
  ['metadata', 'resourceVersion'],
])
