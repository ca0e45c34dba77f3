/**
 * The built-in resources, made from the facts: names, verbs, shapes, columns. Strategies come from {@link
 * BuiltinBehaviour}.
 */
import type { JsonObject } from '../../api/json.ts'
import { apiVersionOf, parseApiVersion, type KubeObject } from '../../api/object.ts'
import { columns, discovery, optionalVersions, type ResourceDiscovery } from '../../facts/facts.ts'
import { builtinShape } from '../../shape/builtin-shapes.ts'
import { decodeObject, UnmarshalError, unknownFields, type DecodeOptions } from '../../shape/decode.ts'
import { RecentParts } from '../../shape/recent-parts.ts'
import type { StructShape } from '../../shape/shape.ts'
import type {
  Column,
  DecodeNotes,
  Decoded,
  LiveVersion,
  Resource,
  Strategy,
  ScaleAccess,
  Subresource,
  VersionView,
} from '../contract/resource.ts'

/** The storage prefixes of resources that upstream does not store under their plural name. */
const keyPrefixes: Record<string, string> = {
  '/services': '/registry/services/specs/',
  '/endpoints': '/registry/services/endpoints/',
  '/nodes': '/registry/minions/',
  '/replicationcontrollers': '/registry/controllers/',
  'networking.k8s.io/ingresses': '/registry/ingress/',
  'apiextensions.k8s.io/customresourcedefinitions': '/registry/apiextensions.k8s.io/customresourcedefinitions/',
  'apiregistration.k8s.io/apiservices': '/registry/apiregistration.k8s.io/apiservices/',
}

/** By default only stable versions are served, as upstream does. */
const stable = /^v\d+$/

/** What the facts do not contain. */
export interface BuiltinBehaviour {
  strategyFor(group: string, plural: string): Strategy
  scaleOf(kind: string): ScaleAccess
  /** For kinds served in two versions: which one is stored, and how to convert between them. */
  sharedKind?(apiVersion: string, plural: string): SharedKind | undefined
}

interface SharedKind {
  readonly stored: ServedVersion
  readonly shown: ServedVersion
  readonly view: VersionView
}

interface ServedVersion {
  readonly apiVersion: string
  /** The name of the type, for example `io.k8s.api.core.v1.Event`. */
  readonly type: string
}

/** `optional`: other versions that are served, such as `admissionregistration.k8s.io/v1beta1`. */
export function builtinResources(behaviour: BuiltinBehaviour, optional: readonly string[] = []): Resource[] {
  const resources: Resource[] = []
  for (const { group, version, resource } of discovered(optional)) {
    resources.push(new BuiltinResource(group, version, resource, behaviour))
  }
  return resources
}

/** The same names, each once. Throws if this server cannot serve one. */
export function checkOptionalVersions(names: readonly string[]): readonly string[] {
  if (names.length === 0) return names
  const known = Object.keys(optionalVersions())
  for (const name of names) {
    if (known.includes(name)) continue
    throw new Error(`${name} cannot be enabled: the versions that can are ${known.join(', ')}`)
  }
  return [...new Set(names)]
}

function* discovered(
  optional: readonly string[],
): Iterable<{ group: string; version: string; resource: ResourceDiscovery }> {
  const { api, apis } = discovery()
  for (const { metadata, versions } of [...api.items, ...apis.items]) {
    for (const { version, resources } of versions) {
      if (!stable.test(version)) continue
      for (const resource of resources) yield { group: metadata.name ?? '', version, resource }
    }
  }
  for (const name of optional) {
    const [group = '', version = ''] = name.split('/')
    for (const resource of optionalVersions()[name]?.discovery.resources ?? []) yield { group, version, resource }
  }
}

/** Groups whose types are not in `io.k8s.api.GROUP`. */
const packages: Readonly<Record<string, string>> = {
  '': 'io.k8s.api.core',
  'apiextensions.k8s.io': 'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions',
  'apiregistration.k8s.io': 'io.k8s.kube-aggregator.pkg.apis.apiregistration',
}

/** `apps`, `v1`, `Deployment` to `io.k8s.api.apps.v1.Deployment`. */
export function typeName(group: string, version: string, kind: string): string {
  const home = Object.hasOwn(packages, group) ? packages[group] : `io.k8s.api.${group.split('.', 1)[0]}`
  return `${home}.${version}.${kind}`
}

const noFields: readonly string[] = []

class BuiltinResource implements Resource {
  readonly group: string
  readonly version: string
  readonly apiVersion: string
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
  readonly scale?: ScaleAccess
  readonly storedGroup?: string
  readonly view?: VersionView
  readonly convert?: NonNullable<Resource['convert']>
  readonly #behaviour: BuiltinBehaviour
  readonly #parts = new RecentParts()
  #shape: StructShape | undefined
  #rules: Strategy | undefined

  constructor(group: string, version: string, found: ResourceDiscovery, behaviour: BuiltinBehaviour) {
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
    this.keyPrefix =
      keyPrefixes[`${group}/${this.plural}/${version}`] ??
      keyPrefixes[`${group}/${this.plural}`] ??
      `/registry/${this.plural}/`
    this.subresources = new Map((found.subresources ?? []).map((sub) => [sub.subresource, subresource(this, sub)]))
    this.apiVersion = apiVersionOf(group, version)
    this.#behaviour = behaviour
    if (this.subresources.has('scale')) this.scale = behaviour.scaleOf(this.kind)
    const shared = behaviour.sharedKind?.(this.apiVersion, this.plural)
    if (shared === undefined) return
    const isStored = shared.stored.apiVersion === this.apiVersion
    const { fromStored, toStored } = shared.view
    this.storedGroup = parseApiVersion(shared.stored.apiVersion)?.group ?? group
    if (!isStored) this.view = shared.view
    // Without `convert`, field owners of the other version are dropped: upstream does so if the versions are of two
    // groups.
    if ((isStored ? shared.shown : shared.stored).apiVersion.split('/')[0] !== group) return
    this.convert = (object, apiVersion) => {
      const versions = [shared.stored, shared.shown]
      const from = versions.find((version) => version.apiVersion === object.apiVersion)
      const to = versions.find((version) => version.apiVersion === apiVersion)
      if (from === undefined || to === undefined) return undefined
      const typed = typedObject(object, this.kind, from)
      if ('problem' in typed) return typed
      const converted =
        from === to ? typed.object : from === shared.stored ? fromStored(typed.object) : toStored(typed.object)
      // To be validated: duplicate list items are accepted in the version of the request, but not in another one.
      return { object: converted, shape: builtinShape(to.type), unchecked: true }
    }
  }

  /** Compiled on first use: most kinds are never requested. */
  get shape(): StructShape {
    return (this.#shape ??= builtinShape(typeName(this.group, this.version, this.kind)) as StructShape)
  }

  get strategy(): Strategy {
    return (this.#rules ??= this.#behaviour.strategyFor(this.group, this.plural))
  }

  get columns(): readonly Column[] {
    return columns()[`${this.apiVersion}/${this.plural}`] ?? defaultColumns
  }

  decode(value: JsonObject, converted = false, live?: LiveVersion): Decoded {
    const parts = converted ? undefined : this.#parts
    const { sharesSpec } = this.strategy
    const isShared = sharesSpec === true || (sharesSpec === 'status' && live?.restoresSpec === true)
    const liveSpec = isShared ? live?.object['spec'] : undefined
    const options: DecodeOptions = { converted, parts, liveMetadata: live?.object.metadata, liveSpec }
    const found = decodeObject(value, this.shape, this.kind, this.apiVersion, options)
    const { object, part } = found
    const decoded: Decoded & DecodeNotes = {
      object: object as KubeObject,
      unknown: found.sawUnknown ? unknownFields(value, this.shape, converted) : noFields,
      empty: found.empty,
      asSent: found.oddForm ? () => this.#decodeAsSent(value, converted) : undefined,
      filled: undefined,
    }
    const isTop = part?.holder === object
    if (part !== undefined) this.#parts.open(part, isTop)
    this.strategy.default?.(decoded.object, decoded)
    if (part !== undefined) this.#parts.close(part, isTop)
    return decoded
  }

  #decodeAsSent(value: JsonObject, converted: boolean): KubeObject {
    const { object, empty } = decodeObject(value, this.shape, this.kind, this.apiVersion, {
      asGiven: true,
      converted,
    })
    this.strategy.default?.(object as KubeObject, { empty })
    return object as KubeObject
  }
}

/** A merged object decoded as the given type, without defaults; or the decoding error. */
function typedObject(
  object: KubeObject,
  kind: string,
  { apiVersion, type }: { readonly apiVersion: string; readonly type: string },
): { readonly object: KubeObject } | { readonly problem: string } {
  try {
    const decoded = decodeObject(object, builtinShape(type) as StructShape, kind, apiVersion, {
      converted: true,
    })
    return { object: decoded.object as KubeObject }
  } catch (error) {
    if (!(error instanceof UnmarshalError)) throw error
    return { problem: `unable to convert unstructured object to ${apiVersion}, Kind=${kind}: ${error.message}` }
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
