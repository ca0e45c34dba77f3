/** Kind: the names of a kind in the API, and its TypeScript type. For built-in kinds and custom resources. */
import type { ApiObject } from '../api/live-object.ts'
import { parseApiVersion, type KubeObject } from '../api/object.ts'

declare const objectType: unique symbol
declare const inputType: unique symbol

/**
 * What clients, caches and controllers need to know about a kind. `resource()` makes one from a schema,
 * `builtin/kinds.ts` has those that every cluster serves, and `kind()` makes one from names alone.
 */
export interface Kind<T extends ApiObject = ApiObject> {
  /** '' for the core group. */
  readonly group: string
  readonly version: string
  /** `v1`, `apps/v1`. */
  readonly apiVersion: string
  readonly kind: string
  /** As in URLs: `deployments`. Never derived from the kind. */
  readonly plural: string
  readonly namespaced: boolean
  /** Exists only as a type: no value has it. */
  readonly [objectType]?: T
}

/** A kind with defaults: fields that have one may be left out in writes. */
export interface DefaultingKind<T extends ApiObject, Input> extends Kind<T> {
  /** Exists only as a type: no value has it. */
  readonly [inputType]?: Input
}

/** The type of the objects of a kind: `ObjectOf<typeof Deployment>`. */
export type ObjectOf<K> = K extends Kind<infer T> ? T : never

/** The type of objects that may be sent: {@link ObjectOf}, with optional fields where there are defaults. */
export type InputOf<K> = typeof inputType extends keyof K
  ? K extends DefaultingKind<ApiObject, infer Input>
    ? Input
    : never
  : ObjectOf<K>

export interface KindNames {
  /** `v1`, `apps/v1`. */
  readonly apiVersion: string
  readonly kind: string
  /** As in URLs: `deployments`. */
  readonly plural: string
  readonly namespaced: boolean
}

/**
 * A kind from its names alone. Without a type argument, its objects have JSON fields. Throws if `apiVersion` is neither
 * `version` nor `group/version`.
 */
export function kind<T extends ApiObject = KubeObject>({ apiVersion, kind, plural, namespaced }: KindNames): Kind<T> {
  const parsed = parseApiVersion(apiVersion)
  if (parsed === undefined || parsed.version === '')
    throw new TypeError(`apiVersion ${JSON.stringify(apiVersion)} is not [group/]version`)
  return Object.freeze({ ...parsed, apiVersion, kind, plural, namespaced })
}

/** `deployments.apps`, `pods`: identifies a kind in messages, metrics and maps. All versions of a kind share it. */
export function kindName({ group, plural }: Pick<Kind, 'group' | 'plural'>): string {
  return group === '' ? plural : `${plural}.${group}`
}
