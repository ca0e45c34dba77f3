import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Live, Pod } from '../index.ts'
import { Ledger } from './ledger.ts'
import { sumOf } from './resources.ts'

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
const on = (ledger: Ledger, node: string, who = nobody) =>
  ledger
    .seenBy(who)
    .podsOn(node)
    .map(({ metadata }) => metadata.uid)
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

describe('the ledger', () => {
  it('says what a count of all pods would say, whatever has happened', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
        const ledger = new Ledger()
        const there = new Map<string, Live<Pod>>()
        const given = new Map<string, string>()
        for (const { uid, what, to, facts: now } of steps) {
          const known = there.get(uid)
          if (what === 'see' || known === undefined) {
            there.set(uid, pod(uid, now))
            if (now.node !== undefined) given.delete(uid)
            ledger.saw(uid, there.get(uid))
          } else if (what === 'lose') {
            there.delete(uid)
            given.delete(uid)
            ledger.saw(uid, undefined)
          } else if (known.spec?.nodeName === undefined && what === 'give') {
            given.set(uid, to)
            ledger.give(known, to, true)
          } else if (known.spec?.nodeName === undefined) {
            given.delete(uid)
            ledger.takeBack(known)
          }
        }
        for (const node of nodes) {
          const present = [...there.values()].filter(
            ({ metadata, spec, status }) =>
              (spec?.nodeName ?? given.get(metadata.uid)) === node && status?.phase !== 'Succeeded',
          )
          expect(on(ledger, node)).toEqual(present.map(({ metadata }) => metadata.uid).sort())
          const { cpu = 0, pods = 0 } = ledger.seenBy(nobody).usedOn(node)
          const { cpu: sum = 0, pods: count = 0 } = sumOf(present)
          expect([cpu, pods]).toEqual([sum, count])
        }
      }),
    )
  })

  it('finds what no event has told of in a list of all', () => {
    const ledger = new Ledger()
    ledger.saw('a', pod('a', { node: 'one' }))
    ledger.saw('b', pod('b', { priority: 5 }))
    ledger.sawAll([pod('c', { node: 'one' })])
    expect(on(ledger, 'one')).toEqual(['c'])
    expect(ledger.hasMoreImportant(nobody)).toBe(false)
  })

  it('does not wait for who is gone', () => {
    const ledger = new Ledger()
    ledger.saw('a', pod('a', { priority: 5 }))
    ledger.saw('b', pod('b', { priority: 6 }))
    ledger.sawWaiting([pod('a', { priority: 5 })])
    expect([ledger.hasMoreImportant(nobody), ledger.hasMoreImportant(pod('c', { priority: 5 }))]).toEqual([true, false])
  })

  it('keeps the room of a pod whose binding was not answered, and lets it be placed again', () => {
    const ledger = new Ledger()
    ledger.give(pod('a'), 'one', false)
    expect([on(ledger, 'one'), ledger.isBound(pod('a'))]).toEqual([['a'], false])
    ledger.give(pod('a'), 'two', true)
    expect([on(ledger, 'one'), on(ledger, 'two'), ledger.isBound(pod('a'))]).toEqual([[], ['a'], true])
  })

  it('knows who matters more and has not been looked at', () => {
    const ledger = new Ledger()
    ledger.saw('a', pod('a', { priority: 10 }))
    expect([ledger.hasMoreImportant(nobody), ledger.hasMoreImportant(pod('b', { priority: 10 }))]).toEqual([
      true,
      false,
    ])
    ledger.saw('a', pod('a', { priority: 10, refused: true }))
    expect(ledger.hasMoreImportant(nobody)).toBe(false)
  })

  it('shows room that was made for another as taken, but not to who matters more, nor to itself', () => {
    const ledger = new Ledger()
    const waiting = pod('a', { priority: 10, refused: true, nominated: 'one', cpu: '1' })
    ledger.saw('a', waiting)
    expect([on(ledger, 'one'), on(ledger, 'one', pod('b', { priority: 11 })), on(ledger, 'one', waiting)]).toEqual([
      ['a'],
      [],
      [],
    ])
    expect(ledger.seenBy(nobody).usedOn('one')).toMatchObject({ cpu: 1000, pods: 1 })
  })
})
