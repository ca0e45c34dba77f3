/** Objects as an operator meets them: typed, with the metadata that a server filled in, and nobody may change them. */
import type { ObjectMeta } from './object.ts'

/**
 * The least that a typed object has. Interfaces without an index signature fit, which {@link KubeObject} does not
 * allow.
 */
export interface ApiObject {
  apiVersion?: string
  kind?: string
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

/** An object that came from a server or a cache: frozen and shared. `mutableCopy` gives one that may be edited. */
export type Live<T extends ApiObject> = DeepReadonly<Omit<T, 'metadata'>> & { readonly metadata: LiveMeta }

/** Any object that a server has stored, where only its metadata matters. */
export interface LiveObject {
  readonly metadata: LiveMeta
}

/** Names one object of a kind. `namespace` is absent for cluster-scoped kinds. */
export interface ObjectKey {
  readonly namespace?: string | undefined
  readonly name: string
}

/** `namespace/name`, or `name` alone: the key of maps and queues. */
export function keyText({ namespace, name }: ObjectKey): string {
  return namespace === undefined || namespace === '' ? name : `${namespace}/${name}`
}

/** The inverse of {@link keyText}. Names hold no slash. */
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

/** A copy that may be edited; it shares nothing with the original. */
export function mutableCopy<T extends ApiObject>(object: Live<T>): T {
  return structuredClone(object) as unknown as T
}
