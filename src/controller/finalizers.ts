/** Adds and removes finalizers with the resourceVersion, so that finalizers of others are never changed. */
import { keyOf, type ApiObject, type Live } from '../api/live-object.ts'
import type { Client } from '../client/client.ts'
import type { Kind } from '../schema/kind.ts'

export function hasFinalizer<T extends ApiObject>(object: Live<T>, name: string): boolean {
  return object.metadata.finalizers?.includes(name) === true
}

/** The object with these finalizers; the same object if it has them all. */
export async function addFinalizers<T extends ApiObject>(
  client: Client,
  kind: Kind<T>,
  object: Live<T>,
  names: readonly string[],
  signal: AbortSignal,
): Promise<Live<T>> {
  const present = object.metadata.finalizers ?? []
  const missing = names.filter((name) => !present.includes(name))
  return missing.length === 0 ? object : setFinalizers(client, kind, object, [...present, ...missing], signal)
}

export async function removeFinalizer<T extends ApiObject>(
  client: Client,
  kind: Kind<T>,
  object: Live<T>,
  name: string,
  signal: AbortSignal,
): Promise<Live<T>> {
  const rest = (object.metadata.finalizers ?? []).filter((other) => other !== name)
  return setFinalizers(client, kind, object, rest, signal)
}

function setFinalizers<T extends ApiObject>(
  client: Client,
  kind: Kind<T>,
  object: Live<T>,
  finalizers: readonly string[],
  signal: AbortSignal,
): Promise<Live<T>> {
  const { resourceVersion, uid } = object.metadata
  const patch = { metadata: { finalizers: finalizers.length === 0 ? null : [...finalizers], resourceVersion, uid } }
  return client.patch(kind, keyOf(object), { type: 'merge', patch }, { signal })
}
