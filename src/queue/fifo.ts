/** A FIFO list in a ring buffer: push and shift in constant time; frees its memory when it is empty. */

const minCapacity = 16

export class Fifo<T> {
  #slots: (T | undefined)[] = new Array<T | undefined>(minCapacity)
  #head = 0
  #size = 0

  get size(): number {
    return this.#size
  }

  push(value: T): void {
    if (this.#size === this.#slots.length) this.#grow()
    this.#slots[(this.#head + this.#size) & (this.#slots.length - 1)] = value
    this.#size++
  }

  peek(): T | undefined {
    return this.#slots[this.#head]
  }

  shift(): T | undefined {
    if (this.#size === 0) return undefined
    const value = this.#slots[this.#head]
    this.#slots[this.#head] = undefined
    this.#size--
    if (this.#size === 0 && this.#slots.length > 1024) {
      this.#slots = new Array<T | undefined>(minCapacity)
      this.#head = 0
    } else {
      this.#head = (this.#head + 1) & (this.#slots.length - 1)
    }
    return value
  }

  #grow(): void {
    const { length } = this.#slots
    const grown = new Array<T | undefined>(length * 2)
    for (let i = 0; i < this.#size; i++) grown[i] = this.#slots[(this.#head + i) & (length - 1)]
    this.#slots = grown
    this.#head = 0
  }
}
