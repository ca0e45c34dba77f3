/**
 * What must hold after a step without a fault. A proof is empty if the operator fails, if its objects never become
 * ready, or if it writes nothing: then every fault leads to the same end, too.
 */
import type { KubeObject } from '../api/object.ts'
import type { FailingKey } from '../cluster/failing-keys.ts'
import { kindText } from './changes.ts'
import { callLine } from './call-text.ts'
import { whyNotReady } from '../controller/kstatus.ts'
import type { SentCall } from './script.ts'
import type { ExploreStep } from './trial.ts'

/**
 * - `ready`: no key fails, and the objects of the controllers are ready by the rules of kstatus.
 * - `not ready`: no key fails, and at least one of the objects is not ready.
 * - `failing`: at least one key keeps failing, and waits for its retry.
 * - `no writes`: as `ready`, but the first step need not make the operator write anything.
 */
export type StepExpectation = 'ready' | 'not ready' | 'failing' | 'no writes'

export interface RestOfStep {
  readonly expects: StepExpectation
  /** Objects of the controllers' own kinds. */
  readonly objects: readonly KubeObject[]
  readonly failing: readonly FailingKey[]
}

/** What is not as the step expects it. Keys that fail against the expectation are reported by `settle`. */
export function unmet({ expects, objects, failing }: RestOfStep): readonly string[] {
  const waiting = objects.flatMap((object) => {
    const why = whyNotReady(object)
    return why === undefined ? [] : [`${kindText(object)} ${object.metadata.name ?? ''} is not ready: ${why}`]
  })
  switch (expects) {
    case 'ready':
    case 'no writes':
      return waiting.length === 0
        ? []
        : [...waiting, "if that is meant to be, say so in the step: expects: 'not ready' or 'failing'"]
    case 'not ready':
      return waiting.length > 0 ? [] : ["the step expects 'not ready', but all objects are ready: leave it out"]
    case 'failing':
      return failing.length > 0 ? [] : ["the step expects 'failing', but no key fails: leave it out"]
  }
}

/** What is wrong if the operator has written nothing so far. */
export function nothingWritten(expects: StepExpectation, index: number, of: number): readonly string[] {
  if (index === of - 1) return ['the operator wrote nothing in the whole scenario: whatever fails, the end is the same']
  return index > 0 || expects === 'no writes' || expects === 'failing'
    ? []
    : ["the operator wrote nothing in the first step; if that is meant to be, say so in it: expects: 'no writes'"]
}

/** What is wrong if the operator took longer than the step allows. Events, leases and dry runs do not count. */
export function tooLate(
  { withinMs = Infinity }: Pick<ExploreStep, 'withinMs'>,
  calls: readonly SentCall[],
  actedAt = 0,
): readonly string[] {
  const isWrite = ({ method, path }: SentCall): boolean =>
    method !== 'GET' && !/\/(events|leases)\b|[?&]dryRun=/.test(path)
  const late = calls.find((call) => isWrite(call) && call.at - actedAt > withinMs)
  return late === undefined
    ? []
    : [
        `${callLine(late)} came ${(late.at - actedAt) / 1000} s after the act, and the step allows ` +
          `${withinMs / 1000} s: does the operator watch what has changed?`,
      ]
}

/** Whether the operator must be silent after a step that expects this. */
export function isQuiet(expects: StepExpectation): boolean {
  return expects === 'ready' || expects === 'no writes'
}
