import { describe, expect, it } from 'vitest'
import { Metrics } from './metrics.ts'

describe('metrics', () => {
  it('metrics are written as Prometheus reads them', () => {
    const metrics = new Metrics()
    const runs = metrics.counter({ name: 'runs_total', help: 'Runs\nin all.', labels: ['controller', 'result'] })
    runs.inc({ controller: 'web"app"', result: 'success' })
    runs.inc({ controller: 'web"app"', result: 'success' }, 2)
    runs.inc({ controller: 'a\\b\nc', result: 'error' }, 0)
    metrics.gauge({ name: 'up', help: 'Whether it is up.' }).set({}, 1)
    expect(metrics.text()).toBe(
      [
        '# HELP runs_total Runs\\nin all.',
        '# TYPE runs_total counter',
        'runs_total{controller="web\\"app\\"",result="success"} 3',
        'runs_total{controller="a\\\\b\\nc",result="error"} 0',
        '# HELP up Whether it is up.',
        '# TYPE up gauge',
        'up 1',
        '',
      ].join('\n'),
    )
  })

  it('metrics count a distribution in cumulative buckets', () => {
    const metrics = new Metrics()
    const time = metrics.histogram({ name: 'seconds', help: 'Time.', labels: ['controller'], buckets: [0.1, 1] })
    for (const value of [0.05, 0.1, 0.5, 7]) time.observe({ controller: 'a' }, value)
    expect(metrics.text().split('\n').slice(2)).toEqual([
      'seconds_bucket{controller="a",le="0.1"} 2',
      'seconds_bucket{controller="a",le="1"} 3',
      'seconds_bucket{controller="a",le="+Inf"} 4',
      'seconds_sum{controller="a"} 7.65',
      'seconds_count{controller="a"} 4',
      '',
    ])
  })

  it('metrics are refreshed before a scrape, and forget labels that are gone', () => {
    const metrics = new Metrics()
    const depth = metrics.gauge({ name: 'depth', help: 'Depth.', labels: ['priority'] })
    let depths = { '0': 2, '-100': 5 } as Record<string, number>
    metrics.onScrape(() => {
      depth.reset()
      for (const [priority, value] of Object.entries(depths)) depth.set({ priority }, value)
    })
    expect(metrics.text()).toContain('depth{priority="-100"} 5')
    depths = { '0': 1 }
    expect(metrics.text()).not.toContain('-100')
    expect(metrics.text()).toContain('depth{priority="0"} 1')
  })

  it('metrics refuse a name twice, and names that are none', () => {
    const metrics = new Metrics()
    metrics.counter({ name: 'a', help: '' })
    expect(() => metrics.gauge({ name: 'a', help: '' })).toThrow('registered already')
    expect(() => metrics.gauge({ name: 'a-b', help: '' })).toThrow('"a-b" is not a valid metric name')
    expect(() => metrics.gauge({ name: 'b', help: '', labels: ['le-x'] })).toThrow('"le-x" is not a valid label name')
  })

  it('metrics of two registries do not mix', () => {
    const [one, other] = [new Metrics(), new Metrics()]
    one.counter({ name: 'a', help: '' }).inc({})
    other.counter({ name: 'a', help: '' })
    expect(other.text()).not.toContain('a 1')
  })
})
