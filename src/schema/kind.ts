/** A kind of object: its names on the wire, and its TypeScript type. Built-ins and custom resources alike. */
import type { ApiObject } from '../api/live-object.ts'
import { parseApiVersion, type KubeObject } from '../api/object.ts'

declare const objectType: unique symbol
declare const inputType: unique symbol

/**
 * What clients, caches and controllers need to know of a kind. `resource()` makes one from a schema, `builtin/kinds.ts`
 * has those that every cluster serves, and `kind()` makes one from names alone.
 */
export interface Kind<T extends ApiObject = ApiObject> {
  /** '' for the core group. */
  readonly group: string
  readonly version: string
  /** `v1`, `apps/v1`. */
  readonly apiVersion: string
  readonly kind: string
  /** As in URLs: `deployments`. Never guessed from the kind. */
  readonly plural: string
  readonly namespaced: boolean
  /** Only a type: no value has it. */
  readonly [objectType]?: T
}

/** A kind whose objects may be written with less than is read: fields with defaults may be left out. */
export interface DefaultingKind<T extends ApiObject, Input> extends Kind<T> {
  /** Only a type: no value has it. */
  readonly [inputType]?: Input
}

/** The type of a kind's objects: `ObjectOf<typeof Deployment>`. */
export type ObjectOf<K> = K extends Kind<infer T> ? T : never

/** What may be sent to create an object of the kind: {@link ObjectOf}, without the fields that have defaults. */
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
 * A kind from its names alone. Without a type, its objects have JSON fields.
 * Throws when `apiVersion` is neither `version` nor `group/version`.
 */
export function kind<T extends ApiObject = KubeObject>({ apiVersion, kind, plural, namespaced }: KindNames): Kind<T> {
  const parsed = parseApiVersion(apiVersion)
  if (parsed === undefined || parsed.version === '')
    throw new TypeError(`apiVersion ${JSON.stringify(apiVersion)} is not [group/]version`)
  return Object.freeze({ ...parsed, apiVersion, kind, plural, namespaced })
}

/** `deployments.apps`, `pods`: names a kind in messages, metrics and maps. Versions of one kind share it. */
export function kindName({ group, plural }: Pick<Kind, 'group' | 'plural'>): string {
  return group === '' ? plural : `${plural}.${group}`
}
