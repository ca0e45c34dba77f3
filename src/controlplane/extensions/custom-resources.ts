/**
 * Custom resources: what a CRD adds to the catalog, one {@link Resource} for each served version.
 * All versions of a CRD share one place in storage, where objects are kept in the storage version.
 */
import { getOwn, isObject, type Json, type JsonObject } from '../../api/json.ts'
import { apiVersionOf, type KubeObject } from '../../api/object.ts'
import type { Resource, Subresource } from '../registry/resource.ts'
import { customColumns } from './columns.ts'
import { customRules } from './custom-rules.ts'
import { conditionIs } from './definition/conditions.ts'
import { compareVersions } from './kube-version.ts'
import { asObject, maybeText, objectOf, objectsOf, stringsOf, textOf } from './reading.ts'
import { compileRules } from './rules/check-rules.ts'
import type { RuleCompiler } from './rules/rule-engine.ts'
import { customScale, type ScalePaths } from './scale.ts'
import { decodeCustom } from './structural/decode.ts'
import { applyDefaults } from './structural/default.ts'
import { compileSchema } from './structural/schema.ts'
import { customShape } from './structural/shape.ts'

const verbs = ['delete', 'deletecollection', 'get', 'list', 'patch', 'create', 'update', 'watch']
const terminatingVerbs = ['delete', 'deletecollection', 'get', 'list', 'watch']
const subresourceVerbs = ['get', 'patch', 'update']

export interface CustomOptions {
  /** Evaluates `x-kubernetes-validations`. Absent: rules are kept, and their absence from checking goes unsaid. */
  readonly compileRule?: RuleCompiler | undefined
}

/**
 * The resources of a CRD whose names are accepted; none before. Compiles every served schema, so call it when the CRD
 * changes and keep the result. The CRD has been validated and defaulted.
 */
export function customResources(crd: KubeObject, options: CustomOptions = {}): Resource[] {
  const names = acceptedNames(crd)
  if (names === undefined) return []
  return versionsOf(crd)
    .filter((version) => version['served'] === true)
    .map((version) => build(crd, version, names, options))
}

/** The version that storage keeps, served or not; undefined before the names are accepted. */
export function storageResource(crd: KubeObject, options: CustomOptions = {}): Resource | undefined {
  const names = acceptedNames(crd)
  const version = versionsOf(crd).find((candidate) => candidate['storage'] === true)
  return names === undefined || version === undefined ? undefined : build(crd, version, names, options)
}

/**
 * The object in another version of its resource: only the apiVersion differs (conversion strategy None), but that
 * version's schema prunes and defaults. The same object when it already is of that version.
 */
export function convertTo(resource: Resource, object: KubeObject): KubeObject {
  const apiVersion = apiVersionOf(resource.group, resource.version)
  if (object.apiVersion === apiVersion) return object
  return resource.decode({ ...object, apiVersion } as unknown as JsonObject).object
}

/** What discovery and OpenAPI tell of a version beyond its {@link Resource}. */
export interface VersionFacts {
  readonly storageVersion: string
  /** As its author wrote it. */
  readonly schema: JsonObject
  /** JSON paths with their leading dot. */
  readonly selectableFields: readonly string[]
}

export function versionFacts(crd: KubeObject, version: string): VersionFacts | undefined {
  const versions = versionsOf(crd)
  const own = versions.find((candidate) => candidate['name'] === version)
  const storage = versions.find((candidate) => candidate['storage'] === true)
  if (own === undefined || storage === undefined) return undefined
  return {
    storageVersion: textOf(storage, 'name'),
    schema: objectOf(objectOf(own, 'schema'), 'openAPIV3Schema'),
    selectableFields: selectablePaths(own),
  }
}

function selectablePaths(version: JsonObject): string[] {
  return objectsOf(version, 'selectableFields').map((field) => textOf(field, 'jsonPath'))
}

/** What every answer of a deprecated version warns of; undefined for other versions. */
export function deprecationWarning(crd: KubeObject, version: string): string | undefined {
  const versions = versionsOf(crd)
  const own = versions.find((candidate) => candidate['name'] === version)
  if (own?.['deprecated'] !== true) return undefined
  const given = maybeText(own, 'deprecationWarning')
  if (given !== undefined) return given
  const spec = asObject(crd['spec'])
  const kind = textOf(objectOf(spec, 'names'), 'kind')
  const group = textOf(spec, 'group')
  const newer = versions
    .filter((candidate) => candidate['served'] === true && candidate['deprecated'] !== true)
    .map((candidate) => textOf(candidate, 'name'))
    .filter((name) => compareVersions(version, name) < 0)
    .sort((a, b) => compareVersions(b, a))[0]
  return `${group}/${version} ${kind} is deprecated${newer === undefined ? '' : `; use ${group}/${newer} ${kind}`}`
}

function acceptedNames(crd: KubeObject): JsonObject | undefined {
  const names = objectOf(asObject(crd['status']), 'acceptedNames')
  return ['plural', 'singular', 'kind', 'listKind'].every((name) => textOf(names, name) !== '') ? names : undefined
}

function versionsOf(crd: KubeObject): JsonObject[] {
  return objectsOf(asObject(crd['spec']), 'versions')
}

function build(crd: KubeObject, definition: JsonObject, names: JsonObject, options: CustomOptions): Resource {
  const spec = asObject(crd['spec'])
  const group = textOf(spec, 'group')
  const version = textOf(definition, 'name')
  const kind = textOf(names, 'kind')
  const plural = textOf(names, 'plural')
  const schema = compileSchema(objectOf(definition, 'schema')['openAPIV3Schema'])
  const subresources = objectOf(definition, 'subresources')
  const scalePaths = readScale(getOwn(subresources, 'scale'))
  const hasStatus = isObject(getOwn(subresources, 'status'))
  const terminating = conditionIs(crd, 'Terminating', 'True')
  const printer = customColumns(objectsOf(definition, 'additionalPrinterColumns'))
  const deprecation = deprecationWarning(crd, version)
  const rules = customRules({
    group, plural, schema, printer, hasStatus, terminating,
    scale: scalePaths, selectable: selectablePaths(definition),
    rules: options.compileRule === undefined ? undefined : compileRules(schema, options.compileRule),
  })
  return {
    group,
    version,
    kind,
    listKind: textOf(names, 'listKind'),
    plural,
    singular: textOf(names, 'singular'),
    namespaced: textOf(spec, 'scope') === 'Namespaced',
    shortNames: stringsOf(names, 'shortNames'),
    categories: stringsOf(names, 'categories'),
    verbs: terminating ? terminatingVerbs : verbs,
    builtin: false,
    shape: customShape(schema),
    decode(value) {
      const decoded = decodeCustom(value, schema)
      applyDefaults(decoded.object as unknown as Json, schema)
      return decoded
    },
    keyPrefix: `/registry/${group}/${plural}/`,
    subresources: subresourcesOf({ group, version, kind }, hasStatus, scalePaths !== undefined),
    rules: deprecation === undefined ? rules : { ...rules, deprecation },
    ...(scalePaths === undefined ? {} : { scale: customScale(scalePaths) }),
    columns: printer.columns,
  }
}

function subresourcesOf(
  type: { group: string; version: string; kind: string }, status: boolean, scale: boolean,
): ReadonlyMap<string, Subresource> {
  const found = new Map<string, Subresource>()
  if (status) found.set('status', { name: 'status', verbs: subresourceVerbs, ...type })
  if (scale) {
    found.set('scale', { name: 'scale', verbs: subresourceVerbs, group: 'autoscaling', version: 'v1', kind: 'Scale' })
  }
  return found
}

function readScale(source: Json | undefined): ScalePaths | undefined {
  if (!isObject(source)) return undefined
  return {
    specReplicasPath: textOf(source, 'specReplicasPath'),
    statusReplicasPath: textOf(source, 'statusReplicasPath'),
    labelSelectorPath: maybeText(source, 'labelSelectorPath'),
  }
}
