/** The body of a delete request, and the meaning of its response. */
import type { FrozenJson, Json, JsonObject } from '../api/json.ts'
import type { DeleteOptions } from './client.ts'

export function deleteBody({
  uid,
  resourceVersion,
  propagationPolicy,
  gracePeriodSeconds,
  dryRun,
}: DeleteOptions): Json {
  const body: JsonObject = { apiVersion: 'v1', kind: 'DeleteOptions' }
  if (uid !== undefined || resourceVersion !== undefined) {
    body['preconditions'] = {
      ...(uid === undefined ? {} : { uid }),
      ...(resourceVersion === undefined ? {} : { resourceVersion }),
    }
  }
  if (propagationPolicy !== undefined) body['propagationPolicy'] = propagationPolicy
  if (gracePeriodSeconds !== undefined) body['gracePeriodSeconds'] = gracePeriodSeconds
  if (dryRun === true) body['dryRun'] = ['All']
  return body
}

interface Deleted {
  readonly kind?: string
  readonly metadata?: {
    readonly deletionTimestamp?: string
    readonly deletionGracePeriodSeconds?: number
    readonly finalizers?: readonly string[]
  }
  readonly spec?: { readonly finalizers?: readonly string[] }
}

/**
 * True if the object still exists: it waits for finalizers (namespaces have them in their spec) or for its grace
 * period. Some kinds respond with the object although it is gone.
 */
export function isStillPresent(answer: FrozenJson): boolean {
  const { kind, metadata = {}, spec } = (answer ?? {}) as Deleted
  if (kind === 'Status' || metadata.deletionTimestamp === undefined) return false
  const waits = (finalizers: readonly string[] | undefined): boolean => (finalizers?.length ?? 0) > 0
  return waits(metadata.finalizers) || waits(spec?.finalizers) || metadata.deletionGracePeriodSeconds !== 0
}
