/** Replaces the object of a request by what a webhook or policy has made of it. */
import type { Json } from '../../../api/json.ts'
import type { KubeObject } from '../../../api/object.ts'
import { apiError } from '../../../api/status.ts'
import type { AdmissionRequest } from '../../registry/admission.ts'
import { inRequestVersion } from './review.ts'

/**
 * Converts the object to the version of the request, decodes it with defaults, and replaces the content of the
 * request's object in place. `onUnknown` is called with the paths of fields that a built-in kind does not have.
 */
export function replaceObject(
  request: AdmissionRequest,
  next: KubeObject,
  onUnknown?: (fields: readonly string[]) => void,
): void {
  const { resource, subresource, operation, object, context } = request
  if (object === undefined) return
  if (operation === 'CONNECT') return refill(object, connectOptions(object, next))
  if (subresource === 'scale' && resource.scale !== undefined) {
    const { spec } = next as { readonly spec?: { readonly replicas?: number } }
    return resource.scale.write(object, spec?.replicas ?? 0)
  }
  const changed = inRequestVersion(request, next)
  const decoded = orInternal(() => resource.decode(changed))
  if (decoded.unknown.length > 0 && resource.builtin) onUnknown?.(decoded.unknown)
  // Callers hold references to the object and to its metadata, so both are refilled in place.
  const { metadata } = object
  refill(metadata, decoded.object.metadata)
  refill(object, { ...decoded.object, metadata })
  decoded.empty?.copy(object, decoded.object)
  decoded.empty?.copy(metadata, decoded.object.metadata)
  context.decoded = { ...context.decoded, object, unknown: [], empty: decoded.empty }
}

/** The fields of the options of connections, by kind. */
const connectFields: Readonly<Record<string, readonly string[]>> = {
  PodExecOptions: ['stdin', 'stdout', 'stderr', 'tty', 'container', 'command'],
  PodAttachOptions: ['stdin', 'stdout', 'stderr', 'tty', 'container'],
  PodPortForwardOptions: ['ports'],
  PodProxyOptions: ['path'],
  ServiceProxyOptions: ['path'],
  NodeProxyOptions: ['path'],
}

/** Without fields that the kind does not have. */
function connectOptions({ kind = '', apiVersion = '', metadata }: KubeObject, next: KubeObject): KubeObject {
  const fields = (connectFields[kind] ?? []).filter((name) => Object.hasOwn(next, name))
  return { kind, apiVersion, metadata, ...Object.fromEntries(fields.map((name) => [name, next[name] as Json])) }
}

/** Errors become internal errors of upstream. */
export function orInternal<T>(make: () => T): T {
  try {
    return make()
  } catch (error) {
    throw apiError.internalError(error instanceof Error ? error.message : String(error))
  }
}

function refill(target: object, source: object): void {
  for (const name of Object.keys(target)) delete (target as Record<string, unknown>)[name]
  Object.assign(target, source)
}
