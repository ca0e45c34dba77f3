/** Aggregated discovery: all groups, versions and resources in one document (`APIGroupDiscoveryList`). */
import type { JsonObject } from '../../api/json.ts'
import type { ResourceDiscovery } from '../../facts/facts.ts'
import { contentHash } from './content-hash.ts'
import type { ServedGroup, ServedVersion } from './served-groups.ts'

export interface AggregatedDocument {
  readonly body: JsonObject
  readonly text: string
  /**
   * With quotes. Hash of the content without kind and apiVersion, as upstream, so that equal content has equal tags.
   */
  readonly etag: string
}

/** Resources of custom groups are sorted by name here; the legacy documents keep the order of creation. */
export function aggregatedDiscovery(groups: readonly ServedGroup[]): AggregatedDocument {
  const items = groups.map(({ name, versions }) => ({
    metadata: name === '' ? {} : { name },
    versions: versions.map((version) => ({
      version: version.version,
      resources: sortedResources(version),
      freshness: 'Current',
    })),
  }))
  const content = { metadata: {}, items }
  const body = { kind: 'APIGroupDiscoveryList', apiVersion: 'apidiscovery.k8s.io/v2', ...content }
  const etag = `"${contentHash(JSON.stringify(content))}"`
  // Facts are typed as readonly, and documents are never changed either.
  return { body: body as unknown as JsonObject, text: JSON.stringify(body), etag }
}

function sortedResources(version: ServedVersion): readonly ResourceDiscovery[] {
  const resources = version.resources.map((each) => each.discovery)
  return version.builtin ? resources : resources.sort((a, b) => (a.resource < b.resource ? -1 : 1))
}
