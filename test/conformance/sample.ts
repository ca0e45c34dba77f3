/** A sample of recorded exchanges, for the tests of the replay itself. */
import { readdirSync, readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import type { JsonObject } from '../../src/api/json.ts'
import { toRecords } from './golden.ts'
import type { RawRecord, Recording } from './golden.ts'

const folder = new URL('./testdata/', import.meta.url)

/** The files in the order of their recording on one server. */
const order = ['01', '02', '03', '05', '07', '04']

export function loadSample(): Recording {
  const raw: RawRecord[] = []
  for (const number of order) {
    const name = readdirSync(folder).find((each) => each.startsWith(number)) as string
    const bytes = readFileSync(new URL(name, folder))
    const text = (name.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString('utf8')
    for (const line of text.split('\n')) {
      if (line !== '') raw.push({ file: number, record: JSON.parse(line) as JsonObject })
    }
  }
  return toRecords(raw)
}
