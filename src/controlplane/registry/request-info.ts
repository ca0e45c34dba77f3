/** What a path asks for: the resource, its namespace and name, and the verb that authorization speaks of. */
import { apiError } from '../../api/status.ts'

export interface ResourceRequest {
  readonly isResource: true
  readonly verb: Verb
  /** '' for the core group. */
  readonly group: string
  readonly version: string
  /** '' where the path names none; for a Namespace itself, its own name, as upstream has it. */
  readonly namespace: string
  readonly resource: string
  readonly subresource: string
  /** '' for collections. */
  readonly name: string
  /** What follows the subresource: the path behind `proxy`. */
  readonly rest: string
}

export interface PathRequest {
  readonly isResource: false
  readonly verb: string
  readonly path: string
}

export type RequestInfo = ResourceRequest | PathRequest

export type Verb =
  | 'get' | 'list' | 'watch' | 'create' | 'update' | 'patch' | 'delete' | 'deletecollection'

/** Below a namespace these name a part of the Namespace itself, not a resource in it. */
const namespaceSubresources = new Set(['status', 'finalize'])

/** Throws 400 for a path that cannot be decoded. */
export function requestInfo(method: string, path: string, query: URLSearchParams): RequestInfo {
  const decoded = decodePath(path)
  const parts = decoded.split('/').filter((part, i, all) => part !== '' || (i > 0 && i < all.length - 1))
  const verb = method.toLowerCase()
  const notResource: PathRequest = { isResource: false, verb, path: decoded }
  const core = parts[0] === 'api'
  if (!core && parts[0] !== 'apis') return notResource
  const head = core ? 2 : 3
  if (parts.length <= head) return notResource
  const group = core ? '' : (parts[1] as string)
  const version = parts[head - 1] as string

  let rest = parts.slice(head)
  let watchPrefix = false
  if (rest[0] === 'watch' && rest.length > 1) {
    watchPrefix = true
    rest = rest.slice(1)
  }
  let namespace = ''
  if (rest[0] === 'namespaces' && rest.length > 1) {
    namespace = rest[1] as string
    if (rest.length > 2 && !namespaceSubresources.has(rest[2] as string)) rest = rest.slice(2)
  }
  const [resource = '', name = '', subresource = '', ...more] = rest
  return {
    isResource: true,
    verb: watchPrefix && method === 'GET' ? 'watch' : verbOf(method, name, isTrue(query.get('watch'))),
    group, version, namespace, resource, name, subresource,
    rest: more.join('/'),
  }
}

function decodePath(path: string): string {
  if (!path.includes('%')) return path
  try {
    return decodeURIComponent(path)
  } catch {
    throw apiError.badRequest(`the path ${JSON.stringify(path)} is not valid percent-encoded UTF-8`)
  }
}

function verbOf(method: string, name: string, watch: boolean): Verb {
  switch (method) {
    case 'POST':
      return 'create'
    case 'PUT':
      return 'update'
    case 'PATCH':
      return 'patch'
    case 'DELETE':
      return name === '' ? 'deletecollection' : 'delete'
    default:
      if (name !== '') return 'get'
      return watch ? 'watch' : 'list'
  }
}

/** Query flags as upstream reads them: present and not `false` or `0`. */
export function isTrue(value: string | null): boolean {
  return value !== null && value !== 'false' && value !== '0'
}
