/**
 * Definition: a CRD in upstream's internal form. What all versions share (schema, subresources, columns, selectable
 * fields) is moved to the top level, and errors have that path: `spec.validation`, not `spec.versions[0].schema`.
 */
import { equalJson, getOwn, isObject, type Json, type JsonObject } from '../../../api/json.ts'
import type { KubeObject } from '../../../api/object.ts'
import { asObject, flagOf, maybeText, objectOf, objectsOf, textOf } from '../../../structural/reading.ts'

export interface DefinitionSchema {
  readonly openAPIV3Schema: JsonObject | undefined
}

/** Fields that are per version or, if they are equal in all versions, for all. */
export interface VersionedFields {
  readonly schema: DefinitionSchema | undefined
  readonly subresources: JsonObject | undefined
  readonly columns: readonly JsonObject[]
  readonly selectableFields: readonly JsonObject[]
}

export interface ServedDefinitionVersion extends VersionedFields {
  readonly name: string
  readonly served: boolean
  readonly storage: boolean
  readonly deprecated: boolean
  readonly deprecationWarning: string | undefined
}

export interface Definition extends VersionedFields {
  readonly group: string
  readonly scope: string
  readonly names: JsonObject
  readonly preserveUnknownFields: boolean
  readonly versions: readonly ServedDefinitionVersion[]
  /** There is a list of versions, even if it is empty. */
  readonly hasVersions: boolean
  readonly conversion: JsonObject | undefined
}

export function readDefinition(crd: KubeObject): Definition {
  const spec = asObject(crd['spec'])
  const versions = objectsOf(spec, 'versions').map(readVersion)
  const agreed: Agreement = {
    schema: same(versions, 'schema'),
    subresources: same(versions, 'subresources'),
    columns: same(versions, 'columns'),
    selectableFields: same(versions, 'selectableFields'),
  }
  const [first] = versions
  const shared: VersionedFields = {
    schema: agreed.schema ? first?.schema : undefined,
    subresources: agreed.subresources ? first?.subresources : undefined,
    columns: (agreed.columns ? first?.columns : undefined) ?? [],
    selectableFields: (agreed.selectableFields ? first?.selectableFields : undefined) ?? [],
  }
  const conversion = getOwn(spec, 'conversion')
  return {
    group: textOf(spec, 'group'),
    scope: textOf(spec, 'scope'),
    names: objectOf(spec, 'names'),
    preserveUnknownFields: flagOf(spec, 'preserveUnknownFields'),
    versions: versions.map((version) => withoutShared(version, agreed)),
    hasVersions: Array.isArray(getOwn(spec, 'versions')),
    conversion: isObject(conversion) ? conversion : undefined,
    ...shared,
  }
}

function readVersion(version: JsonObject): ServedDefinitionVersion {
  const schema = getOwn(version, 'schema')
  const openAPIV3Schema = isObject(schema) ? getOwn(schema, 'openAPIV3Schema') : undefined
  const subresources = getOwn(version, 'subresources')
  return {
    name: textOf(version, 'name'),
    served: flagOf(version, 'served'),
    storage: flagOf(version, 'storage'),
    deprecated: flagOf(version, 'deprecated'),
    deprecationWarning: maybeText(version, 'deprecationWarning'),
    schema: isObject(schema) ? { openAPIV3Schema: isObject(openAPIV3Schema) ? openAPIV3Schema : undefined } : undefined,
    subresources: isObject(subresources) ? subresources : undefined,
    columns: objectsOf(version, 'additionalPrinterColumns'),
    selectableFields: objectsOf(version, 'selectableFields'),
  }
}

function same(versions: readonly ServedDefinitionVersion[], part: keyof VersionedFields): boolean {
  const first = versions[0]?.[part] as Json | undefined
  return versions.every((version) => equalJson(version[part], first))
}

/** Whether all versions have the same value. */
type Agreement = Readonly<Record<keyof VersionedFields, boolean>>

function withoutShared(version: ServedDefinitionVersion, agreed: Agreement): ServedDefinitionVersion {
  return {
    ...version,
    schema: agreed.schema ? undefined : version.schema,
    subresources: agreed.subresources ? undefined : version.subresources,
    columns: agreed.columns ? [] : version.columns,
    selectableFields: agreed.selectableFields ? [] : version.selectableFields,
  }
}

/** Whether the status subresource is enabled for the version, or for all versions. */
export function hasStatus(parts: { readonly subresources: JsonObject | undefined }): boolean {
  return parts.subresources !== undefined && isObject(getOwn(parts.subresources, 'status'))
}
