/** Several instances of the program in an embedded cluster, and a server that is restored while they run. */
import { afterEach, describe, expect, it } from 'vitest'
import { controller } from '../controller/builder.ts'
import { requeueAfter } from '../controller/result.ts'
import { ConfigMap } from '../schema/builtin/kinds.ts'
import { resource } from '../schema/resource.ts'
import { t } from '../schema/t.ts'
import { embedded } from './embedded.ts'
import type { Embedded } from './embedded-handle.ts'
import type { EmbeddedOptions } from './embedded-options.ts'

const App = resource('example.dev/v1', 'App', {
  spec: t.object({ text: t.string() }),
  status: t.object({ text: t.string().optional() }),
})
const apps = controller(App)
  .owns(ConfigMap)
  .reconcile(async ({ object, apply }) => {
    await apply(ConfigMap, { metadata: { name: object.metadata.name }, data: { text: object.spec.text } })
  })
const app = (text: string) => ({ apiVersion: 'example.dev/v1', kind: 'App', metadata: { name: 'a' }, spec: { text } })
const key = { namespace: 'default', name: 'a' }
const leaderElection = { namespace: 'default', name: 'apps' }

const running: Embedded[] = []
afterEach(async () => {
  for (const cluster of running.splice(0)) await cluster.stop()
})

async function start(options: EmbeddedOptions = {}): Promise<Embedded> {
  const cluster = await embedded({ controllers: () => [apps], ...options })
  running.push(cluster)
  return cluster
}

const textOf = async ({ client }: Embedded): Promise<string | undefined> =>
  (await client.get(ConfigMap, key).catch(() => undefined))?.data?.['text']

describe('instances of a program', () => {
  it('instances all work without leader election', async () => {
    const cluster = await start()
    const second = cluster.startInstance()
    await cluster.settle()
    await cluster.apply(app('one'))
    const before = cluster.reconciles
    await cluster.settle()
    expect(cluster.reconciles - before).toBeGreaterThanOrEqual(2)
    expect(second.isLeading).toBe(true)
    expect(await textOf(cluster)).toBe('one')
  })

  it('one of them works with leader election, and the next one when it ends', async () => {
    const cluster = await start({ leaderElection })
    const first = cluster.manager
    const second = cluster.startInstance()
    await cluster.apply(app('one'))
    await cluster.settle()
    expect([first.state, second.manager.state]).toEqual(['working', 'standby'])
    second.terminate()
    const third = cluster.startInstance()
    await cluster.advance(3000)
    expect([cluster.manager === first, third.isLeading]).toEqual([true, false])
    await cluster.restart()
    await cluster.apply(app('two'))
    await cluster.settle()
    expect(await textOf(cluster)).toBe('two')
  })

  it('one that is stopped neither sends nor hears anything, and goes on later', async () => {
    const runs: string[] = []
    const watching = controller(App).reconcile(({ object }) => {
      runs.push(object.spec.text)
      return requeueAfter(10_000)
    })
    const cluster = await start({ controllers: [watching] })
    const second = cluster.startInstance()
    await cluster.settle()
    second.stop()
    await cluster.apply(app('one'))
    await cluster.advance(60_000)
    const beside = runs.length
    second.resume()
    await cluster.advance(1)
    expect([beside > 1, runs.length - beside]).toEqual([true, 1])
  })

  it('one that has lost its lease ends, and is started again if nobody else is there', async () => {
    let isDown = false
    const cluster = await start({
      leaderElection,
      faults: ({ path }) => (isDown && path.includes('/leases') ? { type: 'refuse' } : undefined),
    })
    const first = cluster.manager
    isDown = true
    await cluster.advance(12_000)
    isDown = false
    await cluster.advance(30_000)
    expect(first.state).toBe('ended')
    await cluster.apply(app('one'))
    await cluster.settle()
    expect(await textOf(cluster)).toBe('one')
  })
})

describe('a server that is restored', () => {
  it.each([
    ['behind', false],
    ['overtaken', true],
  ])('a server that is restored, %s, is noticed by the operator, which goes on from there', async (_, isOvertaken) => {
    const cluster = await start()
    await cluster.apply(app('one'))
    const backup = cluster.snapshot()
    await cluster.settle()
    const { manager } = cluster
    expect(await textOf(cluster)).toBe('one')
    cluster.restore(backup, { downMs: 2000, isOvertaken })
    expect(await textOf(cluster)).toBeUndefined()
    await cluster.advance(1000)
    expect(await textOf(cluster)).toBeUndefined()
    await cluster.advance(60_000)
    expect(await textOf(cluster)).toBe('one')
    await cluster.apply(app('two'))
    await cluster.settle()
    expect(await textOf(cluster)).toBe('two')
    expect(cluster.manager).toBe(manager)
  })

  it('nodes and controllers of a restored server start again', { timeout: 60_000 }, async () => {
    const cluster = await start({ nodes: 1 })
    const backup = cluster.snapshot()
    cluster.restore(backup)
    await cluster.apply({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'a' },
      spec: { containers: [{ name: 'a', image: 'nginx' }] },
    } as never)
    await cluster.settle()
    const pod = (await cluster.client.raw('GET', '/api/v1/namespaces/default/pods/a')) as { status: { phase: string } }
    expect(JSON.stringify(pod)).toContain('Running')
  })
})
