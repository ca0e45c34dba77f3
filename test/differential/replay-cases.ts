/** Sends recorded cases to the embedded control plane, over HTTP and in process, and compares the responses. */
import { toRecords } from '../conformance/golden.ts'
import type { Golden } from '../conformance/golden.ts'
import { replay } from '../conformance/replay.ts'
import type { Result } from '../conformance/replay.ts'
import type { Run } from '../conformance/summary.ts'
import type { Target } from '../conformance/target.ts'
import type { Open } from './embedded.ts'
import type { RecordedCase } from './record.ts'
import { runtimeConfigOf } from './topics.ts'

/**
 * Shifts the recorded times to the time of this server: the first step runs now, the others at the recorded intervals.
 */
export async function replayCase(target: Target, recorded: RecordedCase): Promise<Result[]> {
  const raw = recorded.records.map((record) => ({ file: recorded.topic, record }))
  const recording = toRecords(raw)
  return replay(target, { ...recording, records: shifted(recording.records, target.now()) })
}

function shifted(records: readonly Golden[], now: number | undefined): readonly Golden[] {
  const first = records[0]
  if (now === undefined || first === undefined) return records
  const start = Math.ceil(now / 1000) * 1000
  return records.map((record) => ({ ...record, time: start + record.time - first.time }))
}

/** Uses a fresh server for each topic and transport, at the time of the topic's first response. */
export async function replayTopics(
  topics: readonly (readonly RecordedCase[])[],
  targets: readonly Open[],
): Promise<Run[]> {
  const runs: Run[] = []
  for (const open of targets) {
    const results: Result[] = []
    let transport = ''
    for (const cases of topics) {
      const target = await open(startOf(cases), runtimeConfigOf(cases[0]?.topic))
      transport = target.name
      try {
        for (const each of cases) results.push(...(await replayCase(target, each)))
      } finally {
        await target.close()
      }
    }
    runs.push({ transport, results })
  }
  return runs
}

function startOf(cases: readonly RecordedCase[]): number {
  const [first] = cases
  return first === undefined
    ? 0
    : (toRecords(first.records.map((record) => ({ file: '', record }))).records[0]?.time ?? 0)
}
