/** Consistency as clients see it: lists, their pages and watches agree with each other. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { simulatedEnv } from '../env/simulated.ts'
import { createControlPlane, type InProcessTransport } from './index.ts'

interface Item {
  readonly metadata: {
    readonly name: string
    readonly resourceVersion: string
    readonly labels?: Record<string, string>
  }
}

interface ItemList {
  readonly metadata: {
    readonly resourceVersion: string
    readonly continue?: string
    readonly remainingItemCount?: number
  }
  readonly items: readonly Item[]
}

const path = '/api/v1/namespaces/default/configmaps'
const names = ['a', 'b', 'c', 'd', 'e', 'f', 'g']

/** A write: create or relabel, patch, or delete one of a few objects. Writes that fail change nothing. */
const writes = fc.array(
  fc.record({ kind: fc.constantFrom('create', 'patch', 'delete'), name: fc.constantFrom(...names), on: fc.boolean() }),
  { minLength: 1, maxLength: 25 },
)
type Write = { readonly kind: string; readonly name: string; readonly on: boolean }

async function perform(api: InProcessTransport, { kind, name, on }: Write): Promise<void> {
  const labels = { on: String(on) }
  if (kind === 'create') await api({ method: 'POST', path, body: { metadata: { name, labels } } })
  else if (kind === 'delete') await api({ method: 'DELETE', path: `${path}/${name}` })
  else {
    await api({
      method: 'PATCH',
      path: `${path}/${name}`,
      headers: { 'content-type': 'application/merge-patch+json' },
      body: { metadata: { labels } },
    })
  }
}

async function list(api: InProcessTransport, query = ''): Promise<ItemList> {
  const { status, body } = await api({ method: 'GET', path: `${path}${query}` })
  expect(status).toBe(200)
  return body as unknown as ItemList
}

const versions = (items: readonly Item[]) => items.map(({ metadata }) => `${metadata.name}@${metadata.resourceVersion}`)

function start(): { api: InProcessTransport; close: () => Promise<void> } {
  const plane = createControlPlane({ env: simulatedEnv({ seed: 1 }) })
  return { api: plane.transport(), close: () => plane.close() }
}

describe('consistency', () => {
  it('pages taken while others write equal one list', async () => {
    await fc.assert(
      fc.asyncProperty(writes, writes, fc.integer({ min: 1, max: 4 }), async (before, during, limit) => {
        const { api, close } = start()
        for (const write of before) await perform(api, write)
        const whole = await list(api)
        const items: Item[] = []
        const queue = [...during]
        let token: string | undefined
        do {
          const page = await list(api, `?limit=${limit}${token === undefined ? '' : `&continue=${token}`}`)
          expect(page.metadata.resourceVersion).toBe(whole.metadata.resourceVersion)
          items.push(...page.items)
          expect(page.metadata.remainingItemCount ?? 0).toBe(whole.items.length - items.length)
          token = page.metadata.continue
          for (const write of queue.splice(0, 2)) await perform(api, write)
        } while (token !== undefined)
        expect(versions(items)).toEqual(versions(whole.items))
        await close()
      }),
      { numRuns: 40 },
    )
  })

  it.each(['', '&labelSelector=on%3Dtrue', '&fieldSelector=metadata.name%3Dc'])(
    'a list at R and the watch from R give the state now, for every R (%s)',
    async (selector) => {
      await fc.assert(
        fc.asyncProperty(writes, async (all) => {
          const { api, close } = start()
          const first = Number((await list(api)).metadata.resourceVersion)
          for (const write of all) await perform(api, write)
          const now = await list(api, `?${selector.slice(1)}`)
          for (let revision = first; revision <= Number(now.metadata.resourceVersion); revision++) {
            const past = await list(api, `?resourceVersion=${revision}&resourceVersionMatch=Exact${selector}`)
            const state = new Map(past.items.map((item) => [item.metadata.name, item]))
            const { events } = await api({
              method: 'GET',
              path: `${path}?watch=1&resourceVersion=${revision}${selector}`,
            })
            let last = revision
            for (const { type, object } of events?.drain() ?? []) {
              const item = object as unknown as Item
              expect(Number(item.metadata.resourceVersion)).toBeGreaterThan(last)
              last = Number(item.metadata.resourceVersion)
              expect(state.has(item.metadata.name)).toBe(type !== 'ADDED')
              if (type === 'DELETED') state.delete(item.metadata.name)
              else state.set(item.metadata.name, item)
            }
            events?.stop()
            const sorted = [...state.values()].sort((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1))
            expect(versions(sorted)).toEqual(versions(now.items))
          }
          await close()
        }),
        { numRuns: 25 },
      )
    },
  )

  it('history that is gone answers 410 to lists and ends watches with it', async () => {
    const env = simulatedEnv({ seed: 1 })
    const plane = createControlPlane({ env })
    const api = plane.transport()
    for (const name of names) await perform(api, { kind: 'create', name, on: true })
    const page = await list(api, '?limit=2')
    env.advance(11 * 60 * 1000)
    await perform(api, { kind: 'delete', name: 'a', on: true })
    env.advance(11 * 60 * 1000)
    const stale = await api({ method: 'GET', path: `${path}?limit=2&continue=${page.metadata.continue}` })
    expect(stale).toMatchObject({
      status: 410,
      body: { reason: 'Expired', metadata: { continue: expect.any(String) } },
    })
    const next = (stale.body as unknown as ItemList).metadata.continue
    expect((await list(api, `?limit=9&continue=${next}`)).items.map(({ metadata }) => metadata.name)).toEqual([
      'c',
      'd',
      'e',
      'f',
      'g',
    ])
    const exact = await api({
      method: 'GET',
      path: `${path}?resourceVersion=${page.metadata.resourceVersion}&resourceVersionMatch=Exact`,
    })
    expect(exact).toMatchObject({
      status: 410,
      body: { message: 'The resourceVersion for the provided list is too old.' },
    })
    const { status, events } = await api({ method: 'GET', path: `${path}?watch=1&resourceVersion=1` })
    expect(status).toBe(200)
    expect(events?.drain()).toMatchObject([
      {
        type: 'ERROR',
        object: { code: 410, reason: 'Expired', message: expect.stringContaining('too old resource version: 1 (') },
      },
    ])
    expect(events?.ended).toBe(true)
    await plane.close()
  })
})
