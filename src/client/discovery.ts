/** The resources that a server serves: by aggregated discovery, or document by document from older servers. */
import { isObject, type FrozenJson } from '../api/json.ts'
import { apiVersionOf } from '../api/object.ts'
import { isNotAcceptable, isNotFound } from '../api/error-reasons.ts'
import type { Kind } from '../schema/kind.ts'
import type { Client } from './client.ts'

/** A kind with its other names, verbs and subresources. */
export interface ServedKind {
  readonly kind: Kind
  readonly singular: string
  readonly shortNames: readonly string[]
  readonly categories: readonly string[]
  readonly verbs: readonly string[]
  /** `status`, `scale`. */
  readonly subresources: readonly string[]
}

export type DiscoveryClient = Pick<Client, 'raw'>

const aggregated = ['v2', 'v2beta1'].map(
  (version) => `application/json;g=apidiscovery.k8s.io;v=${version};as=APIGroupDiscoveryList`,
)
const accept = [...aggregated, 'application/json'].join(',')

/** The core group first, then the groups in the server's order; in each group the preferred version first. */
export async function discover(client: DiscoveryClient, signal?: AbortSignal): Promise<ServedKind[]> {
  const parts = await Promise.all(
    ['/api', '/apis'].map(async (root) => {
      const answer = await client.raw('GET', root, { headers: { accept }, signal }).catch((error: unknown) => {
        if (isNotFound(error) || isNotAcceptable(error)) return undefined
        throw error
      })
      if (answer === undefined) return []
      if (isObject(answer) && answer['kind'] === 'APIGroupDiscoveryList') return fromAggregated(answer)
      return older(client, root, answer, signal)
    }),
  )
  return parts.flat()
}

interface AggregatedList {
  readonly items?: readonly {
    readonly metadata?: { readonly name?: string }
    readonly versions?: readonly { readonly version: string; readonly resources?: readonly AggregatedResource[] }[]
  }[]
}

interface AggregatedResource {
  readonly resource: string
  readonly responseKind?: { readonly group?: string; readonly version?: string; readonly kind: string }
  readonly scope: 'Namespaced' | 'Cluster'
  readonly singularResource?: string
  readonly verbs?: readonly string[]
  readonly shortNames?: readonly string[]
  readonly categories?: readonly string[]
  readonly subresources?: readonly { readonly subresource: string }[]
}

function fromAggregated({ items = [] }: AggregatedList): ServedKind[] {
  return items.flatMap(({ metadata, versions = [] }) =>
    versions.flatMap(({ version, resources = [] }) =>
      resources
        .filter(({ responseKind }) => responseKind !== undefined && responseKind.kind !== '')
        .map((resource): ServedKind => ({
          kind: kindFrom(
            metadata?.name ?? '',
            version,
            resource.responseKind?.kind ?? '',
            resource.resource,
            resource.scope === 'Namespaced',
          ),
          singular: resource.singularResource || (resource.responseKind?.kind ?? '').toLowerCase(),
          shortNames: resource.shortNames ?? [],
          categories: resource.categories ?? [],
          verbs: resource.verbs ?? [],
          subresources: (resource.subresources ?? []).map(({ subresource }) => subresource),
        })),
    ),
  )
}

function kindFrom(group: string, version: string, kind: string, plural: string, namespaced: boolean): Kind {
  return { group, version, apiVersion: apiVersionOf(group, version), kind, plural, namespaced }
}

interface OlderGroup {
  readonly name: string
  readonly versions?: readonly { readonly version: string }[]
  readonly preferredVersion?: { readonly version?: string }
}

interface OlderResource {
  readonly name: string
  readonly singularName?: string
  readonly namespaced: boolean
  readonly kind: string
  readonly verbs?: readonly string[]
  readonly shortNames?: readonly string[]
  readonly categories?: readonly string[]
}

async function older(
  client: DiscoveryClient,
  root: string,
  answer: FrozenJson,
  signal: AbortSignal | undefined,
): Promise<ServedKind[]> {
  const { versions = [], groups = [] } = answer as { versions?: string[]; groups?: OlderGroup[] }
  const all =
    root === '/api'
      ? versions.map((version) => ({ group: '', version, path: `/api/${version}` }))
      : groups.flatMap(({ name, versions = [], preferredVersion }) =>
          versions
            .map(({ version }) => ({ group: name, version, path: `/apis/${name}/${version}` }))
            .sort(
              (a, b) =>
                Number(b.version === preferredVersion?.version) - Number(a.version === preferredVersion?.version),
            ),
        )
  const documents = await Promise.all(
    all.map(async ({ group, version, path }) => {
      // A group whose aggregated server is down must not hide the others.
      const document = await client.raw('GET', path, { signal }).catch(() => undefined)
      const { resources = [] } = (document ?? {}) as { resources?: OlderResource[] }
      return fromOlder(group, version, resources)
    }),
  )
  return documents.flat()
}

function fromOlder(group: string, version: string, resources: readonly OlderResource[]): ServedKind[] {
  const parents = resources.filter(({ name }) => !name.includes('/'))
  return parents.map((resource) => ({
    kind: kindFrom(group, version, resource.kind, resource.name, resource.namespaced),
    singular: resource.singularName || resource.kind.toLowerCase(),
    shortNames: resource.shortNames ?? [],
    categories: resource.categories ?? [],
    verbs: resource.verbs ?? [],
    subresources: resources
      .filter(({ name }) => name.startsWith(`${resource.name}/`))
      .map(({ name }) => name.slice(resource.name.length + 1)),
  }))
}
