/**
 * A schedule: the faults of one run of a step, each at a point. Its text names the run in reports, in `only` and in
 * replay files: `create/3/crash-after`, and with two faults `create/3/crash-after+deployments.apps@2/watch-cut`.
 */
import { isFaultName, type FaultName } from './faults.ts'
import { callAt, frameAt, type Point } from './point.ts'

export interface InjectedFault {
  readonly at: Point
  readonly fault: FaultName
}

export interface Schedule {
  /** The name of the step. */
  readonly step: string
  /** In the order in which they happen. */
  readonly faults: readonly InjectedFault[]
}

export function scheduleText({ step, faults }: Schedule): string {
  return `${step}/${faults.map(({ at, fault }) => `${at}/${fault}`).join('+')}`
}

/** Undefined: the text is not one of a schedule. */
export function parseSchedule(text: string): Schedule | undefined {
  const slash = text.indexOf('/')
  const faults = text
    .slice(slash + 1)
    .split('+')
    .map((part) => {
      const [at = '', fault = '', ...rest] = part.split('/')
      const isPoint = callAt(at) !== undefined || frameAt(at) !== undefined
      return rest.length === 0 && isPoint && isFaultName(fault) ? { at, fault } : undefined
    })
  return slash < 1 || faults.includes(undefined)
    ? undefined
    : { step: text.slice(0, slash), faults: faults.filter((each) => each !== undefined) }
}
