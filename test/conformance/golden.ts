/**
 * The recordings: exchanges with a real kube-apiserver v1.35.8, one file per theme, as `import-golden.mjs` stored them.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import { isObject, setOwn } from '../../src/api/json.ts'
import type { Json, JsonObject } from '../../src/api/json.ts'

export interface Golden {
  /** `03`: the file's number; the topic of a case. */
  readonly file: string
  readonly n: number
  /** The case of the differential suite that it belongs to; undefined in the long recordings. */
  readonly case: string | undefined
  /** Says why, where a request only prepares what later records need; such a request is sent but not compared. */
  readonly setup: string | undefined
  readonly request: GoldenRequest
  /** Undefined for a plain request. */
  readonly watch: { readonly ended: 'client' | 'server'; readonly rest: string | undefined } | undefined
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  /** A parsed JSON answer, text, `{ base64 }` of bytes, or the list of a watch's events. */
  readonly answer: Json
  /** The recording server's time, as far as this and earlier answers tell, in milliseconds since the epoch. */
  readonly time: number
}

export interface GoldenRequest {
  readonly method: string
  /** With the query, as it was on the wire. */
  readonly path: string
  readonly token: string
  readonly headers: Readonly<Record<string, string>>
  /** Text is sent as it is, anything else as JSON. */
  readonly body: Json | undefined
}

/**
 * Files in the order in which they were recorded on one server, which revisions and times tell: the garbage collection
 * of 04 came last, when a controller manager had been started.
 */
const order = ['01', '02', '03', '05', '07', '04']

/** Files that may have unexplained differences, since they belong to parts that do not exist yet. */
export const reportedFiles: readonly string[] = ['02', '04', '07']

export interface Recording {
  readonly records: readonly Golden[]
  /** `01` to `01-errors-ssa`. */
  readonly titles: ReadonlyMap<string, string>
  /** Times in between were set by the recording server, others came with a request or are constant. */
  readonly from: number
  readonly to: number
}

export function loadRecording(folder = new URL('./fixtures/', import.meta.url)): Recording {
  const titles = new Map<string, string>()
  const raw: RawRecord[] = []
  const names = readdirSync(folder).filter((name) => /\.jsonl(\.gz)?$/.test(name))
  names.sort((a, b) => rank(a) - rank(b) || a.localeCompare(b))
  for (const name of names) {
    const file = name.slice(0, 2)
    titles.set(file, name.replace(/\.jsonl(\.gz)?$/, ''))
    const bytes = readFileSync(new URL(name, folder))
    const text = (name.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString('utf8')
    for (const line of text.split('\n')) {
      if (line !== '') raw.push({ file, record: JSON.parse(line) as JsonObject })
    }
  }
  return { ...toRecords(raw), titles }
}

/** One line of a fixture file. */
export interface RawRecord {
  readonly file: string
  readonly record: JsonObject
}

/** Records in order, each with the time at which it was answered as far as the answers tell. */
export function toRecords(raw: readonly RawRecord[]): Omit<Recording, 'titles'> {
  const created = raw.flatMap(({ record }) => timesOf(record['res'] ?? record['events'] ?? null))
  const from = created.reduce((least, time) => Math.min(least, time), Infinity) - 60_000
  const to = created.reduce((most, time) => Math.max(most, time), 0) + 60_000
  let time = from + 60_000
  const records = raw.map(({ file, record }) => {
    const seen = timesOf(record['res'] ?? record['events'] ?? null)
    time = seen.reduce((most, value) => Math.max(most, value), time)
    return toGolden(file, record, time)
  })
  return { records, from, to }
}

function rank(name: string): number {
  const index = order.indexOf(name.slice(0, 2))
  return index < 0 ? order.length : index
}

function toGolden(file: string, record: JsonObject, time: number): Golden {
  const watch = record['watch']
  return {
    file,
    n: record['n'] as number,
    case: record['case'] as string | undefined,
    setup: record['setup'] as string | undefined,
    request: {
      method: (record['method'] as string | undefined) ?? 'GET',
      path: (watch ?? record['path']) as string,
      token: (record['tok'] as string | undefined) ?? 'admintoken',
      headers: record['headers'] as Record<string, string>,
      body: Object.hasOwn(record, 'body') ? expand(record['body'] as Json) : undefined,
    },
    watch:
      watch === undefined
        ? undefined
        : {
            ended: (record['ended'] as string).startsWith('client') ? 'client' : 'server',
            rest: (record['rest'] as string | null | undefined) ?? undefined,
          },
    status: record['status'] as number,
    headers: record['resHeaders'] as Record<string, string>,
    answer: record['res'] ?? record['events'] ?? null,
    time,
  }
}

/** Puts back the filler strings that the import stored in short. */
function expand(value: Json): Json {
  if (Array.isArray(value)) return value.map(expand)
  if (!isObject(value)) return value
  const repeat = value['$repeat']
  if (Array.isArray(repeat)) return (repeat[0] as string).repeat(repeat[1] as number)
  const copy: JsonObject = {}
  for (const [key, child] of Object.entries(value)) setOwn(copy, key, expand(child))
  return copy
}

/** When objects of an answer were created and fields written: never later than the answer itself. */
function timesOf(value: Json, found: number[] = []): number[] {
  if (Array.isArray(value)) {
    for (const item of value) timesOf(item, found)
  } else if (isObject(value)) {
    for (const [key, child] of Object.entries(value)) {
      if ((key === 'creationTimestamp' || key === 'time') && typeof child === 'string') {
        const time = Date.parse(child)
        if (!Number.isNaN(time)) found.push(time)
      } else {
        timesOf(child, found)
      }
    }
  }
  return found
}
