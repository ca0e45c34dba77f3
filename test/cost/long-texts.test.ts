/** Texts on which a backtracking expression would take quadratic time: 4 times the text, at most 6 times the cost. */
import { describe, expect, it } from 'vitest'
import { parseJsonPath } from '../../src/controlplane/extensions/jsonpath/parse.ts'
import { unknownMethodRequest } from '../../src/controlplane/http/final-response.ts'
import { checkFieldRef } from '../../src/controlplane/resources/shared/pod-spec/downward-api.ts'
import { parseManifests } from '../../src/plan/manifest.ts'
import { textValue } from '../../src/structural/rules/text-values.ts'
import { growthProblem, timeoutMs } from './measure.ts'

const attempt = (work: () => unknown): Promise<unknown> => {
  try {
    return Promise.resolve(work())
  } catch (error) {
    return Promise.resolve(error)
  }
}

const runs: Readonly<Record<string, (n: number) => unknown>> = {
  'filters of JSON paths': (n) => parseJsonPath(`.a[?(@.b${'<'.repeat(n)}\r)]`),
  'numbers of JSON paths': (n) => parseJsonPath(`.a[?(@.b==${'1'.repeat(n)}.1.)]`),
  'field paths of the downward API': (n) =>
    checkFieldRef([], 'f', { apiVersion: 'v1', fieldPath: `a${"['".repeat(n)}` }, []),
  durations: (n) => textValue('1'.repeat(n), 'duration'),
  'durations with blanks': (n) => textValue(`1${' '.repeat(n)}`.repeat(2), 'duration'),
  'headers of unknown methods': (n) =>
    unknownMethodRequest(
      Buffer.from(`FOO / HTTP/1.1\r\na: ${' '.repeat(n)}x\u0001${' '.repeat(n)}\u0085\r\n\r\n`),
      {} as never,
    ),
  'documents of a file': (n) => parseManifests('---\n'.repeat(n / 10)),
}

describe('the cost of a long text is proportional to its length', () => {
  it.each(Object.keys(runs))('%s', { timeout: timeoutMs }, async (name) => {
    const run = runs[name] as (n: number) => unknown
    expect(await growthProblem((n) => attempt(() => run(n)), 40_000)).toBeUndefined()
  })
})
