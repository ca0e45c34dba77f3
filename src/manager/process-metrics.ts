/** Resource usage of the process, with the names that Prometheus clients share. */
import type { Env } from '../env/env.ts'
import type { Metrics } from '../telemetry/metrics.ts'

export function processMetrics(metrics: Metrics, env: Env): void {
  const gauge = (name: string, help: string) => metrics.gauge({ name, help })
  const cpu = metrics.counter({
    name: 'process_cpu_seconds_total',
    help: "CPU time of the process, its own and the system's for it.",
  })
  const resident = gauge('process_resident_memory_bytes', 'Memory of the process.')
  const heap = gauge('nodejs_heap_size_used_bytes', 'Memory of live and dead objects.')
  const total = gauge('nodejs_heap_size_total_bytes', 'Memory set aside for objects.')
  const external = gauge('nodejs_external_memory_bytes', 'Memory of buffers and of native parts.')
  gauge('process_start_time_seconds', 'When the process started, since the epoch.').set(
    {},
    Math.round(env.now() / 1000 - process.uptime()),
  )
  let counted = 0
  metrics.onScrape(() => {
    const { user, system } = process.cpuUsage()
    const seconds = (user + system) / 1e6
    cpu.inc({}, seconds - counted)
    counted = seconds
    const memory = process.memoryUsage()
    resident.set({}, memory.rss)
    heap.set({}, memory.heapUsed)
    total.set({}, memory.heapTotal)
    external.set({}, memory.external)
  })
}
