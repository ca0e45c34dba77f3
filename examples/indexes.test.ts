import { findCondition } from 'coxswain'
import { embedded, explore, matchers, type Embedded } from 'coxswain/testing'
import { afterEach, beforeEach, expect, it } from 'vitest'
import routesOperator, { Route, routes } from './indexes.ts'

const route = (name: string, host: string, aliases: string[] = [], namespace = 'default') => ({
  apiVersion: 'example.dev/v1',
  kind: 'Route',
  metadata: { namespace, name },
  spec: { host, aliases },
})
const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shop' } }

let cluster: Embedded
beforeEach(async () => {
  cluster = await embedded({ controllers: [routes] })
})
afterEach(() => cluster.stop())

const claimed = async (name: string, at = 'default') => {
  const { status } = await cluster.client.get(Route, { namespace: at, name })
  const ready = findCondition(status?.conditions, 'Ready')
  return `${status?.hosts?.join(' ') ?? ''}; ${ready?.reason}: ${ready?.message}`
}

it('the index example gives a host to the oldest Route, across namespaces', async () => {
  await cluster.apply(namespace, route('first', 'a.example'))
  await cluster.advance(1000)
  await cluster.apply(route('second', 'a.example', ['b.example'], 'shop'))
  await cluster.settle()
  expect(await claimed('first')).toBe('a.example; Claimed: the Route has all its hosts')
  expect(await claimed('second', 'shop')).toBe('b.example; HostTaken: a.example belongs to default/first')
  expect(matchers.toUseExactly(cluster.access, routesOperator)).toMatchObject({ pass: true })
  expect(await cluster.writesDuring(3_600_000)).toEqual([])
})

it('the index example gives a host to the next Route when its owner changes the host or is deleted', async () => {
  await cluster.apply(route('first', 'a.example'))
  await cluster.advance(1000)
  await cluster.apply(route('second', 'a.example'))
  await cluster.advance(1000)
  await cluster.apply(route('third', 'a.example'))
  await cluster.settle()
  expect(await claimed('second')).toBe('; HostTaken: a.example belongs to default/first')

  await cluster.apply(route('first', 'b.example'))
  await cluster.settle()
  expect(await claimed('first')).toBe('b.example; Claimed: the Route has all its hosts')
  expect(await claimed('second')).toBe('a.example; Claimed: the Route has all its hosts')

  await cluster.client.delete(Route, { namespace: 'default', name: 'second' })
  await cluster.settle()
  expect(await claimed('third')).toBe('a.example; Claimed: the Route has all its hosts')
})

it('the index example reconciles only the Routes of the host that changed', async () => {
  for (let i = 0; i < 50; i++) await cluster.apply(route(`other-${i}`, `${i}.example`))
  await cluster.apply(route('first', 'a.example'), route('second', 'a.example'))
  await cluster.settle()
  const logged = cluster.logs.length
  await cluster.apply(route('first', 'c.example'))
  await cluster.settle()
  const reconciled = cluster.logs
    .slice(logged)
    .map((line) => (JSON.parse(line) as { name?: string }).name)
    .filter((name) => name !== undefined)
  expect(new Set(reconciled)).toEqual(new Set(['first', 'second']))
})

it('the index example converges when any call fails', async () => {
  const report = await explore({
    cluster: { controllers: () => [routes] },
    steps: [
      { name: 'claim', act: (explored) => explored.apply(route('first', 'a.example')) },
      { name: 'contend', act: (explored) => explored.apply(route('second', 'a.example')), expects: 'not ready' },
      { name: 'release', act: (explored) => explored.apply(route('first', 'b.example')) },
    ],
    atMost: 40,
  })
  expect(report.failures, report.text).toEqual([])
})
