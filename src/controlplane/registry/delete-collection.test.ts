import { expect, it } from 'vitest'
import { administrator, createControlPlane } from '../control-plane.ts'
import type { ListResponse } from '../contract/request.ts'

it('a large collection is deleted in several turns, each object once', async () => {
  const plane = createControlPlane()
  const path = '/api/v1/namespaces/default/configmaps'
  for (let i = 0; i < 100; i++)
    await plane.transport()({ method: 'POST', path, body: { metadata: { name: `map-${i}` } } })
  const before = plane.store.revision
  const waiting: (() => void)[] = []
  const turn = { isOver: true, later: (task: () => void) => void waiting.push(task) }
  const query = new URLSearchParams()
  const deleting = plane.handle({ method: 'DELETE', path, query, headers: {}, user: administrator, turn })
  const done = { is: false }
  const response = Promise.resolve(deleting).finally(() => (done.is = true))
  const revisions: number[] = []
  while (!done.is) {
    revisions.push(plane.store.revision - before)
    waiting.shift()?.()
    for (let i = 0; i < 20; i++) await Promise.resolve()
  }
  expect(revisions).toEqual([16, 32, 48, 64, 80, 96])
  expect(((await response) as ListResponse).items.length).toBe(100)
  expect(plane.store.revision - before).toBe(100)
  await plane.close()
})
