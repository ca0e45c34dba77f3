/** `resource()` defines a custom resource with one value: its type, CRD, defaults, validation and printer columns. */
import type { ApiObject, DeepReadonly } from '../api/live-object.ts'
import { parseApiVersion, type ObjectMeta } from '../api/object.ts'
import type { StatusCause } from '../api/status.ts'
import type { CustomResourceDefinition } from './builtin/apiextensions-v1.ts'
import { CustomChecks } from './checks.ts'
import {
  definitionOf,
  versionSchema,
  type DefinitionNames,
  type DefinitionVersion,
  type VersionOptions,
} from './definition.ts'
import type { DefaultingKind, InputOf, Kind, ObjectOf } from './kind.ts'
import {
  SchemaError,
  type NodeTypes,
  type Presence,
  type ReadOf,
  type SchemaNode,
  type StructuralSchema,
  type WriteOf,
} from './node.ts'
import { pluralOf } from './plural.ts'

/** The type of objects in reads. */
export interface CustomObject<Spec, Status> extends ApiObject {
  spec: Spec
  status?: Status
}

/** The type of objects in writes: fields with defaults may be left out, and so may apiVersion and kind. */
export interface CustomInput<Spec, Status> {
  apiVersion?: string
  kind?: string
  metadata: ObjectMeta
  spec: Spec
  status?: Status
}

type InputFor<Spec extends SchemaNode, Status extends SchemaNode> = Spec[NodeTypes]['presence'] extends 'defaulted'
  ? Omit<CustomInput<WriteOf<Spec>, WriteOf<Status>>, 'spec'> & { spec?: WriteOf<Spec> }
  : CustomInput<WriteOf<Spec>, WriteOf<Status>>

export interface ResourceKind<T extends ApiObject, Input> extends DefaultingKind<T, Input> {
  readonly singular: string
  readonly shortNames: readonly string[]
  readonly categories: readonly string[]
  /** `openAPIV3Schema` of this version. Frozen. Its bytes do not depend on the order in which it was written. */
  readonly schema: StructuralSchema
  /** The CustomResourceDefinition. A new value each time, which the caller may modify. */
  readonly crd: CustomResourceDefinition
  /** The object as a server would store it: with apiVersion, kind and all defaults, without unknown fields. */
  defaulted(object: DeepReadonly<Input>): T
  /**
   * The causes with which a server would reject the object; empty if it would not. With `old`, as an update of that
   * object, so that rules about `oldSelf` apply. A status is validated, too. The first call loads CEL, which operators
   * that never call this do not need.
   */
  validate(object: unknown, old?: object): Promise<StatusCause[]>
  /** @internal Used by `versions` of another resource. */
  readonly definition: { readonly names: DefinitionNames; readonly version: DefinitionVersion }
}

type AnyResource = Pick<ResourceKind<ApiObject, unknown>, 'definition' | 'apiVersion'>

type SpecNode = SchemaNode<object, object, Exclude<Presence, 'optional'>>
type StatusNode = SchemaNode<object, object, Exclude<Presence, 'optional'>>

export interface ResourceOptions<Spec extends SchemaNode, Status extends SchemaNode> extends VersionOptions<
  Spec,
  Status
> {
  /** Default: the kind in lower case with an s (or ies); throws if that is ambiguous. */
  readonly plural?: string
  /** Default: the kind in lower case. */
  readonly singular?: string
  readonly shortNames?: readonly string[]
  /** Groups of resources for `kubectl get`, such as `all`. */
  readonly categories?: readonly string[]
  /** Default Namespaced. */
  readonly scope?: 'Namespaced' | 'Cluster'
  /**
   * Other versions of the same kind, each made by `resource()`. This one is the storage version. Objects are not
   * converted, only their `apiVersion` changes, so a field that another version does not have is lost when an object is
   * written through that version.
   */
  readonly versions?: readonly AnyResource[]
}

/**
 * ```ts
 * const WebApp = resource('coxswain.dev/v1', 'WebApp', {
 *   spec: t.object({ image: t.string().minLength(1), replicas: t.int().min(0).default(1) }),
 *   status: t.object({ phase: t.string().optional() }),
 *   columns: [column('Phase', '.status.phase'), age()],
 * })
 * type WebApp = Infer<typeof WebApp>
 * ```
 * Throws a {@link SchemaError} for an invalid definition: an ambiguous plural, a path without a field.
 */
export function resource<Spec extends SpecNode, Status extends StatusNode = SchemaNode<never, never, 'required'>>(
  apiVersion: `${string}/${string}`,
  kind: string,
  options: ResourceOptions<Spec, Status>,
): ResourceKind<CustomObject<ReadOf<Spec>, ReadOf<Status>>, InputFor<Spec, Status>> {
  const { group = '', version = '' } = parseApiVersion(apiVersion) ?? {}
  if (group === '' || version === '')
    throw new SchemaError(`apiVersion ${JSON.stringify(apiVersion)} is not group/version`)
  const names: DefinitionNames = {
    group,
    kind,
    plural: options.plural ?? pluralOf(kind),
    singular: options.singular ?? kind.toLowerCase(),
    shortNames: options.shortNames ?? [],
    categories: options.categories ?? [],
    namespaced: options.scope !== 'Cluster',
  }
  const own: DefinitionVersion = { version, schema: versionSchema(options), options }
  const versions = [own, ...(options.versions ?? []).map((other) => otherVersion(names, version, other))]
  const crd = (): CustomResourceDefinition => definitionOf(names, versions)
  crd() // report errors where the resource is defined
  const checks = new CustomChecks(definitionOf(names, [own]))
  return Object.freeze({
    ...names,
    apiVersion,
    version,
    schema: own.schema,
    definition: { names, version: own },
    get crd() {
      return crd()
    },
    defaulted: (object: object) => checks.defaulted(object) as never,
    validate: (object: unknown, old?: object) => checks.problems(object, old),
  })
}

function otherVersion(
  names: DefinitionNames,
  version: string,
  { definition, apiVersion }: AnyResource,
): DefinitionVersion {
  const other = definition.names
  for (const name of ['group', 'kind', 'plural', 'namespaced'] as const) {
    if (other[name] !== names[name]) {
      throw new SchemaError(`versions: ${apiVersion} has ${name} ${String(other[name])}, not ${String(names[name])}`)
    }
  }
  if (definition.version.version === version) throw new SchemaError(`versions: ${apiVersion} is declared twice`)
  return definition.version
}

/** The type of a kind or a node in reads: `type WebApp = Infer<typeof WebApp>`. */
export type Infer<X> = X extends Kind ? ObjectOf<X> : X extends SchemaNode ? ReadOf<X> : never

/** The type of a kind or a node in writes: fields with defaults may be left out. */
export type Input<X> = X extends Kind ? InputOf<X> : X extends SchemaNode ? WriteOf<X> : never
