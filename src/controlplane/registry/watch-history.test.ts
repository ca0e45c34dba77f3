/** A watch from an old revision sends history as fast as its client reads. */
import { afterEach, expect, it } from 'vitest'
import { simulatedEnv } from '../../env/simulated.ts'
import { administrator, createControlPlane, type ControlPlane } from '../control-plane.ts'
import type { WatchEvent, WatchResponse } from '../contract/request.ts'
import { MemoryStore } from '../storage/memory-store.ts'

const path = '/api/v1/namespaces/default/configmaps'
const planes: ControlPlane[] = []
afterEach(async () => {
  for (const plane of planes.splice(0)) await plane.close()
})

/** A reader that takes `perRead` events for each call of `read`. */
async function slowReader(maxHistory: number, perRead: number) {
  const env = simulatedEnv({ seed: 1 })
  const store = new MemoryStore({ env, maxHistory })
  const plane = createControlPlane({ env, store })
  planes.push(plane)
  const start = store.revision
  const create = (name: string) => plane.transport()({ method: 'POST', path, body: { metadata: { name } } })
  for (let i = 0; i < 50; i++) await create(`map-${i}`)
  const query = new URLSearchParams({ watch: 'true', resourceVersion: String(start) })
  const response = plane.handle({ method: 'GET', path, query, headers: {}, user: administrator })
  const events: WatchEvent[] = []
  let resumed: (() => void) | undefined
  let unread = 0
  let isEnded = false
  ;(response as WatchResponse).start({
    event(event) {
      unread++
      events.push(event)
    },
    room(resume) {
      if (unread < perRead) return true
      resumed = resume
      return false
    },
    end: () => (isEnded = true),
  })
  const read = (): boolean => {
    unread = 0
    const resume = resumed
    resumed = undefined
    resume?.()
    return resume !== undefined
  }
  return { create, events, read, isEnded: () => isEnded }
}

const nameOf = ({ object }: WatchEvent) => (object as { metadata: { name: string } }).metadata.name

it('history is sent as fast as the client reads, and later changes come after it', async () => {
  const { create, events, read } = await slowReader(100_000, 10)
  expect(events.length).toBe(10)
  await create('late')
  expect(events.length).toBe(10)
  while (read());
  expect(events.map(nameOf)).toEqual([...Array.from({ length: 50 }, (_, i) => `map-${i}`), 'late'])
  await create('live')
  expect(nameOf(events.at(-1) as WatchEvent)).toBe('live')
})

it('a watch that is behind ends when history is compacted', async () => {
  const { create, events, isEnded } = await slowReader(100, 10)
  for (let i = 0; i < 100 && !isEnded(); i++) await create(`more-${i}`)
  expect(isEnded()).toBe(true)
  expect(events.length).toBe(11)
  expect(events.at(-1)).toMatchObject({ type: 'ERROR', object: { code: 410, reason: 'Expired' } })
})
