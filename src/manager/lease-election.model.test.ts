/**
 * Whatever is stopped, cut or lost, and whichever clock is set, there are never two replicas that may write. And when
 * the faults are over, one can.
 */
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Fault } from '../cluster/faulty-transport.ts'
import { Copy, World } from './testdata/world.ts'

type Step =
  | { readonly type: 'advance'; readonly ms: number }
  | { readonly type: 'stop' | 'goOn' | 'end' | 'replace'; readonly copy: number }
  | { readonly type: 'clock'; readonly copy: number; readonly ms: number }
  | { readonly type: 'faults'; readonly faults: readonly Fault[] }
  | { readonly type: 'server'; readonly isUp: boolean }
  | { readonly type: 'latency'; readonly ms: number }

const copies = 3
const which = fc.noBias(fc.nat(copies - 1))
const fault: fc.Arbitrary<Fault> = fc.oneof(
  fc.constantFrom<Fault>(
    { type: 'refuse' },
    { type: 'drop-before' },
    { type: 'drop-after' },
    { type: 'duplicate' },
    { type: 'answer', status: 409 },
    { type: 'answer', status: 429, retryAfter: 1 },
    { type: 'answer', status: 503 },
  ),
  fc.noBias(fc.integer({ min: 1, max: 30_000 })).map((ms): Fault => ({ type: 'delay', ms })),
)
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 8, arbitrary: fc.noBias(fc.integer({ min: 1, max: 25_000 })).map((ms): Step => ({ type: 'advance', ms })) },
  { weight: 3, arbitrary: which.map((copy): Step => ({ type: 'stop', copy })) },
  { weight: 3, arbitrary: which.map((copy): Step => ({ type: 'goOn', copy })) },
  { weight: 2, arbitrary: which.map((copy): Step => ({ type: 'end', copy })) },
  { weight: 2, arbitrary: which.map((copy): Step => ({ type: 'replace', copy })) },
  {
    weight: 2,
    arbitrary: fc
      .tuple(which, fc.noBias(fc.integer({ min: -30_000, max: 30_000 })))
      .map(([copy, ms]): Step => ({ type: 'clock', copy, ms })),
  },
  {
    weight: 2,
    arbitrary: fc.array(fault, { minLength: 1, maxLength: 6 }).map((faults): Step => ({ type: 'faults', faults })),
  },
  { weight: 1, arbitrary: fc.boolean().map((isUp): Step => ({ type: 'server', isUp })) },
  { weight: 1, arbitrary: fc.constantFrom(1, 50, 900, 4_000).map((ms): Step => ({ type: 'latency', ms })) },
)

describe('an election', () => {
  it('leader election never has two leaders, whatever happens, and always one in the end', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer(),
        fc.array(fc.integer({ min: -1e9, max: 1e9 }), { minLength: copies, maxLength: copies }),
        fc.array(step, { minLength: 10, maxLength: 40, size: 'max' }),
        async (seed, skews, steps) => {
          const world = new World(seed)
          let started = 0
          const start = (index: number): Copy =>
            new Copy(world, `copy-${index}-${started++}`, { skew: skews[index] as number })
          const running = Array.from({ length: copies }, (_, index) => start(index))
          const all = [...running]
          const look = (): void => {
            const writers = all.filter(({ election }) => election.mayWrite).map(({ election }) => election.identity)
            expect(writers.length, `${writers.join(' and ')} may write`).toBeLessThanOrEqual(1)
          }
          for (const each of steps) {
            switch (each.type) {
              case 'advance':
                await world.advance(each.ms, look)
                break
              case 'stop':
                running[each.copy]?.process.stop()
                break
              case 'goOn':
                await running[each.copy]?.process.goOn()
                break
              case 'end':
                running[each.copy]?.stop()
                break
              case 'replace':
                all.push((running[each.copy] = start(each.copy)))
                break
              case 'clock':
                running[each.copy]?.process.adjustClock(each.ms)
                break
              case 'faults':
                world.faults.push(...each.faults)
                break
              case 'server':
                world.isServerUp = each.isUp
                break
              case 'latency':
                world.latency = each.ms
                break
            }
            look()
          }
          world.faults.length = 0
          world.isServerUp = true
          world.latency = 1
          for (const { process } of all) await process.goOn()
          all.push(start(0))
          for (let left = 60_000; left > 0 && !all.some(({ election }) => election.mayWrite); left -= 1_000)
            await world.advance(1_000, look)
          expect(all.filter(({ election }) => election.mayWrite)).toHaveLength(1)
          for (const copy of all) copy.stop()
          await world.until(() => all.every(({ outcome }) => outcome !== undefined))
          expect((await world.lease()).spec?.holderIdentity).toBe('')
          await world.close()
        },
      ),
      { numRuns: 40 },
    )
  }, 60_000)
})
