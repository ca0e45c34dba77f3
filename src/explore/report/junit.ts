/** A report as a JUnit file, which CI systems show: a test suite for each step, a test case for each call. */
import type { ExploredCall, ExploredStep, ExploreFailure, ExploreReport, TriedFault } from './report.ts'
import { callAt, type Point } from '../point.ts'
import { mainProblem } from './report-text.ts'
import { shortPath, timelineText } from './timeline-text.ts'

interface TestCase {
  readonly name: string
  readonly failures: readonly ExploreFailure[]
}

export function reportJunit(report: ExploreReport): string {
  const suites = suiteNames(report).map((name) => ({ name, cases: casesOf(report, name) }))
  const all = suites.flatMap(({ cases }) => cases)
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites name="coxswain explore" ${counts(all)} time="${report.took / 1000}">`,
    ...suites.flatMap(({ name, cases }) => [
      `  <testsuite name="${xml(name)}" ${counts(cases)}>`,
      ...cases.flatMap((each) => caseLines(name, each)),
      '  </testsuite>',
    ]),
    '</testsuites>',
    '',
  ].join('\n')
}

/** A step that fails without a fault is not among the steps of the report. */
function suiteNames({ steps, failures }: ExploreReport): readonly string[] {
  return [...new Set([...steps.map(({ name }) => name), ...failures.map(({ step }) => step)])]
}

function casesOf({ steps, singleFaults, failures }: ExploreReport, name: string): readonly TestCase[] {
  const calls = steps.find((step) => step.name === name)?.calls ?? []
  const own = failures.filter(({ step }) => step === name)
  const points = pointsOf(singleFaults, name)
  const isSingle = ({ faults: [first, ...others] }: ExploreFailure, at: Point): boolean =>
    first?.at === at && others.length === 0
  return [
    { name: 'without faults', failures: own.filter(({ run }) => run !== 'faults') },
    ...points.map((at) => ({ name: pointText(at, calls), failures: own.filter((each) => isSingle(each, at)) })),
    ...own.filter(({ faults }) => faults.length > 1).map((failure) => ({ name: failure.id, failures: [failure] })),
  ]
}

/** The points of a step at which a fault was tried. */
export function pointsOf(tried: readonly TriedFault[], step: ExploredStep['name']): readonly Point[] {
  const points = new Set(tried.filter((each) => each.step === step).map(({ at }) => at))
  return [...points].toSorted((a, b) => (callAt(a) ?? Infinity) - (callAt(b) ?? Infinity))
}

export function pointText(at: Point, calls: readonly ExploredCall[]): string {
  const call = calls[(callAt(at) ?? 0) - 1]
  return call === undefined ? at : `${at} ${call.method} ${shortPath(call.path)}`
}

function caseLines(suite: string, { name, failures }: TestCase): readonly string[] {
  const open = `    <testcase classname="${xml(suite)}" name="${xml(name)}"`
  return failures.length === 0
    ? [`${open}/>`]
    : [`${open}>`, ...failures.map((failure) => `      ${failureElement(failure)}`), '    </testcase>']
}

function failureElement({ id, problems, timeline }: ExploreFailure): string {
  const lines = [
    ...problems,
    ...(timeline === undefined ? [] : ['', ...timelineText(timeline)]),
    '',
    `only this again: COXSWAIN_EXPLORE='${id}'`,
  ]
  return `<failure message="${xml(`${id}: ${mainProblem(problems)}`)}">${xml(lines.join('\n'))}</failure>`
}

function counts(cases: readonly TestCase[]): string {
  return `tests="${cases.length}" failures="${cases.filter(({ failures }) => failures.length > 0).length}"`
}

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }

/** Characters that XML 1.0 does not allow, not even escaped. */
const forbidden =
  // oxlint-disable-next-line no-control-regex
  /[\0-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g

function xml(text: string): string {
  return text.replaceAll(forbidden, '\ufffd').replaceAll(/[&<>"]/g, (char) => entities[char] ?? char)
}
