import { describe, expect, it } from 'vitest'
import { PermanentError } from '../api/permanent-error.ts'
import { apiError } from '../api/status.ts'
import { pause } from '../env/pause.ts'
import { simulatedEnv } from '../env/simulated.ts'
import { pipeline } from './compose.ts'
import { retried, StepTimeoutError, timed, traced } from './decorators.ts'
import { execute } from './execute.ts'
import { done } from './outcome.ts'
import { step } from './step.ts'
import type { StepTrace } from './trace.ts'

/** Fails this many times, then succeeds. */
function failing(times: number, error: (attempt: number) => unknown = (attempt) => new Error(`failure ${attempt}`)) {
  const at: number[] = []
  return {
    at,
    step: step('call', (_context: object, { env }) => {
      at.push(env.now())
      if (at.length <= times) throw error(at.length)
      return done('well')
    }),
  }
}

describe('a retried step', () => {
  it('a retried step is tried again after a growing pause, until it ends well', async () => {
    const env = simulatedEnv()
    const { at, step: call } = failing(3)
    const running = execute(retried({ maxAttempts: 5, backoff: { baseMs: 100, maxMs: 300 } }, call), {}, { env })
    await env.advanceAsync(2000)
    expect((await running).outcome).toEqual(done('well'))
    const pauses = at.slice(1).map((time, index) => time - (at[index] ?? 0))
    for (const [index, usual] of [100, 200, 300].entries()) {
      expect(pauses[index]).toBeGreaterThanOrEqual(usual * 0.8)
      expect(pauses[index]).toBeLessThanOrEqual(usual * 1.2 + 1)
    }
    expect(env.pending).toBe(0)
  })

  it('a retried step shows each try in the trace', async () => {
    const env = simulatedEnv()
    const running = execute(retried({ maxAttempts: 3 }, failing(1).step), {}, { env })
    await env.advanceAsync(1000)
    const [whole] = (await running).trace.entries as [StepTrace]
    expect(whole.name).toBe('call (up to 3 times)')
    expect((whole.entries as StepTrace[]).map(({ outcome }) => outcome)).toEqual(['error', 'done'])
  })

  it('a retried step throws the last failure when it has been tried often enough', async () => {
    const env = simulatedEnv()
    const { at, step: call } = failing(9)
    const running = expect(execute(retried({}, call), {}, { env })).rejects.toThrow('failure 3')
    await env.advanceAsync(10_000)
    await running
    expect(at).toHaveLength(3)
  })

  it('a retried step is not tried again where that cannot help', async () => {
    for (const error of [new PermanentError('never'), apiError.modified({ group: '', resource: 'pods' }, 'a')]) {
      const { at, step: call } = failing(1, () => error)
      await expect(execute(retried({}, call), {}, { env: simulatedEnv() })).rejects.toBe(error)
      expect(at).toHaveLength(1)
    }
    const { at, step: call } = failing(1)
    await expect(execute(retried({ retry: () => false }, call), {}, { env: simulatedEnv() })).rejects.toThrow(
      'failure 1',
    )
    expect(at).toHaveLength(1)
  })

  it('a retried step stops waiting when the run is aborted', async () => {
    const env = simulatedEnv()
    const stop = new AbortController()
    const { at, step: call } = failing(9)
    const running = expect(
      execute(retried({ maxAttempts: 9 }, call), {}, { env, signal: stop.signal }),
    ).rejects.toThrow('shutdown')
    await env.advanceAsync(1)
    stop.abort(new Error('shutdown'))
    await running
    expect(at).toHaveLength(1)
    expect(env.pending).toBe(0)
    expect(() => retried({ maxAttempts: 0 }, call)).toThrow('attempts is 0')
  })
})

describe('a timed step', () => {
  it('a timed step is aborted, and fails with a timeout', async () => {
    const env = simulatedEnv()
    const patient = step('patient', async (_context: object, { signal }) => {
      await pause(env, 60_000, signal)
      signal.throwIfAborted()
    })
    const running = expect(execute(timed(5000, patient), {}, { env })).rejects.toThrow(
      new StepTimeoutError('patient', 5000),
    )
    await env.advanceAsync(4999)
    expect(env.pending).toBe(2)
    await env.advanceAsync(1)
    await running
    expect(env.pending).toBe(0)
  })

  it('a timed step is waited for, and may end well after all', async () => {
    const env = simulatedEnv()
    const stubborn = step('stubborn', async () => {
      await pause(env, 60_000)
      return done('at last')
    })
    let ended = false
    const running = execute(timed(5000, stubborn), {}, { env }).finally(() => (ended = true))
    await env.advanceAsync(59_999)
    expect(ended).toBe(false)
    await env.advanceAsync(1)
    expect((await running).outcome).toEqual(done('at last'))
  })

  it('a timed step keeps what it threw in time, and leaves no timer', async () => {
    const env = simulatedEnv()
    await expect(execute(timed(5000, failing(1).step), {}, { env })).rejects.toThrow('failure 1')
    await execute(timed(5000, failing(0).step), {}, { env })
    expect(env.pending).toBe(0)
    expect(() => timed(0, failing(0).step)).toThrow('timed(0)')
  })

  it('a timed step leaves the abort of the run itself what it is', async () => {
    const env = simulatedEnv()
    const stop = new AbortController()
    const patient = step('patient', async (_context: object, { signal }) => {
      await pause(env, 60_000, signal)
      signal.throwIfAborted()
    })
    const running = expect(execute(timed(5000, patient), {}, { env, signal: stop.signal })).rejects.toThrow('shutdown')
    await env.advanceAsync(1)
    stop.abort(new Error('shutdown'))
    await running
    expect(env.pending).toBe(0)
  })

  it('a timed step gives its steps no more time than those around it have', async () => {
    const env = simulatedEnv()
    const patient = step('patient', async (_context: object, { signal }) => {
      await pause(env, 60_000, signal)
      signal.throwIfAborted()
    })
    const running = expect(execute(timed(100, pipeline('inner', timed(5000, patient))), {}, { env })).rejects.toThrow(
      'took longer than 100 ms',
    )
    await env.advanceAsync(100)
    await running
  })
})

describe('a traced step', () => {
  it('a traced step records its inputs, and masks secrets', async () => {
    const given = traced(
      ({ image }: { image: string }) => ({ image, password: 'hunter2', missing: undefined, long: 'x'.repeat(500) }),
      step('apply', (_context: object, { note }) => note({ ready: 2, token: 'abc' })),
    )
    const { trace } = await execute(given, { image: 'nginx' }, { env: simulatedEnv() })
    const [apply] = trace.entries as [StepTrace]
    expect(apply.inputs).toEqual({ image: 'nginx', password: '***', long: `${'x'.repeat(119)}…` })
    expect(apply.notes).toEqual({ ready: 2, token: '***' })
  })
})
