/**
 * Records the external calls that a program would make. None leaves the process: a model answers, if there is one;
 * otherwise the run ends at the call, since nobody knows what comes after it.
 */
import type { Json } from '../api/json.ts'
import { declaredExternals, type DeclaringProgram, type TestedExternal } from '../cluster/external-systems.ts'
import { RunEnded } from '../external/external-error.ts'
import type { CarryOut, ExternalCall, ExternalModel } from '../external/external.ts'
import { withoutSecrets } from '../flow/mask.ts'

export interface PlannedCall {
  /** The name of the controller, or the path of the webhook. */
  readonly controller: string
  /** The reconciled or reviewed object: `Cache default/c1`. */
  readonly object: string
  readonly system: string
  readonly method: string
  /** As JSON, with secrets masked. */
  readonly args: readonly Json[]
  /** Whether the plan stops here for this object: what the operator does after the call is not known. */
  readonly isEnd: boolean
}

export class CallRecorder {
  readonly #models: readonly ExternalModel[]
  readonly #modelled: ReadonlySet<string>
  readonly #seen = new Set<string>()
  #calls: PlannedCall[] = []

  constructor(models: readonly ExternalModel[]) {
    this.#models = models
    this.#modelled = new Set(models.map(({ name }) => name))
  }

  /** The models, and the systems that have none. */
  systems(program: DeclaringProgram): readonly TestedExternal[] {
    const declared = declaredExternals(program).map(({ system }) => system)
    return [...this.#models, ...declared.filter(({ name }) => !this.#modelled.has(name))]
  }

  readonly between =
    (inner: CarryOut): CarryOut =>
    async (call) => {
      const isEnd = !this.#modelled.has(call.system.name)
      if (isEnd || !call.isRead) this.#note(call, isEnd)
      if (isEnd) throw notMade()
      return inner(call)
    }

  /** While the state is copied, nothing is recorded, and no model answers: its state would change. */
  readonly silent = (): CarryOut => () => Promise.reject(notMade())

  /** What was recorded since the last call, without repetitions: a run that ended here may come here again. */
  take(): readonly PlannedCall[] {
    const taken = this.#calls
    this.#calls = []
    return taken
  }

  #note({ controller, object, system, method, args }: ExternalCall, isEnd: boolean): void {
    const call = { controller, object, system: system.name, method, args: args.map(shown), isEnd }
    const text = JSON.stringify(call)
    if (this.#seen.has(text)) return
    this.#seen.add(text)
    this.#calls.push(call)
  }
}

function shown(value: unknown): Json {
  return withoutSecrets(JSON.parse(JSON.stringify(value) ?? 'null') as Json)
}

function notMade(): RunEnded {
  return new RunEnded('a plan makes no external calls')
}
