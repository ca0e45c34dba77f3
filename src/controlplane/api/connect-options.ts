/**
 * Admission of connections: their options, which upstream reads from the query, are the object of the request. There is
 * no old object, and there are no further options.
 */
import type { JsonObject } from '../../api/json.ts'
import type { KubeObject } from '../../api/object.ts'
import { Admission } from '../registry/admission.ts'
import { writeContext, type RegistryCall } from '../registry/call.ts'

/** Runs the admission of a connection. `path`: what follows the subresource in the path, for `proxy`. */
export function admitConnection(call: RegistryCall, path: string): void {
  const steps = call.backend.admission.stepsFor(call.resource, call.subresource, 'CONNECT')
  if (steps.mutate.length === 0 && steps.validate.length === 0) return
  const kind = call.resource.subresources.get(call.subresource)?.kind ?? ''
  const options: KubeObject = { kind, apiVersion: 'v1', metadata: {}, ...optionsOf(call, path) }
  const admission = new Admission(call, 'CONNECT', options, undefined, writeContext(call, false))
  admission.mutate()
  admission.validate()
}

/** As upstream decodes them: output is always on. */
function optionsOf({ subresource, request: { query } }: RegistryCall, path: string): JsonObject {
  const container = query.get('container') ?? ''
  const streams: JsonObject = {
    ...(isSet(query, 'stdin') ? { stdin: true } : {}),
    stdout: true,
    stderr: true,
    ...(isSet(query, 'tty') ? { tty: true } : {}),
    ...(container === '' ? {} : { container }),
  }
  const ports = query.getAll('ports').map(Number)
  switch (subresource) {
    case 'exec':
      return { ...streams, command: query.has('command') ? query.getAll('command') : null }
    case 'attach':
      return streams
    case 'portforward':
      return ports.length === 0 ? {} : { ports }
    default:
      return { path: `/${path}` }
  }
}

/** A flag of a query: absent, `0` and `false` are no. */
function isSet(query: URLSearchParams, name: string): boolean {
  const value = query.get(name)
  return value !== null && value !== '0' && value.toLowerCase() !== 'false'
}
