/** Tests of the types of flows, by the compiler: `npm test` type-checks this file. */
import { describe, expectTypeOf, it } from 'vitest'
import { branch, parallel, pipeline, when } from './compose.ts'
import { retried, timed, traced } from './decorators.ts'
import { machine, type Machine, type MachineOptions } from './machine.ts'
import { goto, wait, type Done, type Next, type Outcome, type Wait } from './outcome.ts'
import { named, step, type Step, type StepLike } from './step.ts'

interface Context {
  readonly object: { readonly mode: 'a' | 'b'; readonly phase?: string }
}

const plain = step('plain', (_context: Context) => undefined)
const toRunning = step('toRunning', async (_context: Context) => goto('Running', 'ready'))
async function toFailed({ object }: Context) {
  return object.mode === 'a' ? goto('Failed', 'broken') : wait(5, 'not yet')
}

describe('a step', () => {
  it('the type of a step knows what it works with and where it may go', () => {
    expectTypeOf(plain).toEqualTypeOf<Step<Context>>()
    expectTypeOf(toRunning).toEqualTypeOf<Step<Context, 'Running'>>()
    expectTypeOf(named('x', toFailed)).toEqualTypeOf<Step<Context, 'Failed'>>()
    expectTypeOf<Step<Context>>().toExtend<Step<Context, 'Running'>>()
    expectTypeOf<Step<Context, 'Running'>>().not.toExtend<Step<Context>>()
    expectTypeOf<Step<object>>().toExtend<Step<Context>>()
    expectTypeOf<Step<Context>>().not.toExtend<Step<object>>()
  })

  it('the type of a step may end in four ways', () => {
    expectTypeOf<Next | Done | Wait>().toExtend<Outcome>()
    expectTypeOf(goto('Running', '')).not.toExtend<Outcome>()
    expectTypeOf<() => boolean>().not.toExtend<StepLike<Context>>()
    expectTypeOf<() => { requeueAfter: number }>().not.toExtend<StepLike<Context>>()
  })
})

describe('steps made of steps', () => {
  it('composed steps go wherever one of theirs may go', () => {
    expectTypeOf(pipeline('all', plain, toRunning, toFailed)).toEqualTypeOf<Step<Context, 'Running' | 'Failed'>>()
    expectTypeOf(pipeline('all', plain)).toEqualTypeOf<Step<Context>>()
    expectTypeOf(parallel('all', pipeline('both', toRunning, toFailed), plain)).toEqualTypeOf<
      Step<Context, 'Running' | 'Failed'>
    >()
    expectTypeOf(when(({ object }: Context) => object.mode === 'a', toRunning, toFailed)).toEqualTypeOf<
      Step<Context, 'Running' | 'Failed'>
    >()
    expectTypeOf(when('x', ({ object }: Context) => object.mode === 'a', toRunning)).toEqualTypeOf<
      Step<Context, 'Running'>
    >()
    expectTypeOf(
      retried(
        {},
        timed(
          5,
          traced(({ object }) => ({ mode: object.mode }), toRunning),
        ),
      ),
    ).toEqualTypeOf<Step<Context, 'Running'>>()
  })

  it('composed steps need the most that one of theirs needs', () => {
    const modest = step('modest', (_context: object) => undefined)
    expectTypeOf(pipeline('all', modest, plain)).toEqualTypeOf<Step<Context>>()
    expectTypeOf(pipeline('all', plain, modest)).toEqualTypeOf<Step<Context>>()
  })

  it('composed steps of a branch have a step for each case', () => {
    const choose = ({ object }: Context) => object.mode
    expectTypeOf(branch('mode', choose, { a: plain, b: toRunning })).toEqualTypeOf<Step<Context, 'Running'>>()
    type Choose = Parameters<typeof branch<Context, { a: Step<Context> }>>[1]
    expectTypeOf<(context: Context) => 'a'>().toExtend<Choose>()
    expectTypeOf<typeof choose>().not.toExtend<Choose>()
  })
})

describe('a machine', () => {
  const onTransition = () => undefined
  const phase = ({ object }: Context) => object.phase

  it('the type of a machine knows its phases', () => {
    const lifecycle = machine({
      name: 'lifecycle',
      initial: 'Pending',
      phase,
      onTransition,
      phases: {
        Pending: { run: pipeline('pending', plain, toRunning), to: ['Running', 'Failed'] },
        Running: { run: toFailed, to: ['Failed'] },
        Failed: { run: plain, to: [] },
      },
    })
    expectTypeOf(lifecycle).toEqualTypeOf<Machine<Context, 'Pending' | 'Running' | 'Failed'>>()
    expectTypeOf(lifecycle).toExtend<Step<Context>>()
  })

  it('a machine with an undeclared edge or an unknown phase does not compile', () => {
    type Phases = MachineOptions<Context, { Pending: 'Running'; Running: never }>['phases']
    expectTypeOf<{
      Pending: { run: typeof toRunning; to: ['Running'] }
      Running: { run: typeof plain; to: [] }
    }>().toExtend<Phases>()
    expectTypeOf<{
      Pending: { run: Step<Context, 'Failed'>; to: ['Running'] }
      Running: { run: typeof plain; to: [] }
    }>().not.toExtend<Phases>()
    expectTypeOf<{
      Pending: { run: typeof toRunning; to: ['Running'] }
      Running: { run: typeof toRunning; to: [] }
    }>().not.toExtend<Phases>()
    type Astray = MachineOptions<Context, { Pending: 'Elsewhere' }>['phases']
    expectTypeOf<{ Pending: { run: typeof plain; to: ['Elsewhere'] } }>().not.toExtend<Astray>()
    expectTypeOf<'Elsewhere'>().not.toExtend<
      MachineOptions<Context, { Pending: 'Running'; Running: never }>['initial']
    >()
  })
})
