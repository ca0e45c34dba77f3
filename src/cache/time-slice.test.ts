import { describe, expect, it } from 'vitest'
import { simulatedEnv } from '../env/simulated.ts'
import { TimeSlice } from './time-slice.ts'

describe('taking turns', () => {
  it('taking turns ends a turn eight milliseconds after the first step of anybody who shares it', async () => {
    const env = simulatedEnv()
    const turn = new TimeSlice(env)
    const log: string[] = []
    const work = async (name: string, steps: number): Promise<void> => {
      for (let i = 0; i < steps; i++) {
        env.advance(1)
        log.push(name)
        if (turn.isOver(16)) {
          log.push('|')
          await turn.others()
        }
      }
    }
    await Promise.all([work('a', 20), work('b', 4)])
    // b starts after the slice of a is used up, and does one step at a time until a is done.
    expect(log.join('')).toBe('aaaaaaaaa|b|aaaaaaaaa|b|aabb')
  })

  it('taking turns ends a turn after a thousand steps where the clock stands still', async () => {
    const turn = new TimeSlice(simulatedEnv())
    let steps = 1
    while (!turn.isOver()) steps++
    expect(steps).toBeGreaterThanOrEqual(1000)
    expect(steps).toBeLessThan(1016)
    expect(turn.isOver()).toBe(true)
    await turn.others()
    expect(turn.isOver()).toBe(false)
  })
})
