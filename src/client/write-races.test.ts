import { describe, expect, it } from 'vitest'
import { isConflict } from '../api/error-reasons.ts'
import type { ApiObject } from '../api/live-object.ts'
import { apiError } from '../api/status.ts'
import { createControlPlane } from '../controlplane/index.ts'
import { simulatedEnv, type SimulatedEnv } from '../env/simulated.ts'
import type { Kind } from '../schema/kind.ts'
import { inProcessTransport } from './in-process-transport.ts'
import { RestClient } from './rest-client.ts'
import { createOrGet, retryOnConflict, type ConflictRetryOptions } from './write-races.ts'

interface ConfigMap extends ApiObject {
  data?: Record<string, string>
}
const ConfigMap: Kind<ConfigMap> = {
  group: '',
  version: 'v1',
  apiVersion: 'v1',
  kind: 'ConfigMap',
  plural: 'configmaps',
  namespaced: true,
}
const conflict = apiError.modified({ group: '', resource: 'things' }, 'a')

async function times(
  env: SimulatedEnv,
  fail: (nth: number) => unknown,
  options?: ConflictRetryOptions,
): Promise<{ at: number[]; result: unknown }> {
  const start = env.now()
  const at: number[] = []
  const call = retryOnConflict(
    env,
    async () => {
      at.push(env.now() - start)
      const error = fail(at.length)
      if (error !== undefined) throw error
      return 'done'
    },
    options,
  ).catch((error: unknown) => error)
  await env.advanceAsync(60_000)
  return { at, result: await call }
}

describe('retryOnConflict', () => {
  it('retryOnConflict tries five times, ten milliseconds and up to a tenth more apart', async () => {
    const { at, result } = await times(simulatedEnv(), () => conflict)
    expect(result).toBe(conflict)
    expect(at).toHaveLength(5)
    for (let i = 1; i < at.length; i++) {
      expect(at[i]! - at[i - 1]!).toBeGreaterThanOrEqual(10)
      expect(at[i]! - at[i - 1]!).toBeLessThanOrEqual(11)
    }
  })

  it('retryOnConflict stops at the first success, and at anything that is no conflict', async () => {
    const env = simulatedEnv()
    expect(await times(env, (nth) => (nth < 3 ? conflict : undefined))).toMatchObject({
      result: 'done',
      at: { length: 3 },
    })
    const other = new Error('no')
    expect(await times(env, () => other)).toEqual({ at: [0], result: other })
    expect(env.pending).toBe(0)
  })

  it("retryOnConflict grows by its factor, as client-go's DefaultBackoff", async () => {
    const { at } = await times(simulatedEnv(), () => conflict, { maxTries: 4, factor: 5, jitter: 0 })
    expect(at).toEqual([0, 10, 60, 310])
  })

  it('retryOnConflict is ended by its signal', async () => {
    const env = simulatedEnv()
    const stop = new AbortController()
    const call = retryOnConflict(env, () => Promise.reject(conflict), { signal: stop.signal }).catch(
      (error: unknown) => error,
    )
    await env.advanceAsync(0)
    stop.abort()
    expect(await call).toMatchObject({ code: 'ABORTED' })
    expect(env.pending).toBe(0)
  })
})

describe('on the embedded server', () => {
  it('twenty writers of one counter all succeed', async () => {
    const env = simulatedEnv()
    const plane = createControlPlane({ env })
    const client = new RestClient({ env, transport: inProcessTransport(plane.transport()) })
    const key = { namespace: 'default', name: 'counter' }
    await client.create(ConfigMap, { metadata: key, data: { n: '0' } })
    const conflicts: unknown[] = []
    const add = (): Promise<unknown> =>
      retryOnConflict(
        env,
        async () => {
          const { metadata, data } = await client.get(ConfigMap, key)
          const changed = {
            metadata: { ...key, resourceVersion: metadata.resourceVersion },
            data: { n: String(Number(data?.['n']) + 1) },
          }
          return client.update(ConfigMap, changed).catch((error: unknown) => {
            conflicts.push(error)
            throw error
          })
        },
        { maxTries: 100 },
      )
    const writers = Promise.all(Array.from({ length: 20 }, add))
    await env.advanceAsync(10_000)
    await writers
    expect((await client.get(ConfigMap, key)).data).toEqual({ n: '20' })
    expect(conflicts.length).toBeGreaterThan(0)
    expect(conflicts.every(isConflict)).toBe(true)
    await plane.close()
  })

  it('createOrGet creates, or returns what is there, also when it vanishes in between', async () => {
    const env = simulatedEnv()
    const plane = createControlPlane({ env })
    const client = new RestClient({ env, transport: inProcessTransport(plane.transport()) })
    const map: ConfigMap = { metadata: { name: 'a', namespace: 'default' }, data: { by: 'us' } }
    expect(await createOrGet(client, ConfigMap, map)).toMatchObject({ created: true, object: { data: { by: 'us' } } })
    expect(await createOrGet(client, ConfigMap, { ...map, data: {} })).toMatchObject({
      created: false,
      object: { data: { by: 'us' } },
    })
    const vanishing = Object.assign(Object.create(client) as RestClient, {
      create: client.create.bind(client),
      get: async () => {
        await client.delete(ConfigMap, { namespace: 'default', name: 'a' })
        return client.get(ConfigMap, { namespace: 'default', name: 'a' })
      },
    })
    expect(await createOrGet(vanishing, ConfigMap, { ...map, data: { by: 'second' } })).toMatchObject({
      created: true,
      object: { data: { by: 'second' } },
    })
    await expect(
      createOrGet(client, ConfigMap, { metadata: { name: 'NO', namespace: 'default' } }),
    ).rejects.toMatchObject({ code: 422 })
    await plane.close()
  })
})
