/** Objects as operators see them: typed, with metadata filled in by the server, read-only. */
import type { ObjectMeta } from './object.ts'

/**
 * The minimum of a typed object. Unlike {@link KubeObject}, it accepts interfaces without an index signature.
 */
export interface ApiObject {
  /** `v1`, `apps/v1`. Default: that of the `Kind` that is passed with the object. */
  apiVersion?: string
  /** `Deployment`. Default: that of the `Kind` that is passed with the object. */
  kind?: string
  /** Name, namespace, labels, and what the server keeps about every object. */
  metadata: ObjectMeta
}

export type DeepReadonly<T> = T extends (infer Item)[] | readonly (infer Item)[]
  ? readonly DeepReadonly<Item>[]
  : T extends object
    ? { readonly [Field in keyof T]: DeepReadonly<T[Field]> }
    : T

/** The metadata of an object that a server has stored. */
export interface LiveMeta extends DeepReadonly<ObjectMeta> {
  readonly name: string
  readonly uid: string
  readonly resourceVersion: string
}

/** An object from a server or a cache: frozen and shared. `mutableCopy` returns a copy that may be edited. */
export type Live<T extends ApiObject> = DeepReadonly<Omit<T, 'metadata'>> & { readonly metadata: LiveMeta }

/** Any object that a server has stored, for code that only needs its metadata. */
export interface LiveObject {
  readonly metadata: LiveMeta
}

/** Identifies one object of a kind. `namespace` is absent for cluster-scoped kinds. */
export interface ObjectKey {
  readonly namespace?: string | undefined
  readonly name: string
}

/** `namespace/name`, or only `name`: the key in maps and queues. */
export function keyText({ namespace, name }: ObjectKey): string {
  return namespace === undefined || namespace === '' ? name : `${namespace}/${name}`
}

/** The inverse of {@link keyText}. Names contain no slash. */
export function parseKey(text: string): ObjectKey {
  const slash = text.indexOf('/')
  return slash < 0 ? { name: text } : { namespace: text.slice(0, slash), name: text.slice(slash + 1) }
}

/** The key of an object that has a name. */
export function keyOf(object: {
  readonly metadata: { readonly name?: string | undefined; readonly namespace?: string | undefined }
}): ObjectKey {
  const { name = '', namespace } = object.metadata
  return namespace === undefined ? { name } : { namespace, name }
}

/** A deep copy that may be edited. */
export function mutableCopy<T extends ApiObject>(object: Live<T>): T {
  return structuredClone(object) as unknown as T
}
