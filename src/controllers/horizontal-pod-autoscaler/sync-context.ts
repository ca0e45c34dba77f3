/** What a sync of an autoscaler works with: its memory of earlier syncs, and its warnings. */
import type { HorizontalPodAutoscaler, ObjectKey, ReconcileContext } from '../../index.ts'
import type { RestMapper } from '../../client/index.ts'
import type { ScaleHistory } from './limits.ts'
import type { MetricsSource } from './metrics.ts'

export type Context = ReconcileContext<HorizontalPodAutoscaler>

export interface AutoscalerMemory extends ScaleHistory {
  readonly autoscaler: ObjectKey
  /** Active warnings that have been reported. */
  reported: ReadonlySet<string>
  /** The time of the next sync. */
  dueAt: number
  /** The selector of the target's pods at the last sync; '' before the first. */
  selector: string
}

export interface Surroundings {
  readonly metrics: MetricsSource
  readonly warnings: Warnings
  readonly mapper: RestMapper
  /** The state of all autoscalers. */
  readonly others: () => readonly AutoscalerMemory[]
}

/** Warning events. A problem that persists is reported once, not every 15 seconds. */
export class Warnings {
  readonly held = new Set<string>()
  readonly #context: Context
  readonly #reported: ReadonlySet<string>

  constructor(context: Context, reported: ReadonlySet<string>) {
    this.#context = context
    this.#reported = reported
  }

  event(reason: string, message: string): void {
    const key = `${reason} ${message}`
    if (!this.#reported.has(key) && !this.held.has(key)) this.#context.event('Warning', reason, message)
    this.held.add(key)
  }
}
