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
  readonly #env: Env
  #loops: LoopWatch
  #programs: readonly { readonly keys: FailingKeys; readonly isLive: () => boolean }[] = []
  #count = 0
  #wrongCount: string | undefined

  constructor(store: Store, env: Env) {
    this.#env = env
    this.#loops = new LoopWatch(store, env, this.#sites)
  }

  /** The server was restored. */
  follow(store: Store): void {
    this.#loops.stop()
    this.#loops = new LoopWatch(store, this.#env, this.#sites)
  }

  /** A program begins: the options of its manager. What it failed at is forgotten when it is not live any more. */
  begin(
    controllers: readonly ControllerDefinition[],
    isLive: () => boolean,
  ): Pick<ManagerOptions, 'controllers' | 'onRun'> {
    const keys = new FailingKeys()
    this.#programs = [...this.#programs.filter((each) => each.isLive()), { keys, isLive }]
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
    return this.#programs.flatMap(({ keys, isLive }) => (isLive() ? keys.list : []))
  }

  get retries(): number {
    return this.#programs.reduce((sum, { keys }) => sum + keys.retries, 0)
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
