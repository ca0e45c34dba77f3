/** The last runs of each controller and their triggers, for the debug page. */
import { keyText, type ApiObject } from '../api/live-object.ts'
import type { ReconcileContext } from '../controller/context.ts'
import type { ControllerDefinition, Reconcile } from '../controller/definition.ts'
import { messageOf } from '../controller/errors.ts'
import type { ReconcileResult, Requeue } from '../controller/result.ts'
import type { Triggers } from '../controller/triggers.ts'

export interface PastRun {
  readonly key: string
  readonly reconcileId: string
  /** Milliseconds since the epoch. */
  readonly startedAt: number
  readonly attempt: number
  readonly triggers: Triggers
  /** Undefined: it is running. */
  readonly ended?: { readonly at: number; readonly outcome: string }
}

/** The maximum of runs per controller. */
const maxRuns = 20

export class RunHistory {
  readonly #runs: PastRun[] = []

  /** Newest first. */
  get runs(): readonly PastRun[] {
    return [...this.#runs].reverse()
  }

  /** The same controller with its runs recorded here. */
  noting<T extends ApiObject>(definition: ControllerDefinition<T>): ControllerDefinition<T> {
    const finalizers = definition.finalizers.map((finalizer) => ({
      ...finalizer,
      cleanup: this.#noted(finalizer.cleanup, `${finalizer.name}: `),
    }))
    return { ...definition, finalizers, reconcile: this.#noted(definition.reconcile, '') }
  }

  #noted<T extends ApiObject>(reconcile: Reconcile<T>, what: string): Reconcile<T> {
    return async (context) => {
      const end = this.#begin(context)
      try {
        const result = await reconcile(context)
        end(what + outcomeOf(result))
        return result
      } catch (error) {
        end(`${what}failed: ${messageOf(error)}`)
        throw error
      }
    }
  }

  #begin<T extends ApiObject>({
    key,
    reconcileId,
    attempt,
    triggers,
    now,
  }: ReconcileContext<T>): (outcome: string) => void {
    const run: { -readonly [Field in keyof PastRun]: PastRun[Field] } = {
      key: keyText(key),
      reconcileId,
      attempt,
      triggers,
      startedAt: now(),
    }
    this.#runs.push(run)
    if (this.#runs.length > maxRuns) this.#runs.shift()
    return (outcome) => {
      run.ended = { at: now(), outcome }
    }
  }
}

/** For any returned value; it is validated later. */
function outcomeOf(result: ReconcileResult): string {
  const after = (result as Requeue | undefined)?.requeueAfterMs
  return after === undefined ? 'done' : `again in ${after / 1000} s`
}
