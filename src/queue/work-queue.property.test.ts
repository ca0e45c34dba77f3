/** Compares the queue with a simple, slow model, under random commands and a simulated clock. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { simulatedEnv } from '../env/simulated.ts'
import { fifoQueue, priorityQueue } from './work-queue.ts'

interface Pending {
  key: string
  priority: number
  /** When it became or becomes ready. */
  at: number
}

class Model {
  now = 0
  readonly pending = new Map<string, Pending>()
  readonly processing = new Map<string, number>()
  readonly #priorities: boolean

  constructor(priorities: boolean) {
    this.#priorities = priorities
  }

  add(key: string, after: number, priority: number): void {
    const at = this.now + after
    const old = this.pending.get(key)
    this.pending.set(key, {
      key,
      priority: Math.max(priority, old?.priority ?? priority),
      at: Math.min(at, old?.at ?? at),
    })
  }

  /** All keys that may be next. Another test checks their order. */
  candidates(): Pending[] {
    const ready = [...this.pending.values()].filter(({ key, at }) => at <= this.now && !this.processing.has(key))
    const top = this.#priorities ? Math.max(...ready.map(({ priority }) => priority)) : 0
    return ready.filter(({ priority }) => !this.#priorities || priority === top)
  }

  take(key: string): void {
    const entry = this.pending.get(key) as Pending
    this.pending.delete(key)
    this.processing.set(key, entry.priority)
  }
}

const key = fc.constantFrom('a', 'b', 'c', 'd')
const command = fc.oneof(
  fc.record({
    type: fc.constant('add' as const),
    key,
    afterMs: fc.constantFrom(0, 0, 0, 3, 10),
    priority: fc.constantFrom(-100, 0, 0, 7),
  }),
  fc.record({ type: fc.constant('take' as const) }),
  fc.record({ type: fc.constant('done' as const), key }),
  fc.record({ type: fc.constant('advance' as const), ms: fc.constantFrom(1, 3, 20) }),
)

describe.each([
  ['fifo', false],
  ['priority', true],
] as const)('a %s queue', (_, priorities) => {
  it('a work queue equals the model: one run per key, no lost wake-up, nothing early', () => {
    fc.assert(
      fc.property(fc.array(command, { maxLength: 60 }), (commands) => {
        const env = simulatedEnv()
        const queue = (priorities ? priorityQueue : fifoQueue)(env, {})
        const model = new Model(priorities)
        const take = (): boolean => {
          const item = queue.tryTake()
          const allowed = model.candidates()
          if (item === undefined) {
            expect(allowed).toEqual([])
            return false
          }
          expect(allowed.map((entry) => entry.key)).toContain(item.key)
          if (priorities) expect(item.priority).toBe(model.pending.get(item.key)?.priority)
          model.take(item.key)
          return true
        }
        for (const step of commands) {
          if (step.type === 'add') {
            queue.add(step.key, { afterMs: step.afterMs, priority: step.priority })
            model.add(step.key, step.afterMs, step.priority)
          } else if (step.type === 'take') {
            take()
          } else if (step.type === 'done') {
            queue.done(step.key)
            model.processing.delete(step.key)
          } else {
            env.advance(step.ms)
            model.now += step.ms
          }
        }
        for (const held of model.processing.keys()) queue.done(held)
        model.processing.clear()
        env.advance(10)
        model.now += 10
        while (take());
        expect([queue.depth, queue.waitingCount, model.pending.size, env.pending]).toEqual([0, 0, 0, 0])
      }),
      { numRuns: 500 },
    )
  })

  it('a work queue keeps the order of arrival among equals', () => {
    fc.assert(
      fc.property(fc.array(key, { maxLength: 30 }), (keys) => {
        const queue = (priorities ? priorityQueue : fifoQueue)(simulatedEnv(), {})
        for (const each of keys) queue.add(each)
        const taken = Array.from({ length: queue.depth }, () => queue.tryTake()?.key)
        expect(taken).toEqual([...new Set(keys)])
      }),
    )
  })
})
