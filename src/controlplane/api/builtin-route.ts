/** Route checks of built-in resources: which paths and methods exist, and which names they need. */
import { checkPathSegment } from '../../api/names.ts'
import { apiError } from '../../api/status.ts'
import type { ApiRequest } from '../contract/request.ts'
import type { Resource } from '../contract/resource.ts'
import { isCollectionPath, type ResourceRequest } from '../registry/request-info.ts'

const methods = new Set(['GET', 'POST', 'PUT', 'PATCH', 'DELETE'])
/** A proxy forwards these, too. */
const proxiedMethods = new Set(['HEAD', 'OPTIONS'])
const connections = new Set(['attach', 'exec', 'portforward', 'proxy'])

const mutating = new Set(['create', 'deletecollection'])

/** Throws 404, 405 or 400 for requests that match no route of the resource, or one without the names that it needs. */
export function checkRoute(resource: Resource, info: ResourceRequest, { method, path, query }: ApiRequest): void {
  const { namespaced, subresources } = resource
  const isCollection = isCollectionPath(info)
  const isBlank = namespaced && info.namespace === '' && hasBlankNamespace(path)
  if (info.subresource === '' && info.rest !== '') throw apiError.noSuchResource()
  if (info.form === 'verb' && (info.subresource !== '' || !canWatch(resource, info))) throw apiError.noSuchResource()
  if (isAction(resource) && (!isCollection || (namespaced && info.namespace === '' && !isBlank)))
    throw apiError.noSuchResource()
  const isOwn = resource.plural === 'namespaces' && info.namespace === info.name
  if (!namespaced && info.namespace !== '' && !isOwn) throw apiError.noSuchResource()
  if (namespaced && info.namespace === '' && !isBlank) {
    if (mutating.has(info.verb) && isCollection) throw apiError.methodNotAllowed()
    if (!isCollection) throw apiError.noSuchResource()
  }
  if (!isCollection) {
    const problems = checkPathSegment(info.name)
    if (problems.length > 0)
      throw apiError.badRequest(`Name parameter invalid: ${JSON.stringify(info.name)}: ${problems.join('; ')}`)
  }
  const subresource = info.subresource === '' ? undefined : subresources.get(info.subresource)
  if (info.subresource !== '') {
    if (subresource === undefined) throw apiError.noSuchResource()
    if (info.rest !== '' && info.subresource !== 'proxy') throw apiError.noSuchResource()
  } else if (isCollection ? info.verb === 'update' || info.verb === 'patch' : info.verb === 'create') {
    throw apiError.methodNotAllowed()
  }
  const isProxied = info.subresource === 'proxy' && proxiedMethods.has(method)
  // Below /watch/ there are only routes for GET.
  if (!(methods.has(method) || isProxied) || (info.form === 'verb' && method !== 'GET'))
    throw apiError.methodNotAllowed()
  const verbs = (subresource ?? resource).verbs
  if (subresource !== undefined && isCollection) {
    if (!isProxied && !verbs.includes(namedVerbs[info.verb] ?? info.verb)) throw apiError.methodNotAllowed()
    const isDryConnection = connections.has(info.subresource) && query.has('dryRun')
    throw apiError.badRequest(isDryConnection ? 'dryRun is not supported' : 'name must be provided')
  }
  if (!isProxied && !verbs.includes(info.verb) && !(info.verb === 'watch' && verbs.includes('list')))
    throw apiError.methodNotAllowed()
}

/** The verb that a request for a collection would have with a name. */
const namedVerbs: Readonly<Record<string, string>> = { list: 'get', watch: 'get', deletecollection: 'delete' }

/** Whether the path has a namespace that is empty: `/api/v1/namespaces//pods`. */
function hasBlankNamespace(path: string): boolean {
  return (path.includes('//') || path.includes('%')) && decodeURIComponent(path).includes('/namespaces//')
}

function canWatch({ verbs }: Resource, { verb }: ResourceRequest): boolean {
  return verb === 'watch' && verbs.includes('watch')
}

/** True for resources that only have `create`, such as reviews: they have one path and store no objects. */
export function isAction({ verbs }: Resource): boolean {
  return verbs.length === 1 && verbs[0] === 'create'
}
