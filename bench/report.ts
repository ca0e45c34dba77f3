/** The rows of results, and their output as a table. */
import { spread } from './statistics.ts'
import { columns, shortNumber } from './table.ts'

/** One measurement, with a value for each round. */
export interface Row {
  readonly name: string
  readonly title: string
  readonly unit: '/s' | 'ms' | 'MiB'
  ours: number[]
  peer: number[]
  /** Milliseconds, of our rounds. */
  p50: number[]
  p99: number[]
  /** Microseconds of our server's processor time per request: the value that a busy machine affects least. */
  cpu: number[]
  /** The rate of the load client against a server that does nothing. */
  ceiling?: number
  /**
   * A real kube-apiserver v1.35.8 with etcd, on two cores. Single runs on another machine: for orientation, not for
   * comparison.
   */
  readonly reference?: number
}

export function row(name: string, title: string, unit: Row['unit'], reference?: number): Row {
  const each: Row = { name, title, unit, ours: [], peer: [], p50: [], p99: [], cpu: [] }
  return reference === undefined ? each : { ...each, reference }
}

/** How many times better `ours` is: higher rate, or less time and memory. */
export function times(unit: Row['unit'], ours: number, other: number): number {
  return unit === '/s' ? ours / other : other / ours
}

export function httpTable(rows: readonly Row[], hasPeer: boolean): string {
  const head = ['HTTP with TLS', 'coxswain', 'p50 ms', 'p99 ms', 'cpu µs', 'client ceiling']
  head.push(...(hasPeer ? ['peer', 'times better'] : []), 'reference', 'times better')
  const lines = rows.map((each) => {
    const cells = [each.title, range(each.ours, each.unit)]
    cells.push(
      shortNumber(spread(each.p50).median),
      shortNumber(spread(each.p99).median),
      shortNumber(spread(each.cpu).median),
    )
    cells.push(each.ceiling === undefined ? '' : `${shortNumber(each.ceiling)}/s${isBound(each) ? ' !' : ''}`)
    if (hasPeer) cells.push(range(each.peer, each.unit), ratios(each))
    const ours = spread(each.ours).median
    if (each.reference === undefined) cells.push('', '')
    else cells.push(amount(each.reference, each.unit), factor(times(each.unit, ours, each.reference)))
    return cells
  })
  const notes = ['cpu: processor time of our server for one request']
  notes.push('reference: kube-apiserver v1.35.8 + etcd on two cores, single runs')
  if (hasPeer) notes.push('times better than the peer: median of the rounds (least to most)')
  if (rows.some(isBound)) notes.push('!: more than 80 % of what the client can send, so the server may be faster')
  return `${columns([head, ...lines])}\n${notes.join('\n')}`
}

export function inProcessTable(rows: readonly Row[], http: readonly Row[]): string {
  const lines = rows.map((each) => {
    const same = http.find((other) => other.name === each.name)
    const ours = spread(each.ours).median
    const ratio = same === undefined ? Number.NaN : times(each.unit, ours, spread(same.ours).median)
    const cells = [each.title, range(each.ours, each.unit), micro(each.p50), micro(each.p99)]
    return [...cells, shortNumber(spread(each.cpu).median), factor(ratio)]
  })
  return columns([['in process', 'coxswain', 'p50 µs', 'p99 µs', 'cpu µs', 'times HTTP'], ...lines])
}

function isBound(each: Row): boolean {
  return each.ceiling !== undefined && spread(each.ours).median > each.ceiling * 0.8
}

/** The ratio of each round, since both servers had the same conditions in it. */
function ratios(each: Row): string {
  const all = each.ours.map((ours, i) => times(each.unit, ours, each.peer[i] ?? Number.NaN))
  const { median, min, max } = spread(all)
  return Number.isNaN(median) ? '' : `${factor(median)} (${factor(min)} to ${factor(max)})`
}

function range(values: readonly number[], unit: Row['unit']): string {
  const { median, min, max } = spread(values)
  if (Number.isNaN(median)) return ''
  const text = amount(median, unit)
  return values.length < 2 ? text : `${text} (${shortNumber(min)} to ${shortNumber(max)})`
}

const amount = (n: number, unit: Row['unit']): string => `${shortNumber(n)}${unit === '/s' ? '' : ' '}${unit}`

const micro = (values: readonly number[]): string => shortNumber(spread(values).median * 1000)

const factor = (n: number): string => (Number.isNaN(n) ? '' : `${shortNumber(n)}x`)
