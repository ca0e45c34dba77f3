/**
 * A manager whose server is rolled back: with and without a lease, with and without a garbage collector. It must
 * recover within 35 s, and nothing may be created for owners that do not exist. In simulated time; `ROLLBACK_RUNS=100`
 * for more runs of each.
 */
import { describe, expect, it } from 'vitest'
import { FaultyTransport, connectionRefused } from '../../src/cache/testdata/faulty-transport.ts'
import { inProcessTransport } from '../../src/client/in-process-transport.ts'
import { RestClient } from '../../src/client/rest-client.ts'
import { builtinControllers } from '../../src/controllers/index.ts'
import { createControlPlane, MemoryStore, type ControlPlane } from '../../src/controlplane/index.ts'
import type { MemoryStoreOptions } from '../../src/controlplane/storage/memory-store.ts'
import { ConfigMap, Secret } from '../../src/index.ts'
import { Manager } from '../../src/manager/manager.ts'
import { simulatedEnv, type SimulatedEnv } from '../../src/env/simulated.ts'
import { copiedType, copies } from './testdata/copies.ts'

const runs = Number(process.env['ROLLBACK_RUNS'] ?? 4)
const namespace = 'default'

interface Running {
  readonly plane: ControlPlane
  readonly client: RestClient
}

function start(env: SimulatedEnv, from?: MemoryStoreOptions['from']): Running {
  const plane = createControlPlane({ env, store: new MemoryStore({ env, from }) })
  return { plane, client: new RestClient({ env, transport: inProcessTransport(plane.transport()), timeoutMs: 0 }) }
}

/** Owners whose children were created for them, whatever happened to the children since. */
function createdFor({ plane }: Running): Set<string> {
  const uids = new Set<string>()
  plane.store.watch('/registry/configmaps/', plane.store.revision, (event) => {
    if (event.type === 'put' && event.previous === undefined)
      for (const { uid } of event.current.object.metadata?.ownerReferences ?? []) uids.add(uid)
  })
  return uids
}

async function play(seed: number, hasLease: boolean, collects: boolean): Promise<void> {
  const env = simulatedEnv({ seed })
  const first = start(env)
  const network = new FaultyTransport(inProcessTransport(first.plane.transport()))
  const stop = new AbortController()
  const manager = new Manager({
    env,
    transport: network,
    controllers: [copies],
    namespaces: [namespace],
    leaderElection: hasLease ? { namespace, name: 'copies' } : undefined,
  })
  const managers = [manager]
  if (collects)
    managers.push(new Manager({ env, transport: network, ...builtinControllers(['garbage-collector-controller']) }))
  const ended = Promise.all(managers.map((each) => each.run(stop.signal)))
  const secret = (client: RestClient, name: string): Promise<unknown> =>
    client.create(Secret, { metadata: { namespace, name }, type: copiedType })

  const keptCount = Math.floor(env.random() * 3)
  for (let i = 0; i < keptCount; i++) await secret(first.client, `kept${i}`)
  await env.advanceAsync(20_000)
  const backup = first.plane.store.list('/registry/')
  for (let i = 0; i < 4; i++) await secret(first.client, `lost${i}`)
  await env.advanceAsync(Math.floor(env.random() * 90_000))
  expect(await manager.cache.list(ConfigMap, { namespace })).toHaveLength(keptCount + 4)

  const isEmpty = env.random() < 0.5
  const second = isEmpty ? start(env) : start(env, backup)
  const owners = createdFor(second)
  network.fault = connectionRefused
  network.inner = inProcessTransport(second.plane.transport())
  for (const stream of network.streams) stream.report('cut')
  // Shorter than the renew deadline: a manager that loses its lease ends.
  await env.advanceAsync(Math.floor(env.random() * 5_000))
  await secret(second.client, 'new')
  await secret(second.client, 'lost0')
  if (env.random() < 0.7) {
    for (let i = 0; second.plane.store.revision <= first.plane.store.revision; i++)
      await second.client.create(ConfigMap, { metadata: { namespace: 'kube-public', name: `other${i}` } })
  }
  network.fault = () => undefined
  await env.advanceAsync(35_000)

  const secrets = (await second.client.list(Secret, { namespace })).items
  const copied = (await second.client.list(ConfigMap, { namespace })).items
  const expected = secrets.map(({ metadata }) => `${metadata.name} ${metadata.uid}`).sort()
  expect(expected).toHaveLength(2 + (isEmpty ? 0 : keptCount))
  expect(copied.map(({ metadata, data }) => `${metadata.name} ${data?.['owner']}`).sort()).toEqual(expected)
  const uids = new Set(secrets.map(({ metadata }) => metadata.uid))
  expect([...owners].filter((uid) => !uids.has(uid))).toEqual([])

  stop.abort()
  await env.advanceAsync(60_000)
  await ended
  await first.plane.close()
  await second.plane.close()
}

describe('a manager whose server is rolled back', () => {
  it.each([
    ['without a lease, without a garbage collector', false, false],
    ['without a lease, with a garbage collector', false, true],
    ['with a lease, without a garbage collector', true, false],
    ['with a lease, with a garbage collector', true, true],
  ])(
    'a manager whose server is rolled back recovers, %s',
    async (_name, hasLease, collects) => {
      for (let seed = 1; seed <= runs; seed++) await play(seed, hasLease, collects)
    },
    600_000,
  )
})
