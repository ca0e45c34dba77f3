import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { Lease } from '../schema/builtin/kinds.ts'
import { silentLogger } from '../telemetry/logger.ts'
import { LeaseElection } from './lease-election.ts'
import { Copy, key, World } from './testdata/world.ts'

let world: World
beforeEach(() => {
  world = new World()
})
afterEach(() => world.close())

describe('a lease', () => {
  it('a lease is taken by the first, in the form that servers want, and renewed every two seconds', async () => {
    const a = new Copy(world, 'a')
    await world.until(() => a.election.mayWrite)
    const { spec } = await world.lease()
    expect(spec).toMatchObject({ holderIdentity: 'a', leaseDurationSeconds: 15, leaseTransitions: 0 })
    expect(spec?.acquireTime).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/)
    const { revision } = world.plane.store
    await world.advance(20_100, () => expect(a.election.mayWrite).toBe(true))
    expect(world.plane.store.revision - revision).toBeGreaterThanOrEqual(9)
    expect((await world.lease()).spec).toMatchObject({ acquireTime: spec?.acquireTime, leaseTransitions: 0 })
    a.stop()
    await world.until(() => a.outcome === 'released')
    expect(world.env.pending).toBe(await pendingOf(new World()))
  })

  it('a lease goes to another within one retry period after a clean stop', async () => {
    const a = new Copy(world, 'a')
    await world.until(() => a.election.mayWrite)
    const b = new Copy(world, 'b')
    await world.advance(5_000)
    a.stop()
    expect(a.election.mayWrite).toBe(true)
    await world.until(() => a.outcome === 'released')
    expect(a.election.mayWrite).toBe(false)
    expect((await world.lease()).spec).toMatchObject({ holderIdentity: '', leaseDurationSeconds: 1 })
    expect(await world.until(() => b.election.mayWrite)).toBeLessThan(2_000)
    expect((await world.lease()).spec).toMatchObject({ holderIdentity: 'b', leaseTransitions: 1 })
    await ended(b)
  })

  it.each([0, 3_600_000, -3_600_000])(
    "a lease of one that died is free after it ran out by the other's clock, which is %i ms off",
    async (skew) => {
      const a = new Copy(world, 'a')
      const b = new Copy(world, 'b', { skew })
      await world.until(() => a.election.mayWrite || b.election.mayWrite)
      const [dead, other] = a.election.mayWrite ? [a, b] : [b, a]
      await world.advance(10_000)
      dead.process.stop()
      const took = await world.until(() => other.election.mayWrite)
      // Counted from the last observed renewal, which is up to one retry period later than the renewal itself.
      expect(took).toBeGreaterThan(13_000)
      expect(took).toBeLessThan(15_000 + 2 * 2_000)
      expect((await world.lease()).spec?.leaseTransitions).toBe(1)
      await dead.process.goOn()
      await world.until(() => dead.outcome !== undefined)
      expect(dead.outcome).toBe('lost')
      expect((await world.lease()).spec?.holderIdentity).toBe(other.election.identity)
      await ended(other)
    },
  )

  it('a lease covers no write from ten seconds after the last renewal that succeeded was sent', async () => {
    const a = new Copy(world, 'a')
    await world.until(() => a.election.mayWrite)
    world.isServerUp = false
    await world.advance(9_900)
    expect(a.election.mayWrite).toBe(true)
    await world.advance(200)
    expect(a.election.mayWrite).toBe(false)
    await world.until(() => !a.election.isLeader)
    world.isServerUp = true
    await world.until(() => a.outcome === 'lost')
  })

  it('a lease is not held by one whose renewal was answered while it was stopped', async () => {
    const a = new Copy(world, 'a')
    await world.until(() => a.election.mayWrite)
    const b = new Copy(world, 'b')
    world.latency = 400
    const { revision } = world.plane.store
    await world.until(() => world.plane.store.revision > revision)
    a.process.stop()
    await world.until(() => b.election.mayWrite)
    await a.process.goOn()
    await world.advance(20_000, () => expect(a.election.mayWrite).toBe(false))
    expect(a.outcome).toBe('lost')
    await ended(b)
  })

  it('a lease whose renewal hangs is given up at the deadline, not when the call is', async () => {
    const a = new Copy(world, 'a')
    await world.until(() => a.election.mayWrite)
    await world.advance(100)
    const lastRenewal = world.env.now()
    world.latency = 3_600_000
    await world.until(() => !a.election.isLeader)
    expect(world.env.now() - lastRenewal).toBeLessThanOrEqual(10_100)
    world.latency = 1
    await world.until(() => a.outcome === 'lost')
  })

  it('a lease survives a server that is away for less than the deadline', async () => {
    const a = new Copy(world, 'a')
    await world.until(() => a.election.mayWrite)
    world.isServerUp = false
    await world.advance(7_000)
    world.isServerUp = true
    await world.advance(60_000, () => expect(a.election.isLeader).toBe(true))
    await ended(a)
  })

  it('a lease survives lost answers: it finds its own renewal, by the slow path', async () => {
    const slowPath = vi.fn<() => void>()
    const a = new Copy(world, 'a', { observer: { slowPath } })
    await world.until(() => a.election.mayWrite)
    await world.advance(4_000)
    expect(slowPath).not.toHaveBeenCalled()
    world.faults.push({ type: 'drop-after' })
    await world.until(() => slowPath.mock.calls.length > 0)
    await world.advance(10_000, () => expect(a.election.isLeader).toBe(true))
    expect(slowPath).toHaveBeenCalledTimes(1)
    await ended(a)
  })

  it('a lease whose first response was lost is found, and released when its holder stops', async () => {
    world.faults.push({ type: 'delay', ms: 0 }, { type: 'drop-after' })
    const a = new Copy(world, 'a')
    await world.until(() => world.faults.length === 0)
    await world.advance(10)
    expect(a.election.isLeader).toBe(false)
    expect((await world.lease()).spec?.holderIdentity).toBe('a')
    a.stop()
    await world.until(() => a.outcome !== undefined)
    expect(a.outcome).toBe('never led')
    expect((await world.lease()).spec?.holderIdentity).toBe('')
  })

  it('a lease is released also after a server error, and left to expire when the server is away', async () => {
    const a = new Copy(world, 'a')
    await world.until(() => a.election.mayWrite)
    world.faults.push(
      { type: 'refuse' },
      { type: 'delay', ms: 0 },
      { type: 'answer', status: 409 },
      { type: 'answer', status: 500 },
    )
    a.stop()
    await world.until(() => a.outcome !== undefined)
    expect((await world.lease()).spec?.holderIdentity).toBe('')

    const b = new Copy(world, 'b')
    await world.until(() => b.election.mayWrite)
    world.isServerUp = false
    b.stop()
    expect(await world.until(() => b.outcome !== undefined)).toBeLessThanOrEqual(5_500)
    expect((await world.lease()).spec?.holderIdentity).toBe('b')
  })

  it('a lease is not released with releaseOnStop: false', async () => {
    const a = new Copy(world, 'a', { releaseOnStop: false })
    await world.until(() => a.election.mayWrite)
    a.stop()
    await world.until(() => a.outcome === 'released')
    expect(a.election.mayWrite).toBe(false)
    expect((await world.lease()).spec?.holderIdentity).toBe('a')
  })

  it('a lease goes to one of many that want it at the same time', async () => {
    const copies = Array.from({ length: 8 }, (_, index) => new Copy(world, `copy-${index}`))
    await world.until(() => copies.some(({ election }) => election.isLeader))
    await world.advance(30_000, () => expect(copies.filter(({ election }) => election.mayWrite)).toHaveLength(1))
    for (const copy of copies) await ended(copy)
  })

  it('a lease is lost at once when another holds it', async () => {
    const a = new Copy(world, 'a')
    await world.until(() => a.election.mayWrite)
    const { metadata, spec } = await world.lease()
    await world.client.update(Lease, {
      metadata: { ...key, resourceVersion: metadata.resourceVersion },
      spec: { ...spec, holderIdentity: 'thief' },
    } as Lease)
    expect(await world.until(() => !a.election.isLeader)).toBeLessThanOrEqual(2_500)
    expect(a.election.holder).toBe('thief')
    await world.until(() => a.outcome === 'lost')
    expect((await world.lease()).spec?.holderIdentity).toBe('thief')
  })

  it('a lease that was deleted is created again by its holder', async () => {
    const a = new Copy(world, 'a')
    await world.until(() => a.election.mayWrite)
    await world.client.delete(Lease, key)
    await world.advance(5_000, () => expect(a.election.isLeader).toBe(true))
    expect((await world.lease()).spec?.holderIdentity).toBe('a')
    await ended(a)
  })

  it.each([1_000, 3_000, 7_000, 12_000, 20_000])(
    'a lease covers no write of a stopped process whose clock was set back by %i ms',
    async (backMs) => {
      const a = new Copy(world, 'a')
      await world.until(() => a.election.mayWrite)
      const b = new Copy(world, 'b')
      await world.advance(3_000)
      a.process.stop()
      const tookMs = await world.until(() => b.election.mayWrite)
      a.process.adjustClock(-Math.min(backMs, tookMs))
      expect([a.election.mayWrite, b.election.mayWrite]).toEqual([false, true])
      await a.process.goOn()
      await world.advance(20_000, () => expect(a.election.mayWrite).toBe(false))
      expect(a.outcome).toBe('lost')
      await ended(b)
    },
  )

  it('a lease is not taken early by a replica whose clock is set forward', async () => {
    const a = new Copy(world, 'a')
    await world.until(() => a.election.mayWrite)
    const b = new Copy(world, 'b')
    await world.advance(3_000)
    b.process.adjustClock(3_600_000)
    await world.advance(30_000, () => expect([a.election.mayWrite, b.election.mayWrite]).toEqual([true, false]))
    await ended(a)
    await ended(b)
  })

  it('a lease covers nothing once the clock was set back', async () => {
    let now = 1_000_000
    const env = {
      ...world.env,
      now: () => now,
      after: () => ({ cancel: () => undefined }),
      random: () => 0,
      uuid: () => 'x',
    }
    const election = new LeaseElection({ env, client: world.client, log: silentLogger }, { ...key, identity: 'a' })
    await election.acquire(new AbortController().signal)
    expect(election.mayWrite).toBe(true)
    now -= 1
    expect(election.mayWrite).toBe(false)
  })

  it.each([
    [15_000, 15_000, 2_000],
    [10_000, 15_000, 2_000],
    [15_000, 2_300, 2_000],
    [15_000, 10_000, 0],
    [15_000, Number.NaN, 2_000],
  ])('a lease with %i, %i, %i ms is refused', (leaseDurationMs, renewDeadlineMs, retryPeriodMs) => {
    expect(() => new Copy(world, 'a', { leaseDurationMs, renewDeadlineMs, retryPeriodMs })).toThrow(RangeError)
  })
})

async function ended(copy: Copy): Promise<void> {
  copy.stop()
  await world.until(() => copy.outcome !== undefined)
}

/** The number of timers of the server itself. */
async function pendingOf(other: World): Promise<number> {
  const { pending } = other.env
  await other.close()
  return pending
}
