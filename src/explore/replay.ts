/**
 * Replay files: one schedule that failed, as a small file to commit. A replay that no longer fits the operator says so;
 * it never passes because its fault did not happen.
 */
import { packageVersion } from '../client/user-agent.ts'
import { callLine } from './call-text.ts'
import { explore, type ExploreOptions } from './explore.ts'
import type { ExploreFailure, ExploreReport } from './report/report.ts'
import { callAt } from './point.ts'
import { parseSchedule, scheduleText, type InjectedFault } from './schedule.ts'

/** The version of the form of a replay file, in each. */
export const replayVersion = 'coxswain.dev/replay/v1'

export interface Replay {
  readonly version: typeof replayVersion
  /** The version of the package that wrote it. */
  readonly coxswain: string
  /** The export of the module. Absent: the default export. */
  readonly scenario?: string | undefined
  readonly step: string
  readonly faults: readonly ReplayedFault[]
  /** What was wrong, for readers. */
  readonly problems: readonly string[]
}

export interface ReplayedFault extends InjectedFault {
  /** The call that is expected there, as `PATCH /api/v1/...`. */
  readonly call?: string | undefined
}

/** Nobody reads more of them in a file. */
const maxProblems = 5

/** The text of a replay file for a failure of this report. */
export function replayText(
  { steps }: ExploreReport,
  { step, faults, problems }: ExploreFailure,
  scenario?: string,
): string {
  const calls = steps.find(({ name }) => name === step)?.calls ?? []
  const replayed = faults.map((each, index): ReplayedFault => {
    // The calls after the first fault are not those of the run without faults.
    const call = index > 0 ? undefined : calls[(callAt(each.at) ?? 0) - 1]
    return call === undefined ? each : { ...each, call: callLine(call) }
  })
  const replay: Replay = {
    version: replayVersion,
    coxswain: packageVersion,
    ...(scenario === undefined ? {} : { scenario }),
    step,
    faults: replayed,
    problems: problems.slice(0, maxProblems),
  }
  return `${JSON.stringify(replay, null, 2)}\n`
}

/**
 * Runs the schedule of a replay file, given as its text. The report has failures if it fails again. Throws if the calls
 * of the operator have changed, so that the faults would happen elsewhere.
 */
export async function replay(options: ExploreOptions, text: string): Promise<ExploreReport> {
  const { step, faults } = parseReplay(text)
  const last = options.steps.findIndex(({ name }) => name === step)
  if (last < 0) throw new Error(`the replay no longer fits: the scenario has no step "${step}"`)
  // What the user does next may be part of a fault.
  const steps = options.steps.slice(0, last + 2)
  const report = await explore({
    ...options,
    steps,
    atMost: undefined,
    part: undefined,
    ...(faults.length === 0 ? { faults: [] } : { only: scheduleText({ step, faults }) }),
  })
  const calls = report.steps.find(({ name }) => name === step)?.calls
  if (calls !== undefined) for (const each of faults) checkCall(each, calls.map(callLine), step)
  return report
}

function checkCall({ at, call: expected }: ReplayedFault, calls: readonly string[], step: string): void {
  const call = callAt(at)
  const actual = call === undefined ? undefined : calls[call - 1]
  if (call === undefined || expected === undefined || actual === expected) return
  const now = actual === undefined ? `there are ${calls.length} calls now` : `it is ${actual} now`
  throw new Error(
    `the replay no longer fits: call ${call} of the step "${step}" was ${expected}, and ${now}; ` +
      'explore again, and save the new replay or delete the old one',
  )
}

/** Throws if the text is not a replay file of this version. */
export function parseReplay(text: string): Replay {
  let parsed: unknown
  try {
    parsed = JSON.parse(text)
  } catch (error) {
    throw new Error(`not a replay file: ${(error as Error).message}`, { cause: error })
  }
  const { version, step, faults, problems = [] } = (parsed ?? {}) as Partial<Replay>
  if (version !== replayVersion)
    throw new Error(
      `not a replay file of this version: "version" is ${JSON.stringify(version)}, not "${replayVersion}"`,
    )
  const isText = (value: unknown): boolean => typeof value === 'string'
  const isKnown =
    isText(step) &&
    Array.isArray(faults) &&
    Array.isArray(problems) &&
    problems.every(isText) &&
    (faults.length === 0 || parseSchedule(scheduleText({ step: step as string, faults })) !== undefined)
  if (!isKnown)
    throw new Error('not a replay file: it needs "step", and "faults" with "at" and "fault" of a known name')
  return parsed as Replay
}
