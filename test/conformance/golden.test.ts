import { expect, it } from 'vitest'
import type { JsonObject } from '../../src/api/json.ts'
import { toRecords } from './golden.ts'

const start = Date.parse('2026-05-05T10:00:00Z')
const at = (seconds: number): string => new Date(start + seconds * 1000).toISOString().replace('.000', '')
const record = (res: JsonObject): JsonObject => ({ n: 1, path: '/x', status: 200, headers: {}, resHeaders: {}, res })

it('the golden recording dates requests by what the server wrote, not by times of clients', () => {
  const records = [
    { metadata: { creationTimestamp: at(0) } },
    { status: { conditions: [{ lastUpdateTime: at(5) }] } },
    { status: { conditions: [{ lastUpdateTime: at(-1_000_000) }, { lastUpdateTime: at(1_000_000) }] } },
    { metadata: { managedFields: [{ time: at(7) }] } },
  ]
  const { records: read, from, to } = toRecords(records.map((res) => ({ file: 'f', record: record(res) })))
  expect(read.map(({ time }) => (time - start) / 1000)).toEqual([0, 5, 5, 7])
  expect([from, to]).toEqual([start - 60_000, start + 67_000])
})
