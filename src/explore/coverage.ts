/** How much of what could fail an exploration has tried, for its report. */

export interface ExploreCoverage {
  /** Runs with one fault. */
  readonly singles: Covered
  /** Runs with two faults; undefined if the exploration was not asked for pairs. */
  readonly pairs?: PairCoverage | undefined
  /** Random schedules; undefined if the exploration was not asked for any. */
  readonly random?: RandomCoverage | undefined
  /**
   * Runs that failed only in a cluster that other runs had used: what these left in memory of nodes or built-in
   * controllers differed. They count as passed.
   */
  readonly unconfirmed: number
}

export interface Covered {
  readonly tried: number
  /** How many there are. */
  readonly total: number
}

export interface PairCoverage extends Covered {
  /** Pairs besides `total` that are equal to one of those: their first faults had the same effect. */
  readonly equal: number
  /** Faults that fail alone, and are in no pair therefore. */
  readonly failing: number
}

export interface RandomCoverage {
  readonly tried: number
  readonly seed: number
  /**
   * How many different states were seen after so many random schedules. Of several processes, the numbers of the one
   * that saw most: what another one saw besides is not known.
   */
  readonly growth: readonly { readonly tried: number; readonly states: number }[]
}

/** The coverage of several processes. */
export function joinCoverage(parts: readonly ExploreCoverage[]): ExploreCoverage {
  const pairs = parts.flatMap((part) => part.pairs ?? [])
  const random = parts.flatMap((part) => part.random ?? [])
  const [most] = random.toSorted((a, b) => statesOf(b) - statesOf(a))
  const sum = <T>(all: readonly T[], number: (each: T) => number): number =>
    all.reduce((total, each) => total + number(each), 0)
  const covered = (all: readonly Covered[]): Covered => ({
    tried: sum(all, ({ tried }) => tried),
    total: sum(all, ({ total }) => total),
  })
  return {
    singles: covered(parts.map(({ singles }) => singles)),
    unconfirmed: sum(parts, ({ unconfirmed }) => unconfirmed),
    ...(pairs.length === 0
      ? {}
      : {
          pairs: {
            ...covered(pairs),
            equal: sum(pairs, ({ equal }) => equal),
            failing: sum(pairs, ({ failing }) => failing),
          },
        }),
    ...(most === undefined ? {} : { random: { ...most, tried: sum(random, ({ tried }) => tried) } }),
  }
}

/** Lines for people. Single faults are in the line above, unless some are left. */
export function coverageText({ singles, pairs, random, unconfirmed }: ExploreCoverage): readonly string[] {
  const lines: string[] = []
  if (singles.tried < singles.total) lines.push(`single faults: ${ofAll(singles)} tried`)
  if (pairs !== undefined) {
    const notes = [
      ...(pairs.equal === 0 ? [] : [`${count(pairs.equal)} more are equal to one of them`]),
      ...(pairs.failing === 0 ? [] : [`without the ${count(pairs.failing)} faults that fail alone`]),
    ]
    lines.push(`pairs of faults: ${ofAll(pairs)} tried${notes.length === 0 ? '' : ` (${notes.join('; ')})`}`)
  }
  if (random !== undefined) {
    const states = statesOf(random)
    const { growth } = random
    const before = growth.findLast(({ tried }) => tried <= (growth.at(-1)?.tried ?? 0) / 2)
    lines.push(
      `random schedules: ${count(random.tried)} tried, seed ${random.seed}; ${count(states)} states seen, ` +
        `${count(states - (before?.states ?? 0))} of them after schedule ${count(before?.tried ?? 0)}`,
    )
  }
  if (unconfirmed > 0) lines.push(`${count(unconfirmed)} failed in a used cluster and not in a new one: not counted`)
  return lines
}

function statesOf({ growth }: RandomCoverage): number {
  return growth.at(-1)?.states ?? 0
}

function ofAll({ tried, total }: Covered): string {
  return `${count(tried)} of ${count(total)}`
}

function count(number: number): string {
  return number.toLocaleString('en')
}
