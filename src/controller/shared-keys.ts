/**
 * Keys that several replicas share: those of this replica go on to the queue, those of others are parked, so that no
 * trigger is lost when they become ours. Handing keys over waits until none of them is being reconciled.
 */

/** Which keys belong to this replica. */
export interface KeyShare {
  holds(key: string): boolean
}

export class SharedKeys {
  readonly #share: KeyShare | undefined
  readonly #ready: (key: string, priority: number) => void
  /** By key, with its priority. */
  readonly #parked = new Map<string, number>()
  readonly #held = new Set<string>()
  readonly #waiting: { readonly belongs: (key: string) => boolean; readonly resolve: () => void }[] = []

  constructor(share: KeyShare | undefined, ready: (key: string, priority: number) => void) {
    this.#share = share
    this.#ready = ready
  }

  /** The number of parked keys. */
  get parked(): number {
    return this.#parked.size
  }

  isOurs(key: string): boolean {
    return this.#share?.holds(key) ?? true
  }

  add(key: string, priority: number): void {
    if (this.isOurs(key)) this.#ready(key, priority)
    else this.#parked.set(key, Math.max(priority, this.#parked.get(key) ?? priority))
  }

  /** Queues the parked keys that belong to this replica now. */
  resume(): void {
    for (const [key, priority] of [...this.#parked].filter(([key]) => this.isOurs(key))) {
      this.#parked.delete(key)
      this.#ready(key, priority)
    }
  }

  /** The key is being reconciled from now on, until it is released. */
  hold(key: string): void {
    this.#held.add(key)
  }

  release(key: string): void {
    this.#held.delete(key)
    this.#report()
  }

  /** Resolves when none of these keys is being reconciled. */
  whenDone(belongs: (key: string) => boolean): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting.push({ belongs, resolve })
      this.#report()
    })
  }

  #report(): void {
    if (this.#waiting.length === 0) return
    const done = this.#waiting.filter(({ belongs }) => ![...this.#held].some(belongs))
    for (const each of done) {
      this.#waiting.splice(this.#waiting.indexOf(each), 1)
      each.resolve()
    }
  }
}
