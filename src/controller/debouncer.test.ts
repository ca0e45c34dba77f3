import { describe, expect, it } from 'vitest'
import { simulatedEnv } from '../env/simulated.ts'
import { Debouncer } from './debouncer.ts'

function debouncing() {
  const env = simulatedEnv({ start: 0 })
  const released: string[] = []
  const debouncer = new Debouncer(env, { quietMs: 100, maxMs: 250 }, (key, priority) =>
    released.push(`${key} ${priority} at ${env.now()}`),
  )
  return { env, released, debouncer }
}

// Known failure: runtime 9.
describe('a debouncer', () => {
  it('a debouncer releases a key once it has been quiet, with its highest priority', () => {
    const { env, released, debouncer } = debouncing()
    debouncer.add('a', -100)
    env.advance(50)
    debouncer.add('a', 0)
    debouncer.add('b', -100)
    env.advance(1000)
    expect(released).toEqual(['a 0 at 150', 'b -100 at 150'])
    expect(env.pending).toBe(0)
  })

  it('a debouncer never holds one back for longer than the maximum, however it is asked for', () => {
    const { env, released, debouncer } = debouncing()
    for (let i = 0; i < 12; i++) {
      debouncer.add('a', 0)
      env.advance(50)
    }
    env.advance(1000)
    expect(released).toEqual(['a 0 at 250', 'a 0 at 500', 'a 0 at 650'])
  })

  it('a debouncer leaves nothing behind when stopped', () => {
    const { env, released, debouncer } = debouncing()
    debouncer.add('a', 0)
    debouncer.stop()
    env.advance(1000)
    expect(released).toEqual([])
    expect(env.pending).toBe(0)
  })
})
