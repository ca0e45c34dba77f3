/** All faults, by name. */
import type { TransportRequest } from '../client/transport.ts'
import { isExternalCall } from '../cluster/faulty-calls.ts'
import { callFaults } from './call-faults.ts'
import { externalFaults } from './external-calls.ts'
import type { CallFault, UserEdit, WatchFault } from './fault.ts'
import { instanceFaults } from './instance-faults.ts'
import { callAt, type Frame } from './point.ts'
import type { InjectedFault } from './schedule.ts'
import type { KnownStep } from './search/runs.ts'
import { serverFaults } from './server-faults.ts'
import { userEdits } from './user-edits.ts'
import { watchFaults } from './watch-faults.ts'

const atAnyCall = { ...callFaults, ...instanceFaults, ...serverFaults, ...userEdits } as const
const atCalls: Readonly<Record<string, CallFault>> = atAnyCall
const atFrames: Readonly<Record<string, WatchFault>> = watchFaults

export type FaultName = keyof typeof atAnyCall | keyof typeof watchFaults

/** All faults that `explore` knows. */
export const faultNames = [...Object.keys(atAnyCall), ...Object.keys(watchFaults)] as readonly FaultName[]

const optional: ReadonlySet<FaultName> = new Set([
  // No server does that to a client that asks for the latest state, as that of Coxswain does when it starts.
  'time-travel',
  // The client treats it as 500 if it does not ask for a pause, and as 429 if it does.
  'unavailable',
] satisfies readonly FaultName[])

/** Those that an exploration tries if nothing else is said. */
export const defaultFaults: readonly FaultName[] = faultNames.filter((name) => !optional.has(name))

export function callFault(name: FaultName): CallFault | undefined {
  return atCalls[name]
}

export function watchFault(name: FaultName): WatchFault | undefined {
  return atFrames[name]
}

export function isPossibleAtCall(name: FaultName, request: TransportRequest, known: KnownStep): boolean {
  const fault = atCalls[name]
  if (fault === undefined || fault.isPossible?.(request, known) === false) return false
  if (isExternalCall(request) && !externalFaults.has(name)) return false
  return fault.edit === undefined || fault.edit(known, 1) !== undefined
}

export function isPossibleAtFrame(name: FaultName, frame: Frame, known: KnownStep): boolean {
  const fault = atFrames[name]
  return fault !== undefined && (fault.isPossible?.(frame, known) ?? true)
}

/** Whether objects may be created and deleted more often in a run with these faults. */
export function mayRepeat(faults: readonly InjectedFault[]): boolean {
  return faults.some(({ fault }) => atCalls[fault]?.mayRepeat === true)
}

/** Whether the user does something in a run with this fault, besides the act of the step. */
export function hasEdit(name: FaultName): boolean {
  return atCalls[name]?.edit !== undefined
}

/** What the user does in a run with these faults, besides the act of the step. */
export function editOf(known: KnownStep, faults: readonly InjectedFault[]): UserEdit | undefined {
  const [edit] = faults.flatMap(({ at, fault }) => atCalls[fault]?.edit?.(known, callAt(at) ?? 0) ?? [])
  return edit
}

/** The description of a fault. */
export function describeFault(name: FaultName): string {
  return (atCalls[name] ?? atFrames[name])?.happens ?? ''
}

export function isFaultName(text: string): text is FaultName {
  return Object.hasOwn(atCalls, text) || Object.hasOwn(atFrames, text)
}
