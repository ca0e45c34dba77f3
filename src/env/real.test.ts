import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { holdProcess, afterMicrotasks, realEnv } from './real.ts'

describe('the real environment', () => {
  beforeEach(() => {
    vi.useFakeTimers({ now: 1_000 })
  })
  afterEach(() => {
    vi.useRealTimers()
  })

  it('the real environment tells the time of the machine', () => {
    const env = realEnv()
    expect(env.now()).toBe(1_000)
    vi.advanceTimersByTime(5)
    expect(env.now()).toBe(1_005)
  })

  it('the real environment fires once, not before its time, and not when cancelled', () => {
    const env = realEnv()
    const fired: string[] = []
    env.after(10, () => fired.push('a'))
    const cancelled = env.after(5, () => fired.push('b'))
    env.after(-1, () => fired.push('c'))
    env.after(Number.NaN, () => fired.push('d'))
    cancelled.cancel()
    vi.advanceTimersByTime(9)
    expect(fired).toEqual(['c', 'd'])
    vi.advanceTimersByTime(100)
    expect(fired).toEqual(['c', 'd', 'a'])
  })

  it('the real environment waits longer than setTimeout can', () => {
    const env = realEnv()
    const fired: number[] = []
    const days = 24 * 60 * 60 * 1000
    env.after(60 * days, () => fired.push(env.now()))
    const cancelled = env.after(60 * days, () => fired.push(-1))
    vi.advanceTimersByTime(59 * days)
    expect(fired).toEqual([])
    cancelled.cancel()
    vi.advanceTimersByTime(2 * days)
    expect(fired).toEqual([1_000 + 60 * days])
    expect(vi.getTimerCount()).toBe(0)
  })

  it('the real environment gives UUIDs and numbers', () => {
    const env = realEnv()
    expect(env.uuid()).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
    expect(env.uuid()).not.toBe(env.uuid())
    const value = env.random()
    expect(value >= 0 && value < 1).toBe(true)
  })
})

describe('timers of the real environment', () => {
  it('timers of the real environment do not keep the process alive', () => {
    // Lists only what keeps the process alive.
    const before = process.getActiveResourcesInfo()
    const timer = realEnv().after(1_000_000, () => undefined)
    const after = process.getActiveResourcesInfo()
    timer.cancel()
    expect(after).toEqual(before)
  })

  it('a held process stays alive until it is released', () => {
    const before = process.getActiveResourcesInfo()
    const hold = holdProcess()
    expect(process.getActiveResourcesInfo()).toHaveLength(before.length + 1)
    hold.release()
    expect(process.getActiveResourcesInfo()).toEqual(before)
  })

  it('the real environment waits for promises however long their chain', async () => {
    let hops = 0
    const chain = async (): Promise<void> => {
      for (; hops < 1000; hops++) await Promise.resolve()
    }
    void chain()
    await afterMicrotasks()
    expect(hops).toBe(1000)
  })
})
