/** Connects a controller's queue to its metrics. */
import type { QueueObserver, WorkQueue } from '../queue/queue.ts'
import type { ControllerMetrics } from '../telemetry/controller-metrics.ts'

/** More distinct priorities than this share one label, so that a priority that is computed cannot fill the memory. */
const mostPriorities = 25

export function queueObserver(metrics: ControllerMetrics, controller: string): Required<QueueObserver> {
  const labels = { name: controller, controller }
  return {
    added() {
      metrics.queueAdds.inc(labels)
      metrics.seed.adds.inc(labels)
    },
    retried() {
      metrics.queueRetries.inc(labels)
      metrics.seed.retries.inc(labels)
    },
    taken: (_key, _priority, waited) => metrics.queueSeconds.observe(labels, waited / 1000),
    finished: (_key, worked) => metrics.workSeconds.observe(labels, worked / 1000),
  }
}

/** Sets the gauges of one queue. Remembers which priorities it had: one that is empty now has the depth 0. */
export class QueueMeter {
  readonly #metrics: ControllerMetrics
  readonly #queue: WorkQueue
  readonly #labels: { readonly name: string; readonly controller: string }
  readonly #priorities = new Set<number>([0])

  constructor(metrics: ControllerMetrics, queue: WorkQueue) {
    this.#metrics = metrics
    this.#queue = queue
    this.#labels = { name: queue.name, controller: queue.name }
  }

  measure(): void {
    const { queueDepth, seed, unfinishedSeconds, longestSeconds } = this.#metrics
    const depths = this.#queue.depths()
    let others: number | undefined
    for (const [priority, depth] of depths) {
      if (this.#priorities.size < mostPriorities) this.#priorities.add(priority)
      if (!this.#priorities.has(priority)) others = (others ?? 0) + depth
    }
    for (const priority of this.#priorities) queueDepth.set({ ...this.#labels, priority: String(priority) }, depths.get(priority) ?? 0)
    if (others !== undefined || this.#priorities.size >= mostPriorities) {
      queueDepth.set({ ...this.#labels, priority: 'exceeded_cardinality_limit' }, others ?? 0)
    }
    seed.depth.set(this.#labels, this.#queue.depth)
    const { unfinished, longest } = this.#queue.load()
    unfinishedSeconds.set(this.#labels, unfinished / 1000)
    longestSeconds.set(this.#labels, longest / 1000)
  }
}
