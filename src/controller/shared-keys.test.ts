import { describe, expect, it } from 'vitest'
import { SharedKeys } from './shared-keys.ts'

function keys(ours: Set<string> | undefined) {
  const ready: string[] = []
  return {
    ready,
    shared: new SharedKeys(ours === undefined ? undefined : { holds: (key) => ours.has(key) }, (key, priority) =>
      ready.push(`${key} ${priority}`),
    ),
  }
}

describe('keys that are shared', () => {
  it('shared keys are all ours where nobody shares them', () => {
    const { ready, shared } = keys(undefined)
    shared.add('a', 0)
    expect([ready, shared.parked]).toEqual([['a 0'], 0])
  })

  it('shared keys of others are kept, once, with the highest priority, until they are ours', () => {
    const ours = new Set(['a'])
    const { ready, shared } = keys(ours)
    for (const [key, priority] of [
      ['a', 0],
      ['b', -100],
      ['b', 0],
      ['b', -100],
      ['c', -100],
    ] as const)
      shared.add(key, priority)
    expect([ready, shared.parked]).toEqual([['a 0'], 2])
    ours.add('b')
    shared.resume()
    shared.resume()
    expect([ready, shared.parked]).toEqual([['a 0', 'b 0'], 1])
  })

  it('shared keys are handed over when none of them is being reconciled', async () => {
    const { shared } = keys(new Set(['a', 'b']))
    const story: string[] = []
    shared.hold('a')
    shared.hold('b')
    const given = shared.whenDone((key) => key === 'a').then(() => story.push('a given'))
    await shared.whenDone((key) => key === 'c').then(() => story.push('c given'))
    shared.release('b')
    await shared.whenDone((key) => key === 'b').then(() => story.push('b given'))
    shared.release('a')
    await given
    expect(story).toEqual(['c given', 'b given', 'a given'])
  })
})
