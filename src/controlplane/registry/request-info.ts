/** Parses the path of a request: resource, namespace, name, subresource and verb. */
import { apiError } from '../../api/status.ts'

export interface ResourceRequest {
  readonly isResource: true
  readonly verb: RequestVerb
  /** '' for the core group. */
  readonly group: string
  readonly version: string
  /** '' if the path has none. For a Namespace itself, its name, as upstream does. */
  readonly namespace: string
  readonly resource: string
  readonly subresource: string
  /** '' for collections. */
  readonly name: string
  /** The path after the subresource, for `proxy`. */
  readonly rest: string
}

export interface PathRequest {
  readonly isResource: false
  readonly verb: string
  readonly path: string
}

export type RequestInfo = ResourceRequest | PathRequest

export type RequestVerb = 'get' | 'list' | 'watch' | 'create' | 'update' | 'patch' | 'delete' | 'deletecollection'

/** Below `namespaces/NAME` these are subresources of the Namespace, not resources in it. */
const namespaceSubresources = new Set(['status', 'finalize'])

/** What all paths of a collection have in common. */
type Collection = Pick<ResourceRequest, 'group' | 'version' | 'namespace' | 'resource'>

/** By path, because most requests address a few collections. The strings in them are then the same each time, too. */
const collections = new Map<string, Collection>()
const maxCachedCollections = 1000

/** Throws 400 for a path that cannot be decoded. */
export function requestInfo(method: string, path: string, query: URLSearchParams): RequestInfo {
  if (path.includes('%')) return parsePath(method, path, query)
  if (method === 'POST') {
    const whole = collections.get(path)
    if (whole !== undefined) return inCollection(whole, method, '', '')
  }
  const last = path.lastIndexOf('/')
  const own = last > 0 && last < path.length - 1 ? collections.get(path.slice(0, last)) : undefined
  if (own !== undefined) return inCollection(own, method, path.slice(last + 1), '')
  const before = path.lastIndexOf('/', last - 1)
  const above =
    before > 0 && before + 1 < last && last < path.length - 1 ? collections.get(path.slice(0, before)) : undefined
  if (above !== undefined) return inCollection(above, method, path.slice(before + 1, last), path.slice(last + 1))
  const info = parsePath(method, path, query)
  if (info.isResource && (info.name !== '' || method === 'POST')) remember(path, info)
  return info
}

/** For a path with a name, or for a create: neither can be a watch. */
function inCollection(
  { group, version, namespace, resource }: Collection,
  method: string,
  name: string,
  subresource: string,
): ResourceRequest {
  return {
    isResource: true,
    verb: verbOf(method, name, false),
    group,
    version,
    namespace,
    resource,
    name,
    subresource,
    rest: '',
  }
}

/**
 * Not cached: namespaces, because their paths contain other collections, and paths below `watch`, which parse
 * differently.
 */
function remember(
  path: string,
  { group, version, namespace, resource, name, subresource, rest }: ResourceRequest,
): void {
  if (resource === 'namespaces' || resource === 'watch' || rest !== '') return
  const below = name === '' ? '' : subresource === '' ? `/${name}` : `/${name}/${subresource}`
  const collection = path.slice(0, path.length - below.length)
  const expected =
    `${group === '' ? '/api' : `/apis/${group}`}/` +
    `${version}${namespace === '' ? '' : `/namespaces/${namespace}`}/${resource}`
  if (collection !== expected) return
  if (collections.size >= maxCachedCollections) collections.clear()
  // Copies the strings: a slice of the path keeps the whole path alive, and is slower to compare.
  collections.set(collection, JSON.parse(JSON.stringify({ group, version, namespace, resource })) as Collection)
}

function parsePath(method: string, path: string, query: URLSearchParams): RequestInfo {
  const decoded = decodePath(path)
  const parts = decoded.split('/')
  if (parts[0] === '') parts.shift()
  if (parts[parts.length - 1] === '') parts.pop()
  const core = parts[0] === 'api'
  const head = core ? 2 : 3
  if ((!core && parts[0] !== 'apis') || parts.length <= head) {
    return { isResource: false, verb: method.toLowerCase(), path: decoded }
  }
  const group = core ? '' : (parts[1] as string)
  const version = parts[head - 1] as string

  let at = head
  const watchPrefix = parts[at] === 'watch' && parts.length > at + 1
  if (watchPrefix) at++
  let namespace = ''
  if (parts[at] === 'namespaces' && parts.length > at + 1) {
    namespace = parts[at + 1] as string
    if (parts.length > at + 2 && !namespaceSubresources.has(parts[at + 2] as string)) at += 2
  }
  const resource = parts[at] ?? ''
  const name = parts[at + 1] ?? ''
  const subresource = parts[at + 2] ?? ''
  return {
    isResource: true,
    verb: watchPrefix && method === 'GET' ? 'watch' : verbOf(method, name, isTrue(query.get('watch'))),
    group,
    version,
    namespace,
    resource,
    name,
    subresource,
    rest: parts.length > at + 3 ? parts.slice(at + 3).join('/') : '',
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

function verbOf(method: string, name: string, watch: boolean): RequestVerb {
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

/** Boolean query parameters as upstream parses them: present and neither `false` nor `0`. */
export function isTrue(value: string | null): boolean {
  return value !== null && value !== 'false' && value !== '0'
}
