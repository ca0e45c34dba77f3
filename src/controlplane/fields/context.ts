/** What the caller must say of the type that is written. */
import { deepFreeze, type JsonObject } from '../../api/json.ts'
import type { KubeObject } from '../../api/object.ts'
import { timestamp } from '../../env/env.ts'
import { zeroValue } from '../../shape/builtin-shapes.ts'
import type { Shape } from '../../shape/shape.ts'
import { setOfFields, type FieldSet } from './field-set.ts'

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

const emptyObjects = new WeakMap<Shape, KubeObject>()

/**
 * What an object is before it is created: the fields that upstream's types always have. Shared and frozen.
 */
export function emptyObject(context: TrackContext): KubeObject {
  const { shape, apiVersion, kind } = context
  let empty = emptyObjects.get(shape)
  if (empty?.kind !== kind || empty.apiVersion !== apiVersion) {
    const zero = zeroValue({ name: '', shape, required: true, emit: 'always', patchStrategy: [] })
    empty = deepFreeze({ ...(zero as JsonObject), apiVersion, kind } as unknown as KubeObject)
    emptyObjects.set(shape, empty)
  }
  return empty
}

let lastSecond = NaN
let lastTime = ''

/**
 * The time of this operation as an entry shows it. Many operations fall into one second, so the last text is
 * kept.
 */
export function operationTime(context: TrackContext): string {
  const second = Math.floor(context.now / 1000)
  if (second !== lastSecond) {
    lastSecond = second
    lastTime = timestamp(context.now)
  }
  return lastTime
}

const resetSets = new WeakMap<TrackContext['resetPaths'], FieldSet>()

export function resetFields({ resetPaths }: Pick<TrackContext, 'resetPaths'>): FieldSet {
  let set = resetSets.get(resetPaths)
  if (set === undefined) {
    set = deepFreeze(setOfFields(resetPaths))
    resetSets.set(resetPaths, set)
  }
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
