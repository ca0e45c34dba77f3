/**
 * Replays all recorded exchanges against the embedded control plane, over HTTP and in process; the last file with our
 * controllers.
 */
import { expect, test } from 'vitest'
import type { Golden } from '../conformance/golden.ts'
import { textReport } from '../conformance/report.ts'
import { inProcess, overHttp, startPlane, type ClockedPlane } from '../conformance/plane-target.ts'
import { replay } from '../conformance/replay.ts'
import { failures, summarise, type Run } from '../conformance/summary.ts'
import type { Target } from '../conformance/target.ts'
import { LiveControllers } from './live-controllers.ts'
import { liveFile, loadRecording } from './recording.ts'

const recording = loadRecording()

async function run(open: (plane: ClockedPlane) => Target | Promise<Target>): Promise<Run> {
  const plane = startPlane(recording.records[0]?.time ?? 0)
  const target = await open(plane)
  let controllers: LiveControllers | undefined
  const before = async (record: Golden): Promise<void> => {
    if (record.file !== liveFile || record.setup !== undefined) return
    controllers ??= new LiveControllers(plane)
    await controllers.workUpTo(record)
  }
  try {
    return { transport: target.name, results: await replay(target, recording, { before }) }
  } finally {
    await controllers?.stop()
    await target.close()
  }
}

test('every recorded answer is the same', { timeout: 120_000 }, async () => {
  const summary = summarise([await run(overHttp), await run(inProcess)], { explained: [], open: [] })
  console.log(`golden: ${summary.equal} of ${summary.total}`)
  const failed = failures(summary)
  expect(failed, failed.length > 0 ? textReport(summary) : '').toEqual([])
  expect(summary.total).toBe(581)
})
