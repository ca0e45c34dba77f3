/**
 * What a controller remembers from one run of a key to the next. All of it is lost with the process, so nothing here
 * may be needed for correctness: it saves calls, counts failures and finds loops.
 *
 * A key is forgotten when its object is gone, and when another replica takes it over.
 */
import { AppliedMemory } from './applied-memory.ts'
import { Checkpoints } from './checkpoint.ts'
import { LoopDetector, type RunWrites } from './loop-detector.ts'
import { WriteEchoes, type Echo } from './write-echoes.ts'
import type { Triggers } from './triggers.ts'

export class RunLedger {
  /** What was applied last, by owner. */
  readonly applied = new AppliedMemory()
  /** The inputs of runs that found nothing to do. */
  readonly checkpoints = new Checkpoints()
  /** When a postponed status must be written, by key, in milliseconds since the epoch. */
  readonly statusDueAt = new Map<string, number>()
  readonly #failures = new Map<string, number>()
  readonly #loops = new LoopDetector()
  /** Undefined: events caused by the controller's own writes trigger the key again. */
  readonly #echoes: WriteEchoes | undefined

  constructor({ skipEchoes }: { readonly skipEchoes: boolean }) {
    this.#echoes = skipEchoes ? new WriteEchoes() : undefined
  }

  /** The number of consecutive failed runs of the key. */
  failures(key: string): number {
    return this.#failures.get(key) ?? 0
  }

  addFailure(key: string): void {
    this.#failures.set(key, this.failures(key) + 1)
  }

  resetFailures(key: string): void {
    this.#failures.delete(key)
  }

  /** Defined if the cache only shows what the last run of the key wrote. */
  echo(key: string, triggers: Triggers): Echo | undefined {
    return this.#echoes?.match(key, triggers)
  }

  /** Events of these versions will be echoes. `dueAt`: the time of the requeue that the run asked for. */
  expectEchoes(key: string, versions: readonly string[], dueAt: number | undefined): void {
    this.#echoes?.expect(key, versions, dueAt)
  }

  forgetEchoes(key: string): void {
    this.#echoes?.forget(key)
  }

  /** Describes the loop if this run is one too many in it. */
  findLoop(key: string, trace: RunWrites, triggers: Triggers, now: number): string | undefined {
    return this.#loops.note(key, trace, triggers, now)
  }

  /** The object is gone. */
  forgetObject(key: string): void {
    this.applied.forget(key)
    this.checkpoints.forget(key)
    this.statusDueAt.delete(key)
    this.#loops.forget(key)
    this.#echoes?.forget(key)
  }

  /** Another replica works on the key now: the state of this one is outdated. */
  forget(key: string): void {
    this.forgetObject(key)
    this.#failures.delete(key)
  }
}
