/** The built-in resources, from the facts: names, verbs, shapes, columns. What differs per kind comes from `rules`. */
import type { JsonObject } from '../../api/json.ts'
import { apiVersionOf, type KubeObject } from '../../api/object.ts'
import { columns, discovery, schemas, type ResourceDiscovery } from '../facts/facts.ts'
import { builtinShape } from '../shape/builtin-shapes.ts'
import { decodeObject, unknownFields } from '../shape/decode.ts'
import type { StructShape } from '../shape/shape.ts'
import type { Column, Decoded, Resource, ResourceRules, ScaleAccess, Subresource } from './resource.ts'

/** Where upstream keeps resources whose key is not their plural name. */
const keyPrefixes: Record<string, string> = {
  '/services': '/registry/services/specs/',
  '/endpoints': '/registry/services/endpoints/',
  '/nodes': '/registry/minions/',
  '/replicationcontrollers': '/registry/controllers/',
  'networking.k8s.io/ingresses': '/registry/ingress/',
  'events.k8s.io/events': '/registry/events.k8s.io/events/',
  'autoscaling/horizontalpodautoscalers/v1': '/registry/autoscaling/v1/horizontalpodautoscalers/',
  'apiextensions.k8s.io/customresourcedefinitions': '/registry/apiextensions.k8s.io/customresourcedefinitions/',
  'apiregistration.k8s.io/apiservices': '/registry/apiregistration.k8s.io/apiservices/',
}

/** Only what is stable is served, as upstream does by default. */
const stable = /^v\d+$/

/** What the facts cannot say of a resource. */
export interface BuiltinBehaviour {
  rulesFor(group: string, plural: string): ResourceRules
  scaleOf(kind: string): ScaleAccess
}

export function builtinResources(behaviour: BuiltinBehaviour): Resource[] {
  const types = typeNames()
  const resources: Resource[] = []
  for (const { group, version, resource } of discovered()) {
    const type = types.get(`${group}/${version}/${resource.responseKind.kind}`)
    if (type === undefined) continue
    resources.push(new BuiltinResource(group, version, resource, type, behaviour))
  }
  return resources
}

function* discovered(): Iterable<{ group: string; version: string; resource: ResourceDiscovery }> {
  const { api, apis } = discovery()
  for (const { metadata, versions } of [...api.items, ...apis.items]) {
    for (const { version, resources } of versions) {
      if (!stable.test(version)) continue
      for (const resource of resources) yield { group: metadata.name ?? '', version, resource }
    }
  }
}

/** `apps/v1/Deployment` to `io.k8s.api.apps.v1.Deployment`. */
function typeNames(): Map<string, string> {
  const names = new Map<string, string>()
  for (const [name, schema] of Object.entries(schemas())) {
    const kinds = schema['x-kubernetes-group-version-kind'] ?? []
    if (kinds.length !== 1) continue
    for (const { group, version, kind } of kinds) names.set(`${group}/${version}/${kind}`, name)
  }
  return names
}

class BuiltinResource implements Resource {
  readonly group: string
  readonly version: string
  readonly kind: string
  readonly listKind: string
  readonly plural: string
  readonly singular: string
  readonly namespaced: boolean
  readonly shortNames: readonly string[]
  readonly categories: readonly string[]
  readonly verbs: readonly string[]
  readonly builtin = true
  readonly keyPrefix: string
  readonly subresources: ReadonlyMap<string, Subresource>
  readonly rules: ResourceRules
  readonly scale?: ScaleAccess
  readonly #type: string
  readonly #apiVersion: string

  constructor(group: string, version: string, found: ResourceDiscovery, type: string, behaviour: BuiltinBehaviour) {
    this.group = group
    this.version = version
    this.kind = found.responseKind.kind
    this.listKind = `${this.kind}List`
    this.plural = found.resource
    this.singular = found.singularResource
    this.namespaced = found.scope === 'Namespaced'
    this.shortNames = found.shortNames ?? []
    this.categories = found.categories ?? []
    this.verbs = found.verbs
    this.keyPrefix = keyPrefixes[`${group}/${this.plural}/${version}`] ?? keyPrefixes[`${group}/${this.plural}`] ?? `/registry/${this.plural}/`
    this.subresources = new Map((found.subresources ?? []).map((sub) => [sub.subresource, subresource(this, sub)]))
    this.rules = behaviour.rulesFor(group, this.plural)
    this.#type = type
    this.#apiVersion = apiVersionOf(group, version)
    if (this.subresources.has('scale')) this.scale = behaviour.scaleOf(this.kind)
  }

  /** Compiled on first use: most kinds are never asked for. */
  get shape(): StructShape {
    return builtinShape(this.#type) as StructShape
  }

  get columns(): readonly Column[] {
    return columns()[`${this.#apiVersion}/${this.plural}`] ?? defaultColumns
  }

  decode(value: JsonObject): Decoded {
    const { object, sawUnknown } = decodeObject(value, this.shape, this.kind, this.#apiVersion)
    this.rules.default?.(object as unknown as KubeObject)
    return { object: object as unknown as KubeObject, unknown: sawUnknown ? unknownFields(value, this.shape) : [] }
  }
}

const defaultColumns: readonly Column[] = [
  { name: 'Name', type: 'string', format: 'name', priority: 0 },
  { name: 'Created At', type: 'date', format: '', priority: 0 },
]

function subresource(parent: Resource, found: NonNullable<ResourceDiscovery['subresources']>[number]): Subresource {
  const { group, version, kind } = found.responseKind
  return {
    name: found.subresource,
    verbs: found.verbs,
    group: version === '' ? parent.group : group,
    version: version === '' ? parent.version : version,
    kind,
  }
}
