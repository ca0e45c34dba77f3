/** List: consistent pages of one resource, at the newest or at an older revision. */
import { apiError } from '../../api/status.ts'
import { CompactedError, type Stored } from '../storage/store.ts'
import type { RegistryCall } from './call.ts'
import { decodeContinue, encodeContinue } from './continue-token.ts'
import { listQuery, matchesListQuery, type ListQuery } from './list-options.ts'
import type { ListResponse } from '../contract/request.ts'
import { readResourceVersion } from './resource-version.ts'
import { waitForRevision } from './wait-for-revision.ts'

export function listPrefix(call: RegistryCall): string {
  const { keyPrefix, namespaced } = call.resource
  return namespaced && call.namespace !== '' ? `${keyPrefix}${call.namespace}/` : keyPrefix
}

/** GET of a collection. As upstream, waits for a revision that the store has not reached yet. */
export function list(call: RegistryCall): ListResponse | Promise<ListResponse> {
  const options = listQuery(call, false)
  const version = readResourceVersion(options.resourceVersion)
  if (options.continue !== '' && version !== 0) {
    throw apiError.badRequest('specifying resource version is not allowed when using continue')
  }
  if (typeof version === 'string') throw apiError.badRequest(`invalid resource version: ${version}`)
  // Upstream answers resourceVersion=0 from its watch cache, which ignores the limit.
  const asked = options.resourceVersion === '0' && options.continue === '' ? { ...options, limit: 0 } : options
  return waitForRevision(call, version, () => page(inSelectedNamespace(call, asked), asked, version))
}

/** A list of all namespaces with a field selector for one namespace becomes a list of it, also in continue tokens. */
function inSelectedNamespace(call: RegistryCall, { fields }: ListQuery): RegistryCall {
  if (fields.isEmpty || !call.resource.namespaced || call.namespace !== '') return call
  const namespace = fields.requirements.find(({ field, equal }) => equal && field === 'metadata.namespace')?.value ?? ''
  return namespace === '' || namespace.includes('/') ? call : { ...call, namespace }
}

function page(call: RegistryCall, options: ListQuery, version: number): ListResponse {
  const found = take(call, options, version)
  const { resource } = call
  const metadata: ListResponse['metadata'] = { resourceVersion: String(found.revision) }
  if (found.next !== undefined) {
    metadata.continue = encodeContinue(found.revision, found.next, resource.strategy.uncached !== true)
    if (options.labels.isEmpty && options.fields.isEmpty) metadata.remainingItemCount = found.remaining
  } else if (!resource.builtin) {
    metadata.continue = ''
  }
  return {
    type: 'list',
    status: 200,
    kind: resource.listKind,
    apiVersion: resource.group === '' ? resource.version : `${resource.group}/${resource.version}`,
    metadata,
    items: found.items,
    typedItems: !resource.builtin,
  }
}

/** The objects that a deletecollection deletes; `next` is set if the limit left some out. */
export function collect(call: RegistryCall): ListPage {
  const options = listQuery(call, false)
  const version = readResourceVersion(options.resourceVersion)
  if (typeof version === 'string') throw apiError.badRequest(`invalid resource version: ${version}`)
  return take(call, options, version)
}

export interface ListPage {
  readonly items: readonly Stored[]
  readonly revision: number
  readonly remaining: number
  /** The key after which the next page starts, relative to the prefix. */
  readonly next?: string
}

function take(call: RegistryCall, options: ListQuery, version: number): ListPage {
  const { store } = call.backend
  const prefix = listPrefix(call)
  const from = options.continue === '' ? undefined : decodeContinue(options.continue)
  const atRevision = revisionOf(options, version, from?.revision)
  const single = atRevision === undefined ? pinnedName(call, options) : undefined
  if (single !== undefined) return one(call, options, single)
  const isSelective = !options.labels.isEmpty || !options.fields.isEmpty
  const at = atRevision === undefined ? {} : { revision: atRevision }
  let start = from?.start ?? ''
  const items: Stored[] = []
  try {
    for (;;) {
      const wanted = options.limit === 0 ? 0 : Math.max(options.limit - items.length, 1)
      const batch = store.list(prefix, {
        start,
        limit: isSelective && wanted > 0 ? Math.max(wanted, 500) : wanted,
        ...at,
      })
      let last = 0
      for (const stored of batch.items) {
        last++
        if (!isSelective || matchesListQuery(options, call.resource, stored.object)) {
          items.push(stored)
          if (options.limit > 0 && items.length >= options.limit) break
        }
      }
      const left = batch.remaining + batch.items.length - last
      const lastKey = batch.items[last - 1]?.key.slice(prefix.length)
      if (left === 0 || lastKey === undefined) return { items, revision: batch.revision, remaining: 0 }
      if (options.limit > 0 && items.length >= options.limit) {
        return { items, revision: batch.revision, remaining: left, next: lastKey }
      }
      start = `${lastKey}\0`
    }
  } catch (error) {
    if (!(error instanceof CompactedError)) throw error
    throw expired(call, options, from)
  }
}

/** The name that the field selector requires, if the storage key is then known. */
function pinnedName(call: RegistryCall, options: ListQuery): string | undefined {
  if (options.continue !== '' || (call.resource.namespaced && call.namespace === '')) return undefined
  return options.fields.requirements.find(({ field, equal }) => equal && field === 'metadata.name')?.value
}

function one(call: RegistryCall, options: ListQuery, name: string): ListPage {
  const { store } = call.backend
  const stored = store.get(listPrefix(call) + name)
  const items = stored !== undefined && matchesListQuery(options, call.resource, stored.object) ? [stored] : []
  return { items, revision: store.revision, remaining: 0 }
}

/** The revision to list at; undefined: the newest. */
function revisionOf(options: ListQuery, version: number, continued: number | undefined): number | undefined {
  if (continued !== undefined) return continued > 0 ? continued : undefined
  if (version === 0) return undefined
  if (options.resourceVersionMatch === 'Exact') return version
  if (options.resourceVersionMatch === '' && options.limit > 0) return version
  return undefined
}

function expired(call: RegistryCall, options: ListQuery, from: { start: string } | undefined) {
  if (from === undefined || options.continue === '') {
    return apiError.expired('The resourceVersion for the provided list is too old.')
  }
  const token = encodeContinue(-1, from.start.replace(/\0$/, ''), call.resource.strategy.uncached !== true)
  return apiError.expired(
    'The provided continue parameter is too old to display a consistent list result. You can start a new ' +
      'list without the ' +
      ('continue parameter, or use the continue token in this response to retrieve the remainder of the ' +
        'results. Continuing ') +
      ('with the provided token results in an inconsistent list - objects that were created, modified, or ' +
        'deleted between ') +
      'the time the first chunk was returned and now may show up in the list.',
    token,
  )
}
