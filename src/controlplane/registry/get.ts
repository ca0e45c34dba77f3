/** Get: reads one object, at the requested revision or a newer one. */
import { apiError } from '../../api/status.ts'
import type { Stored } from '../storage/store.ts'
import { requestedKey, resourceName, type RegistryCall } from './call.ts'
import { isTrue } from './query-values.ts'
import { readResourceVersion } from './resource-version.ts'
import { waitForRevision } from './wait-for-revision.ts'

export function get(call: RegistryCall): Stored | Promise<Stored> {
  if (isTrue(call.request.query.get('export'))) {
    throw apiError.badRequest('the export parameter, deprecated since v1.14, is no longer supported')
  }
  const version = readResourceVersion(call.request.query.get('resourceVersion') ?? '')
  if (typeof version === 'string') throw apiError.internal(version)
  return waitForRevision(call, version, () => read(call))
}

function read(call: RegistryCall): Stored {
  const stored = call.backend.store.get(requestedKey(call, call.name))
  if (stored === undefined) throw apiError.notFound(resourceName(call.resource), call.name)
  return stored
}
