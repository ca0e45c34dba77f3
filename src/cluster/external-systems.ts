/** The external systems around a test cluster: models in memory, or real ones. */
import { unguarded } from './user-code.ts'
import type { SimulatedEnv } from '../env/simulated.ts'
import type { ControllerDefinition } from '../controller/definition.ts'
import type { Task } from '../manager/manager-options.ts'
import type { Webhook } from '../webhooks/webhook-server.ts'
import { connected, invoke, type ExternalCall, type ExternalModel, type ExternalSystem } from '../external/external.ts'

/** A model, or the system itself, which is then really called. */
export type TestedExternal = ExternalModel | ExternalSystem

/** What may declare external systems. */
export interface DeclaringProgram {
  readonly controllers: readonly ControllerDefinition[]
  readonly tasks?: readonly Task[] | undefined
  readonly webhooks?: readonly Webhook[] | undefined
}

/** The systems that a program declares, and who does. */
export function declaredExternals({
  controllers,
  tasks = [],
  webhooks = [],
}: DeclaringProgram): readonly { readonly who: string; readonly system: ExternalSystem }[] {
  const of = (who: string, systems: readonly ExternalSystem[] = []): ReturnType<typeof declaredExternals> =>
    systems.map((system) => ({ who, system }))
  return [
    ...controllers.flatMap(({ name, externals }) => of(`the controller ${name}`, externals)),
    ...tasks.flatMap(({ name, uses }) => of(`the task ${name}`, uses)),
    ...webhooks.flatMap((each) =>
      each.type === 'conversion' ? [] : of(`the webhook ${each.path}`, each.options.uses),
    ),
  ]
}

export class ExternalSystems {
  readonly #env: SimulatedEnv
  /** By name. Undefined: it is really called. */
  #models: ReadonlyMap<string, unknown> = new Map()
  readonly #given: readonly TestedExternal[]

  /** `states`: those of a snapshot, by name. */
  constructor(env: SimulatedEnv, given: readonly TestedExternal[], states: Readonly<Record<string, unknown>> = {}) {
    this.#env = env
    this.#given = given
    this.reset(states)
  }

  /** The models begin again, with these states. */
  reset(states: Readonly<Record<string, unknown>> = {}): void {
    this.#models = new Map(
      this.#given.map((each) => [each.name, 'make' in each ? each.make(copied(states[each.name])) : undefined]),
    )
  }

  /** Throws for systems that the program uses and that are neither modelled nor really called. */
  check(program: DeclaringProgram): void {
    for (const { who, system } of declaredExternals(program))
      if (!this.#models.has(system.name))
        throw new Error(
          `${who} uses the external system ${system.name}, and the test gives none: pass externals: ` +
            `[${system.name}.model(() => …)] with an implementation in memory, or ` +
            `externals: [${system.name}] to call it`,
        )
  }

  /** The clock stands still while a real system is called. */
  readonly carryOut = async (call: ExternalCall): Promise<unknown> => {
    const { name } = call.system
    const model = this.#models.get(name)
    if (model !== undefined) return invoke(name, model, call.method, call.args)
    return this.#env.hold(unguarded(() => connected(call)))
  }

  model<Model>({ name }: ExternalModel<Model>): Model {
    const model = this.#models.get(name)
    if (model === undefined) throw new Error(`the cluster has no model of ${name}: pass it in externals`)
    return model as Model
  }

  /** A copy of the state of each model, by name. */
  states(): Readonly<Record<string, unknown>> {
    const modelled = [...this.#models].filter(([, model]) => model !== undefined)
    return Object.fromEntries(modelled.map(([name, model]) => [name, copied((model as { state(): unknown }).state())]))
  }
}

/** By JSON: a state that does not survive it cannot be compared either. */
function copied(state: unknown): unknown {
  return state === undefined ? undefined : (JSON.parse(JSON.stringify(state)) as unknown)
}
