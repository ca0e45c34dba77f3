/** What an exploration of a spec has tried, what it has found, and what it has not covered. */
import type { Json } from '../../api/json.ts'
import { isAtOrBelow, operationClasses, type OperationClass } from './operations.ts'

/**
 * - `passed`: accepted and played, and nothing was wrong.
 * - `rejected`: the server rejected it, as the schema asks for.
 * - `not covered`: the server rejected it, although the schema allows it, or it changes nothing.
 * - `failed`: something was wrong.
 */
export type SpecOutcome = 'passed' | 'rejected' | 'not covered' | 'failed'

export interface PlayedOperation {
  /** The value for `only`: `spec.replicas/min`. */
  readonly id: string
  readonly path: string
  readonly class: OperationClass
  readonly outcome: SpecOutcome
  /** From the sample to what was applied, as a JSON merge patch. Undefined if it was not found out. */
  readonly patch?: Json | undefined
  /** Why the server rejected it, or why it is not covered. */
  readonly reason?: string | undefined
  readonly problems: readonly string[]
  /**
   * - `no effect`: it changed nothing, which `noEffect` allows.
   * - `status only`: it changed nothing but the status.
   * - `not ready`: the operator reports that it is not ready. The state is not compared with that of a new object.
   * - `irreversible`: the server rejects the way back, so it was not compared.
   */
  readonly notes: readonly SpecNote[]
}

export type SpecNote = 'no effect' | 'status only' | 'not ready' | 'irreversible'

export interface SpecProperty {
  readonly path: string
  readonly isCovered: boolean
  /** Why it is not covered. */
  readonly reason?: string | undefined
}

export interface SpecReport {
  /** Of this form. */
  readonly version: 1
  /** `coxswain.dev/v1 WebApp` */
  readonly kind: string
  /**
   * All properties of the spec, in the order of the schema. One is covered if an accepted operation on it, or on a
   * property below it, was played.
   */
  readonly properties: readonly SpecProperty[]
  readonly operations: readonly PlayedOperation[]
  /** Operations that were left out by `atMost` or `only`. */
  readonly leftOut: number
  /** What is wrong with the sample, or with `noEffect`. */
  readonly problems: readonly string[]
  /** Real milliseconds. */
  readonly took: number
  /** The same for people. */
  readonly text: string
}

const maxLines = 40
const maxProblems = 8

export interface SpecRun extends Pick<SpecReport, 'kind' | 'operations' | 'leftOut' | 'problems' | 'took'> {
  /** The paths of all properties. */
  readonly paths: readonly string[]
  /** As in the options. */
  readonly noEffect: readonly string[]
}

export function specReport({ paths, noEffect, ...run }: SpecRun): SpecReport {
  const { operations, leftOut } = run
  const isComplete = run.problems.length === 0 && leftOut === 0
  const problems = [...run.problems, ...(isComplete ? needlesslyAllowed(noEffect, operations) : [])]
  const done = { ...run, problems, properties: paths.map((path) => propertyOf(path, operations)) }
  return { version: 1, ...done, text: textOf(done) }
}

/** Joins the reports of several processes, each of which has played every n-th operation. */
export function joinSpecReports(reports: readonly SpecReport[], noEffect: readonly string[] = []): SpecReport {
  const [first] = reports
  if (first === undefined) throw new Error('there is no report to join')
  const longest = Math.max(...reports.map(({ operations }) => operations.length))
  return specReport({
    kind: first.kind,
    paths: first.properties.map(({ path }) => path),
    operations: Array.from({ length: longest }, (_, row) =>
      reports.flatMap(({ operations }) => operations[row] ?? []),
    ).flat(),
    leftOut: Math.min(...reports.map(({ leftOut }) => leftOut)),
    problems: [...new Set(reports.flatMap(({ problems }) => problems))],
    took: Math.max(...reports.map(({ took }) => took)),
    noEffect,
  })
}

/** The last line of a command: `spec: 183 of 189 properties, 640 operations, none failed, 16 not covered`. */
export function specSummary({ properties, operations, problems }: SpecReport): string {
  const count = (wanted: SpecOutcome): number => operations.filter(({ outcome }) => outcome === wanted).length
  const failed = count('failed')
  const missing = count('not covered')
  return [
    `spec: ${properties.filter(({ isCovered }) => isCovered).length} of ${properties.length} properties`,
    `${operations.length} operations`,
    `${failed === 0 ? 'none' : failed} failed`,
    ...(missing === 0 ? [] : [`${missing} not covered`]),
    ...(problems.length === 0 ? [] : ['the sample is wrong']),
  ].join(', ')
}

function propertyOf(path: string, operations: readonly PlayedOperation[]): SpecProperty {
  const own = operations.filter((each) => isAtOrBelow(each.path, path))
  if (own.some(isPlayed)) return { path, isCovered: true }
  const refused = own.find(({ outcome }) => outcome === 'not covered')
  const reason =
    refused !== undefined
      ? `the server accepts no value: ${refused.reason ?? ''}`
      : own.some(({ outcome }) => outcome === 'failed')
        ? 'its operations failed'
        : 'no operation on it was played'
  return { path, isCovered: false, reason }
}

function isPlayed({ outcome, class: of }: PlayedOperation): boolean {
  return outcome === 'passed' || (outcome === 'failed' && (of === 'set' || of === 'change' || of === 'remove'))
}

function needlesslyAllowed(noEffect: readonly string[], played: readonly PlayedOperation[]): readonly string[] {
  return noEffect
    .filter((path) => !played.some((each) => isAtOrBelow(each.path, path) && each.notes.includes('no effect')))
    .map((path) => `noEffect names ${path}, but all operations on it have an effect: leave it out`)
}

function textOf({
  kind,
  properties,
  operations,
  leftOut,
  problems,
  took,
}: Omit<SpecReport, 'version' | 'text'>): string {
  const covered = properties.filter(({ isCovered }) => isCovered).length
  const failed = operations.filter(({ outcome }) => outcome === 'failed')
  const left = leftOut === 0 ? '' : `, ${leftOut} left out`
  return [
    `${kind}: ${covered} of ${properties.length} properties covered, ` +
      `${operations.length} operations in ${(took / 1000).toFixed(1)} s${left}`,
    ...table(operations),
    ...section('wrong before any operation:', problems),
    ...section('failed:', failed.flatMap(story)),
    ...section(
      'properties that are not covered, and why:',
      leftOut > 0
        ? []
        : properties.filter(({ isCovered }) => !isCovered).map(({ path, reason }) => `${path}: ${reason ?? ''}`),
    ),
    ...section(
      'operations that are not covered:',
      operations.filter(({ outcome }) => outcome === 'not covered').map(({ id, reason }) => `${id}: ${reason ?? ''}`),
    ),
    ...(['no effect', 'status only', 'not ready', 'irreversible'] as const).flatMap((note) => noted(note, operations)),
  ].join('\n')
}

function table(operations: readonly PlayedOperation[]): readonly string[] {
  return operationClasses.flatMap((name) => {
    const own = operations.filter((each) => each.class === name)
    const count = (wanted: SpecOutcome): string => {
      const found = own.filter(({ outcome }) => outcome === wanted).length
      return found === 0 ? '' : `${found} ${wanted}`
    }
    const counts = (['passed', 'rejected', 'not covered', 'failed'] as const).map(count).filter((text) => text !== '')
    return own.length === 0 ? [] : [`  ${name.padEnd(12)} ${counts.join(', ')}`]
  })
}

function story({ id, patch, problems }: PlayedOperation): readonly string[] {
  const more = problems.length > maxProblems ? [`    and ${problems.length - maxProblems} more`] : []
  return [
    `${id}${patch === undefined ? '' : ` ${shortened(JSON.stringify(patch))}`}`,
    ...problems.slice(0, maxProblems).map((problem) => `    ${problem}`),
    ...more,
  ]
}

function noted(note: SpecNote, operations: readonly PlayedOperation[]): readonly string[] {
  const ids = operations.filter(({ notes }) => notes.includes(note)).map(({ id }) => id)
  return ids.length === 0 ? [] : [`${note}: ${ids.join(', ')}`]
}

function section(title: string, lines: readonly string[]): readonly string[] {
  const more = lines.length > maxLines ? [`  and ${lines.length - maxLines} more`] : []
  return lines.length === 0 ? [] : [title, ...lines.slice(0, maxLines).map((line) => `  ${line}`), ...more]
}

function shortened(text: string): string {
  return text.length > 200 ? `${text.slice(0, 199)}…` : text
}
