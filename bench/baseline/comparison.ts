/** What was measured of both trees, and what follows from it: ratio, spread and verdict of each line. */
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

/** How much more than the baseline's is no regression. */
const tolerance = 0.05

export class Line {
  readonly title: string
  readonly measure: Measure
  /** `µs`, `ms`, `MiB`, `B`; empty for counts. */
  readonly unit: string
  /** One value for each round: those of the same round were measured one right after the other. */
  readonly values: Readonly<Record<Side, number[]>> = { baseline: [], current: [] }

  constructor(title: string, measure: Measure, unit: string) {
    this.title = title
    this.measure = measure
    this.unit = unit
  }

  /** Current divided by baseline, round by round, so that whatever slowed both in a round is no difference. */
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

  /** Retries after conflicts depend on timing: only a count that every round exceeds is more. */
  #exact(): Verdict {
    const [baseline, current] = [spread(this.values.baseline), spread(this.values.current)]
    if (baseline.median === current.median) return 'equal'
    if (current.median < baseline.median) return 'fewer'
    return current.min <= baseline.max ? 'within the spread' : 'MORE'
  }
}

export class Comparison {
  readonly lines: Line[] = []

  /** The line with this title, made when it is first asked for. */
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

/** Calls `measure` once for each side in each round. Who is first changes with the rounds: the second may be warmer. */
export async function alternate(rounds: number, measure: (side: Side, round: number) => Promise<void>): Promise<void> {
  for (let round = 0; round < rounds; round++) {
    const sides: readonly Side[] = round % 2 === 0 ? ['baseline', 'current'] : ['current', 'baseline']
    for (const side of sides) await measure(side, round)
  }
}
