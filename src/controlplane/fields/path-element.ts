/**
 * Path elements: one step of a field path, in the format of FieldsV1.
 *
 * `f:name` a field, `k:{"port":80,"protocol":"TCP"}` a list item by its keys (sorted by name), `v:"x"` an item of a
 * set, `i:3` an item by index. The text is canonical, so equal elements are equal strings.
 */
import { isObject, type Json } from '../../api/json.ts'
import { goFloat, goQuote } from '../../api/go-format.ts'
import { goJson } from '../../api/go-json.ts'

/** FieldsV1 is malformed. */
export class PathElementError extends Error {}

export type NumberText = (value: number) => string

type KeyFields = readonly (readonly [name: string, value: Json])[]

/** The parsed contents of `k:` and `v:` elements. They repeat (ports, container names), so results are kept. */
const parsed = new Map<string, KeyFields | Json>()
const maxCachedElements = 4096

function contentOf(element: string): KeyFields | Json {
  const known = parsed.get(element)
  if (known !== undefined) return known
  const value = JSON.parse(element.slice(2)) as Json
  const content =
    element.charCodeAt(0) === 0x6b
      ? Object.entries(value as { [name: string]: Json }).sort((a, b) => compareText(a[0], b[0]))
      : value
  if (parsed.size >= maxCachedElements) parsed.clear()
  parsed.set(element, content)
  return content
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}

/** Fields first, then keyed items, set items and indexes. */
function rank(element: string): number {
  switch (element.charCodeAt(0)) {
    case 0x66: // f
      return 0
    case 0x6b: // k
      return 1
    case 0x76: // v
      return 2
    default:
      return 3
  }
}

/** Upstream's order of elements. It is not the order of the texts, since keys are compared as values. */
export function compareElements(a: string, b: string): number {
  const kind = rank(a)
  const other = rank(b)
  if (kind !== other) return kind - other
  switch (kind) {
    case 0:
      return compareText(a, b)
    case 1:
      return compareKeys(contentOf(a) as KeyFields, contentOf(b) as KeyFields)
    case 2:
      return compareValues(contentOf(a) as Json, contentOf(b) as Json)
    default:
      return Number(a.slice(2)) - Number(b.slice(2))
  }
}

function compareKeys(a: KeyFields, b: KeyFields): number {
  const shared = Math.min(a.length, b.length)
  for (let i = 0; i < shared; i++) {
    const [name, value] = a[i] as KeyFields[number]
    const [otherName, other] = b[i] as KeyFields[number]
    const order = compareText(name, otherName) || compareValues(value, other)
    if (order !== 0) return order
  }
  return a.length - b.length
}

/** Numbers, then strings, booleans, lists, maps, null. */
function valueRank(value: Json): number {
  if (typeof value === 'number') return 0
  if (typeof value === 'string') return 1
  if (typeof value === 'boolean') return 2
  if (value === null) return 5
  return Array.isArray(value) ? 3 : 4
}

function compareValues(a: Json, b: Json): number {
  const kind = valueRank(a)
  const other = valueRank(b)
  if (kind !== other) return kind - other
  if (kind === 0 || kind === 2) return Number(a) - Number(b)
  if (kind === 1) return compareText(a as string, b as string)
  return compareText(goJson(a), goJson(b))
}

/**
 * The canonical text of an element that a client sent; undefined for an unknown type, which upstream drops. Throws
 * {@link PathElementError} if it is malformed.
 */
export function canonicalElement(text: string): string | undefined {
  if (text.length < 2) throw new PathElementError('key must be 2 characters long:')
  if (text[1] !== ':') throw new PathElementError(`missing colon: ${text}`)
  const content = text.slice(2)
  switch (text[0]) {
    case 'f':
      return text
    case 'v':
      return `v:${goJson(parseContent(text, content))}`
    case 'k': {
      const keys = parseContent(text, content)
      if (!isObject(keys)) throw new PathElementError(`expected an object of keys: ${text}`)
      return `k:${goJson(keys)}`
    }
    case 'i':
      if (!/^[+-]?\d+$/.test(content)) throw new PathElementError(`invalid index: ${text}`)
      return `i:${Number(content)}`
    default:
      return undefined
  }
}

function parseContent(text: string, content: string): Json {
  try {
    return JSON.parse(content) as Json
  } catch {
    throw new PathElementError(`invalid value: ${text}`)
  }
}

/**
 * As conflicts show it: `.name`, `[port=80,protocol="TCP"]`, `[="x"]`, `[3]`. For upstream, numbers in stored elements
 * are floats, those in elements made from an object are not.
 */
export function elementText(element: string, numberText: NumberText = goFloat): string {
  switch (rank(element)) {
    case 0:
      return `.${element.slice(2)}`
    case 1:
      return `[${keysText(contentOf(element) as KeyFields, numberText)}]`
    case 2:
      return `[=${valueText(contentOf(element) as Json, numberText)}]`
    default:
      return `[${element.slice(2)}]`
  }
}

export function keysText(keys: KeyFields, numberText: NumberText): string {
  return keys.map(([name, value]) => `${name}=${valueText(value, numberText)}`).join(',')
}

/** A value in the text of a path element. */
export function valueText(value: Json, numberText: NumberText): string {
  if (value === null) return 'null'
  if (typeof value === 'number') return numberText(value)
  if (typeof value === 'string') return goQuote(value)
  if (typeof value === 'boolean') return String(value)
  if (Array.isArray(value)) return `[${value.map((item) => valueText(item, numberText)).join(',')}]`
  return Object.keys(value)
    .map((key) => `${key}=${valueText(value[key] as Json, numberText)}`)
    .join('')
}
