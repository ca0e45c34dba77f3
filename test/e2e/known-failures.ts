/** The tests that are known to fail, each with the reason: `testdata/known-failures.json`. */
import { readFileSync, writeFileSync } from 'node:fs'
import type { Outcome } from './run-test.ts'
import { conformanceTests } from './tests.ts'

/** Reasons by the names of tests. */
export type KnownFailures = Readonly<Record<string, string>>

const file = new URL('testdata/known-failures.json', import.meta.url)

export function readKnownFailures(): KnownFailures {
  return JSON.parse(readFileSync(file, 'utf8')) as KnownFailures
}

export function writeKnownFailures(known: KnownFailures): void {
  writeFileSync(file, `${JSON.stringify(known, null, 2)}\n`)
}

/** With the outcomes of a run. A reason that is known stays; that of a new failure is how its message begins. */
export function afterRun(known: KnownFailures, outcomes: readonly Outcome[]): KnownFailures {
  const byName = new Map(outcomes.map((outcome) => [outcome.test.name, outcome]))
  const entries = conformanceTests.flatMap(({ name }): [string, string][] => {
    const outcome = byName.get(name)
    const reason = known[name]
    if (outcome === undefined) return reason === undefined ? [] : [[name, reason]]
    return outcome.failure === undefined ? [] : [[name, reason ?? firstWords(outcome.failure)]]
  })
  return Object.fromEntries(entries)
}

function firstWords(message: string): string {
  return (message.split('\n')[0] ?? '').slice(0, 200)
}
