/** Makes the CustomResourceDefinition of a kind from its versions. */
import { deepFreeze, type Json, type JsonObject } from '../api/json.ts'
import type { CustomResourceDefinition } from './builtin/apiextensions-v1.ts'
import { columnSchema, fieldAt, type Column } from './columns.ts'
import { canonical, ruleSchema, SchemaError, type RuleOptions, type SchemaNode, type StructuralSchema } from './node.ts'

/** The paths of the scale subresource, for `kubectl scale` and autoscalers. */
export interface ScalePaths {
  /** For example `.spec.replicas`: an integer. */
  readonly spec: string
  /** For example `.status.replicas`: an integer. */
  readonly status: string
  /** For example `.status.selector`: a label selector as text. Autoscalers need it. */
  readonly selector?: string
}

/** A rule about the whole object: it can also use `self.metadata.name` and `self.metadata.generateName`. */
export interface ResourceRule extends RuleOptions {
  readonly rule: string
}

/** The options of one version of a kind. */
export interface VersionOptions<Spec extends SchemaNode = SchemaNode, Status extends SchemaNode = SchemaNode> {
  /** Use `.default({})` if all its fields are optional and users may leave out the spec. */
  readonly spec: Spec
  /** If present, the status subresource is enabled, and only it writes the status. Default: the kind has no status. */
  readonly status?: Status
  readonly rules?: readonly ResourceRule[]
  readonly description?: string
  readonly scale?: ScalePaths
  /** Default: the age. */
  readonly columns?: readonly Column[]
  /** Scalar fields for field selectors, such as `.spec.host`. Eight at most. */
  readonly selectableFields?: readonly string[]
  /** Default true. */
  readonly served?: boolean
  /** True, or the warning for clients that use the version. Default false. */
  readonly deprecated?: boolean | string
}

export interface DefinitionNames {
  readonly group: string
  readonly kind: string
  readonly plural: string
  readonly singular: string
  readonly shortNames: readonly string[]
  readonly categories: readonly string[]
  readonly namespaced: boolean
}

export interface DefinitionVersion {
  readonly version: string
  readonly schema: StructuralSchema
  readonly options: VersionOptions
}

/** `openAPIV3Schema` of one version. Frozen. */
export function versionSchema({ spec, status, rules = [], description }: VersionOptions): StructuralSchema {
  return deepFreeze(
    canonical({
      type: 'object',
      ...(description === undefined ? {} : { description }),
      properties: {
        apiVersion: { type: 'string' },
        kind: { type: 'string' },
        metadata: { type: 'object' },
        spec: spec.schema,
        ...(status === undefined ? {} : { status: status.schema }),
      },
      ...(spec.presence === 'required' ? { required: ['spec'] } : {}),
      ...(rules.length === 0
        ? {}
        : { 'x-kubernetes-validations': rules.map(({ rule, ...options }) => ruleSchema(rule, options)) }),
    }) as JsonObject,
  )
}

/** A new value each time, with sorted keys, which the caller may modify. The first version is the storage version. */
export function definitionOf(names: DefinitionNames, versions: readonly DefinitionVersion[]): CustomResourceDefinition {
  const { group, kind, plural, singular, shortNames, categories, namespaced } = names
  return canonical({
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      names: {
        kind,
        listKind: `${kind}List`,
        plural,
        singular,
        ...(shortNames.length === 0 ? {} : { shortNames: [...shortNames] }),
        ...(categories.length === 0 ? {} : { categories: [...categories] }),
      },
      scope: namespaced ? 'Namespaced' : 'Cluster',
      versions: versions.map((version, i) => versionEntry(version, i === 0)),
    },
  }) as unknown as CustomResourceDefinition
}

function versionEntry({ version, schema, options }: DefinitionVersion, storage: boolean): Json {
  const { columns, selectableFields = [], served = true, deprecated = false } = options
  const subresources = subresourcesOf(options, schema)
  return {
    name: version,
    served,
    storage,
    schema: { openAPIV3Schema: schema },
    ...(subresources === undefined ? {} : { subresources }),
    ...(columns === undefined
      ? {}
      : { additionalPrinterColumns: columns.map((column) => columnSchema(column, schema)) }),
    ...(selectableFields.length === 0
      ? {}
      : { selectableFields: selectableFields.map((jsonPath) => selectable(jsonPath, schema)) }),
    ...(deprecated === false ? {} : { deprecated: true }),
    ...(typeof deprecated === 'string' ? { deprecationWarning: deprecated } : {}),
  }
}

function subresourcesOf({ status, scale }: VersionOptions, schema: StructuralSchema): JsonObject | undefined {
  if (status === undefined && scale === undefined) return undefined
  return {
    ...(status === undefined ? {} : { status: {} }),
    ...(scale === undefined ? {} : { scale: scaleSchema(scale, schema) }),
  }
}

function scaleSchema({ spec, status, selector }: ScalePaths, schema: StructuralSchema): JsonObject {
  expectType(schema, 'scale.spec', spec, 'integer')
  expectType(schema, 'scale.status', status, 'integer')
  if (selector !== undefined) expectType(schema, 'scale.selector', selector, 'string')
  return {
    specReplicasPath: spec,
    statusReplicasPath: status,
    ...(selector === undefined ? {} : { labelSelectorPath: selector }),
  }
}

function expectType(schema: StructuralSchema, what: string, path: string, type: string): void {
  if (fieldAt(schema, path)?.['type'] !== type)
    throw new SchemaError(`${what}: ${path} does not name a field of type ${type}`)
}

function selectable(path: string, schema: StructuralSchema): JsonObject {
  const type = fieldAt(schema, path)?.['type']
  if (type !== 'string' && type !== 'integer' && type !== 'boolean') {
    throw new SchemaError(`selectableFields: ${path} does not name a field of type string, integer or boolean`)
  }
  return { jsonPath: path }
}
