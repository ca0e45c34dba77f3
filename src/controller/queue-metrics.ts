/** Connects a controller's queue to its metrics. */
import type { QueueObserver, WorkQueue } from '../queue/queue.ts'
import type { ControllerMetrics } from '../telemetry/controller-metrics.ts'

/** Further distinct priorities share one label, so that computed priorities cannot exhaust the memory. */
const maxPriorities = 25

export function queueObserver(metrics: ControllerMetrics, controller: string): Required<QueueObserver> {
  const labels = { name: controller, controller }
  return {
    added() {
      metrics.queueAdds.inc(labels)
      metrics.plain.adds.inc(labels)
    },
    retried() {
      metrics.queueRetries.inc(labels)
      metrics.plain.retries.inc(labels)
    },
    taken: (_key, _priority, waited) => metrics.queueSeconds.observe(labels, waited / 1000),
    finished: (_key, worked) => metrics.workSeconds.observe(labels, worked / 1000),
  }
}

/** `standby`: the queue fills up and is not processed, since another replica leads. Alerts use the leader's. */
export type QueueRole = 'leader' | 'standby'

/** Sets the gauges of one queue. Remembers its priorities and roles, to set those that it no longer has to 0. */
export class QueueMeter {
  readonly #metrics: ControllerMetrics
  readonly #queue: WorkQueue
  readonly #labels: { readonly name: string; readonly controller: string }
  readonly #priorities = new Set<number>([0])
  readonly #roles = new Set<QueueRole>()

  constructor(metrics: ControllerMetrics, queue: WorkQueue) {
    this.#metrics = metrics
    this.#queue = queue
    this.#labels = { name: queue.name, controller: queue.name }
  }

  /** `parked`: keys that belong to other replicas. */
  measure(role: QueueRole, parked = 0): void {
    const { plain, unfinishedSeconds, longestSeconds } = this.#metrics
    const depths = this.#queue.depths()
    let others: number | undefined
    for (const [priority, depth] of depths) {
      if (this.#priorities.size < maxPriorities) this.#priorities.add(priority)
      if (!this.#priorities.has(priority)) others = (others ?? 0) + depth
    }
    this.#roles.add(role)
    if (parked > 0) this.#roles.add('standby')
    const inRole = (each: QueueRole, depth: number, kept: number): number =>
      (each === role ? depth : 0) + (each === 'standby' ? kept : 0)
    for (const priority of this.#priorities)
      this.#setDepth(String(priority), (each) => inRole(each, depths.get(priority) ?? 0, priority === 0 ? parked : 0))
    if (others !== undefined || this.#priorities.size >= maxPriorities)
      this.#setDepth('exceeded_cardinality_limit', (each) => inRole(each, others ?? 0, 0))
    for (const each of this.#roles)
      plain.depth.set({ ...this.#labels, role: each }, inRole(each, this.#queue.depth, parked))
    const { unfinishedMs, longestMs } = this.#queue.load()
    unfinishedSeconds.set(this.#labels, unfinishedMs / 1000)
    longestSeconds.set(this.#labels, longestMs / 1000)
  }

  #setDepth(priority: string, depthOf: (role: QueueRole) => number): void {
    for (const role of this.#roles) this.#metrics.queueDepth.set({ ...this.#labels, priority, role }, depthOf(role))
  }
}
