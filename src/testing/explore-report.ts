/** The report of an exploration: one line if all is well, otherwise the shortest description of a failure. */
import type { ExploreReport, ExploreFailure } from './explore.ts'
import { describeFault } from './explore-faults.ts'

/** Calls to show before and after the one with the fault. */
const shownBefore = 4
const shownAfter = 8
const shownProblems = 12
const shownFailures = 20

export function reportText({ steps, tried, took, failures }: Omit<ExploreReport, 'text'>): string {
  const calls = steps.reduce((sum, step) => sum + step.calls, 0)
  const rate = took === 0 ? '' : `, ${Math.round((tried / took) * 60_000).toLocaleString('en')} a minute`
  const tally =
    `${number(steps.length, 'step')}, ${number(calls, 'call')}: ${number(tried, 'fault')} tried in ` +
    `${(took / 1000).toFixed(1)} s${rate}`
  const [first] = failures.toSorted((a, b) => a.problems.length - b.problems.length || a.calls.length - b.calls.length)
  if (first === undefined) return `${tally}; all came to the same end`
  const others = failures.filter((each) => each !== first)
  const names = others.slice(0, shownFailures).map(({ id, problems: [problem = ''] }) => `  ${id}: ${problem}`)
  const more = others.length > names.length ? [`  and ${others.length - names.length} more`] : []
  return [
    `${tally}; ${failures.length} failed`,
    ...story(first),
    ...(others.length === 0 ? [] : ['also:', ...names, ...more]),
  ].join('\n')
}

function story({ id, step, call, fault, calls, problems }: ExploreFailure): readonly string[] {
  const at = calls[call - 1]
  const where = at === undefined ? `in the step "${step}"` : `in the step "${step}", at call ${call}: ${at}`
  const from = Math.max(0, call - 1 - shownBefore)
  const lines = calls
    .slice(from, call + shownAfter)
    .map((line, index) => `  ${from + index + 1 === call ? '>' : ' '} ${from + index + 1} ${line}`)
  const left = calls.length - call - shownAfter
  return [
    `the shortest story: ${where}`,
    `  ${faultText(fault)}`,
    'what is wrong then:',
    ...problems.slice(0, shownProblems).map((problem) => `  ${problem}`),
    ...(problems.length > shownProblems ? [`  and ${problems.length - shownProblems} more`] : []),
    'what the operator sent:',
    ...lines,
    ...(left > 0 ? [`    and ${number(left, 'call')} more`] : []),
    ...(call === 0 ? [] : [`only this again: COXSWAIN_EXPLORE='${id}' before the same command`]),
  ]
}

function faultText(fault: ExploreFailure['fault']): string {
  if (fault === 'none') return 'nothing goes wrong'
  return fault === 'restart' ? 'the operator is restarted before the step' : `${fault}: ${describeFault(fault)}`
}

function number(count: number, noun: string): string {
  return `${count.toLocaleString('en')} ${noun}${count === 1 ? '' : 's'}`
}
