/** The legacy discovery documents: for `/api`, `/apis`, each group and each group-version. */
import type { JsonObject } from '../../api/json.ts'
import { apiVersionOf, type GroupVersionKind } from '../../api/object.ts'
import { storageVersionHash } from './content-hash.ts'
import type { ServedGroup, ServedResource, ServedVersion } from './served-groups.ts'

/** `/api`. As upstream, it has no apiVersion. */
export function apiVersions(core: ServedGroup, serverAddress: string): JsonObject {
  return {
    kind: 'APIVersions',
    versions: core.versions.map(({ version }) => version),
    serverAddressByClientCIDRs: [{ clientCIDR: '0.0.0.0/0', serverAddress }],
  }
}

/** `/apis` */
export function apiGroupList(groups: readonly ServedGroup[]): JsonObject {
  return { kind: 'APIGroupList', apiVersion: 'v1', groups: groups.map(describeGroup) }
}

/** `/apis/GROUP` */
export function apiGroup(group: ServedGroup): JsonObject {
  return { kind: 'APIGroup', apiVersion: 'v1', ...describeGroup(group) }
}

function describeGroup({ name, versions }: ServedGroup): JsonObject {
  const described = versions.map(({ version }) => ({ groupVersion: apiVersionOf(name, version), version }))
  return { name, versions: described, preferredVersion: described[0] as JsonObject }
}

/** `/api/v1` (also without apiVersion) and `/apis/GROUP/VERSION`. Each resource is followed by its subresources. */
export function apiResourceList(version: ServedVersion): JsonObject {
  return {
    kind: 'APIResourceList',
    ...(version.group !== '' && { apiVersion: 'v1' }),
    groupVersion: apiVersionOf(version.group, version.version),
    resources: version.resources.flatMap((resource) => describeResource(resource, version)),
  }
}

function describeResource({ discovery, storedAs }: ServedResource, version: ServedVersion): JsonObject[] {
  const namespaced = discovery.scope === 'Namespaced'
  const main: JsonObject = {
    name: discovery.resource,
    singularName: discovery.singularResource,
    namespaced,
    ...describeKind(discovery.responseKind, version),
    verbs: [...discovery.verbs],
  }
  if (discovery.shortNames !== undefined) main['shortNames'] = [...discovery.shortNames]
  if (discovery.categories !== undefined) main['categories'] = [...discovery.categories]
  if (storedAs !== undefined) main['storageVersionHash'] = storageVersionHash(storedAs)
  const subresources = (discovery.subresources ?? []).map(({ subresource, responseKind, verbs }) => ({
    name: `${discovery.resource}/${subresource}`,
    singularName: '',
    namespaced,
    ...describeKind(responseKind, version),
    verbs: [...verbs],
  }))
  return [main, ...subresources]
}

/** Group and version are omitted if they are those of the document. */
function describeKind({ group, version, kind }: GroupVersionKind, of: ServedVersion): JsonObject {
  const own = (group === '' && version === '') || (group === of.group && version === of.version)
  return own ? { kind } : { group, version, kind }
}
