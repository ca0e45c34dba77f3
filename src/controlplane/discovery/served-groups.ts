/**
 * Served groups: the list from which all discovery documents are made. Built-in groups come from facts, already in
 * upstream's order; groups of custom resources follow, by name. Every custom group-version has the same priority (group
 * 1000, version 100), below every built-in group and above every built-in version.
 */
import { discovery, optionalVersions, type GroupDiscovery, type ResourceDiscovery } from '../../facts/facts.ts'
import { compareKubeAwareVersions } from '../../api/kube-version.ts'
import type { GroupVersionKind } from '../../api/object.ts'
import type { Resource } from '../contract/resource.ts'

/** The data of one version of a CustomResourceDefinition that its {@link Resource} does not have. */
export interface CustomDefinition {
  /** The storage version; the same for all versions of a definition. */
  readonly storageVersion: string
  /** The `openAPIV3Schema` of the version, unprocessed. Anything but an object counts as none. */
  readonly schema?: unknown
  /** JSON paths of `selectableFields`: `.spec.color`. */
  readonly selectableFields?: readonly string[]
}

/** Undefined if the definition of the resource is gone. The resource is then described without a schema. */
export type DefinitionOf = (resource: Resource) => CustomDefinition | undefined

export interface ServedGroup {
  /** '' for the core group. */
  readonly name: string
  /** The preferred version first. */
  readonly versions: readonly ServedVersion[]
}

export interface ServedVersion {
  readonly group: string
  readonly version: string
  readonly builtin: boolean
  readonly resources: readonly ServedResource[]
}

export interface ServedResource {
  readonly discovery: ResourceDiscovery
  /** The type in which objects are stored. Undefined if they are not stored. */
  readonly storedAs: GroupVersionKind | undefined
}

/** The core group, which never changes. */
export function coreGroup(): ServedGroup {
  return builtinGroup(discovery().api.items[0] as GroupDiscovery)
}

/**
 * All named groups. Built-in kinds in `resources` are skipped, since facts describe them. `optional`: built-in versions
 * that are not served by default.
 */
export function namedGroups(
  resources: readonly Resource[],
  definitionOf: DefinitionOf,
  optional: readonly string[] = [],
): readonly ServedGroup[] {
  const groups = discovery().apis.items.map((group) => builtinGroup(withOptional(group, optional)))
  const custom = customVersions(resources, definitionOf)
  const added: ServedGroup[] = []
  for (const [name, versions] of custom) {
    const at = groups.findIndex((group) => group.name === name)
    const builtin = groups[at]
    if (builtin === undefined) {
      added.push({ name, versions })
    } else {
      const taken = new Set(builtin.versions.map((each) => each.version))
      const fresh = versions.filter((each) => !taken.has(each.version))
      groups[at] = { name, versions: [...fresh, ...builtin.versions] }
    }
  }
  added.sort((a, b) => (a.name < b.name ? -1 : 1))
  return [...groups, ...added]
}

function withOptional(group: GroupDiscovery, optional: readonly string[]): GroupDiscovery {
  const own = optional.filter((version) => version.split('/')[0] === group.metadata.name)
  if (own.length === 0) return group
  const added = own.flatMap((version) => optionalVersions()[version]?.discovery ?? [])
  return { metadata: group.metadata, versions: [...group.versions, ...added] }
}

function builtinGroup(group: GroupDiscovery): ServedGroup {
  const name = group.metadata.name ?? ''
  const versions = group.versions.map(({ version, resources }) => ({
    group: name,
    version,
    builtin: true,
    resources: resources.map((each) => ({ discovery: each, storedAs: builtinStorage(name, version, each) })),
  }))
  return { name, versions }
}

/** Kinds whose storage version differs from the served version (for events, also the group). */
const storedElsewhere: Readonly<Record<string, { group: string; version: string }>> = {
  'events.k8s.io/Event': { group: '', version: 'v1' },
  'autoscaling/HorizontalPodAutoscaler': { group: 'autoscaling', version: 'v2' },
  'storage.k8s.io/VolumeAttributesClass': { group: 'storage.k8s.io', version: 'v1beta1' },
  'apiextensions.k8s.io/CustomResourceDefinition': { group: 'apiextensions.k8s.io', version: 'v1beta1' },
}

/** Resources with `watch` are stored; reviews, bindings and component statuses are not. */
function builtinStorage(group: string, version: string, resource: ResourceDiscovery): GroupVersionKind | undefined {
  if (!resource.verbs.includes('watch')) return undefined
  const { kind } = resource.responseKind
  return { ...(storedElsewhere[`${group}/${kind}`] ?? { group, version }), kind }
}

function customVersions(resources: readonly Resource[], definitionOf: DefinitionOf): Map<string, ServedVersion[]> {
  const members = new Map<string, Map<string, ServedResource[]>>()
  for (const resource of resources) {
    if (resource.builtin) continue
    const versions = members.get(resource.group) ?? new Map<string, ServedResource[]>()
    members.set(resource.group, versions)
    const served = versions.get(resource.version) ?? []
    versions.set(resource.version, served)
    served.push(customResource(resource, definitionOf(resource)))
  }
  const groups = new Map<string, ServedVersion[]>()
  for (const [group, versions] of members) {
    const sorted = [...versions].sort(([a], [b]) => compareKubeAwareVersions(b, a))
    groups.set(
      group,
      sorted.map(([version, served]) => customVersion(group, version, served)),
    )
  }
  return groups
}

function customVersion(group: string, version: string, resources: readonly ServedResource[]): ServedVersion {
  return { group, version, builtin: false, resources }
}

/** The order in which upstream lists the verbs of custom resources. */
const customVerbs = ['delete', 'deletecollection', 'get', 'list', 'patch', 'create', 'update', 'watch']

function customResource(resource: Resource, definition: CustomDefinition | undefined): ServedResource {
  const { group, version, kind } = resource
  const subresources = ['status', 'scale'].flatMap((name) => {
    const subresource = resource.subresources.get(name)
    if (subresource === undefined) return []
    const responseKind = { group: subresource.group, version: subresource.version, kind: subresource.kind }
    return [{ subresource: name, responseKind, verbs: ['get', 'patch', 'update'] }]
  })
  const described: ResourceDiscovery = {
    resource: resource.plural,
    responseKind: { group, version, kind },
    scope: resource.namespaced ? 'Namespaced' : 'Cluster',
    singularResource: resource.singular,
    verbs: customVerbs.filter((verb) => resource.verbs.includes(verb)),
    ...(resource.shortNames.length > 0 && { shortNames: resource.shortNames }),
    ...(resource.categories.length > 0 && { categories: resource.categories }),
    ...(subresources.length > 0 && { subresources }),
  }
  const storedAs = { group, version: definition?.storageVersion ?? version, kind }
  return { discovery: described, storedAs: resource.derived === undefined ? storedAs : undefined }
}
