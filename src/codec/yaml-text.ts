/**
 * Parses YAML text as upstream does: YAML 1.1, one document, keys converted to strings (`n` becomes "false").
 * The parser is loaded with the first YAML body, to keep start-up fast.
 */
import { createRequire } from 'node:module'
import type * as Yaml from 'yaml'
import { setOwn, type Json, type JsonObject } from '../api/json.ts'
import { isRounded, JsonSyntaxError, maxDepth, parseJsonInSteps, roundingError, type ParsedJson } from './json-text.ts'
import { completed } from './steps.ts'
import { isTooDeep } from './yaml-depth.ts'
import { describeYamlError, overlookedError } from './yaml-error.ts'

let yaml: typeof Yaml | undefined

function load(): typeof Yaml {
  return (yaml ??= createRequire(import.meta.url)('yaml') as typeof Yaml)
}

/** The limit for the tokens of a body, with line ends and spaces between others: about 200 ms in all. */
const maxBodyTokens = 100_000

/** Tokens that are read in one step. */
const maxStepTokens = 2000

/**
 * The body of a request, in steps: as {@link parseYaml}, within a limit. `mayRound`: as for `parseJson`, only for JSON.
 */
export function* parseYamlBody(text: string, mayRound = false): Generator<void, ParsedJson> {
  return (yield* parsedJson(text, mayRound)) ?? (yield* parseDocument(text, maxBodyTokens))
}

/** Throws {@link JsonSyntaxError}. */
export function parseYaml(text: string): ParsedJson {
  return completed(parsedJson(text, false)) ?? completed(parseDocument(text, Infinity))
}

/** Tries JSON first: it is valid YAML, and most clients send it. */
function* parsedJson(text: string, mayRound: boolean): Generator<void, ParsedJson | undefined> {
  if (!/^\s*[{[]/.test(text)) return undefined
  try {
    const parsed = yield* parseJsonInSteps(text, mayRound)
    return parsed.duplicates.length === 0 ? parsed : undefined
  } catch (error) {
    if (!(error instanceof JsonSyntaxError) || error.message === 'exceeded max depth') throw error
    return undefined
  }
}

function* parseDocument(text: string, maxTokens: number): Generator<void, ParsedJson> {
  const overlooked = overlookedError(text)
  if (overlooked !== undefined) throw new JsonSyntaxError(overlooked)
  const document = yield* firstDocument(text, maxTokens)
  if (document === undefined) return { value: null, duplicates: [] }
  const error = document.errors[0]
  const why = error === undefined ? undefined : describeYamlError(error, text, rootOf(document.contents))
  if (why !== undefined) throw new JsonSyntaxError(why)
  yield
  const repeats: string[] = []
  let value: Json
  try {
    value = plain(document.contents, new Reading(document, text, repeats), 0)
  } catch (thrown) {
    if (thrown instanceof JsonSyntaxError) throw thrown
    throw new JsonSyntaxError(`yaml: ${firstLine(thrown instanceof Error ? thrown.message : String(thrown))}`)
  }
  return { value, duplicates: [], repeats }
}

/** The library's `parseAllDocuments`, in steps, to count tokens. */
function* firstDocument(text: string, maxTokens: number): Generator<void, Yaml.Document.Parsed | undefined> {
  const { Composer, Lexer, Parser } = load()
  if (isTooDeep(text, { maxDepth, maxTokens }, () => new Lexer())) throw new JsonSyntaxError('exceeded max depth')
  const parser = new Parser()
  const tokens: Yaml.CST.Token[] = []
  let count = 0
  for (const token of new Lexer().lex(text)) {
    if (++count > maxTokens) throw new JsonSyntaxError(`yaml: more than ${maxTokens} tokens; send JSON instead`)
    for (const each of parser.next(token)) tokens.push(each)
    if (count % maxStepTokens === 0) yield
  }
  for (const each of parser.end()) tokens.push(each)
  yield
  return [...new Composer(options).compose(tokens)][0]
}

const options = {
  version: '1.1',
  uniqueKeys: false,
  merge: true,
  strict: false,
  logLevel: 'silent',
  stringKeys: false,
} as const

function rootOf(node: unknown): 'flow' | 'list' | 'map' | 'other' {
  const { isCollection, isSeq } = load()
  if (!isCollection(node)) return 'other'
  if (node.flow === true) return 'flow'
  return isSeq(node) ? 'list' : 'map'
}

export function writeYaml(value: Json): string {
  return folded(
    load().stringify(value, {
      version: '1.1',
      customTags,
      sortMapEntries: true,
      lineWidth: 0,
      indentSeq: false,
      aliasDuplicateObjects: false,
    }),
  )
}

/** Upstream wraps long scalars at the first space after this column. */
const bestWidth = 80

function folded(yaml: string): string {
  const lines = yaml.split('\n')
  if (!lines.some((line) => line.length > bestWidth)) return yaml
  const result: string[] = []
  let block = -1
  for (const line of lines) {
    const indent = /^ */.exec(line)?.[0].length ?? 0
    if (block >= 0 && (line === '' || indent > block)) {
      result.push(line)
      continue
    }
    // Block scalars are not wrapped.
    block = /: [|>][-+\d]*$/.test(line) ? indent : -1
    const nested = /^(?: *(?:- )*)/.exec(line)?.[0].length ?? indent
    foldLine(line, nested + 2, result)
  }
  return result.join('\n')
}

function foldLine(line: string, indent: number, result: string[]): void {
  const margin = ' '.repeat(indent)
  let start = 0
  let before = ''
  for (;;) {
    const at = before.length + line.length - start <= bestWidth + 1 ? -1 : breakAt(line, start, before.length)
    if (at < 0) break
    result.push(before + line.slice(start, at))
    start = at + 1
    before = margin
  }
  result.push(before + line.slice(start))
}

/** The space at which the part of the line from `start`, after `margin` more characters, is wrapped; -1 if none. */
function breakAt(line: string, start: number, margin: number): number {
  const from = Math.max(start, start + bestWidth + 1 - margin)
  for (let at = line.indexOf(' ', from); at >= 0 && at < line.length - 1; at = line.indexOf(' ', at + 1)) {
    if (line[at - 1] !== ' ' && line[at + 1] !== ' ') return at
  }
  return -1
}

/**
 * A single dot, the key of every set in managedFields, is a number to our library, but not to Go, which leaves it
 * unquoted.
 */
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

/**
 * How many nodes and characters aliases may add to a document of any size: a body of a few bytes must not become
 * gigabytes. A longer document may add one more for each of its characters.
 */
const maxAliasedParts = 100_000

function aliased(node: Yaml.Alias, reading: Reading, depth: number): Json {
  const target = reading.targetOf(node)
  if (target === undefined) throw new JsonSyntaxError(`yaml: unknown anchor '${node.source}' referenced`)
  if (reading.open.has(node.source)) throw new JsonSyntaxError(`yaml: anchor '${node.source}' value contains itself`)
  reading.open.add(node.source)
  const value = plain(target, reading, depth + 1)
  reading.open.delete(node.source)
  return value
}

/** One pass over a document. */
class Reading {
  readonly #document: Yaml.Document.Parsed
  readonly #text: string
  readonly repeats: string[]
  /** Anchors that are being expanded, to detect cycles. */
  readonly open = new Set<string>()
  /** The number of nodes and characters that aliases may still add. */
  #left: number
  #targets: Map<Yaml.Alias, Yaml.Node> | undefined
  #lineEnds: number[] | undefined

  constructor(document: Yaml.Document.Parsed, text: string, repeats: string[]) {
    this.#document = document
    this.#text = text
    this.repeats = repeats
    this.#left = maxAliasedParts + text.length
  }

  /** Counts what is made within an alias. Throws before more is made than a request may use. */
  count(size: number): void {
    if (this.open.size === 0) return
    this.#left -= size
    if (this.#left < 0) throw new JsonSyntaxError('yaml: document contains excessive aliasing')
  }

  /** The last node with the anchor of the alias that precedes it. All are found in one pass, at the first alias. */
  targetOf(alias: Yaml.Alias): Yaml.Node | undefined {
    this.#targets ??= targetsIn(this.#document)
    return this.#targets.get(alias)
  }

  /** The line of an offset, counted from one. */
  lineOf(offset: number): number {
    const ends = (this.#lineEnds ??= lineEndsOf(this.#text))
    let low = 0
    let high = ends.length
    while (low < high) {
      const middle = (low + high) >>> 1
      if ((ends[middle] as number) < offset) low = middle + 1
      else high = middle
    }
    return low + 1
  }
}

function targetsIn(document: Yaml.Document.Parsed): Map<Yaml.Alias, Yaml.Node> {
  const anchors = new Map<string, Yaml.Node>()
  const targets = new Map<Yaml.Alias, Yaml.Node>()
  const { isAlias, isCollection, isPair, isScalar } = load()
  const waiting: unknown[] = [document.contents]
  while (waiting.length > 0) {
    const node = waiting.pop()
    if (isAlias(node)) {
      const target = anchors.get(node.source)
      if (target !== undefined) targets.set(node, target)
    } else if (isPair(node)) {
      waiting.push(node.value, node.key)
    } else if (isCollection(node) || isScalar(node)) {
      if (node.anchor !== undefined && node.anchor !== '') anchors.set(node.anchor, node)
      if (!isCollection(node)) continue
      for (let i = node.items.length - 1; i >= 0; i--) waiting.push(node.items[i])
    }
  }
  return targets
}

function lineEndsOf(text: string): number[] {
  const ends: number[] = []
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) ends.push(at)
  return ends
}

function plain(node: unknown, reading: Reading, depth: number): Json {
  const { isAlias, isMap, isScalar, isSeq } = load()
  if (depth > maxDepth) throw new JsonSyntaxError('exceeded max depth')
  reading.count(1)
  if (node === null || node === undefined) return null
  if (isAlias(node)) return aliased(node, reading, depth)
  if (isScalar(node)) {
    const value = scalar(node)
    if (typeof value === 'string') reading.count(value.length)
    return value
  }
  if (isSeq(node)) {
    return node.items.map((item) => plain(item, reading, depth + 1))
  }
  if (!isMap(node)) throw new JsonSyntaxError('yaml: unsupported node')
  const result: JsonObject = {}
  for (const pair of node.items) {
    const given = isScalar(pair.key) ? pair.key.value : pair.key
    const key = given === null ? nullKey(node.items, reading, depth) : keyText(given, reading, depth)
    reading.count(key.length)
    if (key === '<<') {
      const merged = plain(pair.value, reading, depth + 1)
      for (const source of Array.isArray(merged) ? merged : [merged]) {
        if (typeof source !== 'object' || source === null || Array.isArray(source)) continue
        for (const name of Object.keys(source)) {
          if (!Object.hasOwn(result, name)) setOwn(result, name, source[name] as Json)
        }
      }
      continue
    }
    if (Object.hasOwn(result, key)) {
      const at = isScalar(pair.key) ? (pair.key.range?.[0] ?? 0) : 0
      reading.repeats.push(
        `line ${reading.lineOf(at)}: key ${typeof given === 'string' ? JSON.stringify(given) : key} ` +
          'already set in map',
      )
    }
    setOwn(result, key, plain(pair.value, reading, depth + 1))
  }
  return result
}

const octal = /^[-+]?0o[0-7]+$/
const decimal = /^[-+]?[1-9]\d*$/

function scalar(node: Yaml.Scalar): Json {
  const { value } = node
  switch (typeof value) {
    case 'string':
      if (node.tag === 'tag:yaml.org,2002:int')
        throw new JsonSyntaxError(`yaml: cannot decode !!str \`${value}\` as a !!int`)
      return node.type === 'PLAIN' && octal.test(value) ? Number(value.replace(/^\+/, '')) : value
    case 'boolean':
      return value
    case 'number':
      if (Math.abs(value) > Number.MAX_SAFE_INTEGER && decimal.test(node.source ?? '') && isRounded(node.source ?? ''))
        throw roundingError(node.source ?? '')
      return Number.isFinite(value) ? value : String(value)
    case 'bigint':
      return Number(value)
    default:
      // Upstream reads times as plain text, and binary data as its base64 text.
      if (value instanceof Date) return node.source ?? value.toISOString()
      if (value instanceof Uint8Array) return binaryText(node, value)
      return null
  }
}

function binaryText(node: Yaml.Scalar, bytes: Uint8Array): string {
  const source = (node.source ?? '').replaceAll(/\s/g, '')
  if (source.length % 4 !== 0 || !/^[A-Za-z0-9+/]*={0,2}$/.test(source)) {
    throw new JsonSyntaxError('yaml: !!binary value contains invalid base64 data')
  }
  return Buffer.from(bytes).toString('utf8')
}

/** If there are several, the last one remains in the map. */
function nullKey(items: Yaml.Pair[], reading: Reading, depth: number): never {
  const last = items.findLast(({ key }) => load().isScalar(key) && key.value === null)
  const value = plain(last?.value, reading, depth + 1)
  throw new JsonSyntaxError(`unsupported map key of type: %!s(<nil>), key: <nil>, value: ${JSON.stringify(value)}`)
}

function keyText(key: unknown, reading: Reading, depth: number): string {
  if (typeof key === 'string') return key
  if (typeof key === 'symbol') return key.description ?? ''
  if (typeof key === 'boolean' || typeof key === 'number' || typeof key === 'bigint') return String(key)
  if (key === undefined) return 'null'
  // Errors inside the key are reported first.
  plain(key, reading, depth + 1)
  throw new JsonSyntaxError(`yaml: invalid map key: ${keySyntax(key)}`)
}

/** A key that is a collection, in Go syntax; nested collections are not distinguished. */
function keySyntax(key: unknown): string {
  const { isScalar, isSeq } = load()
  if (!isSeq(key)) return 'map[interface {}]interface {}{}'
  return `[]interface {}{${key.items.map((item) => JSON.stringify(isScalar(item) ? item.value : null)).join(', ')}}`
}
