import { ConfigMap, controllerOf, findCondition, isNotFound } from 'coxswain'
import { embedded, explore, matchers, type Embedded } from 'coxswain/testing'
import { afterEach, beforeEach, expect, it } from 'vitest'
import bundlesOperator, { Bundle, bundles } from './own-and-adopt.ts'

type Files = Record<string, Record<string, string>>

const bundle = (files: Files, adopt = false) => ({
  apiVersion: 'example.dev/v1',
  kind: 'Bundle',
  metadata: { name: 'site' },
  spec: { files, adopt },
})
const configMap = (name: string, data: Record<string, string>) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name },
  data,
})
const key = (name: string) => ({ namespace: 'default', name })

let cluster: Embedded
beforeEach(async () => {
  cluster = await embedded({ controllers: [bundles] })
})
afterEach(() => cluster.stop())

const get = (name: string) => cluster.client.get(ConfigMap, key(name))
const ready = async () => findCondition((await cluster.client.get(Bundle, key('site'))).status?.conditions, 'Ready')

it('creates, repairs and deletes the ConfigMaps that it owns', async () => {
  await cluster.apply(bundle({ page: { title: 'Hello' }, style: { color: 'red' } }))
  await cluster.settle()
  expect((await get('page')).data).toEqual({ title: 'Hello' })

  await cluster.client.patch(ConfigMap, key('page'), { type: 'merge', patch: { data: { title: 'Bye' } } })
  await cluster.client.delete(ConfigMap, key('style'))
  await cluster.settle()
  expect((await get('page')).data).toEqual({ title: 'Hello' })
  expect((await get('style')).data).toEqual({ color: 'red' })

  await cluster.apply(bundle({ page: { title: 'Hello' } }))
  await cluster.settle()
  await expect(get('style')).rejects.toSatisfy(isNotFound)
  expect(await cluster.events(bundle({}))).toContainEqual(expect.objectContaining({ reason: 'Pruned' }))
  expect(matchers.toUseExactly(cluster.access, bundlesOperator)).toMatchObject({ pass: true })
  expect(await cluster.writesDuring(3_600_000)).toEqual([])
})

it('the adoption example refuses a ConfigMap that it does not control and leaves it untouched', async () => {
  await cluster.apply(configMap('style', { color: 'red' }))
  await cluster.apply(bundle({ style: { color: 'blue' } }))
  await cluster.settle()
  expect(await ready()).toMatchObject({ status: 'False', reason: 'NotOwned', observedGeneration: 1 })
  expect((await get('style')).data).toEqual({ color: 'red' })
  expect(await cluster.writesDuring(3_600_000)).toEqual([])

  // The name becomes free: the watch runs the controller, which nothing else would.
  await cluster.client.delete(ConfigMap, key('style'))
  await cluster.settle()
  expect(await ready()).toMatchObject({ status: 'True', reason: 'Applied' })
  expect((await get('style')).data).toEqual({ color: 'blue' })
})

it('adopts a ConfigMap without a controller when the spec says so', async () => {
  await cluster.apply(configMap('style', { color: 'red', font: 'serif' }))
  const { uid } = (await get('style')).metadata
  await cluster.apply(bundle({ style: { color: 'blue' } }, true))
  await cluster.settle()
  const adopted = await get('style')
  expect(adopted.metadata.uid).toBe(uid)
  expect(controllerOf(adopted)).toMatchObject({ kind: 'Bundle', name: 'site' })
  // Server-side apply takes the fields that it wants. Those of others stay.
  expect(adopted.data).toEqual({ color: 'blue', font: 'serif' })
})

it('the adoption example never adopts a ConfigMap that another object controls', async () => {
  await cluster.apply({ ...bundle({ style: { color: 'red' } }), metadata: { name: 'first' } })
  await cluster.settle()
  await cluster.apply(bundle({ style: { color: 'blue' } }, true))
  await cluster.settle()
  expect(await ready()).toMatchObject({ status: 'False', reason: 'NotOwned' })
  expect((await get('style')).data).toEqual({ color: 'red' })
})

it('the adoption example converges when any call fails', async () => {
  const report = await explore({
    cluster: { controllers: () => [bundles] },
    steps: [
      { name: 'create', act: (explored) => explored.apply(bundle({ page: { a: '1' }, style: { b: '2' } })) },
      { name: 'prune', act: (explored) => explored.apply(bundle({ page: { a: '1' } })) },
    ],
    atMost: 40,
  })
  expect(report.failures, report.text).toEqual([])
})
