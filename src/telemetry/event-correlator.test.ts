/** The limits are client-go's: ten similar events in 600 s, a burst of 25 and one per 300 s, 4096 entries. */
import { describe, expect, it } from 'vitest'
import { simulatedEnv } from '../env/simulated.ts'
import { EventCorrelator, type CorrelatorOptions, type EventContent } from './event-correlator.ts'

const content = (message: string, more: Partial<EventContent> = {}, name = 'a'): EventContent => ({
  about: { apiVersion: 'v1', kind: 'Pod', namespace: 'default', name, uid: `uid-${name}` },
  type: 'Warning',
  reason: 'Failed',
  message,
  ...more,
})

function correlating(options?: CorrelatorOptions) {
  const env = simulatedEnv()
  const correlator = new EventCorrelator(env, options)
  const say = (message: string, more?: Partial<EventContent>, name?: string) => {
    const event = correlator.correlate(content(message, more, name))
    return event === undefined ? undefined : { message: event.content.message, count: event.count, name: event.name }
  }
  return { env, say }
}

describe('an event', () => {
  it('a correlated event that comes again is the same one with a count', () => {
    const { env, say } = correlating()
    const first = say('x')
    env.advance(5000)
    expect(say('x')).toEqual({ message: 'x', count: 2, name: first?.name })
    expect(say('y')).toMatchObject({ message: 'y', count: 1 })
  })

  it('a correlated event of another object, type or reason is another one', () => {
    const { say } = correlating()
    const names = [say('x'), say('x', { type: 'Normal' }), say('x', { reason: 'Other' }), say('x', {}, 'b')].map(
      (event) => event?.name,
    )
    expect(new Set(names).size).toBe(4)
    expect(names[0]).toMatch(/^a\.[0-9a-f]{16}$/)
  })
})

describe('similar events', () => {
  it('similar events become one at the tenth message within ten minutes', () => {
    const { say } = correlating({ burst: 1000 })
    for (let i = 1; i <= 9; i++) expect(say(`message ${i}`)).toMatchObject({ message: `message ${i}`, count: 1 })
    const combined = say('message 10')
    expect(combined).toMatchObject({ message: '(combined from similar events): message 10', count: 1 })
    expect(say('message 11')).toEqual({
      message: '(combined from similar events): message 11',
      count: 2,
      name: combined?.name,
    })
    expect(say('message 3')).toMatchObject({ message: 'message 3', count: 2 })
    expect(say('elsewhere', {}, 'b')).toMatchObject({ message: 'elsewhere' })
  })

  it('similar events are told apart again after ten quiet minutes, and only then', () => {
    const { env, say } = correlating({ burst: 1000 })
    for (let i = 1; i <= 10; i++) say(`message ${i}`)
    env.advance(600_000)
    expect(say('message 11')?.message).toContain('combined')
    env.advance(600_001)
    expect(say('message 12')).toMatchObject({ message: 'message 12', count: 1 })
  })
})

describe('spam', () => {
  it('spam ends after 25 events of one object; then one passes every five minutes, with the count', () => {
    const { env, say } = correlating()
    const written = (times: number, name?: string) =>
      Array.from({ length: times }, () => say('x', {}, name)).filter((event) => event !== undefined)
    expect(written(100)).toHaveLength(25)
    expect(written(1, 'b')).toHaveLength(1)
    env.advance(299_000)
    expect(written(1)).toHaveLength(0)
    env.advance(1000)
    expect(written(10)).toMatchObject([{ count: 102 }])
    env.advance(3_000_000)
    expect(written(100)).toHaveLength(10)
  })
})

describe('memory', () => {
  it('the memory of the event correlator is bounded: what was not seen for longest is forgotten', () => {
    const { say } = correlating({ maxRemembered: 3, burst: 1000 })
    for (const name of ['a', 'b', 'c']) say('x', {}, name)
    say('x', {}, 'a')
    say('x', {}, 'd')
    expect(say('x', {}, 'a')).toMatchObject({ count: 3 })
    expect(say('x', {}, 'b')).toMatchObject({ count: 1 })
  })
})
