/**
 * The notifications that one handler has not processed yet. Handlers do not wait for each other, and none of them
 * blocks the watch: a slow handler has a longer queue. A handler that keeps up is called in the same tick in which the
 * store changed.
 */
import type { ApiObject, Live } from '../api/live-object.ts'
import type { Handler, HandlerRegistration } from './cache.ts'
import { Latch } from './latch.ts'
import type { TimeSlice } from './time-slice.ts'

/** One call of a handler. All handlers share the instance. */
export interface HandlerNotification<T extends ApiObject> {
  readonly type: 'add' | 'update' | 'delete'
  readonly object: Live<T>
  /** For an update. */
  readonly old: Live<T> | undefined
  /** add: part of the initial list; delete: the final state is unknown. */
  readonly flag: boolean
}

export function addNotification<T extends ApiObject>(
  object: Live<T>,
  isInInitialList: boolean,
): HandlerNotification<T> {
  return { type: 'add', object, old: undefined, flag: isInInitialList }
}

export function updateNotification<T extends ApiObject>(old: Live<T>, object: Live<T>): HandlerNotification<T> {
  return { type: 'update', object, old, flag: false }
}

export function deleteNotification<T extends ApiObject>(
  object: Live<T>,
  finalStateUnknown: boolean,
): HandlerNotification<T> {
  return { type: 'delete', object, old: undefined, flag: finalStateUnknown }
}

/** Marks the end of the initial list in the queue. */
const endOfInitialList = Symbol('end of the initial list')

export interface FeedOwner {
  readonly turn: TimeSlice
  readonly failed: (error: unknown) => void
  readonly removed: () => void
}

export class HandlerFeed<T extends ApiObject> implements HandlerRegistration {
  readonly #handler: Handler<T>
  readonly #owner: FeedOwner
  readonly #synced = new Latch()
  #waiting: (readonly HandlerNotification<T>[] | typeof endOfInitialList)[] = []
  #running = false
  #removed = false

  constructor(handler: Handler<T>, owner: FeedOwner) {
    this.#handler = handler
    this.#owner = owner
  }

  get synced(): boolean {
    return this.#synced.isOpen
  }

  whenSynced(signal?: AbortSignal): Promise<void> {
    return this.#synced.opened(signal)
  }

  remove(): void {
    if (this.#removed) return
    this.#removed = true
    this.#waiting = []
    this.#owner.removed()
  }

  push(changes: readonly HandlerNotification<T>[]): void {
    if (changes.length > 0) this.#push(changes)
  }

  /** The whole initial list has been pushed. */
  pushEndOfInitialList(): void {
    this.#push(endOfInitialList)
  }

  #push(item: readonly HandlerNotification<T>[] | typeof endOfInitialList): void {
    if (this.#removed) return
    this.#waiting.push(item)
    if (!this.#running) void this.#run()
  }

  /** Never rejects. Synchronous up to the first pause. */
  async #run(): Promise<void> {
    const { turn } = this.#owner
    this.#running = true
    turn.resume()
    while (this.#waiting.length > 0) {
      const items = this.#waiting
      this.#waiting = []
      for (const item of items) {
        if (item === endOfInitialList) {
          this.#synced.open()
          continue
        }
        for (const change of item) {
          if (this.#removed) return
          this.#call(change)
          if (turn.isOver()) await turn.others()
        }
      }
    }
    this.#running = false
  }

  #call({ type, object, old, flag }: HandlerNotification<T>): void {
    try {
      const answer: unknown =
        type === 'add'
          ? this.#handler.onAdd?.(object, flag)
          : type === 'delete'
            ? this.#handler.onDelete?.(object, flag)
            : this.#handler.onUpdate?.(old ?? object, object)
      // An async function is accepted as a handler by its type, and its rejection would end the process.
      if (answer instanceof Promise) answer.catch(this.#owner.failed)
    } catch (error) {
      this.#owner.failed(error)
    }
  }
}
