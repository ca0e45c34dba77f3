/** Tests the replay against a server that repeats the recording with its own values: it must find every change. */
import { describe, expect, test } from 'vitest'
import { isObject } from '../../src/api/json.ts'
import type { Json, JsonObject } from '../../src/api/json.ts'
import type { Golden } from './golden.ts'
import { textAt as text } from './prepare.ts'
import { replay } from './replay.ts'
import type { Result } from './replay.ts'
import { loadSample } from './sample.ts'
import type { Answer, LiveRequest, Stream, Target } from './target.ts'

const recording = loadSample()

interface Given {
  status: number
  headers: Record<string, string>
  body: Json
}

/** Added to recorded revisions. They keep three digits, which keeps lengths in encoded bytes. */
const shift = 200

/** The response of another server with the same behaviour. */
function withOwnValues(golden: Golden): Given {
  const plus = (_: string, before: string, number: string): string => `${before}${Number(number) + shift}`
  const change = (text: string): string =>
    text
      .replaceAll(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, (uid) => {
        return uid.startsWith('00000000') ? uid : uid.replaceAll(/[ab]/g, (c) => (c === 'a' ? 'b' : 'a'))
      })
      .replaceAll(/(resourceVersion\\*":\\*"|resourceVersion: \\"|in record \((?=\d+\))|, current: )(\d+)/g, plus)
      .replaceAll(/"continue":"([\w-]+)"/g, (_, token: string) => {
        const value = JSON.parse(Buffer.from(token, 'base64url').toString()) as { rv: number }
        const shifted = Buffer.from(JSON.stringify({ ...value, rv: value.rv + shift }))
        return `"continue":"${shifted.toString('base64url')}"`
      })
      .replaceAll(/2026-11-15T23:1(\d:\d\d)/g, '2031-02-03T04:0$1')
      .replaceAll('2026-11-15', '2031-02-03')
      .replaceAll(/gen-h6kgt/g, 'gen-xwz24')
      .replaceAll(/[0-9A-F]{128}/g, (hash) => hash.slice(0, 64))
      .replaceAll('10.0.0.157', '10.0.0.9')
  let body = JSON.parse(change(JSON.stringify(golden.answer))) as Json
  if (isObject(body) && typeof body['base64'] === 'string') {
    const uid = '75cc7639-70e3-4947-b9f3-aad97714d530'
    const bytes = Buffer.from(body['base64'], 'base64').toString('latin1')
    const changed = bytes.replace(uid, change(uid)).replace('2\u0003200', `2\u0003${200 + shift}`)
    body = { base64: Buffer.from(changed, 'latin1').toString('base64') }
  }
  return {
    status: golden.status,
    headers: JSON.parse(change(JSON.stringify(golden.headers))) as Record<string, string>,
    body,
  }
}

class Mirror implements Target {
  readonly name = 'HTTP'
  readonly wire = true
  readonly remote = false
  readonly requests: LiveRequest[] = []
  readonly #spoil: (given: Given, golden: Golden) => void

  constructor(spoil: (given: Given, golden: Golden) => void = () => {}) {
    this.#spoil = spoil
  }

  #next(request: LiveRequest): Given {
    const golden = recording.records[this.requests.length]
    this.requests.push(request)
    if (golden === undefined) throw new Error('there are no more records')
    const given = withOwnValues(golden)
    this.#spoil(given, golden)
    return given
  }

  async send(request: LiveRequest): Promise<Answer> {
    const { status, headers, body } = this.#next(request)
    const encoded = isObject(body) ? body['base64'] : undefined
    const plain = typeof body === 'string' ? body : JSON.stringify(body)
    const bytes = typeof encoded === 'string' ? Buffer.from(encoded, 'base64') : Buffer.from(plain)
    return { status, headers, body: { bytes } }
  }

  async watch(request: LiveRequest): Promise<Stream> {
    const golden = recording.records[this.requests.length]
    const { status, headers, body } = this.#next(request)
    const ended = golden?.watch?.ended === 'server'
    return { status, headers, events: body as Json[], ended, rest: '', stop: () => {} }
  }

  now(): number {
    return Infinity
  }
  passTime(): void {}
  async idle(): Promise<void> {}
  async close(): Promise<void> {}
}

function different(results: readonly Result[]): string[] {
  return results.filter(({ differences }) => differences.length > 0).map(({ golden }) => `${golden.file}/${golden.n}`)
}

const compared = recording.records.filter(({ setup }) => setup === undefined)

const uidOfCm = '75cc7639-70e3-4947-a9f3-bbd97714d530'

const spoils: [name: string, file: string, n: number, spoil: (body: JsonObject) => unknown][] = [
  ['a generated name without its prefix', '01', 3, ({ metadata }) => setIn(metadata, 'name', 'xxx-bcdfg')],
  ['a time of another format', '01', 10, ({ metadata }) => setIn(metadata, 'creationTimestamp', '2031-01-01')],
  ['another message', '01', 12, (body) => setIn(body, 'message', 'not found')],
  ['the old revision after a change', '01', 24, ({ metadata }) => setIn(metadata, 'resourceVersion', '399')],
  ['a new revision without a change', '01', 36, ({ metadata }) => setIn(metadata, 'resourceVersion', '402')],
  ['the uid of another object', '01', 35, ({ metadata }) => setIn(metadata, 'uid', uidOfCm)],
  ['a new uid for a known object', '01', 22, ({ metadata }) => setIn(metadata, 'uid', uidOfCm.replace('7', '8'))],
  ['a wrong uid in a message', '03', 23, (body) => setIn(body, 'message', text(body, 'message').replace('2ed', '2ee'))],
  ['a list older than its objects', '03', 64, ({ metadata }) => setIn(metadata, 'resourceVersion', '459')],
  ['a list in another order', '03', 76, ({ items }) => (items as Json[]).reverse()],
  ['a list with one item less', '03', 82, ({ items }) => (items as Json[]).pop()],
  ['an address out of the range', '05', 26, ({ spec }) => setIn(spec, 'clusterIP', '192.168.0.1')],
]

describe('the recording', () => {
  test('the recording has all records', () => {
    expect(compared.length).toBe(581)
  })
})

describe('a server that answers as recorded, with its own uids, revisions, times, hashes and addresses', () => {
  test('a server that answers as recorded, with its own uids, revisions and times, is equal', async () => {
    expect(different(await replay(new Mirror(), recording))).toEqual([])
  })

  test('a server that answers as recorded gets its own uids, revisions and times in requests', async () => {
    const mirror = new Mirror()
    await replay(mirror, recording)
    const request = (file: string, n: number): LiveRequest | undefined => {
      return mirror.requests[recording.records.findIndex((golden) => golden.file === file && golden.n === n)]
    }
    expect(request('01', 25)?.body).toMatchObject({ metadata: { resourceVersion: '400', uid: /^75cc/ } })
    expect(request('01', 23)?.body).toMatchObject({ metadata: { resourceVersion: '1' } })
    const token = new URLSearchParams(request('03', 54)?.path.split('?')[1]).get('continue') ?? ''
    expect(Buffer.from(token, 'base64url').toString()).toBe(
      String.raw`{"v":"meta.k8s.io/v1","rv":460,"start":"/l0\u0000"}`,
    )
    expect(request('03', 57)?.path).toContain('continue=abc')
    expect(request('03', 62)?.path).toContain('resourceVersion=99999999')
    expect(request('03', 68)?.path).toContain('resourceVersion=1')
    expect(request('03', 81)?.path).toContain('resourceVersion=461')
    expect(request('05', 2)?.headers['if-none-match']).toHaveLength(66)
  })
})

describe('a server that answers otherwise', () => {
  const all = compared.map(({ file, n }) => `${file}/${n}`)

  test('a server that answers otherwise in its status codes differs everywhere', async () => {
    const mirror = new Mirror((given) => void (given.status += 1))
    expect(different(await replay(mirror, recording))).toEqual(all)
  })

  test('a server that answers otherwise in a header differs everywhere', async () => {
    const mirror = new Mirror((given) => void (given.headers['warning'] = '299 - "another"'))
    expect(different(await replay(mirror, recording))).toEqual(all)
  })

  test('a server that answers otherwise with one member more differs in every object', async () => {
    const mirror = new Mirror(({ body }) => {
      for (const object of objectsOf(body)) object['extra'] = 1
    })
    const objects = compared.filter(({ answer }) => objectsOf(answer).length > 0)
    expect(objects.length).toBeGreaterThan(550)
    expect(different(await replay(mirror, recording))).toEqual(objects.map(({ file, n }) => `${file}/${n}`))
  })

  test.each(spoils)('a server that answers otherwise by %s differs there', async (_, file, n, spoil) => {
    const mirror = new Mirror((given, golden) => {
      if (golden.file === file && golden.n === n) spoil(given.body as JsonObject)
    })
    expect(different(await replay(mirror, recording, { until: { file, n } }))).toEqual([`${file}/${n}`])
  })

  test.each<[name: string, change: (events: Json[]) => unknown]>([
    ['missing', (events) => events.pop()],
    ['too many', (events) => events.push({ type: 'BOOKMARK', object: {} })],
    ['in another order', (events) => events.reverse()],
  ])('with events %s differs there', async (_, change) => {
    const mirror = new Mirror((given, { file, n }) => {
      if (file === '03' && n === 68) change(given.body as Json[])
    })
    expect(different(await replay(mirror, recording, { until: { file: '03', n: 85 } }))).toEqual(['03/68'])
  })
})

function setIn(object: Json | undefined, key: string, value: Json): void {
  if (!isObject(object)) throw new TypeError('not an object')
  object[key] = value
}

/** The objects of a response: the body, or the events of a watch. */
function objectsOf(body: Json): JsonObject[] {
  if (Array.isArray(body)) return body.filter(isObject)
  return isObject(body) && body['base64'] === undefined ? [body] : []
}
