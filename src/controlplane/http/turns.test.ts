import { describe, expect, it } from 'vitest'
import { Turns } from './turns.ts'

/** Turns with a clock that tests set, and an event loop that tests run. */
function simulated() {
  const loop: (() => void)[] = []
  const clock = { ms: 0 }
  const turns = new Turns({ monotonic: () => clock.ms }, (task) => loop.push(task))
  return { turns, clock, loop, runLoop: () => loop.shift()?.() }
}

describe('turns', () => {
  it('a turn is over after its time, and work outside of a turn waits for one', () => {
    const { turns, clock } = simulated()
    expect(turns.isOver).toBe(true)
    const seen: boolean[] = []
    turns.run(() => {
      for (const ms of [0, 9, 1, 9, 1]) {
        clock.ms += ms
        seen.push(turns.isHalfOver, turns.isOver)
      }
    })
    expect(seen).toEqual([false, false, false, false, true, false, true, false, true, true])
    expect(turns.longestMs).toBe(20)
  })

  it('long work is continued in turns, and other work comes in between', () => {
    const { turns, clock, loop, runLoop } = simulated()
    const order: string[] = []
    const work = (name: string, pieces: number) => {
      const go = (): void => {
        while (pieces-- > 0) {
          order.push(name)
          clock.ms += 15
          if (turns.isOver) {
            if (pieces > 0) turns.later(go)
            return
          }
        }
      }
      return go
    }
    turns.later(work('a', 4))
    turns.later(work('b', 3))
    turns.later(work('c', 1))
    let count = 0
    while (loop.length > 0) {
      runLoop()
      count++
    }
    // A turn lasts two pieces: `c` waits for two turns, not for all pieces of `a` and `b`.
    expect(order.join('')).toBe('aabbcaba')
    expect(count).toBe(4)
    expect(turns.longestMs).toBe(30)
  })
})
