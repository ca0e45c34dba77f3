/** One conformance run: replays over the chosen transports and sums up. Used by the command and by the test. */
import { readFileSync } from 'node:fs'
import type { Recording } from './golden.ts'
import { replay } from './replay.ts'
import type { ReplayOptions } from './replay.ts'
import type { Baseline, Run } from './summary.ts'
import type { Target } from './target.ts'

export const pageUrl = new URL('../../docs/conformance.md', import.meta.url)
export const baselineUrl = new URL('./baseline.json', import.meta.url)

export function readBaseline(): Baseline {
  return JSON.parse(readFileSync(baselineUrl, 'utf8')) as Baseline
}

/** A fresh server per transport, started at the time at which the recorded one was. */
export function embeddedTargets(recording: Recording, http: boolean, inProcess: boolean): (() => Promise<Target>)[] {
  return embeddedTargetsAt(recording.records[0]?.time ?? 0, http, inProcess)
}

/** `start`: what their clocks show, in milliseconds since the epoch. */
export function embeddedTargetsAt(start: number, http: boolean, inProcess: boolean): (() => Promise<Target>)[] {
  const targets: (() => Promise<Target>)[] = []
  // Loaded when needed: a replay against another server does without the embedded one.
  if (http) targets.push(async () => (await import('./plane-target.ts')).planeOverHttp(start))
  if (inProcess) targets.push(async () => (await import('./plane-target.ts')).planeInProcess(start))
  return targets
}

export async function runAll(
  recording: Recording,
  targets: readonly (() => Promise<Target>)[],
  options: ReplayOptions = {},
): Promise<Run[]> {
  const runs: Run[] = []
  for (const open of targets) {
    const target = await open()
    try {
      runs.push({ transport: target.name, results: await replay(target, recording, options) })
    } finally {
      await target.close()
    }
  }
  return runs
}
