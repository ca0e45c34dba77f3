import { describe, expect, it } from 'vitest'
import { simulatedEnv } from '../env/simulated.ts'
import { priorityQueue } from '../queue/work-queue.ts'
import { controllerMetrics } from '../telemetry/controller-metrics.ts'
import { Metrics } from '../telemetry/metrics.ts'
import { QueueMeter, queueObserver, type QueueRole } from './queue-metrics.ts'

function metered() {
  const env = simulatedEnv()
  const metrics = new Metrics()
  const all = controllerMetrics(metrics)
  const queue = priorityQueue(env, { name: 'app', observer: queueObserver(all, 'app') })
  const meter = new QueueMeter(all, queue)
  const lines = (name: string, role: QueueRole = 'leader'): string[] => {
    meter.measure(role)
    return metrics
      .text()
      .split('\n')
      .filter((line) => line.startsWith(`${name}{`))
      .map((line) => line.slice(name.length))
  }
  return { env, queue, lines }
}

describe('the depth of a queue', () => {
  it('the depth of a queue is reported by priority, and falls to 0', () => {
    const { queue, lines } = metered()
    expect(lines('workqueue_depth')).toEqual(['{name="app",controller="app",priority="0",role="leader"} 0'])
    queue.add('a', { priority: -100 })
    queue.add('b', { priority: -100 })
    expect(lines('workqueue_depth')).toContain('{name="app",controller="app",priority="-100",role="leader"} 2')
    queue.tryTake()
    queue.tryTake()
    expect(lines('workqueue_depth')).toContain('{name="app",controller="app",priority="-100",role="leader"} 0')
    expect(lines('controller_workqueue_depth')).toEqual(['{controller="app",role="leader"} 0'])
  })

  it("the depth of a warm standby's queue is reported separately until it leads", () => {
    const { queue, lines } = metered()
    queue.add('a')
    queue.add('b', { priority: -100 })
    expect(lines('controller_workqueue_depth', 'standby')).toEqual(['{controller="app",role="standby"} 2'])
    expect(lines('workqueue_depth', 'standby').every((line) => line.includes('role="standby"'))).toBe(true)
    expect(lines('controller_workqueue_depth')).toEqual([
      '{controller="app",role="standby"} 0',
      '{controller="app",role="leader"} 2',
    ])
    expect(
      lines('workqueue_depth')
        .filter((line) => line.endsWith(' 1'))
        .every((line) => line.includes('role="leader"')),
    ).toBe(true)
  })

  it('the depth of a queue of more than 25 priorities is summed up', () => {
    const { queue, lines } = metered()
    for (let i = 1; i <= 40; i++) queue.add(`k${i}`, { priority: i })
    const depths = lines('workqueue_depth')
    expect(depths).toHaveLength(26)
    expect(depths).toContain('{name="app",controller="app",priority="exceeded_cardinality_limit",role="leader"} 16')
    expect(depths.reduce((sum, line) => sum + Number(line.split(' ')[1]), 0)).toBe(40)
  })
})

it('adds, retries and times of a queue are counted', () => {
  const { env, queue, lines } = metered()
  queue.add('a')
  queue.add('a')
  env.advance(2000)
  queue.tryTake()
  env.advance(5000)
  expect(lines('workqueue_unfinished_work_seconds')).toEqual(['{name="app",controller="app"} 5'])
  expect(lines('workqueue_longest_running_processor_seconds')).toEqual(['{name="app",controller="app"} 5'])
  queue.add('a', { rateLimited: true })
  queue.done('a')
  expect(lines('workqueue_adds_total')).toEqual(['{name="app",controller="app"} 1'])
  expect(lines('workqueue_retries_total')).toEqual(['{name="app",controller="app"} 1'])
  expect(lines('workqueue_queue_duration_seconds_sum')).toEqual(['{name="app",controller="app"} 2'])
  expect(lines('workqueue_work_duration_seconds_sum')).toEqual(['{name="app",controller="app"} 5'])
})
