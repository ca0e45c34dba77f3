/**
 * Request info: what a request does to what, from its method, path and query. It is computed once. Authorization checks
 * it, and `api/handler.ts` executes it, so that they cannot disagree.
 */
import { parseFieldSelector } from '../../api/field-selector.ts'
import { parseLabelSelector } from '../../api/label-selector.ts'
import { checkPathSegment } from '../../api/names.ts'
import { apiError } from '../../api/status.ts'
import { isTrue, queryNumber } from './query-values.ts'

export interface ResourceRequest {
  readonly isResource: true
  /** What is authorized and executed. */
  readonly verb: RequestVerb
  /** '' for the core group. */
  readonly group: string
  readonly version: string
  /** '' if the path has none. For a Namespace itself, its name, as upstream does. */
  readonly namespace: string
  readonly resource: string
  readonly subresource: string
  /** '' for collections, unless a list or watch has a field selector for one name: then this name. */
  readonly name: string
  /** The path after the subresource, for `proxy`. */
  readonly rest: string
  readonly form: PathForm
}

/**
 * `verb`: the path has the verb in it, whatever the method: `/api/v1/watch/pods`. `unserved`: a path that is authorized
 * as if it were another one, but that has no routes: `//api/v1/pods`, `/apis//v1/pods`.
 */
export type PathForm = 'plain' | 'verb' | 'unserved'

export interface PathRequest {
  readonly isResource: false
  readonly verb: string
  readonly path: string
}

export type RequestInfo = ResourceRequest | PathRequest

/** `proxy` is in the path and has no routes; '' stands for methods without a verb, such as OPTIONS. */
export type RequestVerb =
  | 'get'
  | 'list'
  | 'watch'
  | 'create'
  | 'update'
  | 'patch'
  | 'delete'
  | 'deletecollection'
  | 'proxy'
  | ''

/** Below `namespaces/NAME` these are subresources of the Namespace, not resources in it. */
const namespaceSubresources = new Set(['status', 'finalize'])

/** What all paths of a collection have in common. */
type Collection = Pick<ResourceRequest, 'group' | 'version' | 'namespace' | 'resource'>

/** By path, because most requests address a few collections. The strings in them are then the same each time, too. */
const collections = new Map<string, Collection>()
const maxCachedCollections = 1000

/**
 * Undefined for a path that ends where a resource must follow: `/api/v1/watch`. Throws 400 for a path that cannot be
 * decoded.
 */
export function requestInfo(method: string, path: string, query: URLSearchParams): RequestInfo | undefined {
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
  if (info?.isResource === true && info.form === 'plain') remember(path, info)
  return info
}

/** True if the path ends with the resource, even if a field selector is for one object. */
export function isCollectionPath({ name, verb, form }: ResourceRequest): boolean {
  return name === '' || verb === 'list' || (verb === 'watch' && form !== 'verb')
}

/** For a path with a name, or for a create: neither can be a list or a watch. */
function inCollection(
  { group, version, namespace, resource }: Collection,
  method: string,
  name: string,
  subresource: string,
): ResourceRequest {
  return {
    isResource: true,
    verb: verbOf(method),
    group,
    version,
    namespace,
    resource,
    name,
    subresource,
    rest: '',
    form: 'plain',
  }
}

/**
 * Remembers the collection of a path that {@link inCollection} can answer. Not namespaces, which contain others, nor
 * `namespaces/x//y`, whose collection would be the path of the namespace.
 */
function remember(path: string, info: ResourceRequest): void {
  const { group, version, namespace, resource, name, subresource, rest } = info
  if (resource === 'namespaces' || resource === '' || rest !== '' || (isCollectionPath(info) && info.verb !== 'create'))
    return
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

function parsePath(method: string, path: string, query: URLSearchParams): RequestInfo | undefined {
  const decoded = decodePath(path)
  const parts = splitPath(decoded)
  const core = parts[0] === 'api'
  const head = core ? 2 : 3
  if ((!core && parts[0] !== 'apis') || parts.length <= head) {
    return { isResource: false, verb: method.toLowerCase(), path: decoded }
  }
  const group = core ? '' : (parts[1] as string)
  const version = parts[head - 1] as string

  let at = head
  let verb = verbOf(method)
  let form: PathForm = decoded.startsWith('//') || (group === '' && !core) ? 'unserved' : 'plain'
  const first = parts[head]
  if (first === 'watch' || first === 'proxy') {
    if (parts.length === head + 1) return undefined
    at++
    verb = first
    if (form === 'plain') form = 'verb'
  }
  let namespace = ''
  if (parts[at] === 'namespaces' && parts.length > at + 1) {
    namespace = parts[at + 1] as string
    if (parts.length > at + 2 && !namespaceSubresources.has(parts[at + 2] as string)) at += 2
  }
  const resource = parts[at] ?? ''
  let name = parts[at + 1] ?? ''
  const subresource = verb === 'proxy' ? '' : (parts[at + 2] ?? '')
  if (name === '' && verb === 'get') {
    verb = isTrue(query.get('watch')) ? 'watch' : 'list'
    name = selectedName(query)
  } else if (name === '' && verb === 'delete') {
    verb = 'deletecollection'
  }
  const rest = parts.length > at + 3 ? parts.slice(at + 3).join('/') : ''
  return { isResource: true, verb, group, version, namespace, resource, name, subresource, rest, form }
}

function decodePath(path: string): string {
  if (!path.includes('%')) return path
  try {
    return decodeURIComponent(path)
  } catch {
    throw apiError.badRequest(`the path ${JSON.stringify(path)} is not valid percent-encoded UTF-8`)
  }
}

/** The segments of the path, without the slashes at both ends. */
function splitPath(path: string): string[] {
  let start = 0
  let end = path.length
  while (start < end && path[start] === '/') start++
  while (end > start && path[end - 1] === '/') end--
  return path.slice(start, end).split('/')
}

function verbOf(method: string): RequestVerb {
  switch (method) {
    case 'GET':
    case 'HEAD':
      return 'get'
    case 'POST':
      return 'create'
    case 'PUT':
      return 'update'
    case 'PATCH':
      return 'patch'
    case 'DELETE':
      return 'delete'
    default:
      return ''
  }
}

/** The only name that the options of a list select. '' if there is none, or if the options or the name are invalid. */
function selectedName(query: URLSearchParams): string {
  const fields = query.get('fieldSelector')
  if (fields === null || fields === '') return ''
  try {
    const name = parseFieldSelector(fields).exactValue('metadata.name') ?? ''
    if (name === '' || checkPathSegment(name).length > 0) return ''
    parseLabelSelector(query.get('labelSelector') ?? '')
    queryNumber(query, 'limit')
    queryNumber(query, 'timeoutSeconds')
    return name
  } catch {
    return ''
  }
}
