/** The measured values of both trees, and the ratio, spread and verdict of each line. */
import { quantile, spread, type Spread } from '../statistics.ts'
import type { Side } from './tree.ts'

/** `time` and `memory` may vary from round to round; a `count` is compared exactly. */
export type Measure = 'time' | 'memory' | 'count'

export type Verdict =
  | 'within 5 %'
  | 'within the spread'
  | 'faster'
  | 'smaller'
  | 'fewer'
  | 'equal'
  | 'not measured'
  | 'SLOWER'
  | 'LARGER'
  | 'MORE'

const worse: ReadonlySet<Verdict> = new Set<Verdict>(['SLOWER', 'LARGER', 'MORE'])

/** An increase of up to this share of the baseline is no regression. */
const tolerance = 0.05

export class Line {
  readonly title: string
  readonly measure: Measure
  /** `µs`, `ms`, `MiB`, `B`; empty for counts. */
  readonly unit: string
  /** One value per round: values of the same round were measured directly after one another. */
  readonly values: Readonly<Record<Side, number[]>> = { baseline: [], current: [] }

  constructor(title: string, measure: Measure, unit: string) {
    this.title = title
    this.measure = measure
    this.unit = unit
  }

  /** Current divided by baseline, round by round, so that a load that slows down both sides of a round cancels out. */
  ratios(): number[] {
    return this.values.baseline.map((baseline, round) => {
      const current = this.values.current[round] ?? Number.NaN
      return baseline === current ? 1 : current / baseline
    })
  }

  ratio(): Spread {
    return spread(this.ratios())
  }

  verdict(): Verdict {
    const { baseline, current } = this.values
    if (baseline.length === 0 || baseline.length !== current.length) return 'not measured'
    if ([...baseline, ...current].some((value) => !Number.isFinite(value))) return 'not measured'
    return this.measure === 'count' ? this.#exact() : this.#approximate(this.measure)
  }

  isWorse(): boolean {
    return worse.has(this.verdict())
  }

  /** A busy machine makes some rounds extreme, so the middle half of the rounds decides, not the extremes. */
  #approximate(measure: 'time' | 'memory'): Verdict {
    const ratios = this.ratios()
    const { median } = spread(ratios)
    if (Math.abs(median - 1) <= tolerance) return 'within 5 %'
    if (quantile(ratios, 0.25) <= 1 && quantile(ratios, 0.75) >= 1) return 'within the spread'
    if (median > 1) return measure === 'time' ? 'SLOWER' : 'LARGER'
    return measure === 'time' ? 'faster' : 'smaller'
  }

  /** Retries after conflicts depend on timing: a count is more only if every round exceeds the baseline. */
  #exact(): Verdict {
    const [baseline, current] = [spread(this.values.baseline), spread(this.values.current)]
    if (baseline.median === current.median) return 'equal'
    if (current.median < baseline.median) return 'fewer'
    return current.min <= baseline.max ? 'within the spread' : 'MORE'
  }
}

export class Comparison {
  readonly lines: Line[] = []

  /** The line with this title, created on the first call. */
  line(title: string, measure: Measure, unit = ''): Line {
    const known = this.lines.find((line) => line.title === title)
    if (known !== undefined) return known
    const line = new Line(title, measure, unit)
    this.lines.push(line)
    return line
  }

  get isWorse(): boolean {
    return this.lines.some((line) => line.isWorse())
  }
}

/**
 * Calls `measure` once for each side in each round. The order alternates, since the second side may find warmer caches.
 */
export async function alternate(rounds: number, measure: (side: Side, round: number) => Promise<void>): Promise<void> {
  for (let round = 0; round < rounds; round++) {
    const sides: readonly Side[] = round % 2 === 0 ? ['baseline', 'current'] : ['current', 'baseline']
    for (const side of sides) await measure(side, round)
  }
}
