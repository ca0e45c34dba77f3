/**
 * Records the permissions that a program uses, as an authorizer would see them, and compares them with the declared
 * ones.
 */
import { isObject, type Json } from '../api/json.ts'
import type { Transport, TransportRequest } from '../client/transport.ts'
import { reading, type Access, type Verb } from '../controller/access.ts'
import type { OperatorDefinition } from '../manager/operator-definition.ts'
import { operatorAccess, targetName } from '../manifests/operator-access.ts'
import { apiRoute } from './api-route.ts'

/** A permission that was used. */
export interface UsedAccess {
  readonly verb: Verb
  readonly group: string
  /** With its subresource: `webapps/status`. */
  readonly resource: string
  /** '' for cluster-scoped resources. */
  readonly name: string
  /** The kind of an owner that is known only from an owner reference. */
  readonly ownerKind?: string
  /** The first request that used it: `PATCH /apis/…`. */
  readonly request: string
}

export interface AccessDifference {
  /** Used and not declared, each with a request that used it. */
  readonly missing: readonly string[]
  /** Declared and not used. */
  readonly unused: readonly string[]
}

export class AccessRecorder {
  readonly #used = new Map<string, UsedAccess>()

  get used(): readonly UsedAccess[] {
    return [...this.#used.values()]
  }

  /** A transport that records its requests. */
  transport(inner: Transport): Transport {
    return {
      ...(inner.host === undefined ? {} : { host: inner.host }),
      request: async (request) => {
        const response = await inner.request(request)
        this.#note(request, response.status)
        return response
      },
      close: () => inner.close(),
    }
  }

  /** Compares with what the operator declares. Permissions of the runtime itself may be used or not. */
  compare(definition: OperatorDefinition): AccessDifference {
    const granted = operatorAccess(definition)
    const isGranted = (used: UsedAccess): boolean =>
      granted.some((access) => access.verbs.includes(used.verb) && concerns(used, access))
    const unused = granted
      .filter(({ byRuntime }) => byRuntime !== true)
      .flatMap((access) =>
        access.verbs
          .filter((verb) => !this.used.some((used) => isSameRight(used.verb, verb) && concerns(used, access)))
          .map((verb) => `${verb} ${targetName(access)}`),
      )
    return {
      missing: this.used.filter((used) => !isGranted(used)).map((used) => `${usedText(used)} (${used.request})`),
      unused: [...new Set(unused)],
    }
  }

  #note({ method, path, body }: TransportRequest, status: number): void {
    // Requests that fail need the permission too.
    const [route = '', query = ''] = path.split('?')
    const target = targetOf(route)
    if (target === undefined) return
    for (const verb of verbsOf(method, target.name, query, status))
      this.#add({ verb, ...target, request: `${method} ${route}` })
    if (method !== 'GET' && method !== 'DELETE')
      for (const owner of blockedOwners(body)) this.#add({ verb: 'update', ...owner, request: `${method} ${route}` })
  }

  #add(used: UsedAccess): void {
    const id = `${usedText(used)} ${used.name}`
    if (!this.#used.has(id)) this.#used.set(id, used)
  }
}

function concerns(used: UsedAccess, { kind, subresource, names }: Access): boolean {
  const [plural, ...below] = used.resource.split('/')
  return (
    kind.group === used.group &&
    (used.ownerKind ?? kind.kind) === kind.kind &&
    (used.ownerKind !== undefined || kind.plural === plural) &&
    (subresource ?? '') === below.join('/') &&
    (names === undefined || used.verb === 'create' || names.includes(used.name))
  )
}

/** get, list and watch count as one permission: a cache that was filled by a watch may also list. */
function isSameRight(used: Verb, granted: Verb): boolean {
  return used === granted || (reading.includes(used) && reading.includes(granted))
}

function usedText({ verb, group, resource }: UsedAccess): string {
  const [plural = '', ...below] = resource.split('/')
  return `${verb} ${[group === '' ? plural : `${plural}.${group}`, ...below].join('/')}`
}

/** Undefined for other paths, which every user may read. */
function targetOf(
  route: string,
): { readonly group: string; readonly resource: string; readonly name: string } | undefined {
  const target = apiRoute(route)
  if (target === undefined) return undefined
  const { group, plural, name, subresource } = target
  return { group, resource: subresource === undefined ? plural : `${plural}/${subresource}`, name }
}

function verbsOf(method: string, name: string, query: string, status: number): readonly Verb[] {
  const made: readonly Verb[] = status === 201 ? ['create'] : []
  switch (method) {
    case 'GET':
      return [name !== '' ? 'get' : /(^|&)watch=(true|1)(&|$)/.test(query) ? 'watch' : 'list']
    case 'POST':
      return ['create']
    // An apply that created the object also needed `create`.
    case 'PUT':
      return ['update', ...made]
    case 'PATCH':
      return ['patch', ...made]
    case 'DELETE':
      return [name === '' ? 'deletecollection' : 'delete']
    default:
      return []
  }
}

type Owner = Pick<UsedAccess, 'group' | 'resource' | 'name' | 'ownerKind'>

/** Owners whose deletion the object blocks: a server may require `update` of their `finalizers`. */
function blockedOwners(body: Json | undefined): readonly Owner[] {
  const metadata = isObject(body) ? body['metadata'] : undefined
  const references = isObject(metadata) ? metadata['ownerReferences'] : undefined
  return (Array.isArray(references) ? references : [])
    .filter(isObject)
    .filter((each) => each['blockOwnerDeletion'] === true)
    .map((each) => {
      const [apiVersion, ownerKind, name] = ['apiVersion', 'kind', 'name'].map((field) => String(each[field])) as [
        string,
        string,
        string,
      ]
      return {
        group: apiVersion.includes('/') ? apiVersion.slice(0, apiVersion.indexOf('/')) : '',
        resource: `${ownerKind}/finalizers`,
        ownerKind,
        name,
      }
    })
}
