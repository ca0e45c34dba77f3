/**
 * Checkpoints: how a reconcile recognises that it would find nothing to do.
 *
 * Expected flow: a run that finds everything as desired, with nothing to write and nothing to wait for, saves its
 * inputs: everything that its decisions depend on. A later run reads the same objects from the cache and asks whether
 * they are unchanged. If so, it may end there, since the same inputs lead to the same result.
 *
 * Guarantees
 * - A checkpoint belongs to one object (by uid). It is lost with the process, with the object, when another replica
 *   takes the key over, and when a run throws: then the next run does all its work.
 * - It lasts only from run to run: a run that neither finds it unchanged nor saves one drops it.
 *
 * Assumptions: the inputs are complete. Changes of anything else go unnoticed: the time, the response of an external
 * system, an object that the reconcile does not list.
 */
import { equalJson } from '../api/json.ts'

/**
 * By name, in any order. API objects are compared by uid and resourceVersion, lists item by item, everything else by
 * value, as JSON. Objects that the cache has not replaced are identical, which is the fast case.
 */
export type CheckpointInputs = Readonly<Record<string, unknown>>

/** The checkpoint of the reconciled object. */
export interface Checkpoint {
  /** Whether the last run saved a checkpoint. If not, there is no need to collect inputs. */
  readonly isSaved: boolean
  /** Whether a checkpoint is saved and all its inputs are unchanged. It is then kept for the next run. */
  isUnchanged(inputs: CheckpointInputs): boolean
  /** Replaces the checkpoint, if the run ends without an error. */
  save(inputs: CheckpointInputs): void
}

/** The checkpoint of one run. */
export class RunCheckpoint implements Checkpoint {
  /** Left by the run before. */
  saved: CheckpointInputs | undefined
  /** Left for the next run. */
  kept: CheckpointInputs | undefined = undefined

  constructor(saved?: CheckpointInputs) {
    this.saved = saved
  }

  get isSaved(): boolean {
    return this.saved !== undefined
  }

  isUnchanged(inputs: CheckpointInputs): boolean {
    const isSame = this.saved !== undefined && sameInputs(this.saved, inputs)
    // The new ones are equal, and the cache holds them already: they are identical next time.
    if (isSame) this.kept = inputs
    return isSame
  }

  save(inputs: CheckpointInputs): void {
    this.kept = inputs
  }
}

/** The checkpoints of all keys of a controller. */
export class Checkpoints {
  readonly #byKey = new Map<string, { readonly uid: string | undefined; readonly inputs: CheckpointInputs }>()

  /** The checkpoint is taken out: a run that throws leaves none. */
  take(key: string, uid: string | undefined): CheckpointInputs | undefined {
    const saved = this.#byKey.get(key)
    if (saved === undefined) return undefined
    this.#byKey.delete(key)
    return saved.uid === uid ? saved.inputs : undefined
  }

  put(key: string, uid: string | undefined, inputs: CheckpointInputs | undefined): void {
    if (inputs !== undefined) this.#byKey.set(key, { uid, inputs })
  }

  forget(key: string): void {
    this.#byKey.delete(key)
  }
}

function sameInputs(saved: CheckpointInputs, inputs: CheckpointInputs): boolean {
  for (const name in saved) if (!sameInput(saved[name], inputs[name])) return false
  for (const name in inputs) if (!Object.hasOwn(saved, name) && inputs[name] !== undefined) return false
  return true
}

function sameInput(saved: unknown, input: unknown): boolean {
  if (saved === input) return true
  if (Array.isArray(saved) && Array.isArray(input))
    return saved.length === input.length && saved.every((item, index) => sameInput(item, input[index]))
  const [before, now] = [versionOf(saved), versionOf(input)]
  return before === undefined || now === undefined ? equalJson(saved, input) : before === now
}

/** The version of an API object. */
function versionOf(value: unknown): string | undefined {
  const { uid, resourceVersion } =
    (value as { metadata?: { uid?: unknown; resourceVersion?: unknown } } | null)?.metadata ?? {}
  return typeof uid === 'string' && typeof resourceVersion === 'string' ? `${uid} ${resourceVersion}` : undefined
}
