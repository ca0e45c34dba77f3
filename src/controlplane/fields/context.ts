/** What the caller must say of the type that is written. */
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
  /** Paths that this endpoint does not store; nobody comes to own them, or what is below them, through it. */
  readonly resetPaths: readonly (readonly string[])[]
  /** Objects may have values that the shape does not allow: they were written when it was another. */
  readonly mayNotFit?: boolean
  /** What is known of the parts of the new object, and of the live one. */
  readonly parts?: KnownParts | undefined
  readonly liveParts?: KnownParts | undefined
  /** Milliseconds since the epoch. */
  readonly now: number
  /**
   * The object and its shape in another served API version, for entries that were written through it. Must
   * not change the object. Without it, or when it gives undefined, entries of other versions are dropped, as
   * upstream drops those of versions that are no longer served. May throw a {@link ConversionError}.
   */
  readonly convert?: ((object: KubeObject, apiVersion: string) => VersionedObject | undefined) | undefined
}

export interface VersionedObject {
  readonly object: KubeObject
  readonly shape: Shape
  /** Conversion only renamed the version: what the shape does not declare may be in the object, and fails. */
  readonly unchecked?: boolean
  /** Paths that the endpoint does not store, in that version. Default: those of the request's own. */
  readonly resetPaths?: TrackContext['resetPaths']
}

/** By the shape of whole objects, which is mostly that of one kind. */
const emptyObjects = perShape<Shape, { last: KubeObject | undefined }>(() => ({ last: undefined }))

/**
 * What an object is before it is created: the fields that upstream's types always have. Shared and frozen.
 */
export function emptyObject({ shape, apiVersion, kind }: TrackContext): KubeObject {
  const known = emptyObjects(shape)
  if (known.last?.kind !== kind || known.last.apiVersion !== apiVersion) {
    const zero = zeroValue({ name: '', shape, required: true, emit: 'always', patchStrategy: [] })
    known.last = deepFreeze({ ...(zero as JsonObject), apiVersion, kind } as KubeObject)
  }
  return known.last
}

/** The time of this operation as an entry shows it. */
export function operationTime(context: TrackContext): string {
  return timestamp(context.now)
}

interface ResetSet {
  readonly paths: TrackContext['resetPaths']
  readonly set: FieldSet
}

/** Lists of paths are constants of the kinds: the same values come again. */
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

/** Never owned by anybody. */
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
