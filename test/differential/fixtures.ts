/** The recorded answers of the suite, one file per topic. `npm test` replays them, without a real server. */
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { gunzipSync, gzipSync } from 'node:zlib'
import type { JsonObject } from '../../src/api/json.ts'
import { compact } from './compact.ts'
import type { RecordedCase } from './record.ts'

export const fixturesUrl = new URL('./fixtures/', import.meta.url)
/** The page that is generated from them. */
export const pageUrl = new URL('../../docs/internals/conformance.md', import.meta.url)

/** Larger files, in bytes, are compressed. */
const plainLimit = 256 * 1024

export function storeTopic(topic: string, cases: readonly RecordedCase[]): void {
  mkdirSync(fixturesUrl, { recursive: true })
  for (const ending of ['.jsonl', '.jsonl.gz']) rmSync(new URL(`${topic}${ending}`, fixturesUrl), { force: true })
  const text = cases.flatMap(({ records }) => records.map((record) => `${JSON.stringify(compact(record))}\n`)).join('')
  const small = Buffer.byteLength(text) <= plainLimit
  writeFileSync(
    new URL(`${topic}.jsonl${small ? '' : '.gz'}`, fixturesUrl),
    small ? text : gzipSync(text, { level: 9 }),
  )
}

export function removeOtherTopics(topics: readonly string[]): void {
  for (const name of readdirSync(fixturesUrl)) {
    if (!topics.includes(name.replace(/\.jsonl(\.gz)?$/, ''))) rmSync(new URL(name, fixturesUrl))
  }
}

export function storedTopics(): string[] {
  return readdirSync(fixturesUrl)
    .map((name) => name.replace(/\.jsonl(\.gz)?$/, ''))
    .toSorted()
}

export function loadTopic(topic: string): RecordedCase[] {
  const name = readdirSync(fixturesUrl).find((each) => each.replace(/\.jsonl(\.gz)?$/, '') === topic)
  if (name === undefined) throw new Error(`no recorded answers for ${topic}: npm run test:cluster -- --update`)
  const bytes = readFileSync(new URL(name, fixturesUrl))
  const text = (name.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString('utf8')
  const cases = new Map<string, JsonObject[]>()
  for (const line of text.split('\n')) {
    if (line === '') continue
    const record = JSON.parse(line) as JsonObject
    const each = record['case'] as string
    cases.set(each, [...(cases.get(each) ?? []), record])
  }
  return [...cases].map(([each, records]) => ({ topic, name: each, records }))
}
