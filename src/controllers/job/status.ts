/**
 * The status of a Job during a run. A run writes it up to twice: finished pods are listed as uncounted before their
 * finalizers are removed, and counted afterwards, so that a crash in between neither loses nor repeats one.
 */
import { timestamp } from '../../env/index.ts'
import type { batchV1, Job, Json, JsonObject, ReconcileContext } from '../../index.ts'

export interface ConditionText {
  readonly type: string
  readonly status: 'True' | 'False'
  readonly reason: string
  readonly message: string
}

export class JobStatus {
  active: number
  ready: number
  terminating: number
  succeeded: number
  failed: number
  startTime: string | undefined
  completionTime: string | undefined
  completedIndexes: string | undefined
  failedIndexes: string | undefined
  /** The uids of pods that have ended and may still have their finalizer. */
  uncounted: { succeeded: readonly string[]; failed: readonly string[] }
  conditions: readonly Readonly<batchV1.JobCondition>[]
  #written: Readonly<Record<string, Json | undefined>>
  readonly #context: ReconcileContext<Job>

  constructor(context: ReconcileContext<Job>) {
    const { status = {} } = context.object
    const { uncountedTerminatedPods: uncounted } = status
    this.active = status.active ?? 0
    this.ready = status.ready ?? 0
    this.terminating = status.terminating ?? 0
    this.succeeded = status.succeeded ?? 0
    this.failed = status.failed ?? 0
    this.startTime = status.startTime ?? undefined
    this.completionTime = status.completionTime ?? undefined
    this.completedIndexes = status.completedIndexes
    this.failedIndexes = status.failedIndexes
    this.uncounted = { succeeded: uncounted?.succeeded ?? [], failed: uncounted?.failed ?? [] }
    this.conditions = status.conditions ?? []
    this.#written =
      status.ready === undefined || uncounted === undefined || status.terminating === undefined ? {} : this.#fields()
    this.#context = context
  }

  find(type: string): Readonly<batchV1.JobCondition> | undefined {
    return this.conditions.find((condition) => condition.type === type)
  }

  isTrue(type: string): boolean {
    return this.find(type)?.status === 'True'
  }

  /** Returns whether it changed. A missing condition is already False. */
  setCondition(next: ConditionText, now: number): boolean {
    const before = this.find(next.type)
    if (before === undefined && next.status === 'False') return false
    if (before?.status === next.status && before.reason === next.reason && before.message === next.message) return false
    const time = timestamp(now)
    const condition: batchV1.JobCondition = {
      type: next.type,
      status: next.status,
      reason: next.reason,
      message: next.message,
      lastProbeTime: time,
      lastTransitionTime: time,
    }
    this.conditions =
      before === undefined
        ? [...this.conditions, condition]
        : this.conditions.map((each) => (each === before ? condition : each))
    return true
  }

  /** Moves the pods that no longer have their finalizer from the uncounted lists to the counters. */
  count(stillTracked: ReadonlySet<string>): void {
    const succeeded = this.uncounted.succeeded.filter((uid) => stillTracked.has(uid))
    const failed = this.uncounted.failed.filter((uid) => stillTracked.has(uid))
    this.succeeded += this.uncounted.succeeded.length - succeeded.length
    this.failed += this.uncounted.failed.length - failed.length
    this.uncounted = { succeeded, failed }
  }

  /** Writes what differs from the server; fails with a conflict (409) if the Job has changed since it was read. */
  async write(): Promise<void> {
    const fields = this.#fields()
    const patch: JsonObject = {}
    for (const name of Object.keys(fields)) {
      const value = fields[name]
      if (JSON.stringify(value) !== JSON.stringify(this.#written[name])) patch[name] = value ?? null
    }
    if (Object.keys(patch).length === 0) return
    await this.#context.patch({ status: patch }, { subresource: 'status' })
    this.#written = fields
  }

  /** Zero counters are absent, as upstream writes them. */
  #fields(): Record<string, Json | undefined> {
    const { succeeded, failed } = this.uncounted
    return {
      active: this.active || undefined,
      ready: this.ready,
      terminating: this.terminating,
      succeeded: this.succeeded || undefined,
      failed: this.failed || undefined,
      startTime: this.startTime,
      completionTime: this.completionTime,
      completedIndexes: this.completedIndexes || undefined,
      failedIndexes: this.failedIndexes,
      uncountedTerminatedPods: {
        succeeded: succeeded.length === 0 ? null : [...succeeded],
        failed: failed.length === 0 ? null : [...failed],
      },
      conditions: this.conditions.length === 0 ? undefined : (this.conditions as unknown as Json),
    }
  }
}
