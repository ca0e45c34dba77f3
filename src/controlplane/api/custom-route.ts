/**
 * Route checks of custom resources. Upstream serves all of them with one handler, so invalid paths fail differently
 * from those of built-in kinds.
 */
import { checkPathSegment } from '../../api/names.ts'
import { ApiError, apiError } from '../../api/status.ts'
import { patchType } from '../registry/patch.ts'
import type { ApiRequest } from '../contract/request.ts'
import type { ResourceRequest } from '../registry/request-info.ts'
import type { Resource } from '../contract/resource.ts'

const acrossNamespaces = new Set(['list', 'watch'])
const subresourceVerbs = new Set(['get', 'update', 'patch'])
const unsupportedVerbs = new Set(['proxy', ''])

/** Whether the scope of the path fits the resource. If not, the path is unknown. */
export function isCustomPath(resource: Resource, { namespace, verb }: ResourceRequest): boolean {
  return resource.namespaced ? namespace !== '' || acrossNamespaces.has(verb) : namespace === ''
}

/**
 * Throws 400, 404, 405 or 415 for requests that match no route. As upstream, the verb alone decides: any method below
 * `/watch/` is a watch. A POST to a name counts as a POST to the collection, and anything after a subresource is
 * ignored.
 */
export function checkCustomRoute(resource: Resource, info: ResourceRequest, request: ApiRequest): void {
  const { name, subresource, verb } = info
  if (subresource !== '' && !resource.subresources.has(subresource)) {
    throw apiError.notFound({ group: resource.group, resource: resource.plural }, name)
  }
  if (subresource === '' ? unsupportedVerbs.has(verb) : !subresourceVerbs.has(verb)) throw notSupported(resource, verb)
  if (resource.derived !== undefined && !resource.verbs.includes(verb)) throw notSupported(resource, verb)
  // An unsupported patch type is reported before the missing name.
  if (name === '' && verb === 'patch') patchType({ request, resource })
  if (name === '' && (verb === 'update' || verb === 'patch')) throw apiError.badRequest('name must be provided')
  if (name !== '' && verb !== 'create') {
    const problems = checkPathSegment(name)
    if (problems.length > 0)
      throw apiError.badRequest(`Name parameter invalid: ${JSON.stringify(name)}: ${problems.join('; ')}`)
  }
}

function notSupported({ group, plural }: Resource, verb: string): ApiError {
  return new ApiError({
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message: `${verb} is not supported on resources of kind ${JSON.stringify(`${plural}.${group}`)}`,
    reason: 'MethodNotAllowed',
    details: { group, kind: plural },
    code: 405,
  })
}
