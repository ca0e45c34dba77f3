import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Live, Pod } from '../index.ts'
import { SchedulerCache } from './scheduler-cache.ts'
import { podRequests, sumOf } from './resources.ts'

interface Facts {
  readonly node?: string
  readonly phase?: string
  readonly cpu?: string
  readonly priority?: number
  readonly refused?: boolean
  readonly nominated?: string
}

function pod(uid: string, { node, phase, cpu = '100m', priority, refused = false, nominated }: Facts = {}): Live<Pod> {
  return {
    metadata: { uid, name: uid, namespace: 'default' },
    spec: {
      containers: [{ name: 'c', resources: { requests: { cpu } } }],
      ...(node === undefined ? {} : { nodeName: node }),
      ...(priority === undefined ? {} : { priority }),
    },
    status: {
      ...(phase === undefined ? {} : { phase }),
      ...(nominated === undefined ? {} : { nominatedNodeName: nominated }),
      ...(refused ? { conditions: [{ type: 'PodScheduled', status: 'False' }] } : {}),
    },
  } as unknown as Live<Pod>
}

const nobody = pod('nobody')
const on = (cache: SchedulerCache, node: string, who = nobody) =>
  cache
    .viewFor(who)
    .usageOf(node)
    .pods.map((info) => info.pod.metadata.uid)
    .sort()

const nodes = ['one', 'two'] as const
const facts = fc
  .record({
    node: fc.constantFrom(undefined, ...nodes),
    phase: fc.constantFrom('Pending', 'Running', 'Succeeded'),
    cpu: fc.constantFrom('100m', '1', '2500m'),
  })
  .map((each) => each as Facts)
const step = fc.record({
  uid: fc.constantFrom('a', 'b', 'c', 'd'),
  what: fc.constantFrom('see', 'lose', 'give', 'take back'),
  to: fc.constantFrom(...nodes),
  facts,
})

describe('the scheduler cache', () => {
  it('the scheduler cache equals a count of all pods, whatever has happened', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
        const cache = new SchedulerCache()
        const there = new Map<string, Live<Pod>>()
        const given = new Map<string, string>()
        for (const { uid, what, to, facts: now } of steps) {
          const known = there.get(uid)
          if (what === 'see' || known === undefined) {
            there.set(uid, pod(uid, now))
            if (now.node !== undefined) given.delete(uid)
            cache.update(uid, there.get(uid))
          } else if (what === 'lose') {
            there.delete(uid)
            given.delete(uid)
            cache.update(uid, undefined)
          } else if (known.spec?.nodeName === undefined && what === 'give') {
            given.set(uid, to)
            cache.assume(known, to, true)
          } else if (known.spec?.nodeName === undefined) {
            given.delete(uid)
            cache.forget(known)
          }
        }
        for (const node of nodes) {
          const present = [...there.values()].filter(
            ({ metadata, spec, status }) =>
              (spec?.nodeName ?? given.get(metadata.uid)) === node && status?.phase !== 'Succeeded',
          )
          expect(on(cache, node)).toEqual(present.map(({ metadata }) => metadata.uid).sort())
          const { cpu = 0, pods = 0 } = cache.viewFor(nobody).usageOf(node).used
          const { cpu: sum = 0, pods: count = 0 } = sumOf(present.map(podRequests))
          expect([cpu, pods]).toEqual([sum, count])
        }
      }),
    )
  })

  it('the scheduler cache finds in a full list what no event has shown', () => {
    const cache = new SchedulerCache()
    cache.update('a', pod('a', { node: 'one' }))
    cache.update('b', pod('b', { priority: 5 }))
    cache.replace([pod('c', { node: 'one' })])
    expect(on(cache, 'one')).toEqual(['c'])
    expect(cache.hasMoreImportant(nobody)).toBe(false)
  })

  it('the scheduler cache drops waiting pods that are gone', () => {
    const cache = new SchedulerCache()
    cache.update('a', pod('a', { priority: 5 }))
    cache.update('b', pod('b', { priority: 6 }))
    cache.replaceWaiting([pod('a', { priority: 5 })])
    expect([cache.hasMoreImportant(nobody), cache.hasMoreImportant(pod('c', { priority: 5 }))]).toEqual([true, false])
  })

  it('the scheduler cache keeps an assumed pod whose binding got no response', () => {
    const cache = new SchedulerCache()
    cache.assume(pod('a'), 'one', false)
    expect([on(cache, 'one'), cache.isBound(pod('a'))]).toEqual([['a'], false])
    cache.assume(pod('a'), 'two', true)
    expect([on(cache, 'one'), on(cache, 'two'), cache.isBound(pod('a'))]).toEqual([[], ['a'], true])
  })

  it('the scheduler cache knows whether a pod of higher priority has not been tried yet', () => {
    const cache = new SchedulerCache()
    cache.update('a', pod('a', { priority: 10 }))
    expect([cache.hasMoreImportant(nobody), cache.hasMoreImportant(pod('b', { priority: 10 }))]).toEqual([true, false])
    cache.update('a', pod('a', { priority: 10, refused: true }))
    expect(cache.hasMoreImportant(nobody)).toBe(false)
  })

  it('the scheduler cache reserves nominated nodes, except against pods of higher priority', () => {
    const cache = new SchedulerCache()
    const waiting = pod('a', { priority: 10, refused: true, nominated: 'one', cpu: '1' })
    cache.update('a', waiting)
    expect([on(cache, 'one'), on(cache, 'one', pod('b', { priority: 11 })), on(cache, 'one', waiting)]).toEqual([
      ['a'],
      [],
      [],
    ])
    expect(cache.viewFor(nobody).usageOf('one').used).toMatchObject({ cpu: 1000, pods: 1 })
  })
})
