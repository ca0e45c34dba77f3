/** Compares one response with the recorded one: status, headers, and the body in its encoding. */
import { parse as parseYaml } from 'yaml'
import { isObject, setOwn } from '../../src/api/json.ts'
import type { Json, JsonObject } from '../../src/api/json.ts'
import { compareBodies, show } from './compare.ts'
import type { Comparison, Difference } from './compare.ts'
import type { Golden } from './golden.ts'
import { decodeProtobuf } from './protobuf.ts'
import type { Answer } from './target.ts'
import { sameText } from './text.ts'

/** Headers that matter to clients. Those about framing (length, chunks) are not compared. */
const wireHeaders = [
  'content-type',
  'cache-control',
  'vary',
  'warning',
  'retry-after',
  'etag',
  'sec-websocket-accept',
  'sec-websocket-protocol',
]
const valueHeaders = ['warning', 'retry-after', 'etag']

export function compareHead(
  golden: Golden,
  answer: Pick<Answer, 'status' | 'headers'>,
  wire: boolean,
  comparison: Comparison,
): Difference[] {
  const differences: Difference[] = []
  if (answer.status !== golden.status) {
    differences.push({ path: 'status', expected: String(golden.status), got: String(answer.status) })
  }
  for (const name of wire ? wireHeaders : valueHeaders) {
    const expected = golden.headers[name]
    const got = answer.headers[name]
    if (expected === got) continue
    if (name === 'warning' && got === undefined && mayBeStale(golden)) continue
    if (expected !== undefined && got !== undefined && sameText(expected, got, comparison)) continue
    differences.push({ path: `header ${name}`, expected: show(expected), got: show(got) })
  }
  return differences
}

/** A real server applies a patch to the object in its cache, emits warnings, and only then finds it deleted. */
function mayBeStale({ request, status }: Golden): boolean {
  return request.method === 'PATCH' && status === 404
}

export function compareAnswer(golden: Golden, answer: Answer, wire: boolean, comparison: Comparison): Difference[] {
  const head = compareHead(golden, answer, wire, comparison)
  // In process, a HEAD request has a body, which is never sent over the wire.
  if (golden.request.method === 'HEAD' && !wire) return head
  const recorded = golden.answer
  const type = golden.headers['content-type'] ?? ''
  if (isObject(recorded) && typeof recorded['base64'] === 'string') {
    // In process nothing is encoded. The same object is compared as JSON in other records.
    if ('value' in answer.body) return head
    const expected = decodeProtobuf(Buffer.from(recorded['base64'], 'base64')) ?? null
    return [...head, ...compareBodies(expected, protobufOf(answer.body.bytes), comparison)]
  }
  if (type.startsWith('application/yaml') && typeof recorded === 'string') {
    return [...head, ...compareYaml(recorded, answer, comparison)]
  }
  const live = liveValue(answer, typeof recorded === 'string')
  const got = golden.request.path.startsWith('/openapi/') ? withoutDescriptions(live) : live
  return [...head, ...compareBodies(recorded, got, comparison)]
}

/** The body in the form of the recording: parsed if it is JSON, otherwise text. */
export function liveValue({ body }: Answer, asText: boolean): Json {
  const text = 'bytes' in body ? body.bytes.toString('utf8') : body.value
  if (asText || typeof text !== 'string') return text
  try {
    return JSON.parse(text) as Json
  } catch {
    return text
  }
}

function protobufOf(bytes: Buffer): Json {
  try {
    return decodeProtobuf(bytes) ?? bytes.toString('utf8')
  } catch (error) {
    return `${String(error)}: ${bytes.toString('base64')}`
  }
}

/** Compares values; and text, except values that the server chooses, since key order and style are part of the text. */
function compareYaml(recorded: string, answer: Answer, comparison: Comparison): Difference[] {
  const expected = parseYaml(recorded) as Json
  const text = liveValue(answer, true)
  if (typeof text !== 'string') return compareBodies(expected, text, comparison)
  let got: Json
  try {
    got = parseYaml(text) as Json
  } catch (error) {
    got = String(error)
  }
  const differences = compareBodies(expected, got, comparison)
  // Tables contain descriptions, which are not compared.
  const isTable = isObject(expected) && expected['kind'] === 'Table'
  if (differences.length > 0 || isTable || fixedPart(recorded) === fixedPart(text)) return differences
  return [{ path: '(text)', expected: show(recorded), got: show(text) }]
}

function fixedPart(yaml: string): string {
  return yaml.replaceAll(/(uid|resourceVersion|creationTimestamp|time|serverAddress|continue): \S+/g, '$1: …')
}

function withoutDescriptions(value: Json): Json {
  if (Array.isArray(value)) return value.map(withoutDescriptions)
  if (!isObject(value)) return value
  const kept: JsonObject = {}
  for (const [key, child] of Object.entries(value)) {
    if (key !== 'description' || typeof child !== 'string') setOwn(kept, key, withoutDescriptions(child))
  }
  return kept
}
