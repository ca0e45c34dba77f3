import { describe, expect, it } from 'vitest'
import { simulatedEnv } from '../env/simulated.ts'
import { ProcessEnv } from './process-env.ts'

describe('the time of a process', () => {
  it('has a wall clock of its own', () => {
    const machine = simulatedEnv({ start: 10_000 })
    const env = new ProcessEnv(machine)
    env.setClock(-4000)
    machine.advance(500)
    expect([env.now(), env.monotonic(), machine.now()]).toEqual([6500, 10_500, 10_500])
  })

  it('has timers that wait while it is stopped, and fire in order when it goes on', async () => {
    const machine = simulatedEnv({ start: 0 })
    const env = new ProcessEnv(machine)
    const fired: string[] = []
    const fires = (name: string) => () => void fired.push(`${name} at ${env.now()}`)
    env.after(10, fires('first'))
    env.after(30, fires('late'))
    const cancelled = env.after(40, fires('cancelled'))
    env.after(50, fires('later'))
    env.after(200, fires('last'))
    await machine.advanceAsync(20)
    env.stop()
    const running = env.running().then(() => fired.push('running'))
    await machine.advanceAsync(80)
    cancelled.cancel()
    expect(fired).toEqual(['first at 10'])
    env.resume()
    await machine.advanceAsync(100)
    await running
    expect(fired).toEqual(['first at 10', 'running', 'late at 100', 'later at 100', 'last at 200'])
    expect(machine.pending).toBe(0)
  })
})
