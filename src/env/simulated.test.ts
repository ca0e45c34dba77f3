import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Timer } from './env.ts'
import { afterMicrotasks } from './real.ts'
import { simulatedEnv } from './simulated.ts'

const uuidV4 = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

describe('the simulated clock', () => {
  it('the simulated clock stands still until it is turned', () => {
    const env = simulatedEnv({ start: 1000 })
    expect(env.now()).toBe(1000)
    env.advance(250)
    expect(env.now()).toBe(1250)
    expect(simulatedEnv().now()).toBe(Date.parse('2026-01-01T00:00:00Z'))
  })

  it('the simulated clock fires in the order of due times, ties in the order of making, each at its own time', () => {
    const env = simulatedEnv({ start: 0 })
    const log: string[] = []
    const note = (name: string) => () => log.push(`${name}@${env.now()}`)
    env.after(20, note('c'))
    env.after(10, note('a'))
    env.after(10, note('b'))
    env.after(31, note('late'))
    env.after(-5, note('now'))
    env.advance(30)
    expect(log).toEqual(['now@0', 'a@10', 'b@10', 'c@20'])
    expect(env.now()).toBe(30)
    expect(env.pending).toBe(1)
    expect(env.nextDue).toBe(31)
  })

  it('the simulated clock fires what a task sets, when that is due within the same advance', () => {
    const env = simulatedEnv({ start: 0 })
    const seen: number[] = []
    const tick = (): void => {
      seen.push(env.now())
      env.after(10, tick)
    }
    env.after(10, tick)
    env.advance(35)
    expect(seen).toEqual([10, 20, 30])
  })

  it('the simulated clock does not fire a cancelled timer, also when a task due at the same time cancels it', () => {
    const env = simulatedEnv({ start: 0 })
    const fired: string[] = []
    const others: Timer[] = []
    env.after(5, () => {
      fired.push('first')
      for (const other of others) other.cancel()
    })
    others.push(env.after(5, () => fired.push('second')))
    const third = env.after(6, () => fired.push('third'))
    third.cancel()
    third.cancel()
    expect(env.pending).toBe(2)
    env.advance(10)
    expect(fired).toEqual(['first'])
    expect(env.pending).toBe(0)
  })

  it('the simulated clock loses no timer when tasks throw', () => {
    const env = simulatedEnv({ start: 0 })
    const fired: number[] = []
    env.after(1, () => {
      throw new Error('one')
    })
    env.after(2, () => fired.push(2))
    expect(() => env.advance(1)).toThrow('one')
    env.after(2, () => {
      throw new Error('two')
    })
    env.after(2, () => {
      throw new Error('three')
    })
    env.after(3, () => fired.push(4))
    let caught: unknown
    try {
      env.advance(10)
    } catch (error) {
      caught = error
    }
    expect(caught).toBeInstanceOf(AggregateError)
    expect((caught as AggregateError).errors.map(String)).toEqual(['Error: two', 'Error: three'])
    expect(fired).toEqual([2, 4])
    expect(env.now()).toBe(11)
  })

  it('the simulated clock runs one timer at a time', () => {
    const env = simulatedEnv({ start: 0 })
    const fired: string[] = []
    env.after(5, () => fired.push('a'))
    env.after(5, () => fired.push('b'))
    expect(env.runNext()).toBe(true)
    expect([env.now(), ...fired]).toEqual([5, 'a'])
    expect(env.runNext()).toBe(true)
    expect(env.runNext()).toBe(false)
    expect([env.now(), ...fired]).toEqual([5, 'a', 'b'])
  })

  it('the simulated clock lets promises settle between tasks when asked to', async () => {
    const env = simulatedEnv({ start: 0 })
    const log: string[] = []
    const sleep = (ms: number): Promise<void> => new Promise((resolve) => env.after(ms, resolve))
    const worker = async (name: string, ms: number): Promise<void> => {
      for (let i = 0; i < 3; i++) {
        await sleep(ms)
        for (let hop = 0; hop < 50; hop++) await Promise.resolve()
        log.push(`${name}@${env.now()}`)
      }
    }
    void worker('a', 10)
    void worker('b', 15)
    await env.advanceAsync(45)
    // At 30, b's timer is older: it was set at 15, a's at 20.
    expect(log).toEqual(['a@10', 'b@15', 'a@20', 'b@30', 'a@30', 'b@45'])
  })

  it('the simulated clock refuses to be turned by a task, backwards, or for ever', () => {
    const env = simulatedEnv()
    env.after(1, () => env.advance(1))
    expect(() => env.advance(1)).toThrow('already')
    expect(() => env.advance(-1)).toThrow(RangeError)
    expect(() => env.advance(Number.NaN)).toThrow(RangeError)
    expect(() => env.advance(Infinity)).toThrow(RangeError)
    expect(env.after(Infinity, () => undefined)).toBeDefined()
    expect(env.pending).toBe(0)
    env.advance(1)
  })

  it('the simulated clock says so when time stands still', () => {
    const env = simulatedEnv({ start: 7 })
    const again = (): void => {
      env.after(0, again)
    }
    again()
    expect(() => env.advance(1)).toThrow('stands still at 7')
  })

  it('the simulated clock behaves as a sorted list of timers does, whatever is set and cancelled', () => {
    const commands = fc.array(
      fc.oneof(
        { weight: 4, arbitrary: fc.record({ set: fc.nat(50) }) },
        { weight: 3, arbitrary: fc.record({ cancel: fc.nat(200) }) },
        { weight: 1, arbitrary: fc.record({ turn: fc.nat(30) }) },
      ),
      { maxLength: 300, size: 'max' },
    )
    fc.assert(
      fc.property(commands, (list) => {
        const env = simulatedEnv({ start: 0 })
        const fired: number[] = []
        const timers: Timer[] = []
        const expected: number[] = []
        let model: { id: number; due: number }[] = []
        for (const command of list) {
          if ('set' in command) {
            const id = timers.length
            timers.push(env.after(command.set, () => fired.push(id)))
            model.push({ id, due: env.now() + command.set })
          } else if ('cancel' in command) {
            timers[command.cancel]?.cancel()
            model = model.filter((timer) => timer.id !== command.cancel)
          } else {
            env.advance(command.turn)
            const due = model.filter((timer) => timer.due <= env.now())
            expected.push(...due.sort((a, b) => a.due - b.due || a.id - b.id).map((timer) => timer.id))
            model = model.filter((timer) => timer.due > env.now())
          }
          expect(env.pending).toBe(model.length)
        }
        expect(fired).toEqual(expected)
      }),
      { numRuns: 100 },
    )
  })
})

describe('simulated randomness', () => {
  it('simulated randomness depends on the seed alone', () => {
    const draw = (seed: number): unknown[] => {
      const env = simulatedEnv({ seed })
      return [env.random(), env.random(), env.uuid(), env.uuid()]
    }
    expect(draw(7)).toEqual(draw(7))
    const firsts = new Set(Array.from({ length: 1000 }, (_, seed) => draw(seed)[0]))
    expect(firsts.size).toBe(1000)
    expect(draw(0.5)).not.toEqual(draw(0.25))
  })

  it('simulated randomness keeps UUIDs apart from numbers', () => {
    const a = simulatedEnv({ seed: 3 })
    const b = simulatedEnv({ seed: 3 })
    b.random()
    expect(a.uuid()).toBe(b.uuid())
  })

  it('simulated randomness gives valid UUIDs that do not repeat', () => {
    const env = simulatedEnv()
    const seen = new Set<string>()
    for (let i = 0; i < 10_000; i++) {
      const uuid = env.uuid()
      expect(uuid).toMatch(uuidV4)
      seen.add(uuid)
    }
    expect(seen.size).toBe(10_000)
  })

  it('simulated randomness spreads evenly over [0, 1)', () => {
    const env = simulatedEnv({ seed: 42 })
    const bins = new Uint32Array(16)
    const draws = 160_000
    for (let i = 0; i < draws; i++) {
      const bin = Math.floor(env.random() * 16)
      bins[bin] = (bins[bin] as number) + 1
    }
    expect(bins.reduce((sum, count) => sum + count)).toBe(draws)
    const mean = draws / 16
    const chiSquare = bins.reduce((sum, count) => sum + (count - mean) ** 2 / mean, 0)
    // 15 degrees of freedom: exceeds 37.7 for one seed in a thousand; this seed is fixed.
    expect(chiSquare).toBeLessThan(37.7)
  })
})

describe('real work', () => {
  it('real work stops the clock until it has ended', async () => {
    const env = simulatedEnv()
    const start = env.now()
    let end: () => void = () => undefined
    const work = env.hold(new Promise<void>((resolve) => (end = resolve)))
    let firedAt: number | undefined
    env.after(1000, () => (firedAt = env.now()))
    const advanced = env.advanceAsync(2000)
    for (let turn = 0; turn < 10; turn++) await afterMicrotasks()
    expect([env.now(), firedAt]).toEqual([start, undefined])
    end()
    await Promise.all([work, advanced, env.released()])
    expect([env.now(), firedAt]).toEqual([start + 2000, start + 1000])
  })

  it('real work that fails does not stop the clock any more', async () => {
    const env = simulatedEnv()
    await expect(env.hold(Promise.reject(new Error('refused')))).rejects.toThrow('refused')
    await env.advanceAsync(1)
    expect(env.now()).toBe(simulatedEnv().now() + 1)
  })
})
