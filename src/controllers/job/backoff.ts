/** How long a Job waits before it replaces a failed pod: 10 s at first, doubled with each failure, at most 10 min. */
import { keyText, type ObjectKey } from '../../index.ts'
import { indexFailures, type LivePod } from './job-pods.ts'

const firstDelayMs = 10_000
const maxDelayMs = 600_000

export interface FailureRecord {
  /** Since the last success. */
  readonly failures: number
  readonly lastFailureAt: number
}

const noFailures: FailureRecord = { failures: 0, lastFailureAt: 0 }

/** The failures of each Job. A new process starts without them, as upstream does. */
export class FailureRecords {
  readonly #records = new Map<string, FailureRecord>()

  /** The record with newly finished pods. `keep` saves it when they are in the status. */
  next(key: ObjectKey, succeeded: readonly LivePod[], failed: readonly LivePod[]): FailureRecord {
    const before = this.#records.get(keyText(key)) ?? noFailures
    if (succeeded.length === 0 && failed.length === 0) return before
    const lastSuccessAt = Math.max(...succeeded.map(finishedAt))
    const later = failed.map(finishedAt).filter((time) => time > lastSuccessAt)
    if (later.length === 0) return noFailures
    const earlier = succeeded.length === 0 ? before.failures : 0
    return { failures: earlier + later.length, lastFailureAt: Math.max(...later) }
  }

  keep(key: ObjectKey, record: FailureRecord): void {
    if (record.failures === 0) this.forget(key)
    else this.#records.set(keyText(key), record)
  }

  forget(key: ObjectKey): void {
    this.#records.delete(keyText(key))
  }
}

/** Milliseconds until pods may be created; 0: now. */
export function msUntilRetry({ failures, lastFailureAt }: FailureRecord, now: number): number {
  if (failures === 0) return 0
  const delayMs = Math.min(firstDelayMs * 2 ** (failures - 1), maxDelayMs)
  return Math.max(0, lastFailureAt + delayMs - now)
}

/** The same for one index, by its last failed pod. */
export function msUntilIndexRetry(lastFailed: LivePod | undefined, now: number): number {
  if (lastFailed === undefined) return 0
  const { counted, ignored } = indexFailures(lastFailed)
  return msUntilRetry({ failures: counted + ignored + 1, lastFailureAt: finishedAt(lastFailed) }, now)
}

/** When a pod ended: its last container, or else when it became not ready, or when its deletion was requested. */
export function finishedAt({ metadata, spec, status }: LivePod): number {
  const sidecars = new Set(
    spec?.initContainers?.filter(({ restartPolicy }) => restartPolicy === 'Always').map(({ name }) => name),
  )
  const times = [
    ...(status?.containerStatuses ?? []),
    ...(status?.initContainerStatuses ?? []).filter(({ name }) => sidecars.has(name)),
  ].map(({ state }) => Date.parse(state?.terminated?.finishedAt ?? ''))
  const containers = times.length === 0 ? NaN : Math.max(...times)
  if (!Number.isNaN(containers)) return containers
  const ready = status?.conditions?.find(({ type }) => type === 'Ready')
  const notReadyAt = ready?.status === 'False' ? Date.parse(ready.lastTransitionTime ?? '') : NaN
  if (!Number.isNaN(notReadyAt)) return notReadyAt
  const { deletionTimestamp, deletionGracePeriodSeconds = 0, creationTimestamp = '' } = metadata
  if (deletionTimestamp !== undefined) return Date.parse(deletionTimestamp) - deletionGracePeriodSeconds * 1000
  return Date.parse(creationTimestamp)
}
