/**
 * Metrics in Prometheus' text format: counters, gauges and histograms in a registry. There is no global registry, so
 * that two managers in one process do not share metrics.
 */
import { formatSample, formatSampleValue, type MetricLabels } from './exposition.ts'

export interface MetricOptions<Name extends string> {
  readonly name: string
  readonly help: string
  /** Every sample has all of these labels. */
  readonly labels?: readonly Name[] | undefined
}

export interface HistogramOptions<Name extends string> extends MetricOptions<Name> {
  /** Upper bounds, ascending. `+Inf` is added. */
  readonly buckets: readonly number[]
}

type LabelsOf<Name extends string> = Readonly<Record<Name, string>>

export interface Counter<Name extends string> {
  inc(labels: LabelsOf<Name>, by?: number): void
}

export interface Gauge<Name extends string> {
  set(labels: LabelsOf<Name>, value: number): void
  add(labels: LabelsOf<Name>, by: number): void
  /** Drops all samples: for gauges whose label values change, at the start of `onScrape`. */
  reset(): void
}

export interface Histogram<Name extends string> {
  observe(labels: LabelsOf<Name>, value: number): void
}

interface Metric {
  readonly type: 'counter' | 'gauge' | 'histogram'
  readonly name: string
  readonly help: string
  lines(): Iterable<string>
}

export class Metrics {
  readonly #metrics = new Map<string, Metric>()
  readonly #refreshers: (() => void)[] = []

  counter<Name extends string>(options: MetricOptions<Name>): Counter<Name> {
    const samples = this.#register('counter', options, new Samples(options, zero))
    return { inc: (labels, by = 1) => void (samples.of(labels).value += by) }
  }

  gauge<Name extends string>(options: MetricOptions<Name>): Gauge<Name> {
    const samples = this.#register('gauge', options, new Samples(options, zero))
    return {
      set: (labels, value) => void (samples.of(labels).value = value),
      add: (labels, by) => void (samples.of(labels).value += by),
      reset: () => samples.clear(),
    }
  }

  histogram<Name extends string>(options: HistogramOptions<Name>): Histogram<Name> {
    const { name, help, buckets } = options
    const samples = new Samples<Distribution>(options, () => ({ counts: buckets.map(zero).concat(0), sum: 0 }))
    this.#add({ type: 'histogram', name, help, lines: () => distributionLines(name, buckets, samples) })
    return {
      observe(labels, value) {
        const distribution = samples.of(labels).value
        let bucket = buckets.findIndex((bound) => value <= bound)
        if (bucket < 0) bucket = buckets.length
        distribution.counts[bucket] = (distribution.counts[bucket] as number) + 1
        distribution.sum += value
      },
    }
  }

  /** Called before each scrape, to set gauges that are cheaper to read than to keep up to date. */
  onScrape(refresh: () => void): void {
    this.#refreshers.push(refresh)
  }

  /** Everything, as `text/plain; version=0.0.4`. */
  text(): string {
    for (const refresh of this.#refreshers) refresh()
    const lines: string[] = []
    for (const metric of this.#metrics.values()) {
      const { name, help, type } = metric
      lines.push(`# HELP ${name} ${help.replaceAll('\\', '\\\\').replaceAll('\n', '\\n')}`, `# TYPE ${name} ${type}`)
      for (const line of metric.lines()) lines.push(line)
    }
    return lines.length === 0 ? '' : `${lines.join('\n')}\n`
  }

  #register<Name extends string>(
    type: 'counter' | 'gauge',
    { name, help }: MetricOptions<Name>,
    samples: Samples<number>,
  ): Samples<number> {
    this.#add({ type, name, help, lines: () => numberLines(name, samples) })
    return samples
  }

  #add(metric: Metric): void {
    if (!/^[a-zA-Z_:][a-zA-Z0-9_:]*$/.test(metric.name)) throw new Error(`"${metric.name}" is not a valid metric name`)
    if (this.#metrics.has(metric.name))
      throw new Error(`the metric ${metric.name} is registered already: give each name once per registry`)
    this.#metrics.set(metric.name, metric)
  }
}

/** Content type of {@link Metrics.text}. */
export const metricsContentType = 'text/plain; version=0.0.4; charset=utf-8'

interface Distribution {
  /** Per bucket, not cumulative; the last is `+Inf`. */
  readonly counts: number[]
  sum: number
}

interface Sample<Value> {
  readonly labels: MetricLabels
  value: Value
}

const zero = (): number => 0

/** The samples of one metric, by the values of its labels. */
class Samples<Value> {
  readonly #names: readonly string[]
  readonly #first: () => Value
  readonly #samples = new Map<string, Sample<Value>>()

  /** `first`: the value of a new sample. */
  constructor({ name, labels = [] }: MetricOptions<string>, first: () => Value) {
    for (const label of labels)
      if (!/^[a-zA-Z_][a-zA-Z0-9_]*$/.test(label)) throw new Error(`"${label}" is not a valid label name of ${name}`)
    this.#names = labels
    this.#first = first
  }

  /** The sample with these labels; a new one if there is none. */
  of(labels: MetricLabels): Sample<Value> {
    const key = this.#key(labels)
    const known = this.#samples.get(key)
    if (known !== undefined) return known
    const own = Object.fromEntries(this.#names.map((name) => [name, labels[name] ?? '']))
    const sample = { labels: own, value: this.#first() }
    this.#samples.set(key, sample)
    return sample
  }

  clear(): void {
    this.#samples.clear()
  }

  [Symbol.iterator](): Iterator<Sample<Value>> {
    return this.#samples.values()
  }

  #key(labels: MetricLabels): string {
    let key = ''
    for (let i = 0; i < this.#names.length; i++) {
      const value = labels[this.#names[i] as string] ?? ''
      key = i === 0 ? value : `${key}\u0000${value}`
    }
    return key
  }
}

function* numberLines(name: string, samples: Samples<number>): Generator<string> {
  for (const { labels, value } of samples) yield formatSample(name, labels, value)
}

function* distributionLines(
  name: string,
  buckets: readonly number[],
  samples: Samples<Distribution>,
): Generator<string> {
  for (const { labels, value } of samples) {
    let count = 0
    for (const [index, inBucket] of value.counts.entries()) {
      count += inBucket
      yield formatSample(`${name}_bucket`, { ...labels, le: formatSampleValue(buckets[index] ?? Infinity) }, count)
    }
    yield formatSample(`${name}_sum`, labels, value.sum)
    yield formatSample(`${name}_count`, labels, count)
  }
}
