import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { simulatedEnv } from '../env/simulated.ts'
import { branch, parallel, pipeline, when } from './compose.ts'
import { execute } from './execute.ts'
import { done, next, wait, type Outcome } from './outcome.ts'
import { named, step, type Step } from './step.ts'

interface Context {
  readonly ran: string[]
  readonly mode?: string
}

const says = (name: string, outcome?: Outcome): Step<Context> =>
  step(name, ({ ran }) => {
    ran.push(name)
    return outcome
  })
const throws = (name: string, error: unknown): Step<Context> =>
  step(name, ({ ran }) => {
    ran.push(name)
    throw error
  })

async function run(
  flow: Step<Context>,
  context: Partial<Context> = {},
): Promise<{ ran: string[]; outcome?: Outcome; error?: unknown }> {
  const ran: string[] = []
  try {
    const { outcome } = await execute(flow, { ran, ...context }, { env: simulatedEnv() })
    return { ran, outcome }
  } catch (error) {
    return { ran, error }
  }
}

describe('a pipeline', () => {
  it('a pipeline runs its steps in order, and goes on after them', async () => {
    expect(await run(pipeline('all', says('a'), says('b', next()), says('c')))).toEqual({
      ran: ['a', 'b', 'c'],
      outcome: next(),
    })
    expect(await run(pipeline('none'))).toEqual({ ran: [], outcome: next() })
  })

  it('a pipeline ends at the first step that stops, with its outcome', async () => {
    expect(await run(pipeline('all', says('a'), says('b', done('enough')), says('c')))).toEqual({
      ran: ['a', 'b'],
      outcome: done('enough'),
    })
    expect(await run(pipeline('all', says('a', wait(5, 'not yet')), says('b')))).toEqual({
      ran: ['a'],
      outcome: wait(5, 'not yet'),
    })
  })

  it('a pipeline ends at the first step that throws', async () => {
    const error = new Error('no')
    expect(await run(pipeline('all', says('a'), throws('b', error), says('c')))).toEqual({ ran: ['a', 'b'], error })
  })

  it('a pipeline of pipelines is the same as a flat one, whatever its steps do', async () => {
    const outcome = fc.constantFrom<'next' | 'done' | 'wait' | 'throw'>('next', 'next', 'next', 'done', 'wait', 'throw')
    type Tree = { readonly leaf: string } | { readonly parts: readonly Tree[] }
    const { tree } = fc.letrec<{ tree: Tree }>((tie) => ({
      tree: fc.oneof(
        { depthSize: 'small' },
        fc.record({ leaf: outcome }),
        fc.record({ parts: fc.array(tie('tree'), { maxLength: 4 }) }),
      ),
    }))
    await fc.assert(
      fc.asyncProperty(tree, async (whole) => {
        let count = 0
        const leaves: Step<Context>[] = []
        const build = (part: Tree): Step<Context> => {
          if ('parts' in part) return pipeline('part', ...part.parts.map(build))
          const name = `${part.leaf} ${count++}`
          const leaf =
            part.leaf === 'throw'
              ? throws(name, name)
              : says(name, { next: next(), done: done(name), wait: wait(1, name) }[part.leaf])
          leaves.push(leaf)
          return leaf
        }
        const nested = build(whole)
        expect(await run(nested)).toEqual(await run(pipeline('flat', ...leaves)))
      }),
    )
  })
})

describe('parallel steps', () => {
  it('all run, and the first that stops counts, in the order in which they are declared', async () => {
    const env = simulatedEnv()
    const slow = step('slow', async ({ ran }: Context) => {
      await new Promise<void>((resolve) => void env.after(10, resolve))
      ran.push('slow')
      return wait(7, 'slow')
    })
    const ran: string[] = []
    const running = execute(parallel('all', says('a'), slow, says('b', done('fast'))), { ran }, { env })
    await env.advanceAsync(10)
    expect((await running).outcome).toEqual(wait(7, 'slow'))
    expect(ran).toEqual(['a', 'b', 'slow'])
  })

  it('all run to their ends although one throws, and what it throws is thrown', async () => {
    const error = new Error('no')
    expect(await run(parallel('all', throws('a', error), says('b', done())))).toEqual({ ran: ['a', 'b'], error })
  })

  it('parallel steps throw what several of them throw together', async () => {
    const errors = [new Error('one'), new Error('two')]
    const { error, ran } = await run(parallel('all', throws('a', errors[0]), says('b'), throws('c', errors[1])))
    expect(ran).toEqual(['a', 'b', 'c'])
    expect(error).toBeInstanceOf(AggregateError)
    expect((error as AggregateError).errors).toEqual(errors)
    expect((error as AggregateError).message).toBe('2 steps of all failed: one; two')
  })
})

describe('when', () => {
  const isFast = ({ mode }: Context): boolean => mode === 'fast'

  it('when() runs one step or the other, or none', async () => {
    expect((await run(when(isFast, says('yes'), says('no')), { mode: 'fast' })).ran).toEqual(['yes'])
    expect((await run(when(isFast, says('yes'), says('no')), { mode: 'slow' })).ran).toEqual(['no'])
    expect(await run(when(async () => false, says('yes', done())))).toEqual({ ran: [], outcome: next() })
    expect(await run(when('hurry', isFast, says('yes', done())), { mode: 'fast' })).toEqual({
      ran: ['yes'],
      outcome: done(),
    })
  })

  it('when() is named after its condition, or as given', () => {
    expect(when(isFast, says('yes')).name).toBe('when isFast')
    expect(when('hurry', isFast, says('yes')).name).toBe('hurry')
  })
})

describe('branch', () => {
  const byMode = branch('mode', ({ mode }: Context) => mode as 'a' | 'b', { a: says('A'), b: says('B', done()) })

  it('branch() runs the step that is chosen', async () => {
    expect(await run(byMode, { mode: 'a' })).toEqual({ ran: ['A'], outcome: next() })
    expect(await run(byMode, { mode: 'b' })).toEqual({ ran: ['B'], outcome: done() })
  })

  it('branch() throws for a case that there is none of, also for one that every object has', async () => {
    expect((await run(byMode, { mode: 'c' })).error).toEqual(new TypeError('mode has no case for "c": it has a, b'))
    expect((await run(byMode, { mode: 'constructor' })).error).toBeInstanceOf(TypeError)
  })
})

describe('a step', () => {
  it('a step may be any function with a name', async () => {
    function applyService({ ran }: Context): void {
      ran.push('service')
    }
    expect((await run(pipeline('all', applyService, named('again', applyService)))).ran).toEqual(['service', 'service'])
    expect(() => pipeline('all', () => undefined)).toThrow('a step needs a name')
    expect(() => step(' ', () => undefined)).toThrow('a step needs a name')
  })

  it('a step that returns something else is an error', async () => {
    const wrong = step('wrong', () => ({ requeueAfter: 5 }) as never)
    expect((await run(wrong)).error).toEqual(
      new TypeError('the step wrong returned {"requeueAfter":5}: return nothing, or next(), done(), wait() or goto()'),
    )
    expect(() => wait(0, 'x')).toThrow('wait(0): give a number of milliseconds above 0')
    expect(() => wait(Infinity, 'x')).toThrow(RangeError)
  })

  it('a step does not begin once the signal has aborted', async () => {
    const stop = new AbortController()
    const ran: string[] = []
    const stops = step('stops', () => stop.abort(new Error('shutdown')))
    await expect(
      execute(pipeline('all', stops, says('a')), { ran }, { env: simulatedEnv(), signal: stop.signal }),
    ).rejects.toThrow('shutdown')
    expect(ran).toEqual([])
  })
})
