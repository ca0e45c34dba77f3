/**
 * Custom resources: the {@link Resource}s that a CRD adds to the catalog, one for each served version. All versions of
 * a CRD share one storage prefix, and objects are stored in the storage version.
 */
import { equalJson, getOwn, isObject, type Json, type JsonObject } from '../../api/json.ts'
import { decodedParts } from '../../api/known-part.ts'
import { compareKubeAwareVersions } from '../../api/kube-version.ts'
import { apiVersionOf, parseApiVersion, type KubeObject } from '../../api/object.ts'
import { noExternalAnswers } from '../contract/external-calls.ts'
import type {
  Decoded,
  LiveVersion,
  Resource,
  ScaleAccess,
  Subresource,
  VersionConversion,
  VersionConverter,
  VersionView,
} from '../contract/resource.ts'
import type { Shape } from '../../shape/shape.ts'
import { customColumns } from './columns.ts'
import { customStrategy } from './custom-strategy.ts'
import { conditionIs } from './definition/conditions.ts'
import { asObject, maybeText, objectOf, objectsOf, stringsOf, textOf } from '../../structural/reading.ts'
import { compileCelRule } from '../../structural/rules/cel-rules.ts'
import { compileRules } from '../../structural/rules/check-rules.ts'
import type { RuleCompiler } from '../../structural/rules/rule-engine.ts'
import { splitPath, type ScalePaths } from '../../structural/nested-values.ts'
import { customScale } from './scale.ts'
import { decodeCustom, decodedBy } from '../../structural/decode.ts'
import { applyDefaults } from '../../structural/default.ts'
import { compileSchema, type Schema } from '../../structural/schema.ts'
import { CustomVersions, type CustomVersion } from './versions.ts'

const verbs = ['delete', 'deletecollection', 'get', 'list', 'patch', 'create', 'update', 'watch']
const terminatingVerbs = ['delete', 'deletecollection', 'get', 'list', 'watch']
const subresourceVerbs = ['get', 'patch', 'update']

export interface CustomOptions {
  /** Evaluates `x-kubernetes-validations`; CEL by default. */
  readonly compileRule?: RuleCompiler | undefined
  /** Converts with the webhook of the CRD. Absent: only the apiVersion changes, as for a CRD without a webhook. */
  readonly converter?: VersionConverter | undefined
}

/**
 * The resources of a CRD; none before its names are accepted. Compiles every served schema, so call it when the CRD
 * changes and keep the result. The CRD has been validated and defaulted.
 */
export function customResources(crd: KubeObject, options: CustomOptions = {}): Resource[] {
  const names = acceptedNames(crd)
  if (names === undefined) return []
  const versions = compiledVersions(crd, names, options)
  return versions.given
    .filter((version) => version['served'] === true)
    .map((version) => build(crd, version, names, versions, options))
}

/** The storage version, served or not; undefined before the names are accepted. */
export function storageResource(crd: KubeObject, options: CustomOptions = {}): Resource | undefined {
  const names = acceptedNames(crd)
  const version = versionsOf(crd).find((candidate) => candidate['storage'] === true)
  if (names === undefined || version === undefined) return undefined
  return build(crd, version, names, compiledVersions(crd, names, options), options)
}

/** What all versions of a CRD share: made once, so that many versions cost no more than their sum. */
interface CompiledVersions {
  readonly given: readonly JsonObject[]
  /** The most preferred version that is served and not deprecated. */
  readonly newest: string | undefined
  readonly replicasPaths: Record<string, readonly string[]>
  readonly schemas: ReadonlyMap<string, Schema>
  readonly all: CustomVersions
}

function compiledVersions(crd: KubeObject, names: JsonObject, options: CustomOptions): CompiledVersions {
  const schemas = new Map<string, Schema>()
  const found: CustomVersion[] = []
  let storage = ''
  const given = versionsOf(crd)
  for (const version of given) {
    const name = textOf(version, 'name')
    const schema = compileSchema(objectOf(version, 'schema')['openAPIV3Schema'])
    schemas.set(name, schema)
    found.push({ name, schema, hasStatus: isObject(getOwn(objectOf(version, 'subresources'), 'status')) })
    if (version['storage'] === true) storage = name
  }
  const group = textOf(asObject(crd['spec']), 'group')
  const all = new CustomVersions(group, textOf(names, 'kind'), found, storage, options.converter)
  return { given, newest: newestVersion(given), replicasPaths: replicasPaths(group, given), schemas, all }
}

/**
 * The view of the version on storage, if objects may be read differently from how it wrote them: there are several
 * versions, the CRD has changed since its creation, or a create drops the status and a read defaults it again.
 */
function storageView(
  crd: KubeObject,
  { given, all: versions }: CompiledVersions,
  own: string,
  statusDefault: boolean,
): { readonly view?: VersionView; readonly conversion?: VersionConversion } {
  const isOne = given.length === 1
  if (isOne && !statusDefault && crd.metadata.generation === 1) return {}
  const conversion = isOne ? undefined : versions.conversion(own, statusDefault)
  return conversion === undefined ? { view: versions.view(own, statusDefault) } : { conversion }
}

/** What discovery and OpenAPI need about a version beyond its {@link Resource}. */
export interface VersionDetails {
  readonly storageVersion: string
  /** As its author wrote it. */
  readonly schema: JsonObject
  /** JSON paths with their leading dot. */
  readonly selectableFields: readonly string[]
}

/** By the name of the version. */
export function versionDetails(crd: KubeObject): ReadonlyMap<string, VersionDetails> {
  const versions = versionsOf(crd)
  const storage = versions.find((candidate) => candidate['storage'] === true)
  const details = new Map<string, VersionDetails>()
  if (storage === undefined) return details
  const storageVersion = textOf(storage, 'name')
  for (const version of versions) {
    const schema = objectOf(objectOf(version, 'schema'), 'openAPIV3Schema')
    details.set(textOf(version, 'name'), { storageVersion, schema, selectableFields: selectablePaths(version) })
  }
  return details
}

function selectablePaths(version: JsonObject): string[] {
  return objectsOf(version, 'selectableFields').map((field) => textOf(field, 'jsonPath'))
}

/** The warning in every response of a deprecated version; undefined for other versions. */
function deprecationWarning(crd: KubeObject, own: JsonObject, newest: string | undefined): string | undefined {
  if (own['deprecated'] !== true) return undefined
  const given = maybeText(own, 'deprecationWarning')
  if (given !== undefined) return given
  const spec = asObject(crd['spec'])
  const kind = textOf(objectOf(spec, 'names'), 'kind')
  const group = textOf(spec, 'group')
  const version = textOf(own, 'name')
  const isNewer = newest !== undefined && compareKubeAwareVersions(version, newest) < 0
  return `${group}/${version} ${kind} is deprecated${isNewer ? `; use ${group}/${newest} ${kind}` : ''}`
}

function newestVersion(versions: readonly JsonObject[]): string | undefined {
  let newest: string | undefined
  for (const version of versions) {
    if (version['served'] !== true || version['deprecated'] === true) continue
    const name = textOf(version, 'name')
    if (newest === undefined || compareKubeAwareVersions(newest, name) < 0) newest = name
  }
  return newest
}

function acceptedNames(crd: KubeObject): JsonObject | undefined {
  const names = objectOf(asObject(crd['status']), 'acceptedNames')
  return ['plural', 'singular', 'kind', 'listKind'].every((name) => textOf(names, name) !== '') ? names : undefined
}

function versionsOf(crd: KubeObject): JsonObject[] {
  return objectsOf(asObject(crd['spec']), 'versions')
}

function build(
  crd: KubeObject,
  definition: JsonObject,
  names: JsonObject,
  versions: CompiledVersions,
  options: CustomOptions,
): Resource {
  const { schemas, all } = versions
  const spec = asObject(crd['spec'])
  const group = textOf(spec, 'group')
  const version = textOf(definition, 'name')
  const apiVersion = apiVersionOf(group, version)
  const kind = textOf(names, 'kind')
  const plural = textOf(names, 'plural')
  const schema = schemas.get(version) as Schema
  const subresources = objectOf(definition, 'subresources')
  const scalePaths = readScale(getOwn(subresources, 'scale'))
  const hasStatus = isObject(getOwn(subresources, 'status'))
  const terminating = conditionIs(crd, 'Terminating', 'True')
  const printer = customColumns(objectsOf(definition, 'additionalPrinterColumns'))
  const deprecation = deprecationWarning(crd, definition, versions.newest)
  const statusDefault = hasStatus && schema.properties?.get('status')?.default !== undefined
  const rules = customStrategy({
    readBack: (object, context) => {
      // Only for the storage version: writes of other versions are converted, and the storage version sets the
      // defaults.
      if (context.decoded?.lossy !== true || definition['storage'] !== true) return
      const read = decodeCustom(object, schema, 'stored').object
      applyDefaults(read, schema)
      if (equalJson(read, object)) return
      for (const name of Object.keys(object)) if (!Object.hasOwn(read, name)) delete object[name]
      Object.assign(object, read)
      context.needsRewrite = true
    },
    group,
    plural,
    schema,
    printer,
    hasStatus,
    terminating,
    scale: scalePaths,
    selectable: selectablePaths(definition),
    rules: compileRules(schema, options.compileRule ?? compileCelRule),
  })
  return {
    group,
    version,
    apiVersion,
    kind,
    listKind: textOf(names, 'listKind'),
    plural,
    singular: textOf(names, 'singular'),
    namespaced: textOf(spec, 'scope') === 'Namespaced',
    shortNames: stringsOf(names, 'shortNames'),
    categories: stringsOf(names, 'categories'),
    verbs: terminating ? terminatingVerbs : verbs,
    builtin: false,
    shape: all.shapeOf(apiVersion) as Shape,
    decode: (value, _converted, live) => decode(value, schema, 'sent', live),
    decodeOther(value) {
      const apiVersion = textOf(value, 'apiVersion')
      if (value['kind'] !== kind || parseApiVersion(apiVersion)?.group !== group) return undefined
      return decodeCustom(value, all.schemaOf(apiVersion) ?? compileSchema({}))
    },
    decodeApplied: (value, live) => decode(value, schema, 'applied', live),
    keyPrefix: `/registry/${group}/${plural}/`,
    subresources: subresourcesOf({ group, version, kind }, hasStatus, scalePaths !== undefined),
    strategy: deprecation === undefined ? rules : { ...rules, deprecation },
    ...storageView(crd, versions, version, statusDefault),
    convert: (object, apiVersion, subresource, ask = noExternalAnswers) =>
      all.convert(object, apiVersion, subresource, ask),
    ...(scalePaths === undefined ? {} : { scale: scaleOf(versions, scalePaths) }),
    columns: printer.columns,
  }
}

/** Decodes and defaults, except for parts shared with `live`, if that was decoded with the same schema. */
function decode(value: JsonObject, schema: Schema, origin: 'sent' | 'applied', live: LiveVersion | undefined): Decoded {
  const liveParts = live?.parts
  const known = live && decodedBy(schema, live.object, liveParts)
  const { object, unknown, lossy, empty } = decodeCustom(value, schema, origin, known)
  applyDefaults(object, schema, known)
  const parts = lossy && origin === 'applied' ? undefined : decodedParts(object, schema, liveParts)
  return { object, unknown, lossy, empty, parts }
}

function subresourcesOf(
  type: { group: string; version: string; kind: string },
  status: boolean,
  scale: boolean,
): ReadonlyMap<string, Subresource> {
  const found = new Map<string, Subresource>()
  if (status) found.set('status', { name: 'status', verbs: subresourceVerbs, ...type })
  if (scale) {
    found.set('scale', { name: 'scale', verbs: subresourceVerbs, group: 'autoscaling', version: 'v1', kind: 'Scale' })
  }
  return found
}

/** `lossy`: a write of replicas may create the parent objects of the field, without their defaults. */
function scaleOf({ replicasPaths }: CompiledVersions, paths: ScalePaths): ScaleAccess {
  return { ...customScale(paths), otherPaths: replicasPaths, lossy: true }
}

/** The path of the replicas in each version, by apiVersion. */
function replicasPaths(group: string, versions: readonly JsonObject[]): Record<string, readonly string[]> {
  return Object.fromEntries(
    versions.map((version) => {
      const scale = readScale(getOwn(objectOf(version, 'subresources'), 'scale'))
      return [
        apiVersionOf(group, textOf(version, 'name')),
        scale === undefined ? [] : splitPath(scale.specReplicasPath),
      ]
    }),
  )
}

function readScale(source: Json | undefined): ScalePaths | undefined {
  if (!isObject(source)) return undefined
  return {
    specReplicasPath: textOf(source, 'specReplicasPath'),
    statusReplicasPath: textOf(source, 'statusReplicasPath'),
    labelSelectorPath: maybeText(source, 'labelSelectorPath'),
  }
}
