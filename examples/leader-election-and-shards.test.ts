import { findCondition } from 'coxswain'
import { inProcessTransport } from 'coxswain/client'
import { LeaseLostError, Manager, type ElectionOptions } from 'coxswain/manager'
import { embedded, faultyTransport, type Embedded } from 'coxswain/testing'
import { afterEach, beforeEach, expect, it } from 'vitest'
import ticketsOperator, { Ticket, tickets } from './leader-election-and-shards.ts'

/** One copy of the operator, as it runs in a pod. */
class Copy {
  readonly manager: Manager
  readonly writes: string[] = []
  readonly #stop = new AbortController()
  readonly #ended: Promise<void>
  isCutOff = false

  constructor(name: string, options: Partial<ElectionOptions>) {
    const transport = faultyTransport(inProcessTransport(cluster.plane.transport()), cluster.env, (request) => {
      if (request.method !== 'GET' && !request.path.includes('/leases')) this.writes.push(request.path)
      return this.isCutOff ? { type: 'refuse' } : undefined
    })
    this.manager = new Manager({
      env: cluster.env,
      transport,
      controllers: [tickets(name)],
      leaderElection: { namespace: 'default', name: 'tickets', identity: name, ...options },
    })
    this.#ended = this.manager.run(this.#stop.signal)
    this.#ended.catch(() => undefined)
  }

  /** Resolves when the copy has ended, with what made it fail, if anything. */
  async end(): Promise<unknown> {
    this.#stop.abort()
    while (this.manager.state !== 'ended') await cluster.advance(1000)
    return this.#ended.catch((error: unknown) => error)
  }
}

const names = Array.from({ length: 12 }, (_, index) => `ticket-${index}`)

let cluster: Embedded
let copies: Copy[]
beforeEach(async () => {
  cluster = await embedded({ crds: [Ticket.crd] })
  copies = []
})
afterEach(async () => {
  for (const copy of copies) await copy.end()
  await cluster.stop()
})

async function start(name: string, options: Partial<ElectionOptions> = {}): Promise<Copy> {
  const copy = new Copy(name, options)
  copies.push(copy)
  await cluster.advance(20_000)
  return copy
}

async function write(text: string): Promise<void> {
  for (const name of names)
    await cluster.apply({ apiVersion: 'example.dev/v1', kind: 'Ticket', metadata: { name }, spec: { text } })
  await cluster.advance(20_000)
}

/** How many Tickets each copy handled last. */
async function handled(): Promise<Record<string, number>> {
  const { items } = await cluster.client.list(Ticket)
  const counts: Record<string, number> = {}
  for (const { metadata, status } of items) {
    expect(findCondition(status?.conditions, 'Ready')).toMatchObject({ observedGeneration: metadata.generation })
    counts[status?.handledBy ?? ''] = (counts[status?.handledBy ?? ''] ?? 0) + 1
  }
  return counts
}

it('leader election: one copy works, a warm standby takes over when it stops', async () => {
  const a = await start('a')
  const b = await start('b')
  await write('first')
  expect([a.manager.state, b.manager.state]).toEqual(['working', 'standby'])
  expect(await handled()).toEqual({ a: 12 })

  const before = cluster.env.now()
  await a.end()
  while (b.manager.state !== 'working') await cluster.advance(100)
  // The lease is released, so the standby does not wait for it to expire.
  expect(cluster.env.now() - before).toBeLessThan(3_000)
  // It reconciles all Tickets again and finds nothing to do.
  await cluster.advance(60_000)
  expect(b.writes).toEqual([])
  await write('second')
  expect(await handled()).toEqual({ b: 12 })
})

it('leader election: a copy that is cut off stops writing before another one takes over', async () => {
  const a = await start('a')
  const b = await start('b')
  a.isCutOff = true
  await cluster.advance(10_500)
  expect(a.manager.leadership.mayWrite).toBe(false)
  expect(b.manager.state).toBe('standby')
  await cluster.advance(8_000)
  expect(b.manager.state).toBe('working')
  expect(await a.end()).toBeInstanceOf(LeaseLostError)
})

it('shards: all copies work, each Ticket is handled by one, and the shards of a copy that stops move', async () => {
  const a = await start('a', { shards: 8 })
  const b = await start('b', { shards: 8 })
  await write('first')
  const shared = await handled()
  expect(Object.keys(shared).sort()).toEqual(['a', 'b'])
  const sent = [...a.writes, ...b.writes].filter((path) => path.includes('/status'))
  expect(new Set(sent).size).toBe(12)
  expect(sent).toHaveLength(12)

  await a.end()
  await write('second')
  expect(await handled()).toEqual({ b: 12 })
})

it('shards: copies at rest write nothing but their leases', async () => {
  // Slow renewals, so that an hour has few of them.
  const slow: Partial<ElectionOptions> = {
    shards: 4,
    leaseDurationMs: 150_000,
    renewDeadlineMs: 100_000,
    retryPeriodMs: 20_000,
  }
  const a = await start('a', slow)
  const b = await start('b', slow)
  await cluster.advance(100_000)
  await write('first')
  const [before, after] = [a.writes.length, b.writes.length]
  await cluster.advance(3_600_000)
  expect([a.writes.length, b.writes.length]).toEqual([before, after])
})

it('the sharded example is granted access to the leases of all shards', async () => {
  const { files } = await ticketsOperator.manifests()
  for (const lease of ['tickets-0', 'tickets-7']) expect(files['roles.yaml']).toContain(`- ${lease}\n`)
})
