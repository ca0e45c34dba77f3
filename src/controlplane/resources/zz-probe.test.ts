import { expect, test } from 'vitest'
import { createControlPlane } from '../control-plane.ts'
test('x', async () => {
  const plane = createControlPlane()
  const send = plane.transport()
  const r = await send({ method: 'POST', path: '/api/v1/namespaces/default/pods', body: { metadata: { name: 'p' }, spec: { containers: [{ name: 'c', image: 'i' }] } }, headers: {'content-type':'application/json'} })
  console.log(r.status, JSON.stringify(r.body, null, 1))
  expect(r.status).toBe(201)
})
