/**
 * YAML text as upstream reads it: YAML 1.1, one document, keys turned into strings (`n` becomes "false").
 * The parser is loaded when the first YAML body arrives, so that start-up does not pay for it.
 */
import { createRequire } from 'node:module'
import type * as Yaml from 'yaml'
import { setOwn, type Json, type JsonObject } from '../../api/json.ts'
import { JsonSyntaxError, maxDepth, parseJson, type ParsedJson } from './json-text.ts'

let yaml: typeof Yaml | undefined

function load(): typeof Yaml {
  return (yaml ??= createRequire(import.meta.url)('yaml') as typeof Yaml)
}

/** JSON is YAML too, and what most clients send. Throws {@link JsonSyntaxError}. */
export function parseYaml(text: string): ParsedJson {
  if (/^\s*[{[]/.test(text)) {
    try {
      return parseJson(text)
    } catch (error) {
      if (error instanceof JsonSyntaxError && error.message === 'exceeded max depth') throw error
    }
  }
  const { parseAllDocuments } = load()
  const documents = parseAllDocuments(text, {
    version: '1.1', uniqueKeys: false, merge: true, strict: false, logLevel: 'silent', stringKeys: false,
  })
  if (!Array.isArray(documents) || documents.length === 0) return { value: null, duplicates: [] }
  const [document] = documents
  const error = document?.errors[0]
  if (document === undefined || error !== undefined) throw new JsonSyntaxError(`yaml: ${firstLine(error?.message ?? 'no document')}`)
  const duplicates: string[] = []
  let value: Json
  try {
    value = plain(document.contents, document, '', 0, duplicates)
  } catch (thrown) {
    if (thrown instanceof JsonSyntaxError) throw thrown
    throw new JsonSyntaxError(`yaml: ${firstLine(thrown instanceof Error ? thrown.message : String(thrown))}`)
  }
  return { value, duplicates }
}

export function writeYaml(value: Json): string {
  return load().stringify(value, {
    version: '1.1', customTags, sortMapEntries: true, lineWidth: 0, indentSeq: false, aliasDuplicateObjects: false,
  })
}

/** A lone dot, the key of every set in managedFields, counts as a number here but not in Go, which leaves it unquoted. */
function customTags(tags: Yaml.Tags): Yaml.Tags {
  return tags.map((tag) =>
    typeof tag === 'object' && tag.tag === 'tag:yaml.org,2002:float' && 'test' in tag && (tag.test?.test('.') ?? false)
      ? ({ ...tag, test: /^[-+]?(?:\d[\d_]*(?:\.[\d_]*)?|\.\d[\d_]*)$/ } as Yaml.ScalarTag)
      : tag,
  )
}

function firstLine(message: string): string {
  return message.split('\n')[0]?.replace(/:$/, '') ?? message
}

/** How many nodes aliases may expand to: a body of a few bytes must not become gigabytes. */
const maxNodes = 200_000

function plain(node: unknown, document: Yaml.Document.Parsed, path: string, depth: number, duplicates: string[], budget = { left: maxNodes }): Json {
  const { isAlias, isMap, isScalar, isSeq } = load()
  if (depth > maxDepth) throw new JsonSyntaxError('exceeded max depth')
  if (--budget.left < 0) throw new JsonSyntaxError('yaml: document contains excessive aliasing')
  if (node === null || node === undefined) return null
  if (isAlias(node)) return plain(node.resolve(document), document, path, depth + 1, duplicates, budget)
  if (isScalar(node)) return scalar(node.value)
  if (isSeq(node)) {
    return node.items.map((item, i) => plain(item, document, `${path}[${i}]`, depth + 1, duplicates, budget))
  }
  if (!isMap(node)) throw new JsonSyntaxError('yaml: unsupported node')
  const result: JsonObject = {}
  for (const pair of node.items) {
    const key = keyText(isScalar(pair.key) ? pair.key.value : pair.key)
    const below = path === '' ? key : `${path}.${key}`
    if (key === '<<') {
      const merged = plain(pair.value, document, path, depth + 1, duplicates, budget)
      for (const source of Array.isArray(merged) ? merged : [merged]) {
        if (typeof source !== 'object' || source === null || Array.isArray(source)) continue
        for (const name of Object.keys(source)) {
          if (!Object.hasOwn(result, name)) setOwn(result, name, source[name] as Json)
        }
      }
      continue
    }
    if (Object.hasOwn(result, key)) duplicates.push(below)
    setOwn(result, key, plain(pair.value, document, below, depth + 1, duplicates, budget))
  }
  return result
}

function scalar(value: unknown): Json {
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return value
    case 'number':
      return Number.isFinite(value) ? value : String(value)
    case 'bigint':
      return Number(value)
    default:
      if (value instanceof Date) return value.toISOString().replace('.000Z', 'Z')
      if (value instanceof Uint8Array) return Buffer.from(value).toString('base64')
      return null
  }
}

function keyText(key: unknown): string {
  if (typeof key === 'string') return key
  if (typeof key === 'symbol') return key.description ?? ''
  if (typeof key === 'boolean' || typeof key === 'number' || typeof key === 'bigint') return String(key)
  if (key === null || key === undefined) return 'null'
  throw new JsonSyntaxError('error converting YAML to JSON: unsupported map key')
}
