/** A recording: exchanges with a real kube-apiserver v1.35.8, in order. */
import { isObject } from '../../src/api/json.ts'
import type { Json, JsonObject } from '../../src/api/json.ts'
import { expand } from '../differential/compact.ts'

export interface Golden {
  /** The topic of its case. */
  readonly file: string
  readonly n: number
  /** Undefined in samples. */
  readonly case: string | undefined
  /** The reason, if a request only prepares later records; such a request is sent but not compared. */
  readonly setup: string | undefined
  readonly request: GoldenRequest
  /** Undefined for requests other than watches. */
  readonly watch: { readonly ended: 'client' | 'server'; readonly rest: string | undefined } | undefined
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  /** A parsed JSON response, text, `{ base64 }` of bytes, or the events of a watch. */
  readonly answer: Json
  /**
   * The time of the recording server, as far as this and earlier responses show it, in milliseconds since the epoch.
   */
  readonly time: number
}

export interface GoldenRequest {
  readonly method: string
  /** Including the query, as sent. */
  readonly path: string
  readonly token: string
  readonly headers: Readonly<Record<string, string>>
  /** Text is sent as it is, anything else as JSON. */
  readonly body: Json | undefined
}

export interface Recording {
  readonly records: readonly Golden[]
  /** The recording server has set times between these; other times are constant or come from a request. */
  readonly from: number
  readonly to: number
}

/** One line of a fixture file. */
export interface RawRecord {
  readonly file: string
  readonly record: JsonObject
}

/** The records in order, each with its time as far as the responses show it. */
export function toRecords(raw: readonly RawRecord[]): Recording {
  const created = raw.flatMap(({ record }) => timesOf(record['res'] ?? record['events'] ?? null, written))
  const from = created.reduce((least, time) => Math.min(least, time), Infinity) - 60_000
  const to = created.reduce((most, time) => Math.max(most, time), 0) + 60_000
  let time = from + 60_000
  const records = raw.map(({ file, record }) => {
    const seen = timesOf(record['res'] ?? record['events'] ?? null, told).filter((value) => value <= to)
    time = seen.reduce((most, value) => Math.max(most, value), time)
    return toGolden(file, record, time)
  })
  return { records, from, to }
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

/** Times of creations and writes in a response, which are never later than the response. */
const written: ReadonlySet<string> = new Set(['creationTimestamp', 'time'])
/** Times that a server sets if the client does not: used if they are within the range of the others. */
const told: ReadonlySet<string> = new Set([...written, 'lastUpdateTime'])

function timesOf(value: Json, keys: ReadonlySet<string>, found: number[] = []): number[] {
  if (Array.isArray(value)) {
    for (const item of value) timesOf(item, keys, found)
  } else if (isObject(value)) {
    for (const [key, child] of Object.entries(value)) {
      if (keys.has(key) && typeof child === 'string') {
        const time = Date.parse(child)
        if (!Number.isNaN(time)) found.push(time)
      } else {
        timesOf(child, keys, found)
      }
    }
  }
  return found
}
