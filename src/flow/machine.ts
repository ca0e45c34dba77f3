/**
 * A state machine of steps. Each phase has a step and the phases that it may lead to. An undeclared edge does not
 * compile; at run time it is an error.
 *
 * Expected flow: the phase is read from the object, its step runs, and a `goto` leads to the next phase, whose step
 * runs in the same run; and so on, until a step ends otherwise. Guarantees: `onTransition` is called for each edge
 * before the next step runs; no edge is taken twice in a run.
 */
import { PermanentError } from '../api/permanent-error.ts'
import type { Outcome } from './outcome.ts'
import { currentScope, type Scope } from './scope.ts'
import { step, stepOf, type Step, type StepLike } from './step.ts'

export interface Transition<Phase extends string = string> {
  readonly from: Phase
  readonly to: Phase
  readonly why: string
}

/** `Edges`: for each phase, the phases that it may lead to. */
export interface MachineOptions<Context, Edges extends Readonly<Record<string, string>>> {
  /** The name in traces and errors. */
  readonly name: string
  /** The phase of objects whose phase is missing or unknown. */
  readonly initial: keyof Edges & string
  /** Reads the phase. */
  readonly phase: (context: Context) => string | undefined
  /** Called for each transition, before the next step: writes the phase, informs users. An error ends the run. */
  readonly onTransition: (context: Context, transition: Transition<keyof Edges & string>) => void | Promise<void>
  /** Runs before the step of each phase, for work that all phases share. Its edges are checked at run time. */
  readonly first?: StepLike<Context, keyof Edges & string> | undefined
  readonly phases: {
    readonly [Phase in keyof Edges]: {
      readonly run: StepLike<Context, NoInfer<Edges[Phase]>>
      readonly to: readonly (Edges[Phase] & keyof NoInfer<Edges>)[]
    }
  }
}

export interface Machine<in Context, Phase extends string = string> extends Step<Context> {
  readonly phases: readonly Phase[]
  readonly edges: readonly (readonly [from: Phase, to: Phase])[]
}

export function machine<Context, Edges extends Readonly<Record<string, string>>>(
  options: MachineOptions<Context, Edges>,
): Machine<Context, keyof Edges & string> {
  type Phase = keyof Edges & string
  const { name, initial, onTransition } = options
  const phases = Object.keys(options.phases) as Phase[]
  const edges = phases.flatMap((from) => options.phases[from].to.map((to) => [from, to as Phase] as const))
  const isPhase = (phase: string | undefined): phase is Phase => phases.includes(phase as Phase)
  for (const phase of [initial, ...edges.map(([, to]) => to)])
    if (!isPhase(phase)) throw new TypeError(`${name} has no phase ${String(phase)}`)
  const first = options.first === undefined ? undefined : stepOf(options.first)

  const runPhase = async (phase: Phase, context: Context, scope: Scope): Promise<Outcome<string>> => {
    const outcome = first === undefined ? undefined : await scope.run(first, context)
    return outcome === undefined || outcome.type === 'next' ? scope.run(options.phases[phase].run, context) : outcome
  }
  const walk = step(name, async (context: Context, scope): Promise<Outcome> => {
    const read = options.phase(context)
    let phase = isPhase(read) ? read : initial
    const taken: Transition<Phase>[] = []
    for (;;) {
      const outcome = await runPhase(phase, context, scope)
      if (outcome.type !== 'goto') return outcome
      const { phase: to, why } = outcome
      const declared = edges.filter((edge) => edge[0] === phase).map((edge) => edge[1])
      if (!isPhase(to) || !declared.includes(to)) throw new UndeclaredEdgeError(name, phase, to, declared)
      if (taken.some((edge) => edge.from === phase && edge.to === to))
        throw new MachineLoopError(name, [...taken, { from: phase, to, why }])
      taken.push({ from: phase, to, why })
      currentScope()?.frame?.transition({ machine: name, from: phase, to, why })
      await onTransition(context, { from: phase, to, why })
      phase = to
    }
  })
  return { ...walk, phases, edges }
}

/** A step went to a phase that its phase does not declare. It is not retried. */
export class UndeclaredEdgeError extends PermanentError {
  constructor(machine: string, from: string, to: string, declared: readonly string[]) {
    const known = declared.length === 0 ? 'nowhere' : declared.join(', ')
    super(`${machine} may not go from ${from} to ${to}: ${from} leads to ${known}`)
    this.name = 'UndeclaredEdgeError'
  }
}

/** A run would take an edge for the second time. It is retried after the backoff, instead of looping in the run. */
export class MachineLoopError extends Error {
  constructor(machine: string, taken: readonly Transition[]) {
    super(`${machine} would take an edge twice: ${taken[0]?.from ?? ''} → ${taken.map(({ to }) => to).join(' → ')}`)
    this.name = 'MachineLoopError'
  }
}
