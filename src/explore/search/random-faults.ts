/**
 * Random schedules of one to four faults, guided by what is new: a run that reached a state that no other has reached
 * is extended by further faults, the more often the more it found and the less often it was extended before. A state
 * is one of the operator's objects (see state-trace.ts) or two calls of the operator in a row.
 *
 * Guarantees: the same seed gives the same schedules. Each schedule has random numbers of its own, so that one does not
 * depend on how many numbers another one has used. Each leaves out some kinds of faults, since some hide the effect of
 * others. No schedule is tried twice.
 */
import { RandomStream } from '../../env/random-stream.ts'
import type { FaultName } from '../faults.ts'
import { scheduleText, type InjectedFault } from '../schedule.ts'
import { hashOf } from './hash.ts'
import { canFollow, type FaultTable, type PossibleFaults } from './possible-faults.ts'
import { knownStep, targetOf, type KnownStep, type PlannedRun, type TriedRun } from './runs.ts'

export const maxFaults = 4
/** The share of schedules that begin with no fault, although others are worth extending. */
const fresh = 1 / 4
/** The share of fault kinds that a schedule leaves out. */
const omitted = 1 / 3
/** After so many draws in a row without a new schedule there is probably none left. */
const maxRepeatedCount = 200

export interface RandomFaultsOptions {
  readonly table: FaultTable
  readonly seed: number
  /** Tells the parts of an exploration apart, which draw different schedules. */
  readonly part: number
  /** Default: true. */
  readonly isGuided?: boolean
}

/** A run that can be extended. */
interface Start {
  readonly known: KnownStep
  readonly faults: readonly InjectedFault[]
  readonly later: PossibleFaults
  /** How many states it was the first to reach, or with fewer faults than others. */
  readonly found: number
  extended: number
}

export class RandomFaults {
  tried = 0
  /** How many states were seen after so many random schedules: after 0, 1, 2, 4, 8, … of them. */
  readonly growth: { readonly tried: number; readonly states: number }[] = []
  readonly #options: RandomFaultsOptions
  /** The states, with the fewest faults of a run that reached it. */
  readonly #seen = new Map<string, number>()
  readonly #schedules = new Set<string>()
  /** The runs without faults. */
  readonly #twins: Start[] = []
  readonly #starts: Start[] = []

  constructor(options: RandomFaultsOptions) {
    this.#options = options
  }

  /** The states seen so far, by any run. */
  get states(): number {
    return this.#seen.size
  }

  learn(run: TriedRun): void {
    const { step, faults, outcome, problems } = run
    this.#schedules.add(scheduleText({ step: step.name, faults }))
    // What fails already would fail again.
    const isEnd = problems.length > 0 || faults.length >= maxFaults
    const found = this.#note(statesOf(run), isEnd ? Infinity : faults.length)
    if (isEnd) return
    const isTwin = faults.length === 0
    if (!isTwin && found === 0) return
    const later = this.#options.table.after(run, faults, outcome)
    const start = { known: knownStep(run), faults, later, found, extended: 0 }
    ;(isTwin ? this.#twins : this.#starts).push(start)
  }

  /** Ends earlier if there seems to be nothing left to try. */
  *schedules(count: number): Generator<PlannedRun> {
    this.#mark()
    try {
      for (let draw = 0, repeated = 0; this.tried < count && repeated < maxRepeatedCount; draw++) {
        const planned = this.#draw(draw)
        if (planned === undefined) {
          repeated++
          continue
        }
        repeated = 0
        this.tried++
        yield planned
        if (Number.isInteger(Math.log2(this.tried))) this.#mark()
      }
    } finally {
      if (this.growth.at(-1)?.tried !== this.tried) this.#mark()
    }
  }

  /** How many of the states no run has reached with so few faults. */
  #note(states: readonly string[], faults: number): number {
    let found = 0
    for (const state of new Set(states)) {
      const fewest = this.#seen.get(state)
      if (fewest === undefined || faults < fewest) this.#seen.set(state, faults)
      if (faults < (fewest ?? Infinity)) found++
    }
    return found
  }

  #mark(): void {
    this.growth.push({ tried: this.tried, states: this.states })
  }

  /** Undefined: the draw gave a schedule that was tried already, or no fault. */
  #draw(draw: number): PlannedRun | undefined {
    const stream = (purpose: string): RandomStream => this.#stream(`${draw} ${purpose}`)
    const start = this.#start(stream('start'))
    if (start === undefined) return undefined
    start.extended++
    const kinds = this.#kinds(stream('kinds'))
    const faults = [...start.faults, ...addedFaults(stream('faults'), start, kinds)]
    const text = scheduleText({ step: start.known.step.name, faults })
    if (this.#schedules.has(text)) return undefined
    this.#schedules.add(text)
    return { ...start.known, faults }
  }

  #stream(purpose: string): RandomStream {
    const { seed, part } = this.#options
    return new RandomStream(seed, hashOf(`${part} ${purpose}`)[0])
  }

  #start(random: RandomStream): Start | undefined {
    const { isGuided = true } = this.#options
    if (!isGuided || this.#starts.length === 0 || random.fraction() < fresh) return oneOf(random, this.#twins)
    const energy = ({ found, extended }: Start): number => found / (1 + extended) ** 2
    let left = random.fraction() * this.#starts.reduce((sum, start) => sum + energy(start), 0)
    return this.#starts.find((start) => (left -= energy(start)) < 0) ?? this.#starts.at(-1)
  }

  #kinds(random: RandomStream): ReadonlySet<FaultName> {
    const { names } = this.#options.table
    const kept = names.filter(() => random.fraction() >= omitted)
    return new Set(kept.length === 0 ? names : kept)
  }
}

/**
 * Faults at later points. Only the calls until the first of them are known: those that follow are taken from the same
 * run, and may turn out to be other calls.
 */
function addedFaults(random: RandomStream, { faults, later }: Start, kinds: ReadonlySet<FaultName>): InjectedFault[] {
  const wanted = Math.min(
    maxFaults - faults.length,
    faults.length === 0 ? 1 + Math.floor(random.fraction() * maxFaults) : random.fraction() < 0.7 ? 1 : 2,
  )
  const added: InjectedFault[] = []
  let next = 0
  while (added.length < wanted && next < later.length) {
    // The first fault of a run is anywhere; the others are near the one before.
    const isFirst = faults.length + added.length === 0
    next += Math.floor(random.fraction() ** (isFirst ? 1 : 2) * (later.length - next))
    const possible = later[next]?.filter(({ fault }) => kinds.has(fault) && canFollow([...faults, ...added], fault))
    const fault = oneOf(random, possible ?? [])
    if (fault !== undefined) added.push(fault)
    next++
  }
  return added
}

function oneOf<T>(random: RandomStream, all: readonly T[]): T | undefined {
  return all[Math.floor(random.fraction() * all.length)]
}

function statesOf({ step, states, outcome }: TriedRun): readonly string[] {
  const calls = outcome.calls.map(targetOf)
  const turns = calls.map((call, index) => `${call} ${calls[index + 1] ?? 'rest'}`)
  return [...states.map(({ id }) => id), ...turns].map((state) => `${step.name} ${state}`)
}
