import { describe, expect, it } from 'vitest'
import { simulatedEnv } from '../env/simulated.ts'
import { Backoff } from './backoff.ts'

describe('backoff', () => {
  it('backoff doubles from 0.8 s to 30 s, each stretched to at most twice', () => {
    for (let seed = 0; seed < 50; seed++) {
      const env = simulatedEnv({ seed })
      const backoff = new Backoff(env)
      for (const least of [800, 1600, 3200, 6400, 12_800, 25_600, 30_000, 30_000]) {
        const ms = backoff.next()
        expect(ms).toBeGreaterThanOrEqual(least)
        expect(ms).toBeLessThan(2 * least)
        env.advance(ms)
      }
    }
  })

  it('backoff starts again after two minutes without a failure, not before', () => {
    const env = simulatedEnv()
    const backoff = new Backoff(env)
    for (let i = 0; i < 8; i++) backoff.next()
    env.advance(120_000)
    expect(backoff.next()).toBeGreaterThanOrEqual(30_000)
    env.advance(120_001)
    expect(backoff.next()).toBeLessThan(1600)
  })

  it('backoff starts again after two minutes, although the clock was set back', () => {
    const env = simulatedEnv()
    const backoff = new Backoff(env)
    for (let i = 0; i < 8; i++) backoff.next()
    env.setClock(-3_600_000)
    env.advance(120_001)
    expect(backoff.next()).toBeLessThan(1600)
  })

  it('backoff spreads those who fail together', () => {
    const firsts = new Set(
      Array.from({ length: 100 }, (_, seed) => Math.floor(new Backoff(simulatedEnv({ seed })).next() / 80)),
    )
    expect(firsts.size).toBeGreaterThanOrEqual(9)
  })
})
