/** Which faults can happen in a run that is known. */
import { callAt, frameAt, type Point } from '../point.ts'
import { hasEdit, isPossibleAtCall, isPossibleAtFrame, type FaultName } from '../faults.ts'
import type { InjectedFault } from '../schedule.ts'
import type { TrialResult } from '../trial.ts'
import { targetOf, type KnownStep } from './runs.ts'

/** By point: the first element has the faults of the first call or event after the ones that the run has. */
export type PossibleFaults = readonly (readonly InjectedFault[])[]

type Course = Pick<TrialResult, 'calls' | 'points'>

/** An exploration remembers thousands of runs: equal lists of faults exist once. */
export class FaultTable {
  readonly names: readonly FaultName[]
  readonly #lists = new Map<string, readonly InjectedFault[]>()

  constructor(names: readonly FaultName[]) {
    this.names = names
  }

  /** The faults that can follow those that the run has already. */
  after(known: KnownStep, faults: readonly InjectedFault[], course: Course): PossibleFaults {
    const names = this.names.filter((fault) => canFollow(faults, fault))
    return pointsAfter(faults, course).map((at) => this.#at(at, names, known, course))
  }

  #at(at: Point, names: readonly FaultName[], known: KnownStep, { calls }: Course): readonly InjectedFault[] {
    const request = calls[(callAt(at) ?? 0) - 1]
    const frame = frameAt(at)
    const possible = names.filter(
      (name) =>
        (request !== undefined && isPossibleAtCall(name, request, known)) ||
        (frame !== undefined && isPossibleAtFrame(name, frame, known)),
    )
    const key = `${at} ${possible.join()}`
    const list = this.#lists.get(key) ?? possible.map((fault) => ({ at, fault }))
    this.#lists.set(key, list)
    return list
  }
}

/** A user does one thing besides the step. */
export function canFollow(faults: readonly InjectedFault[], fault: FaultName): boolean {
  return !hasEdit(fault) || !faults.some((each) => hasEdit(each.fault))
}

/** The calls and events after the last one that has a fault; all if there is none. */
export function pointsAfter(faults: readonly InjectedFault[], { points }: Course): readonly Point[] {
  return points.slice(1 + Math.max(-1, ...faults.map(({ at }) => points.indexOf(at))))
}

/** What a point is, without its number. Undefined: it is not in the run. */
export function targetAt(point: Point, { calls }: Course): string | undefined {
  const call = calls[(callAt(point) ?? 0) - 1]
  return call === undefined ? frameAt(point)?.resource : targetOf(call)
}
