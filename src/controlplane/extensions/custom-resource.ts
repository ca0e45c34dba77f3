/** CustomResource: what one version of a CRD adds to the catalog. */
import { equalJson, getOwn, isObject, type Json, type JsonObject } from '../../api/json.ts'
import { decodedParts } from '../../api/known-part.ts'
import { compareKubeAwareVersions } from '../../api/kube-version.ts'
import { apiVersionOf, parseApiVersion, type KubeObject } from '../../api/object.ts'
import type { Shape } from '../../shape/shape.ts'
import { decodeCustom, decodedBy } from '../../structural/decode.ts'
import { applyDefaults } from '../../structural/default.ts'
import type { ScalePaths } from '../../structural/nested-values.ts'
import { asObject, maybeText, objectOf, objectsOf, stringsOf, textOf } from '../../structural/reading.ts'
import { compileCelRule } from '../../structural/rules/cel-rules.ts'
import { compileRules, type RuleChecker } from '../../structural/rules/check-rules.ts'
import type { RuleCompiler } from '../../structural/rules/rule-engine.ts'
import { compileSchema, type Schema } from '../../structural/schema.ts'
import { noExternalAnswers, type CallExternal } from '../contract/external-calls.ts'
import type {
  Column,
  ConvertedObject,
  Decoded,
  LiveVersion,
  Resource,
  ScaleAccess,
  Strategy,
  Subresource,
  VersionConversion,
  VersionConverter,
  VersionView,
} from '../contract/resource.ts'
import { customColumns } from './columns.ts'
import { customStrategy } from './custom-strategy.ts'
import { conditionIs } from './definition/conditions.ts'
import { customScale } from './scale.ts'
import type { CustomVersions } from './versions.ts'

const verbs = ['delete', 'deletecollection', 'get', 'list', 'patch', 'create', 'update', 'watch']
const terminatingVerbs = ['delete', 'deletecollection', 'get', 'list', 'watch']
const subresourceVerbs = ['get', 'patch', 'update']

export interface CustomOptions {
  /** Evaluates `x-kubernetes-validations`; CEL by default. */
  readonly compileRule?: RuleCompiler | undefined
  /** Converts with the webhook of the CRD. Absent: only the apiVersion changes, as for a CRD without a webhook. */
  readonly converter?: VersionConverter | undefined
}

/** What all versions of a CRD share: made once, so that many versions cost no more than their sum. */
export interface SharedParts {
  readonly given: readonly JsonObject[]
  /** The most preferred version that is served and not deprecated. */
  readonly newest: string | undefined
  readonly replicasPaths: Record<string, readonly string[]>
  readonly all: CustomVersions
}

/** What is made of the schema of a version. */
interface CompiledVersion extends Pick<Resource, 'shape' | 'strategy' | 'view' | 'conversion' | 'columns'> {
  readonly schema: Schema
}

/** One version of a CRD. Its schema is compiled on first use. The getters are of the class: reading them is fast. */
export class CustomResource implements Resource {
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
  readonly builtin = false
  readonly keyPrefix: string
  readonly subresources: ReadonlyMap<string, Subresource>
  readonly scale?: ScaleAccess
  readonly #versions: CustomVersions
  readonly #compile: () => CompiledVersion
  #known: CompiledVersion | undefined

  constructor(crd: KubeObject, definition: JsonObject, names: JsonObject, shared: SharedParts, options: CustomOptions) {
    const spec = asObject(crd['spec'])
    const given = objectOf(definition, 'subresources')
    const scalePaths = readScale(getOwn(given, 'scale'))
    this.group = textOf(spec, 'group')
    this.version = textOf(definition, 'name')
    this.apiVersion = apiVersionOf(this.group, this.version)
    this.kind = textOf(names, 'kind')
    this.listKind = textOf(names, 'listKind')
    this.plural = textOf(names, 'plural')
    this.singular = textOf(names, 'singular')
    this.namespaced = textOf(spec, 'scope') === 'Namespaced'
    this.shortNames = stringsOf(names, 'shortNames')
    this.categories = stringsOf(names, 'categories')
    this.verbs = conditionIs(crd, 'Terminating', 'True') ? terminatingVerbs : verbs
    this.keyPrefix = `/registry/${this.group}/${this.plural}/`
    this.subresources = subresourcesOf(this, isObject(getOwn(given, 'status')), scalePaths !== undefined)
    if (scalePaths !== undefined) this.scale = scaleOf(shared, scalePaths)
    this.#versions = shared.all
    this.#compile = () => compileVersion(crd, definition, this.plural, shared, options)
  }

  get #compiled(): CompiledVersion {
    return (this.#known ??= this.#compile())
  }

  get shape(): Shape {
    return this.#compiled.shape
  }

  get strategy(): Strategy {
    return this.#compiled.strategy
  }

  get view(): VersionView | undefined {
    return this.#compiled.view
  }

  get conversion(): VersionConversion | undefined {
    return this.#compiled.conversion
  }

  get columns(): readonly Column[] {
    return this.#compiled.columns
  }

  decode(value: JsonObject, _converted?: boolean, live?: LiveVersion): Decoded {
    return decode(value, this.#compiled.schema, 'sent', live)
  }

  decodeOther(value: JsonObject): Decoded | undefined {
    const apiVersion = textOf(value, 'apiVersion')
    if (value['kind'] !== this.kind || parseApiVersion(apiVersion)?.group !== this.group) return undefined
    return decodeCustom(value, this.#versions.schemaOf(apiVersion) ?? compileSchema({}))
  }

  decodeApplied(value: JsonObject, live?: LiveVersion): Decoded {
    return decode(value, this.#compiled.schema, 'applied', live)
  }

  convert(
    object: KubeObject,
    apiVersion: string,
    subresource: string,
    ask: CallExternal = noExternalAnswers,
  ): ConvertedObject | undefined {
    return this.#versions.convert(object, apiVersion, subresource, ask)
  }
}

function compileVersion(
  crd: KubeObject,
  definition: JsonObject,
  plural: string,
  shared: SharedParts,
  options: CustomOptions,
): CompiledVersion {
  const group = textOf(asObject(crd['spec']), 'group')
  const version = textOf(definition, 'name')
  const apiVersion = apiVersionOf(group, version)
  const schema = shared.all.schemaOf(apiVersion) as Schema
  const subresources = objectOf(definition, 'subresources')
  const hasStatus = isObject(getOwn(subresources, 'status'))
  const printer = customColumns(objectsOf(definition, 'additionalPrinterColumns'))
  const deprecation = deprecationWarning(crd, definition, shared.newest)
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
    terminating: conditionIs(crd, 'Terminating', 'True'),
    scale: readScale(getOwn(subresources, 'scale')),
    selectable: selectablePaths(definition),
    rules: options.compileRule === undefined ? celRules(schema) : compileRules(schema, options.compileRule),
  })
  return {
    schema,
    shape: shared.all.shapeOf(apiVersion) as Shape,
    strategy: deprecation === undefined ? rules : { ...rules, deprecation },
    ...storageView(crd, shared, version, statusDefault),
    columns: printer.columns,
  }
}

/** By schema: servers that are started from one snapshot share their CRDs, and a compiled rule has no state. */
const knownCelRules = new WeakMap<Schema, { readonly checker: RuleChecker | undefined }>()

function celRules(schema: Schema): RuleChecker | undefined {
  let known = knownCelRules.get(schema)
  if (known === undefined) knownCelRules.set(schema, (known = { checker: compileRules(schema, compileCelRule) }))
  return known.checker
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
  { group, version, kind }: Pick<Resource, 'group' | 'version' | 'kind'>,
  status: boolean,
  scale: boolean,
): ReadonlyMap<string, Subresource> {
  const found = new Map<string, Subresource>()
  if (status) found.set('status', { name: 'status', verbs: subresourceVerbs, group, version, kind })
  if (scale) {
    found.set('scale', { name: 'scale', verbs: subresourceVerbs, group: 'autoscaling', version: 'v1', kind: 'Scale' })
  }
  return found
}

/** `lossy`: a write of replicas may create the parent objects of the field, without their defaults. */
function scaleOf({ replicasPaths }: SharedParts, paths: ScalePaths): ScaleAccess {
  return { ...customScale(paths), otherPaths: replicasPaths, lossy: true }
}

/**
 * The view of the version on storage, if objects may be read differently from how it wrote them: there are several
 * versions, the CRD has changed since its creation, or a create drops the status and a read defaults it again.
 */
function storageView(
  crd: KubeObject,
  { given, all: versions }: SharedParts,
  own: string,
  statusDefault: boolean,
): { readonly view?: VersionView; readonly conversion?: VersionConversion } {
  const isOne = given.length === 1
  if (isOne && !statusDefault && crd.metadata.generation === 1) return {}
  const conversion = isOne ? undefined : versions.conversion(own, statusDefault)
  return conversion === undefined ? { view: versions.view(own, statusDefault) } : { conversion }
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

export function readScale(source: Json | undefined): ScalePaths | undefined {
  if (!isObject(source)) return undefined
  return {
    specReplicasPath: textOf(source, 'specReplicasPath'),
    statusReplicasPath: textOf(source, 'statusReplicasPath'),
    labelSelectorPath: maybeText(source, 'labelSelectorPath'),
  }
}

export function selectablePaths(version: JsonObject): string[] {
  return objectsOf(version, 'selectableFields').map((field) => textOf(field, 'jsonPath'))
}
