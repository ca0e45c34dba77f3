/** What a run prints at its end: a table of the sigs, the failures with their messages, and the verdict. */
import type { KnownFailures } from './known-failures.ts'
import type { Outcome } from './run-test.ts'
import { sigs } from './tests.ts'

export interface Report {
  readonly lines: readonly string[]
  /** Failures that are not known. */
  readonly unknown: number
}

/** How much of a failure's message is printed. Some contain whole objects. */
const maxMessageLines = 12
const maxLineLength = 300

export function report(outcomes: readonly Outcome[], known: KnownFailures): Report {
  const failed = outcomes.filter(({ failure }) => failure !== undefined)
  const isKnown = ({ test }: Outcome): boolean => Object.hasOwn(known, test.name)
  const unknown = failed.filter((outcome) => !isKnown(outcome))
  const nowPassing = outcomes.filter((outcome) => outcome.failure === undefined && isKnown(outcome))
  const counts = [
    `${outcomes.length - failed.length} of ${outcomes.length} passed`,
    `${failed.length - unknown.length} known failures`,
    `${unknown.length} new failures`,
    `${nowPassing.length} known failures pass now`,
  ]
  return {
    lines: [
      ...failed.flatMap((outcome) => failureLines(outcome, isKnown(outcome))),
      ...nowPassing.map(({ test }) => `passes now, and is listed as a known failure: ${test.name}`),
      ...table(outcomes),
      `test:conformance: ${counts.join(', ')}`,
    ],
    unknown: unknown.length,
  }
}

function failureLines({ test, failure = '' }: Outcome, isKnown: boolean): string[] {
  const lines = failure.split('\n')
  const shown = lines
    .slice(0, maxMessageLines)
    .map((line) => (line.length > maxLineLength ? `${line.slice(0, maxLineLength)}…` : line))
  if (lines.length > shown.length) shown.push('…')
  return [`${isKnown ? 'known failure' : 'FAILED'} ${test.name}`, ...shown.map((line) => `    ${line}`)]
}

function table(outcomes: readonly Outcome[]): string[] {
  const row = (name: string, of: readonly Outcome[]): string => {
    const passed = of.filter(({ failure }) => failure === undefined).length
    return `${name.padEnd(20)}${String(passed).padStart(6)}${String(of.length).padStart(6)}`
  }
  const rows = sigs
    .map((sig) => ({ sig, of: outcomes.filter(({ test }) => test.sig === sig) }))
    .filter(({ of }) => of.length > 0)
  return [
    `${'sig'.padEnd(20)}passed    of`,
    ...rows.map(({ sig, of }) => row(sig, of)),
    ...(rows.length > 1 ? [row('all', outcomes)] : []),
  ]
}
