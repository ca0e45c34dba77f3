/** The reconciles of the program under test: how many there were, which keys keep failing, and whether it loops. */
import type { ControllerDefinition } from '../controller/definition.ts'
import type { Store } from '../controlplane/storage/store.ts'
import type { Env } from '../env/env.ts'
import type { EndedRun } from '../controller/run-result.ts'
import type { ManagerOptions } from '../manager/manager.ts'
import { FailingKeys, type FailingKey } from './failing-keys.ts'
import { LoopWatch } from './loop-watch.ts'
import { WriteSites } from './write-sites.ts'

export class WatchedRuns {
  readonly #sites = new WriteSites()
  readonly #loops: LoopWatch
  #keys = new FailingKeys()
  #count = 0
  #wrongCount: string | undefined

  constructor(store: Store, env: Env) {
    this.#loops = new LoopWatch(store, env, this.#sites)
  }

  /** A program begins: the options of its manager. What its predecessor failed at is forgotten. */
  begin(controllers: readonly ControllerDefinition[]): Pick<ManagerOptions, 'controllers' | 'onRun'> {
    const keys = new FailingKeys()
    this.#keys = keys
    return {
      controllers: this.#sites.of(controllers),
      onRun: (run) => {
        this.#count++
        keys.note(run)
        this.#loops.note(run)
        this.#checkCount(run)
      },
    }
  }

  get failing(): readonly FailingKey[] {
    return this.#keys.list
  }

  get retries(): number {
    return this.#keys.retries
  }

  /** A reconcile loop, or what comes to one: a backoff that never ends. */
  get loop(): string | undefined {
    return this.#loops.found ?? this.#wrongCount
  }

  /** A key that succeeds waits no longer for the next retry because it has failed before. */
  #checkCount({ controller, kind, key, result, failures }: EndedRun): void {
    if ((result.type === 'done' || result.type === 'requeueAfter') && failures > 0)
      this.#wrongCount ??= `${kind} ${key}, controller ${controller}: succeeded, and ${failures} failures still count`
  }

  get count(): number {
    return this.#count
  }

  stop(): void {
    this.#loops.stop()
  }
}
