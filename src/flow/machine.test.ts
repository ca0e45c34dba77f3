import { describe, expect, it } from 'vitest'
import { PermanentError } from '../api/permanent-error.ts'
import { simulatedEnv } from '../env/simulated.ts'
import { pipeline } from './compose.ts'
import { execute } from './execute.ts'
import { machine, MachineLoopError, UndeclaredEdgeError, type Machine, type MachineOptions } from './machine.ts'
import { done, goto, next, wait, type Outcome } from './outcome.ts'
import { step, type Step } from './step.ts'
import type { StepTrace, Trace } from './trace.ts'

interface Context {
  phase?: string
  readonly seen: string[]
  readonly isReady?: boolean
}

const context = (fields: Partial<Context> = {}): Context => ({ seen: [], ...fields })
const reported = ({ seen }: Context, name: string): void => void seen.push(name)

type Edges = { Pending: 'Creating' | 'Failed'; Creating: 'Running' | 'Failed'; Running: 'Failed'; Failed: 'Pending' }

function lifecycle(
  steps: Partial<MachineOptions<Context, Edges>['phases']> = {},
  options: Partial<MachineOptions<Context, Edges>> = {},
): Machine<Context> {
  return machine<Context, Edges>({
    name: 'lifecycle',
    initial: 'Pending',
    phase: ({ phase }) => phase,
    onTransition: (at, { from, to, why }) => {
      at.phase = to
      reported(at, `${from} → ${to}: ${why}`)
    },
    ...options,
    phases: {
      Pending: { run: step('pending', () => goto('Creating', 'valid')), to: ['Creating', 'Failed'] },
      Creating: {
        run: step('creating', ({ isReady }) => (isReady === true ? goto('Running', 'ready') : wait(5, 'not ready'))),
        to: ['Running', 'Failed'],
      },
      Running: { run: step('running', () => done('healthy')), to: ['Failed'] },
      Failed: { run: step('failed', () => goto('Pending', 'again')), to: ['Pending'] },
      ...steps,
    },
  })
}

async function run(flow: Step<Context>, at: Context): Promise<{ outcome: Outcome; trace: Trace }> {
  return execute(flow, at, { env: simulatedEnv() })
}

describe('a machine', () => {
  it('a state machine walks from phase to phase until a step ends otherwise', async () => {
    const at = context({ isReady: true })
    expect((await run(lifecycle(), at)).outcome).toEqual(done('healthy'))
    expect(at.seen).toEqual(['Pending → Creating: valid', 'Creating → Running: ready'])
  })

  it('a state machine goes on where it was', async () => {
    const at = context()
    expect((await run(lifecycle(), at)).outcome).toEqual(wait(5, 'not ready'))
    expect(at.phase).toBe('Creating')
    const later = context({ phase: 'Creating', isReady: true })
    await run(lifecycle(), later)
    expect(later.seen).toEqual(['Creating → Running: ready'])
  })

  it('a state machine begins at the beginning with a phase that it does not have', async () => {
    for (const phase of ['Elsewhere', 'constructor', '', undefined]) {
      const at = context(phase === undefined ? {} : { phase })
      await run(lifecycle(), at)
      expect(at.seen).toEqual(['Pending → Creating: valid'])
    }
  })

  it('a state machine lists its edges', () => {
    expect(lifecycle().phases).toEqual(['Pending', 'Creating', 'Running', 'Failed'])
    expect(lifecycle().edges).toContainEqual(['Failed', 'Pending'])
    expect(lifecycle().edges).toHaveLength(6)
  })

  it('a state machine is a step: what it does not end goes on after it', async () => {
    const at = context({ phase: 'Running' })
    const running = { run: step('running', () => next()), to: ['Failed'] as const }
    await run(
      pipeline(
        'all',
        lifecycle({ Running: running }),
        step('after', (each) => reported(each, 'after')),
      ),
      at,
    )
    expect(at.seen).toEqual(['after'])
  })

  it('a state machine shows transitions between the steps of its trace', async () => {
    const { trace } = await run(lifecycle(), context({ isReady: true }))
    const [whole] = trace.entries as [StepTrace]
    expect(
      whole.entries.map((entry) =>
        entry.type === 'step' ? entry.name : entry.type === 'transition' ? `${entry.from} → ${entry.to}` : '',
      ),
    ).toEqual(['pending', 'Pending → Creating', 'creating', 'Creating → Running', 'running'])
  })
})

describe('an edge that is not declared', () => {
  const outwitted = (phase: string): Step<Context> => step('outwitted', () => goto(phase, 'sneaky') as never)

  it('an edge that is not declared is not taken, and not tried again', async () => {
    const at = context({ phase: 'Running' })
    const thrown = run(lifecycle({ Running: { run: outwitted('Pending'), to: ['Failed'] } }), at)
    await expect(thrown).rejects.toThrow('lifecycle may not go from Running to Pending: Running leads to Failed')
    await expect(thrown).rejects.toBeInstanceOf(UndeclaredEdgeError)
    await expect(thrown).rejects.toBeInstanceOf(PermanentError)
    expect(at).toEqual({ seen: [], phase: 'Running' })
  })

  it('an edge that is not declared is none to a phase that there is not', async () => {
    await expect(
      run(lifecycle({ Pending: { run: outwitted('toString'), to: ['Creating'] } }), context()),
    ).rejects.toThrow('may not go from Pending to toString')
    const { to: _, ...rest } = { to: 0, run: outwitted('Pending') }
    await expect(run(lifecycle({ Failed: { ...rest, to: [] } }), context({ phase: 'Failed' }))).rejects.toThrow(
      'Failed leads to nowhere',
    )
    expect(() => lifecycle({ Failed: { run: outwitted('x'), to: ['Elsewhere' as 'Pending'] } })).toThrow(
      'lifecycle has no phase Elsewhere',
    )
  })

  it('an edge that is not declared is not taken by what runs before each phase either', async () => {
    const first = step('first', ({ isReady }: Context) => (isReady === true ? goto('Failed', 'broken') : undefined))
    const at = context({ phase: 'Creating', isReady: true })
    await expect(
      run(lifecycle({ Failed: { run: step('failed', () => done()), to: ['Pending'] } }, { first }), at),
    ).rejects.toThrow('may not go from Failed to Failed')
    expect(at.seen).toEqual(['Creating → Failed: broken'])
  })
})

describe('a machine that goes round in circles', () => {
  it('a machine that goes round in circles takes no edge twice in a run, and says which way it went', async () => {
    const at = context()
    const creating = { run: step('creating', () => goto('Failed', 'broken')), to: ['Running', 'Failed'] as const }
    const thrown = run(lifecycle({ Creating: creating }), at)
    await expect(thrown).rejects.toThrow(
      'lifecycle would take an edge twice: Pending → Creating → Failed → Pending → Creating',
    )
    await expect(thrown).rejects.toBeInstanceOf(MachineLoopError)
    await expect(thrown).rejects.not.toBeInstanceOf(PermanentError)
    expect(at.seen).toHaveLength(3)
  })
})

describe('whoever is told of transitions', () => {
  it('onTransition may fail, and then the next phase does not run', async () => {
    const at = context({ isReady: true })
    await expect(
      run(lifecycle({}, { onTransition: async () => Promise.reject(new Error('conflict')) }), at),
    ).rejects.toThrow('conflict')
    expect(at.seen).toEqual([])
  })
})
