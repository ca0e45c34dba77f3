/**
 * The instances of the program under test: one, unless another one is started beside it. With leader election all but
 * one are standbys.
 */
import { LeaseLostError } from '../manager/manager-errors.ts'
import { unguarded } from './user-code.ts'
import type { OperatorUnderTest } from './operator-under-test.ts'

/** Makes a program, not started yet. `die` kills it, and starts its successor. */
export type MakeProgram = (die: () => void, isLive: () => boolean) => OperatorUnderTest

export class Instances {
  readonly #make: MakeProgram
  /** Oldest first. */
  readonly #live: OperatorUnderTest[] = []
  /** Programs that died: they end as the clock advances. */
  readonly #dead = new Set<OperatorUnderTest>()

  constructor(make: MakeProgram) {
    this.#make = make
  }

  /** The one that leads; otherwise the newest. */
  get current(): OperatorUnderTest {
    const found = this.#live.find(({ isLeading }) => isLeading) ?? this.#live.at(-1)
    if (found === undefined) throw new Error('the embedded cluster has been stopped')
    return found
  }

  /** Those whose work is waited for: while somebody leads, nobody waits for a standby. */
  get awaited(): readonly OperatorUnderTest[] {
    const running = this.#live.filter(({ isStopped, isEnding }) => !isStopped && !isEnding)
    if (!running.some(({ isLeading }) => isLeading)) return running
    return running.filter(({ manager }) => manager.state !== 'standby')
  }

  /** Its first requests are sent before it returns. A fault at one of them replaces it. */
  start(): OperatorUnderTest {
    const program: OperatorUnderTest = this.#make(
      () => this.#replace(program),
      () => this.#live.includes(program) && !program.isEnding,
    )
    this.#live.push(program)
    // What a reconcile may not do is no matter of a new process.
    unguarded(() => {
      program.start()
      program.ended.then(undefined, (error: unknown) => this.#failed(program, error))
    })
    return program
  }

  crash(): void {
    this.#replace(this.current)
  }

  /** Kills all, without a successor. */
  kill(): void {
    for (const program of this.#live.splice(0)) {
      this.#leaveBehind(program)
      program.die()
    }
  }

  /** Those that have not ended. */
  get count(): number {
    return this.#live.filter(({ manager }) => manager.state !== 'ended').length
  }

  /** Kills it, and starts another one, unless it was about to end and there are others. */
  #replace(program: OperatorUnderTest): void {
    const needsSuccessor = !program.isEnding || this.#isLast(program)
    if (!this.#leave(program)) return
    program.die()
    if (needsSuccessor) this.start()
  }

  /** A program that has lost its lease ends, and is started again, unless another one has taken over. */
  #failed(program: OperatorUnderTest, error: unknown): void {
    const isLast = this.#isLast(program)
    if (isLast && !(error instanceof LeaseLostError)) return
    if (this.#leave(program) && isLast) this.start()
  }

  #isLast(program: OperatorUnderTest): boolean {
    return this.#live.every((each) => each === program || each.isEnding)
  }

  #leave(program: OperatorUnderTest): boolean {
    const index = this.#live.indexOf(program)
    if (index < 0) return false
    this.#live.splice(index, 1)
    this.#leaveBehind(program)
    return true
  }

  /** It is awaited in the end, unless it has ended by then. */
  #leaveBehind(program: OperatorUnderTest): void {
    this.#dead.add(program)
    void program.ended.catch(() => undefined).finally(() => this.#dead.delete(program))
  }

  /** Ends the current one gracefully, and starts another one. */
  async restart(): Promise<OperatorUnderTest> {
    const { current } = this
    await current.end()
    this.#live.splice(this.#live.indexOf(current), 1)
    return this.start()
  }

  /** Rejects with the failure of the current one. */
  async stop(): Promise<void> {
    const [current] = this.#live.length === 0 ? [] : [this.current]
    const others = [...this.#live.filter((each) => each !== current), ...this.#dead]
    this.#live.splice(0)
    try {
      await current?.end()
    } finally {
      for (const program of others) await program.end().catch(() => undefined)
    }
  }
}
