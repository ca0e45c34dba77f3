/** The report of an exploration: one line if all is well, otherwise the shortest description of a failure. */
import { coverageText } from '../coverage.ts'
import { describeFault } from '../faults.ts'
import { callAt, frameAt } from '../point.ts'
import { bySize, type ExploreFailure, type ExploreReport } from './report.ts'
import { timelineText } from './timeline-text.ts'

/** Calls to show before and after the one with the fault. */
const shownBefore = 4
const shownAfter = 8
const shownProblems = 12
const shownFailures = 20

export function reportText(done: Omit<ExploreReport, 'text' | 'version'>): string {
  const { steps, tried, coverage, took, failures } = done
  const calls = steps.reduce((sum, step) => sum + step.calls.length, 0)
  const rate = took === 0 ? '' : `, ${Math.round((tried / took) * 60_000).toLocaleString('en')} a minute`
  const tally =
    `${number(steps.length, 'step')}, ${number(calls, 'call')}: ${number(tried, 'fault')} tried in ` +
    `${(took / 1000).toFixed(1)} s${rate}`
  const [first] = failures.toSorted(bySize)
  const notes = [...coverageText(coverage), ...optedOut(steps)]
  if (first === undefined) return [`${tally}; all came to the same end`, ...notes].join('\n')
  const others = failures.filter((each) => each !== first)
  const names = others.slice(0, shownFailures).map(({ id, problems }) => `  ${id}: ${mainProblem(problems)}`)
  const more = others.length > names.length ? [`  and ${others.length - names.length} more`] : []
  return [
    `${tally}; ${failures.length} failed`,
    ...story(first),
    ...(others.length === 0 ? [] : ['also:', ...names, ...more]),
    ...notes,
  ].join('\n')
}

/** The one that says most: owners of fields follow from what was written. */
export function mainProblem(problems: readonly string[]): string {
  return problems.find((problem) => !problem.includes(' metadata.managedFields')) ?? problems[0] ?? ''
}

/** The steps that do not expect that everything is ready, and silent, at their end. */
function optedOut(steps: ExploreReport['steps']): readonly string[] {
  const named = (chosen: ExploreReport['steps']): string => chosen.map(({ name }) => name).join(', ')
  const expected = (['not ready', 'failing', 'no writes'] as const)
    .map((wanted) => ({ wanted, chosen: steps.filter(({ expects }) => expects === wanted) }))
    .filter(({ chosen }) => chosen.length > 0)
  const unchecked = steps.filter(({ hasOwnRest }) => hasOwnRest === true)
  return [
    ...expected.map(({ wanted, chosen }) => `opted out, expects '${wanted}': ${named(chosen)}`),
    ...(unchecked.length === 0
      ? []
      : [`not checked at rest, since they have a rest of their own: ${named(unchecked)}`]),
  ]
}

function story(failure: ExploreFailure): readonly string[] {
  const { step, run } = failure
  const { id, faults, calls, problems } = failure.shrunk ?? failure
  const first = faulted(faults)[0] ?? 0
  const at = calls[first - 1]
  const event = faults.map((each) => each.at).find((point) => frameAt(point) !== undefined)
  const where = at === undefined ? (event === undefined ? '' : `, at the event ${event}`) : `, at call ${first}: ${at}`
  return [
    `the shortest story: in the step "${step}"${where}`,
    ...faultTexts({ run, faults }).map((text) => `  ${text}`),
    ...shrunkText(failure),
    'what is wrong then:',
    ...problems.slice(0, shownProblems).map((problem) => `  ${problem}`),
    ...(problems.length > shownProblems ? [`  and ${problems.length - shownProblems} more`] : []),
    ...whatHappened(failure),
    ...(run !== 'faults' ? [] : [`only this again: COXSWAIN_EXPLORE='${id}' before the same command`]),
  ]
}

function shrunkText({ id, shrunk }: ExploreFailure): readonly string[] {
  if (shrunk === undefined) return []
  const { steps, attempts, isComplete } = shrunk
  return [
    ...(shrunk.id === id ? [] : [`  shrunk from ${id}; needs the steps: ${steps.join(', ')}`]),
    ...(isComplete ? [] : [`  not shrunk further: the limit of ${number(attempts, 'attempt')} was reached`]),
  ]
}

function whatHappened(failure: ExploreFailure): readonly string[] {
  const { timeline } = failure
  if (timeline !== undefined) {
    const legend = failure.run === 'faults' ? ' (- only without the fault, + only with it)' : ''
    return [`what happened${legend}:`, ...timelineText(timeline)]
  }
  const { calls, faults } = failure.shrunk ?? failure
  const chosen = faulted(faults)
  const [first = 0, last = first] = [chosen[0], chosen.at(-1)]
  const from = Math.max(0, first - 1 - shownBefore)
  const left = calls.length - last - shownAfter
  return [
    'what the operator sent:',
    ...calls
      .slice(from, last + shownAfter)
      .map((line, index) => `  ${chosen.includes(from + index + 1) ? '>' : ' '} ${from + index + 1} ${line}`),
    ...(left > 0 ? [`    and ${number(left, 'call')} more`] : []),
  ]
}

/** The numbers of the calls with a fault. */
function faulted(faults: ExploreFailure['faults']): readonly number[] {
  return faults.map(({ at }) => callAt(at)).filter((call) => call !== undefined)
}

function faultTexts({ run, faults }: Pick<ExploreFailure, 'run' | 'faults'>): readonly string[] {
  switch (run) {
    case 'none':
      return ['nothing goes wrong']
    case 'restart':
      return ['the operator is restarted before the step']
    case 'faults':
      return faults.map(({ at, fault }) => `${faults.length === 1 ? '' : `${at} `}${fault}: ${describeFault(fault)}`)
  }
}

function number(count: number, noun: string): string {
  return `${count.toLocaleString('en')} ${noun}${count === 1 ? '' : 's'}`
}
