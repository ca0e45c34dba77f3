import { expect, it } from 'vitest'
import { createControlPlane } from '../controlplane/index.ts'
import { simulatedEnv } from '../env/simulated.ts'
import { microTime, parseTime } from './micro-time.ts'

it('microTime has six digits, and is read back', () => {
  expect(microTime(1_767_225_600_123)).toBe('2026-01-01T00:00:00.123000Z')
  expect(microTime(0)).toBe('1970-01-01T00:00:00.000000Z')
  expect(parseTime(microTime(1_767_225_600_123))).toBe(1_767_225_600_123)
  expect(parseTime('2026-01-01T01:00:00.123456+01:00')).toBe(1_767_225_600_123)
  expect(parseTime('soon')).toBeNaN()
})

// Known failure: client 22.
it('a lease takes a microTime, and takes no milliseconds', async () => {
  const env = simulatedEnv()
  const plane = createControlPlane({ env })
  const create = (name: string, renewTime: string) =>
    plane.transport()({
      method: 'POST',
      path: '/apis/coordination.k8s.io/v1/namespaces/default/leases',
      body: { metadata: { name }, spec: { renewTime } },
    })
  const taken = await create('a', microTime(env.now()))
  expect(taken.status).toBe(201)
  expect(taken.body).toMatchObject({ spec: { renewTime: microTime(env.now()) } })
  expect((await create('b', new Date(env.now()).toISOString())).status).toBe(400)
  await plane.close()
})
