import { describe, expect, it } from 'vitest'
import { simulatedEnv } from '../../env/simulated.ts'
import { noExternalAnswers, ExternalCall } from '../contract/external-calls.ts'
import { ReplayState, RequestReplay } from './request-replay.ts'

describe('a request that needs answers from outside', () => {
  it('a replayed request stops at a missing result, then gets further with the same ids and time', async () => {
    const env = simulatedEnv()
    const replay = new ReplayState(env)
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
        await replay.answer(error as ExternalCall)
      }
    }
    expect(calls).toEqual(['first', 'second'])
    expect(result).toMatch(new RegExp(`^[-0-9a-f]{36} 1 2 ${started}$`))
  })

  it('a replayed request asks again when the question is another one', async () => {
    const replay = new ReplayState(simulatedEnv())
    await replay.answer(thrown(() => replay.ask('a', () => Promise.resolve(1))))
    expect(replay.ask('a', () => Promise.resolve(2))).toBe(1)
    expect(thrown(() => replay.ask('b', () => Promise.resolve(2))).question).toBe('b')
  })

  it('a replayed request has no answers at first', () => {
    expect(thrown(() => noExternalAnswers('a', () => Promise.resolve(1)))).toBeInstanceOf(ExternalCall)
  })
})

describe('RequestReplay', () => {
  it('RequestReplay answers at once, and without a state, when nothing is asked', () => {
    const states: unknown[] = []
    const replay = new RequestReplay(simulatedEnv(), (state) => states.push(state), false)
    expect(replay.respond()).toBe(1)
    expect(states).toEqual([undefined])
  })

  it('RequestReplay makes each call once, and runs the request n + 2 times for n answers', async () => {
    let [runs, calls] = [0, 0]
    const replay = new RequestReplay(
      simulatedEnv(),
      (state) => {
        runs++
        const ask = state?.ask ?? noExternalAnswers
        return ['a', 'b'].map((question) => ask(question, () => Promise.resolve(++calls)))
      },
      false,
    )
    expect(await replay.respond()).toEqual([1, 2])
    expect([runs, calls]).toEqual([4, 2])
  })

  it('RequestReplay keeps what a request has stored before it asks, and runs one that rejects again', async () => {
    let made = 0
    const replay = new RequestReplay(
      simulatedEnv(),
      async (state) => {
        const first = state?.once(() => ++made)
        await Promise.resolve()
        return [first, state?.ask('a', () => Promise.resolve('answer'))]
      },
      true,
    )
    expect(await replay.respond()).toEqual([1, 'answer'])
    expect(made).toBe(1)
  })

  it('throws what a run or a call throws', async () => {
    const failing = new RequestReplay(
      simulatedEnv(),
      (state) => (state?.ask ?? noExternalAnswers)('a', () => Promise.reject(new Error('no route'))),
      false,
    )
    await expect(failing.respond()).rejects.toThrow('no route')
    const wrong = new RequestReplay(
      simulatedEnv(),
      () => {
        throw new Error('wrong')
      },
      false,
    )
    expect(() => wrong.respond()).toThrow('wrong')
  })
})

function thrown(run: () => unknown): ExternalCall {
  try {
    run()
  } catch (error) {
    return error as ExternalCall
  }
  throw new Error('nothing was thrown')
}
