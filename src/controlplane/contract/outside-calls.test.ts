import { describe, expect, it } from 'vitest'
import { simulatedEnv } from '../../env/simulated.ts'
import { askNothing, OutsideCall, Replay } from './outside-calls.ts'

describe('a request that needs answers from outside', () => {
  it('stops where one is missing, and comes further each time, with the same ids and the same time', async () => {
    const env = simulatedEnv()
    const replay = new Replay(env)
    const calls: string[] = []
    const run = (): string => {
      const id = replay.env.uuid()
      const first = replay.ask(`first ${id}`, () => Promise.resolve(calls.push('first')))
      const second = replay.ask(`second ${id} ${replay.env.random()}`, () => Promise.resolve(calls.push('second')))
      return `${id} ${first} ${second} ${replay.env.now()}`
    }
    const started = env.now()
    let result: string | undefined
    for (let runs = 0; result === undefined && runs < 5; runs++) {
      try {
        result = run()
      } catch (error) {
        env.advance(1_000)
        await replay.answer(error as OutsideCall)
      }
    }
    expect(calls).toEqual(['first', 'second'])
    expect(result).toMatch(new RegExp(`^[-0-9a-f]{36} 1 2 ${started}$`))
  })

  it('asks anew when the question is another one', async () => {
    const replay = new Replay(simulatedEnv())
    await replay.answer(thrown(() => replay.ask('a', () => Promise.resolve(1))))
    expect(replay.ask('a', () => Promise.resolve(2))).toBe(1)
    expect(thrown(() => replay.ask('b', () => Promise.resolve(2))).question).toBe('b')
  })

  it('has no answers at first', () => {
    expect(thrown(() => askNothing('a', () => Promise.resolve(1)))).toBeInstanceOf(OutsideCall)
  })
})

function thrown(run: () => unknown): OutsideCall {
  try {
    run()
  } catch (error) {
    return error as OutsideCall
  }
  throw new Error('nothing was thrown')
}
