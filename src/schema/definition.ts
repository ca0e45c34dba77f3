/** The CustomResourceDefinition of a kind: what its versions say, put together as a server expects it. */
import { deepFreeze, type Json, type JsonObject } from '../api/json.ts'
import type { CustomResourceDefinition } from './builtin/apiextensions-v1.ts'
import { columnSchema, fieldAt, type Column } from './columns.ts'
import { canonical, ruleSchema, SchemaError, type RuleOptions, type SchemaNode, type StructuralSchema } from './node.ts'

/** Where the scale subresource finds its numbers, so that `kubectl scale` and autoscalers work. */
export interface ScalePaths {
  /** `.spec.replicas`: an integer. */
  readonly spec: string
  /** `.status.replicas`: an integer. */
  readonly status: string
  /** `.status.selector`: a label selector as text. Autoscalers need it. */
  readonly selector?: string
}

/** A rule over the whole object: `self.metadata.name` and `self.metadata.generateName` can be seen too. */
export interface ResourceRule extends RuleOptions {
  readonly rule: string
}

/** What one version of a kind says of itself. */
export interface VersionOptions<Spec extends SchemaNode = SchemaNode, Status extends SchemaNode = SchemaNode> {
  /** Make it `.default({})` when all its fields may be left out, and users may leave out the spec. */
  readonly spec: Spec
  /** With one, only `/status` writes it. Default: the kind has no status. */
  readonly status?: Status
  readonly rules?: readonly ResourceRule[]
  readonly description?: string
  readonly scale?: ScalePaths
  /** Default: the age. */
  readonly columns?: readonly Column[]
  /** Fields of scalars that field selectors may name, as `.spec.host`. Eight at most. */
  readonly selectableFields?: readonly string[]
  /** Default true. */
  readonly served?: boolean
  /** True, or what clients that use the version are warned of. Default false. */
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

/**
 * A fresh value each time, with its keys in order: yours to label and change. The first version is the one that is
 * stored.
 */
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
