/** Random schedules of a model of an operator, which costs nothing to run. */
import { describe, expect, it } from 'vitest'
import { callPoint } from '../point.ts'
import { scheduleText, type InjectedFault } from '../schedule.ts'
import type { SentCall } from '../script.ts'
import { FaultTable } from './possible-faults.ts'
import { RandomFaults } from './random-faults.ts'
import type { KnownStep, PlannedRun, TriedRun } from './runs.ts'

const calls = (name: string, count: number): readonly SentCall[] =>
  Array.from({ length: count }, (_, index) => ({ method: 'PATCH', path: `/${name}/${index + 1}`, at: 0 }))

const course = (sent: readonly SentCall[]) => ({ calls: sent, points: sent.map((_, index) => callPoint(index + 1)) })

/** Only an error at one of these calls leads to the next ones; at the last of them, it is a mistake. */
const weak = ['/plain/7', '/retry/3', '/recovery/2']
const path = [calls('plain', 20), calls('retry', 8), calls('recovery', 8)]

/** What the model does in a run with these faults. */
function modelled(planned: PlannedRun): TriedRun {
  let [sent, level, isWrong]: [readonly SentCall[], number, boolean] = [path[0] ?? [], 0, false]
  for (const { at, fault } of planned.faults) {
    const call = Number(at)
    if (fault !== 'error' || sent[call - 1]?.path !== weak[level]) continue
    level++
    isWrong = level === path.length
    sent = [...sent.slice(0, call), ...(path[level] ?? [])]
  }
  const outcome = { ...planned.twin, ...course(sent) }
  return { ...planned, outcome, problems: isWrong ? ['wrong'] : [], states: [{ id: `level ${level}`, atMs: 0 }] }
}

const known = {
  step: { name: 'step', act: () => undefined },
  from: { time: 0, revision: 0, items: [] },
  twin: course(path[0] ?? []),
} as unknown as KnownStep
const table = new FaultTable(['error', 'conflict', 'lost-call', 'lost-reply', 'crash-before', 'crash-after'])

/** How many schedules until the mistake shows, at most `most`. */
function needed(
  seed: number,
  options: {
    readonly isGuided?: boolean
    readonly most?: number
    readonly tried?: (faults: readonly InjectedFault[]) => void
  } = {},
): number {
  const { isGuided = true, most = 3000, tried } = options
  const random = new RandomFaults({ table, seed, part: 0, isGuided })
  random.learn(modelled({ ...known, faults: [] }))
  // As in an exploration, all single faults come first.
  for (const fault of table.after(known, [], known.twin).flat()) random.learn(modelled({ ...known, faults: [fault] }))
  for (const planned of random.schedules(most)) {
    tried?.(planned.faults)
    const run = modelled(planned)
    random.learn(run)
    if (run.problems.length > 0) break
  }
  return random.tried
}

describe('random schedules', () => {
  const seeds = Array.from({ length: 9 }, (_, index) => index + 1)

  it('find three faults that must follow each other since they are guided by new states', () => {
    const guided = seeds.map((seed) => needed(seed)).toSorted((a, b) => a - b)
    const unguided = seeds.slice(0, 5).map((seed) => needed(seed, { isGuided: false, most: 800 }))
    expect(guided.at(-1)).toBeLessThan(3000)
    expect(guided[4]).toBeLessThan(Math.min(...unguided) / 5)
  })

  it('never repeat, have one to four faults in order, and leave out some kinds', () => {
    const seen = new Set<string>()
    needed(1, {
      isGuided: false,
      most: 500,
      tried: (faults) => {
        const numbers = faults.map(({ at }) => Number(at))
        expect(numbers).toEqual([...new Set(numbers)].toSorted((a, b) => a - b))
        expect([2, 3, 4]).toContain(faults.length)
        const text = scheduleText({ step: 'step', faults })
        expect(seen.has(text)).toBe(false)
        seen.add(text)
      },
    })
    expect(seen.size).toBe(500)
  })

  it('depend on the seed only', () => {
    const texts = (seed: number): readonly string[] => {
      const all: string[] = []
      needed(seed, { most: 50, tried: (faults) => all.push(scheduleText({ step: 'step', faults })) })
      return all
    }
    expect(texts(3)).toEqual(texts(3))
    expect(texts(3)).not.toEqual(texts(4))
  })

  it('end when nothing is left', () => {
    const random = new RandomFaults({ table: new FaultTable(['error']), seed: 1, part: 0 })
    const twin = { ...known.twin, ...course(calls('plain', 2)) }
    random.learn({ ...known, twin, faults: [], outcome: twin, problems: [], states: [] })
    expect([...random.schedules(100)].map(({ faults }) => scheduleText({ step: 'step', faults })).toSorted()).toEqual([
      'step/1/error',
      'step/1/error+2/error',
      'step/2/error',
    ])
  })
})
