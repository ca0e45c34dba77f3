/**
 * The attributes that authorization checks, which can differ from the request: a list with a field selector for one
 * name is checked for that name, and unsupported methods and paths are authorized before they are rejected.
 */
import { parseFieldSelector } from '../../api/field-selector.ts'
import { checkPathSegment } from '../../api/names.ts'
import type { ApiRequest } from '../contract/request.ts'
import type { RequestInfo, ResourceRequest, RequestVerb } from '../registry/request-info.ts'

const methods = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'])

export function accessQuestion(request: ApiRequest, info: RequestInfo): RequestInfo {
  if (!info.isResource) return info
  const prefix = verbInPath(request.path, info)
  if (prefix !== undefined) return prefix
  if (!methods.has(request.method)) return { ...info, verb: '' as RequestVerb }
  if (info.name !== '' || (info.verb !== 'list' && info.verb !== 'watch')) return info
  const selector = request.query.get('fieldSelector')
  if (selector === null || selector === '') return info
  const name = selectedName(selector)
  return name === undefined ? info : { ...info, name }
}

/** `/api/v1/watch/pods` and `/api/v1/proxy/pods/x` have their verb in the path, whatever the method. */
function verbInPath(path: string, info: ResourceRequest): ResourceRequest | undefined {
  if (!path.includes('/watch/') && !path.includes('/proxy/')) return undefined
  const parts = path.split('/', 5)
  const word = parts[info.group === '' && parts[1] === 'api' ? 3 : 4]
  if (word === 'watch') return info.verb === 'watch' ? info : { ...info, verb: 'watch' }
  if (word !== 'proxy') return undefined
  // requestInfo has parsed `proxy` as the resource, so the other fields are shifted by one.
  return { ...info, verb: 'proxy' as RequestVerb, resource: info.name, name: info.subresource, subresource: '' }
}

/** The only name that the selector matches. Undefined if there is none, or if it is not a valid name. */
function selectedName(text: string): string | undefined {
  try {
    const name = parseFieldSelector(text).exactValue('metadata.name')
    return name === undefined || name === '' || checkPathSegment(name).length > 0 ? undefined : name
  } catch {
    return undefined
  }
}
