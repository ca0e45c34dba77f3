/**
 * What happened in a run of a step, in order: reconciles, calls of the operator with their responses, the changes of
 * objects that resulted, and starts of the operator. Times are simulated milliseconds since the step began.
 */
import type { FieldChange } from '../flow/trace.ts'
import type { FaultName } from './faults.ts'
import type { Point } from './point.ts'

export type TimelineEntry = CallEntry | EventEntry | ChangeEntry | ReconcileEntry | ReconciledEntry | StartEntry

/** A call of the operator. */
export interface CallEntry {
  readonly type: 'call'
  readonly at: number
  /** The number of the call since the step began. */
  readonly call: number
  readonly method: string
  readonly path: string
  /** The fault that was injected at this call. */
  readonly fault?: FaultName | undefined
  /** Whether the server processed it. */
  readonly isServed: boolean
  /** The status that the operator received. Absent: it received no response. */
  readonly status?: number | undefined
}

/** A fault at an event of a watch. Events without a fault are not in a timeline. */
export interface EventEntry {
  readonly type: 'event'
  readonly at: number
  /** `deployments.apps@2`: the second event of Deployments. */
  readonly event: Point
  readonly fault: FaultName
}

/** A write that changed an object. */
export interface ChangeEntry {
  readonly type: 'change'
  readonly at: number
  readonly change: 'create' | 'update' | 'delete'
  /** `others`: the user of the scenario, or the cluster. */
  readonly by: 'operator' | 'others'
  /** `apps/v1 Deployment default/hello` */
  readonly object: string
  /** The first fields that changed. Values are truncated, secrets are masked. */
  readonly fields: readonly FieldChange[]
}

/** A reconcile begins. */
export interface ReconcileEntry {
  readonly type: 'reconcile'
  readonly at: number
  readonly controller: string
  /** `WebApp default/hello` */
  readonly object: string
}

/** A reconcile has ended. */
export interface ReconciledEntry {
  readonly type: 'reconciled'
  readonly at: number
  readonly controller: string
  readonly object: string
  readonly result: 'done' | 'wait' | 'error'
  /** Of a wait: milliseconds. */
  readonly after?: number | undefined
  readonly error?: string | undefined
}

/** The process of the operator was started again, after a crash. */
export interface StartEntry {
  readonly type: 'start'
  readonly at: number
}

/** Two runs of the same step, side by side: without a fault (the twin), and with the faults. */
export interface Timeline {
  readonly rows: readonly TimelineRow[]
  /** The index of the first row in which the runs differ; -1 if none does, or if there is no twin. */
  readonly firstDifference: number
  /** Entries at the end of either run that are not shown, because there were too many. */
  readonly dropped: number
}

/** Entries that correspond. One that is only in one of the runs stands alone. */
export interface TimelineRow {
  /** Whether both runs did the same, at whatever time. Always true if there is no twin. */
  readonly isSame: boolean
  readonly twin?: TimelineEntry | undefined
  readonly run?: TimelineEntry | undefined
}

/** Entries of a run beyond this number are dropped. */
const maxEntries = 1500

/** `twin` undefined: the run itself had no fault. */
export function sideBySide(twin: readonly TimelineEntry[] | undefined, run: readonly TimelineEntry[]): Timeline {
  const right = run.slice(0, maxEntries)
  const dropped = run.length - right.length
  if (twin === undefined)
    return { rows: right.map((entry) => ({ isSame: true, run: entry })), firstDifference: -1, dropped }
  const left = twin.slice(0, maxEntries)
  const rows = aligned(left, right)
  return {
    rows,
    firstDifference: rows.findIndex(({ isSame }) => !isSame),
    dropped: dropped + twin.length - left.length,
  }
}

/** The longest common subsequence decides which entries correspond. */
function aligned(left: readonly TimelineEntry[], right: readonly TimelineEntry[]): readonly TimelineRow[] {
  const [leftKeys, rightKeys] = [left.map(subjectOf), right.map(subjectOf)]
  const width = right.length + 1
  /** Of `left` from i and `right` from j: the length of the longest common subsequence, at i * width + j. */
  const lengths = new Uint16Array((left.length + 1) * width)
  const lengthAt = (i: number, j: number): number => lengths[i * width + j] ?? 0
  for (let i = left.length - 1; i >= 0; i--)
    for (let j = right.length - 1; j >= 0; j--)
      lengths[i * width + j] =
        leftKeys[i] === rightKeys[j] ? lengthAt(i + 1, j + 1) + 1 : Math.max(lengthAt(i + 1, j), lengthAt(i, j + 1))
  const rows: TimelineRow[] = []
  let [i, j] = [0, 0]
  while (i < left.length || j < right.length)
    if (i < left.length && j < right.length && leftKeys[i] === rightKeys[j]) rows.push(pair(left[i++], right[j++]))
    else if (j === right.length || (i < left.length && lengthAt(i + 1, j) >= lengthAt(i, j + 1)))
      rows.push(pair(left[i++], undefined))
    else rows.push(pair(undefined, right[j++]))
  return rows
}

function pair(twin: TimelineEntry | undefined, run: TimelineEntry | undefined): TimelineRow {
  return { isSame: twin !== undefined && run !== undefined && detailsOf(twin) === detailsOf(run), twin, run }
}

/** Entries with the same subject correspond. */
function subjectOf(entry: TimelineEntry): string {
  switch (entry.type) {
    case 'call':
      return `call ${entry.method} ${entry.path}`
    case 'event':
      return `event ${entry.event} ${entry.fault}`
    case 'change':
      return `${entry.change} ${entry.by} ${entry.object}`
    case 'reconcile':
    case 'reconciled':
      return `${entry.type} ${entry.controller} ${entry.object}`
    case 'start':
      return 'start'
  }
}

/** What else must be equal. Times are not compared: a fault delays what follows. */
function detailsOf(entry: TimelineEntry): string {
  switch (entry.type) {
    case 'call':
      return `${entry.status ?? 'none'} ${String(entry.isServed)} ${entry.fault ?? ''}`
    case 'change':
      return entry.fields.map(fieldKey).join()
    case 'reconciled':
      return `${entry.result} ${entry.error ?? ''}`
    case 'event':
    case 'reconcile':
    case 'start':
      return ''
  }
}

/** Times and uids are other ones in every run. */
function fieldKey({ path, before, after }: FieldChange): string {
  const isPassing = (text = ''): boolean => /\d{4}-\d\d-\d\dT|[0-9a-f]{8}-[0-9a-f]{4}-/.test(text)
  return isPassing(before) || isPassing(after) ? path : `${path}=${after ?? 'nothing'}`
}
