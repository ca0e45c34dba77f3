/**
 * The paths of custom resources: one handler answers all of them, so that what is no route fails otherwise than
 * elsewhere.
 */
import { checkPathSegment } from '../../api/names.ts'
import { ApiError, apiError } from '../../api/status.ts'
import { patchType } from '../registry/patch.ts'
import type { ApiRequest } from '../contract/request.ts'
import type { ResourceRequest } from '../registry/request-info.ts'
import type { Resource } from '../contract/resource.ts'

const acrossNamespaces = new Set(['list', 'watch'])
const subresourceMethods = new Set(['GET', 'PUT', 'PATCH'])
const methods = new Set(['GET', 'POST', 'PUT', 'PATCH', 'DELETE'])

/** Whether the resource answers at this path at all: its scope must fit. If not, the path is unknown. */
export function isCustomPath(resource: Resource, { namespace, verb }: ResourceRequest): boolean {
  return resource.namespaced ? namespace !== '' || acrossNamespaces.has(verb) : namespace === ''
}

/**
 * Throws 400, 404, 405 or 415 for what is no route of the resource. A POST to a name is a POST to the collection, and
 * what follows a subresource is not looked at.
 */
export function checkCustomRoute(resource: Resource, info: ResourceRequest, request: ApiRequest): void {
  const { method } = request
  const { name, subresource, verb } = info
  if (subresource !== '' && !resource.subresources.has(subresource)) {
    throw apiError.notFound({ group: resource.group, resource: resource.plural }, name)
  }
  if (!(subresource === '' ? methods : subresourceMethods).has(method)) throw notSupported(resource, info, method)
  // A kind of patch that it does not take comes before a name that is missing.
  if (name === '' && verb === 'patch') patchType({ request, resource })
  if (name === '' && (verb === 'update' || verb === 'patch')) throw apiError.badRequest('name must be provided')
  if (name !== '' && verb !== 'create') {
    const problems = checkPathSegment(name)
    if (problems.length > 0)
      throw apiError.badRequest(`Name parameter invalid: ${JSON.stringify(name)}: ${problems.join('; ')}`)
  }
}

function notSupported({ group, plural }: Resource, { verb }: ResourceRequest, method: string): ApiError {
  const action = methods.has(method) ? verb : ''
  return new ApiError({
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message: `${action} is not supported on resources of kind ${JSON.stringify(`${plural}.${group}`)}`,
    reason: 'MethodNotAllowed',
    details: { group, kind: plural },
    code: 405,
  })
}
