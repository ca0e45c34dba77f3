/**
 * Writes the TypeScript types of the built-in kinds (`src/schema/builtin`) from the facts: a file of interfaces for each
 * group and version, and `kinds.ts` with a `Kind` for each stable resource. Doc comments are those of `builtin-docs.txt`.
 *
 *   node scripts/run-ts.mjs tools/facts/builtin-types.ts
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { GroupDiscoveryList, ResourceDiscovery, TypeSchema } from '../../src/facts/facts.ts'
import { builtinDocs, docComment } from './builtin-docs.ts'
import { closedValuesOf } from './closed-values.ts'

const facts = new URL('../../src/facts/', import.meta.url)
const target = new URL('../../src/schema/builtin/', import.meta.url)

const meta = 'io.k8s.apimachinery.pkg.apis.meta.v1'
const extensions = 'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1'

/** Types that are not structs: where their name is written, and what stands for it. */
const aliases: Record<string, readonly [file: string, type: string]> = {
  [`${meta}.Time`]: ['meta-v1', 'string'],
  [`${meta}.MicroTime`]: ['meta-v1', 'string'],
  [`${meta}.FieldsV1`]: ['meta-v1', 'JsonObject'],
  'io.k8s.apimachinery.pkg.api.resource.Quantity': ['meta-v1', 'string | number'],
  'io.k8s.apimachinery.pkg.util.intstr.IntOrString': ['meta-v1', 'number | string'],
  'io.k8s.apimachinery.pkg.runtime.RawExtension': ['meta-v1', 'JsonObject'],
  [`${extensions}.JSON`]: ['apiextensions-v1', 'Json'],
  [`${extensions}.JSONSchemaPropsOrArray`]: ['apiextensions-v1', 'JSONSchemaProps | JSONSchemaProps[]'],
  [`${extensions}.JSONSchemaPropsOrBool`]: ['apiextensions-v1', 'JSONSchemaProps | boolean'],
  [`${extensions}.JSONSchemaPropsOrStringArray`]: ['apiextensions-v1', 'JSONSchemaProps | string[]'],
}

/** Written by hand in `src/api/object.ts`, which the whole runtime uses. */
const ofApi = new Set(['ObjectMeta', 'OwnerReference', 'ManagedFieldsEntry'].map((name) => `${meta}.${name}`))

/** Kinds whose name another group or version has too, and the name that they get. */
const renamed: Record<string, string> = {
  'v1/Event': 'CoreEvent',
  'autoscaling/v1/HorizontalPodAutoscaler': 'HorizontalPodAutoscalerV1',
}

interface StableKind {
  readonly apiVersion: string
  readonly type: string
  readonly resource: ResourceDiscovery
}

/** File name to text. */
export function builtinFiles(): Map<string, string> {
  const schemas = read<Record<string, TypeSchema>>('schemas.json')
  const types = typesByKind(schemas)
  const { kinds, roots } = stableKinds(types)
  const files = new Map<string, Map<string, string>>()
  const imports = new Map<string, Map<string, Set<string>>>()
  const waiting = [...roots]
  const seen = new Set<string>(waiting)
  for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
    const file = fileOf(name)
    const refer = (to: string): string => {
      if (!seen.has(to) && !ofApi.has(to)) {
        seen.add(to)
        waiting.push(to)
      }
      addImport(imports, file, to)
      return shortName(to)
    }
    const declarations = files.get(file) ?? new Map<string, string>()
    files.set(file, declarations)
    declarations.set(shortName(name), declaration(name, schemas, roots.has(name), refer, (from, what) => addTo(imports, file, from, what)))
  }
  const result = new Map<string, string>()
  for (const file of [...files.keys()].sort()) {
    result.set(`${file}.ts`, typesText(files.get(file) ?? new Map(), imports.get(file) ?? new Map()))
  }
  result.set('kinds.ts', kindsText(kinds))
  return result
}

function read<T>(file: string): T {
  return JSON.parse(readFileSync(new URL(file, facts), 'utf8')) as T
}

function typesByKind(schemas: Record<string, TypeSchema>): Map<string, string> {
  const types = new Map<string, string>()
  for (const [name, schema] of Object.entries(schemas)) {
    const [only, ...others] = schema['x-kubernetes-group-version-kind'] ?? []
    if (only !== undefined && others.length === 0) types.set(`${only.group}/${only.version}/${only.kind}`, name)
  }
  return types
}

/** The resources of stable versions, and all types that are objects of their own: those of subresources too. */
function stableKinds(types: Map<string, string>): { kinds: StableKind[]; roots: Set<string> } {
  const kinds: StableKind[] = []
  const roots = new Set<string>()
  const discovery = read<Record<'api' | 'apis', GroupDiscoveryList>>('discovery.json')
  for (const { metadata: { name: group = '' }, versions } of [...discovery.api.items, ...discovery.apis.items]) {
    for (const { version, resources } of versions) {
      if (!/^v\d+$/.test(version)) continue
      for (const resource of resources) {
        const type = types.get(`${group}/${version}/${resource.responseKind.kind}`)
        if (type === undefined) throw new Error(`no type for ${resource.responseKind.kind} of ${group}/${version}`)
        kinds.push({ apiVersion: group === '' ? version : `${group}/${version}`, type, resource })
        roots.add(type)
        for (const { responseKind } of resource.subresources ?? []) {
          const other = types.get(`${responseKind.group}/${responseKind.version}/${responseKind.kind}`)
          if (other !== undefined) roots.add(other)
        }
      }
    }
  }
  return { kinds, roots }
}

function declaration(
  name: string, schemas: Record<string, TypeSchema>, isObject: boolean,
  refer: (to: string) => string, need: (from: string, what: string) => void,
): string {
  const alias = aliases[name]?.[1]
  if (alias !== undefined) {
    for (const [word] of alias.matchAll(/\b(Json|JsonObject)\b/g)) need('../../api/json.ts', word)
    if (alias.includes('JSONSchemaProps')) refer(`${extensions}.JSONSchemaProps`)
    return `export type ${shortName(name)} = ${alias}\n`
  }
  const schema = schemas[name]
  if (schema === undefined) throw new Error(`no schema of ${name}`)
  if (isObject) need('../../api/live-object.ts', 'ApiObject')
  const required = new Set(schema.required)
  const lines = Object.entries(schema.properties ?? {})
    .filter(([field]) => !isObject || !['apiVersion', 'kind', 'metadata'].includes(field))
    .map(([field, property]) => `${docOf(name, field)}  ${quoted(field)}${required.has(field) ? '' : '?'}: ${typeText(closed(name, field, property), refer, need)}\n`)
  const head = `export interface ${shortName(name)}${isObject ? ' extends ApiObject' : ''}`
  if (lines.length === 0) return `export type ${shortName(name)} = ${isObject ? 'ApiObject' : 'Record<string, never>'}\n`
  return `${head} {\n${lines.join('')}}\n`
}

const docs = builtinDocs()
const docOf = (type: string, field: string): string => docComment(docs.get(`${type.split('.').slice(-3).join('.')}.${field}`))

/** The schema of a field, with the values that only the validation of a server knows. */
function closed(type: string, field: string, schema: TypeSchema): TypeSchema {
  const values = closedValuesOf(type, field)
  if (values === undefined) return schema
  const marked = schema.items ?? schema
  if (marked.type !== 'string' || marked.enum !== undefined) throw new Error(`${type}.${field} is no plain string`)
  return schema.items === undefined ? { ...schema, enum: values } : { ...schema, items: { ...schema.items, enum: values } }
}

function typeText(schema: TypeSchema, refer: (to: string) => string, need: (from: string, what: string) => void): string {
  const ref = schema.$ref ?? schema.allOf?.[0]?.$ref
  if (ref !== undefined) return refer(ref.slice(ref.lastIndexOf('/') + 1))
  if (schema.enum !== undefined) return schema.enum.map((value) => `'${String(value)}'`).join(' | ')
  switch (schema.type) {
    case 'array': {
      const items = typeText(schema.items ?? {}, refer, need)
      return items.includes(' ') ? `(${items})[]` : `${items}[]`
    }
    case 'object': {
      if (schema.additionalProperties !== undefined) return `Record<string, ${typeText(schema.additionalProperties, refer, need)}>`
      need('../../api/json.ts', 'JsonObject')
      return 'JsonObject'
    }
    case 'integer':
    case 'number':
      return 'number'
    case 'string':
    case 'boolean':
      return schema.type
    default:
      need('../../api/json.ts', 'Json')
      return 'Json'
  }
}

function addImport(imports: Map<string, Map<string, Set<string>>>, file: string, to: string): void {
  if (ofApi.has(to)) addTo(imports, file, '../../api/object.ts', shortName(to))
  else if (fileOf(to) !== file) addTo(imports, file, `./${fileOf(to)}.ts`, shortName(to))
}

function addTo(imports: Map<string, Map<string, Set<string>>>, file: string, from: string, what: string): void {
  const known = imports.get(file) ?? new Map<string, Set<string>>()
  imports.set(file, known)
  known.set(from, (known.get(from) ?? new Set()).add(what))
}

const shortName = (name: string): string => name.slice(name.lastIndexOf('.') + 1)
const quoted = (field: string): string => (/^[A-Za-z_$][\w$]*$/.test(field) ? field : `'${field}'`)

/** `io.k8s.api.core.v1.Pod` is in `core-v1`. */
function fileOf(name: string): string {
  const known = aliases[name]?.[0]
  if (known !== undefined) return known
  const [version, group] = name.split('.').slice(0, -1).reverse()
  return `${group}-${version}`
}

const header = '/** Generated by tools/facts/builtin-types.ts from the facts of a real server. Do not edit. */\n'

function typesText(declarations: Map<string, string>, imports: Map<string, Set<string>>): string {
  const names = [...declarations.keys()].sort()
  const lines = [...imports.keys()].sort().map((from) => importText([...(imports.get(from) ?? [])].sort(), from))
  for (const imported of [...imports.values()].flatMap((set) => [...set])) {
    if (declarations.has(imported)) throw new Error(`${imported} is both imported and declared`)
  }
  const text = [lines.join(''), ...names.map((name) => declarations.get(name) ?? '')].join('\n')
  return header + (text.split('\n').length > 400 ? '/* oxlint-disable max-lines */\n' : '') + text
}

function importText(names: readonly string[], from: string): string {
  const line = `import type { ${names.join(', ')} } from '${from}'\n`
  return line.length <= 140 ? line : `import type {\n${names.map((name) => `  ${name},\n`).join('')}} from '${from}'\n`
}

function kindsText(kinds: readonly StableKind[]): string {
  const files = [...new Set(kinds.map(({ type }) => fileOf(type)))].sort()
  const imports = files.map((file) => `import type * as ${alias(file)} from './${file}.ts'\n`).join('')
  const taken = new Set<string>()
  const declarations = kinds.map(({ apiVersion, type, resource }) => {
    const kind = shortName(type)
    const name = renamed[`${apiVersion}/${kind}`] ?? kind
    if (taken.has(name)) throw new Error(`two kinds are called ${name}`)
    taken.add(name)
    const typed = `${alias(fileOf(type))}.${kind}`
    const namespaced = resource.scope === 'Namespaced'
    const names = `{ apiVersion: '${apiVersion}', kind: '${kind}', plural: '${resource.resource}', namespaced: ${namespaced} }`
    return `export const ${name}: Kind<${typed}> = kind(${names})\nexport type ${name} = ${typed}\n`
  })
  return `${header}import { kind, type Kind } from '../kind.ts'\n${imports}\n${declarations.join('\n')}`
}

/** `core-v1` is imported as `coreV1`. */
const alias = (file: string): string => file.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase())

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  for (const [file, text] of builtinFiles()) writeFileSync(new URL(file, target), text)
}
