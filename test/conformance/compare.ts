/**
 * Compares a live response with the recorded one and reports the differences. {@link normalisations} lists everything
 * that is not compared literally; everything else must be equal, including the order of lists.
 */
import { isObject } from '../../src/api/json.ts'
import type { Json, JsonObject } from '../../src/api/json.ts'
import { isUuid, parseContinue } from './learned.ts'
import { compareText, prepare, textAt } from './prepare.ts'
import { sameRandomErrors } from './random-errors.ts'
import { sameText } from './text.ts'
import type { TextContext } from './text.ts'
import { sameLifetime } from './web-token.ts'

export interface Difference {
  /** `status`, `header warning`, or the path in the body: `.spec.ports[0].port`. */
  readonly path: string
  readonly expected: string
  readonly got: string
}

export interface Comparison extends TextContext {
  /**
   * Ignore the order of managed fields, which are sorted by time: if the server's clock cannot be set, two writes may
   * share a second although they did not in the recording.
   */
  readonly anyManagerOrder: boolean
}

/** For the report: what is not compared literally. */
export const normalisations: readonly string[] = [
  'uid: any uid, but the same one wherever the recording has the same one, also inside messages.',
  'resourceVersion of an object: any number, but the same one wherever the recording has the same one, and ' +
    'another where it has another.',
  'resourceVersion of a list or bookmark: any number between those of the writes before and after it.',
  'Times that the server sets: any time of the same format. The server’s clock shows the recorded time ' +
    'during the replay.',
  'Ages in tables: any duration.',
  'Generated names: any name with the same prefix and a suffix of five letters and digits; the suffix of a ' +
    'generated Event’s name.',
  'Hashes in entity tags, OpenAPI addresses and pod template labels: any, but consistently; what is ordered ' +
    'by them, by revision.',
  'Cluster IPs and node ports that the server chose: any of the range, but consistently; the server’s own address.',
  'Tokens of service accounts: compared by their claims, with times counted from when they were issued; the ' +
    'same one wherever the recording has the same one. How they are signed is not compared.',
  'Rules in a SelfSubjectRulesReview: in any order, as upstream’s is random.',
  'Continue tokens: compared decoded, with their revision treated like that of the list.',
  'Managers in the conflicts of an apply, what of an apply does not fit its schema, errors of a custom ' +
    'resource’s schema: in any order, as upstream’s is random.',
  'Errors about several entries of one map, such as two labels: in any order, as upstream’s is random.',
  'Fields that the schema of an apply does not declare, items of a strategic merge patch without their key, ' +
    'data that is no base64, and embedded objects whose type or metadata cannot be read: any one of several, ' +
    'as upstream stops at a random one.',
  'Managed fields whose times are a second apart: in any order, as a second of the recording server may end ' +
    'within a request.',
  'Descriptions in OpenAPI documents and table columns: left out of the recording and of the comparison.',
  'Finalizers, where the garbage collector’s are among them: in any order, as that of a namespace’s is ' +
    'random upstream.',
  'Resources of a group in discovery: in any order, as that of custom resources is random upstream.',
  'How the server was built: the commit, date, compiler and platform of /version, and file positions in messages.',
  'Warnings of a patch to an object that is gone: a real server may still have it in its cache, and warn.',
  'Headers: content-type, cache-control, vary, warning, retry-after, etag and those of a WebSocket’s ' +
    'handshake are compared. In process, where nothing is encoded, only warning, retry-after and etag are; ' +
    'protobuf and WebSocket do not exist there.',
]

/** The maximum of differences that are listed for one response. */
const most = 50

export function compareBodies(expected: Json, got: Json, comparison: Comparison): Difference[] {
  const differences: Difference[] = []
  if (isStatus(got) && isObject(expected) && !isStatus(expected)) {
    // An error instead of an object: its message is more useful than the missing fields.
    return [{ path: '(body)', expected: `a ${textAt(expected, 'kind')}`, got: show(got['message']) }]
  }
  walk(prepare(expected), prepare(got), [], differences, comparison)
  return differences
}

function isStatus(value: Json): value is JsonObject {
  return isObject(value) && value['kind'] === 'Status'
}

type Path = readonly (string | number)[]

function walk(expected: Json, got: Json | undefined, path: Path, found: Difference[], comparison: Comparison): void {
  if (found.length >= most) return
  const differ = (): void => {
    const wanted = typeof expected === 'string' ? comparison.learned.text(expected) : expected
    found.push({ path: pathText(path), expected: show(wanted), got: show(got) })
  }
  if (Array.isArray(expected)) {
    if (!Array.isArray(got)) return differ()
    walkList(expected, got, path, found, comparison)
  } else if (isObject(expected)) {
    if (!isObject(got)) return differ()
    walkObject(expected, got, path, found, comparison)
  } else if (typeof expected === 'string') {
    if (typeof got === 'string' && sameText(expected, got, comparison)) return
    if (
      typeof got !== 'string' ||
      path.at(-1) !== 'message' ||
      !sameRandomErrors(comparison.learned.text(expected), got)
    )
      differ()
  } else if (expected !== got) {
    differ()
  }
}

function walkList(expected: Json[], got: Json[], path: Path, found: Difference[], comparison: Comparison): void {
  if (expected.length !== got.length) {
    found.push({ path: pathText([...path, 'length']), expected: outline(expected), got: outline(got) })
  }
  if (path.at(-1) === 'managedFields' && (comparison.anyManagerOrder || areClose(expected))) {
    expected = expected.toSorted(byManager)
    got = got.toSorted(byManager)
  }
  if (path.at(-1) === 'finalizers' && expected.some((name) => collectorFinalizers.has(name))) {
    expected = expected.toSorted(byText)
    got = got.toSorted(byText)
  }
  if (path.at(-1) === 'items') {
    expected = byRevision(expected)
    got = byRevision(got)
  }
  const length = Math.min(expected.length, got.length)
  for (let i = 0; i < length; i++) walk(expected[i] as Json, got[i], [...path, i], found, comparison)
}

/** While upstream adds one of these finalizers to a namespace, it keeps the finalizers in a map, without an order. */
const collectorFinalizers = new Set<Json>(['foregroundDeletion', 'orphan'])

function walkObject(
  expected: JsonObject,
  got: JsonObject,
  path: Path,
  found: Difference[],
  comparison: Comparison,
): void {
  const keys = new Set<string>()
  for (const [key, value] of Object.entries(expected)) {
    const at = [...path, key]
    // Keys of managed fields may contain uids.
    const liveKey = comparison.learned.text(key)
    keys.add(liveKey)
    const other = Object.hasOwn(got, liveKey) ? got[liveKey] : undefined
    if (other === undefined) {
      found.push({ path: pathText(at), expected: show(value), got: '(absent)' })
      continue
    }
    const accepted = chosenByServer(expected, got, key, value, other, comparison)
    if (accepted === undefined) walk(value, other, at, found, comparison)
    else if (!accepted) found.push({ path: pathText(at), expected: show(value), got: show(other) })
  }
  for (const key of Object.keys(got)) {
    if (keys.has(key)) continue
    found.push({ path: pathText([...path, key]), expected: '(absent)', got: show(got[key]) })
  }
}

/** Whether the live value of a server-chosen field may replace the recorded one; undefined for other fields. */
function chosenByServer(
  expected: JsonObject,
  got: JsonObject,
  key: string,
  value: Json,
  other: Json,
  { learned, asked }: Comparison,
): boolean | undefined {
  if (typeof value === 'number' && typeof other === 'number') {
    if (key !== 'nodePort' && key !== 'healthCheckNodePort') return undefined
    // Dry runs have dummy ports beyond the range, counted up in each request: equal on both servers.
    if (value === other) return true
    return other >= 30_000 && other <= 32_767 && learned.word(String(value), String(other))
  }
  if (typeof value !== 'string' || typeof other !== 'string') return undefined
  switch (key) {
    case 'resourceVersion': {
      // In an object reference the client chooses the value.
      if (!/^\d+$/.test(value) || !/^\d+$/.test(other) || expected['kind'] !== undefined) return undefined
      // Lists and bookmarks have no uid. Tables of one object have none, either, but the revision of the object.
      const uid = textAt(expected, 'uid')
      if (uid === '') return learned.snapshot(Number(value), Number(other))
      return learned.revision(Number(value), Number(other), learned.text(uid) === textAt(got, 'uid'))
    }
    case 'uid': {
      if (!isUuid(value) || !isUuid(other) || asked.includes(value)) return undefined
      return learned.word(value, other, learned.text(textAt(expected, 'name')) === textAt(got, 'name'))
    }
    case 'name': {
      learnHash(partOf(expected, 'labels'), partOf(got, 'labels'), learned)
      const given = expected['generateName']
      // Longer prefixes are truncated.
      const prefix = typeof given === 'string' ? given.slice(0, 58) : undefined
      if (prefix === undefined || !value.startsWith(prefix) || value.length !== prefix.length + 5) return undefined
      const suffix = /^[bcdfghjklmnpqrstvwxz2456789]{5}$/
      const live = learned.text(prefix)
      return suffix.test(other.slice(live.length)) && other.startsWith(live) && learned.word(value, other)
    }
    case 'continue': {
      const theirs = parseContinue(value)
      const ours = parseContinue(other)
      if (theirs === undefined || ours === undefined) return undefined
      const sameList = got['resourceVersion'] === String(ours.rv) && ours.v === theirs.v
      return sameList && ours.start === learned.text(theirs.start)
    }
    case 'expirationTimestamp':
      return typeof expected['token'] === 'string' ? sameLifetime(expected, got) : undefined
    case 'serverAddress':
      return /^[\w.-]+:\d+$/.test(other)
    case 'pod-template-hash':
      return learned.word(value, other)
    case 'controller-revision-hash':
      // Upstream's hash may be equal for templates of two kinds.
      return value === other || learned.word(value, other)
    default:
      return undefined
  }
}

/** The template hash is part of names, which are compared before the labels. */
function learnHash(expected: JsonObject, got: JsonObject, learned: Comparison['learned']): void {
  const theirs = textAt(expected, 'pod-template-hash')
  const ours = textAt(got, 'pod-template-hash')
  if (theirs !== '' && ours !== '') learned.word(theirs, ours)
}

/** Lists are sorted by name. Names that differ only in the hash, which is not compared, are sorted by revision here. */
function byRevision(items: readonly Json[]): Json[] {
  const result = [...items]
  const places = new Map<string, number[]>()
  for (const [place, item] of items.entries()) {
    const metadata = partOf(item, 'metadata')
    const hash = textAt(partOf(metadata, 'labels'), 'pod-template-hash')
    if (hash === '') continue
    const base = textAt(metadata, 'name').replace(hash, '')
    places.set(base, [...(places.get(base) ?? []), place])
  }
  const revision = (place: number): string =>
    textAt(partOf(partOf(items[place], 'metadata'), 'annotations'), 'deployment.kubernetes.io/revision')
  for (const group of places.values()) {
    for (const [i, place] of group.toSorted((a, b) => compareText(revision(a), revision(b))).entries())
      result[group[i] as number] = items[place] as Json
  }
  return result
}

function partOf(value: Json | undefined, name: string): JsonObject {
  const part = isObject(value ?? null) ? (value as JsonObject)[name] : undefined
  return isObject(part ?? null) ? (part as JsonObject) : {}
}

/** Whether two entries are one second apart. */
function areClose(entries: readonly Json[]): boolean {
  const times = entries.flatMap((entry) =>
    isObject(entry) && typeof entry['time'] === 'string' ? [Date.parse(entry['time'])] : [],
  )
  return times.some((time) => times.includes(time + 1000))
}

const byText = (a: Json, b: Json): number => compareText(String(a), String(b))

function byManager(a: Json, b: Json): number {
  const parts = ['manager', 'operation', 'subresource', 'apiVersion', 'fieldsV1']
  const key = (entry: Json): string => (isObject(entry) ? JSON.stringify(parts.map((part) => entry[part] ?? null)) : '')
  return compareText(key(a), key(b))
}

function pathText(path: Path): string {
  const text = path
    .map((step) => {
      if (typeof step === 'number') return `[${step}]`
      return /^[\w$-]+$/.test(step) ? `.${step}` : `[${JSON.stringify(step)}]`
    })
    .join('')
  return text === '' ? '(body)' : text
}

export function show(value: Json | undefined): string {
  return value === undefined ? '(absent)' : JSON.stringify(value)
}

/** A short form of a list: the names of its items. */
function outline(items: readonly Json[]): string {
  const names = items.map((item) => {
    if (!isObject(item)) return JSON.stringify(item)
    const metadata = isObject(item['metadata']) ? item['metadata'] : {}
    return textAt(metadata, 'name') || textAt(item, 'name') || textAt(item, 'type') || '…'
  })
  return `${items.length}: ${names.join(', ')}`
}
