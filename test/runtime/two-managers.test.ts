/**
 * Two replicas of a program with one lease: one is stopped (SIGSTOP) beyond its lease, the other takes over, and the
 * first never writes again.
 */
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import type { WatchEvents } from '../../src/client/client.ts'
import { ConfigMap, Lease } from '../../src/schema/builtin/kinds.ts'
import type { ObjectOf } from '../../src/schema/kind.ts'
import { Child } from './child.ts'
import { bundlePrograms, type Programs } from './programs.ts'
import { eventually, servePlane, type ServedPlane } from './served-plane.ts'
import { Greeting } from './testdata/greeting.ts'

let served: ServedPlane
let programs: Programs
beforeAll(async () => {
  served = await servePlane([Greeting.crd])
  programs = await bundlePrograms('operator')
})
afterAll(async () => {
  programs.remove()
  await served.stop()
})

const children: Child[] = []
afterEach(async ({ task }) => {
  for (const child of children.splice(0)) {
    // The output of both processes is needed to diagnose a failure.
    if (task.result?.state === 'fail') console.error(child.story())
    await child.destroy()
  }
})

/** Short, to keep the test fast; long enough for a busy machine. */
const times = [
  '--leader-elect-lease-duration',
  '8s',
  '--leader-elect-renew-deadline',
  '6s',
  '--leader-elect-retry-period',
  '500ms',
]

function start(name: string, variables: Readonly<Record<string, string>> = {}): Child {
  const child = new Child({
    program: programs.file('operator'),
    args: ['--leader-elect', ...times],
    variables: { KUBECONFIG: served.kubeconfig, POD_NAME: name, ...variables },
  })
  children.push(child)
  return child
}

const name = 'hello'
const key = { namespace: 'default', name }

async function said(text: string) {
  return eventually(
    await served.client.watch(Greeting),
    ({ metadata, status }) => metadata.name === name && status?.said === text,
  )
}

function say(text: string) {
  return served.client.patch(Greeting, key, { type: 'merge', patch: { spec: { text } } })
}

/** Records all writes to the objects of a kind, with the replica that wrote them. */
async function noteWriters<T extends object>(
  events: WatchEvents<never>,
  writers: string[],
  by: (object: T) => string | undefined,
): Promise<void> {
  for await (const batch of events) {
    for (const event of batch) {
      const writer = event.type === 'BOOKMARK' ? undefined : by(event.object as T)
      if (writer !== undefined && writers.at(-1) !== writer) writers.push(writer)
    }
  }
}

describe('two copies with one lease', () => {
  it(
    'runtime pain #25: never write beside each other, though one is stopped in the middle of its work and goes ' +
      'on after its lease',
    async () => {
      const first = start('a', { FREEZES: 'two' })
      await first.line('holding the lease')
      const second = start('b')
      await second.line('waiting for the lease')
      await served.client.create(Greeting, { metadata: { ...key }, spec: { text: 'one' } })
      const stop = new AbortController()
      const { signal } = stop
      const writers = { statuses: [] as string[], maps: [] as string[] }
      const noting = Promise.allSettled([
        noteWriters(
          (await served.client.watch(Greeting, { signal })) as WatchEvents<never>,
          writers.statuses,
          ({ status }: ObjectOf<typeof Greeting>) => status?.by,
        ),
        noteWriters(
          (await served.client.watch(ConfigMap, { signal })) as WatchEvents<never>,
          writers.maps,
          ({ data }: ConfigMap) => data?.['by'],
        ),
      ])
      expect((await said('one')).status?.by).toBe('a')

      // The first replica stops itself right before it writes this.
      await say('two')
      await second.line('holding the lease')
      expect((await said('two')).status?.by).toBe('b')
      await say('three')
      expect((await said('three')).status?.by).toBe('b')

      first.kill('SIGCONT')
      expect(await first.end()).toBe(1)
      expect(await first.line('lost the lease')).toBeDefined()
      expect(JSON.stringify(await first.line('ended by a failure'))).toContain('LeaseLostError')
      await say('four')
      expect((await said('four')).status?.by).toBe('b')
      expect((await served.client.get(Lease, { namespace: 'default', name: 'greeter' })).spec?.leaseTransitions).toBe(1)

      second.kill('SIGTERM')
      expect(await second.end()).toBe(0)
      expect((await served.client.get(Lease, { namespace: 'default', name: 'greeter' })).spec?.holderIdentity).toBe('')
      stop.abort()
      await noting
      expect(writers).toEqual({ statuses: ['a', 'b'], maps: ['a', 'b'] })
      // Starting processes takes time on a busy machine.
    },
    120_000,
  )
})
