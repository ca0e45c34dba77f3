/**
 * What authorization is asked of a request, which is not always what will be done: a list that selects one name is a
 * question about that name, and methods or paths that nobody serves are asked about before they are refused.
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

/** `/api/v1/watch/pods` and `/api/v1/proxy/pods/x` say their verb in the path, whatever the method. */
function verbInPath(path: string, info: ResourceRequest): ResourceRequest | undefined {
  if (!path.includes('/watch/') && !path.includes('/proxy/')) return undefined
  const parts = path.split('/', 5)
  const word = parts[info.group === '' && parts[1] === 'api' ? 3 : 4]
  if (word === 'watch') return info.verb === 'watch' ? info : { ...info, verb: 'watch' }
  if (word !== 'proxy') return undefined
  // The path behind the verb was read as if the verb were a resource.
  return { ...info, verb: 'proxy' as RequestVerb, resource: info.name, name: info.subresource, subresource: '' }
}

/** The one name that the selector leaves; undefined when there is none or it could be no object's. */
function selectedName(text: string): string | undefined {
  try {
    const name = parseFieldSelector(text).exactValue('metadata.name')
    return name === undefined || name === '' || checkPathSegment(name).length > 0 ? undefined : name
  } catch {
    return undefined
  }
}
