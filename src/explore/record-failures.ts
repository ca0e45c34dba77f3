/** Adds timelines to failures: the failing run and its twin run again, in clusters of their own, and are recorded. */
import { bySize, type ExploreFailure } from './report/report.ts'
import type { RunParts, Runner } from './runner.ts'
import { sideBySide, type TimelineEntry } from './timeline.ts'

/** Its faults are those of the failure, or what is left of them. */
export interface FailedRun extends RunParts {
  readonly failure: ExploreFailure
}

/** The same failures in the same order; `most` of them, the simplest ones, with a timeline. */
export async function recordFailures(
  runner: Runner,
  failed: readonly FailedRun[],
  most = 10,
): Promise<readonly ExploreFailure[]> {
  const failures = failed.map(({ failure }) => failure)
  const chosen = new Set(failures.toSorted(bySize).slice(0, most))
  const twins: { readonly of: RunParts; readonly entries: readonly TimelineEntry[] }[] = []
  const recorded: ExploreFailure[] = []
  for (const { failure, ...parts } of failed) {
    if (!chosen.has(failure)) {
      recorded.push(failure)
      continue
    }
    const run = await runner.record(parts)
    let twin: readonly TimelineEntry[] | undefined
    if (failure.run === 'faults') {
      const { from, edit } = parts
      twin = twins.find(({ of }) => of.from === from && of.edit?.step.name === edit?.step.name)?.entries
      twin ??= await runner.record({ ...parts, faults: [] })
      twins.push({ of: parts, entries: twin })
    }
    recorded.push({ ...failure, timeline: sideBySide(twin, run) })
  }
  return recorded
}
