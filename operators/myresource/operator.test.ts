/** Every step of the tutorial's reconcile, as docs/internals/seeds.md lists them. */
import { readFileSync } from 'node:fs'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { Deployment, Pod } from 'coxswain'
import { embedded, matchers, type Embedded } from 'coxswain/testing'
import myresource, { MyResource, myResources } from './operator.ts'

const manifest = (image = 'nginx:1', memory = '512Mi') => ({
  apiVersion: 'mygroup.example.com/v1alpha1',
  kind: 'MyResource',
  metadata: { name: 'sample' },
  spec: { image, memory },
})
const key = { namespace: 'default', name: 'sample' }
const child = { namespace: 'default', name: 'sample-deployment' }

let cluster: Embedded
beforeEach(async () => {
  cluster = await embedded({ controllers: [myResources], nodes: 1 })
})
afterEach(() => cluster.stop())

const state = async () => (await cluster.client.get(MyResource, key)).status?.state

it('the MyResource operator creates and controls a Deployment with the requested image and memory', async () => {
  await cluster.apply(manifest())
  await cluster.settle()
  const deployment = await cluster.client.get(Deployment, child)
  expect(deployment.metadata.labels).toEqual({ myresource: 'sample' })
  expect(deployment.metadata.ownerReferences).toMatchObject([{ kind: 'MyResource', name: 'sample', controller: true }])
  expect(deployment.spec?.template?.spec?.containers).toMatchObject([
    { name: 'main', image: 'nginx:1', resources: { requests: { memory: '512Mi' } } },
  ])
})

it('the MyResource operator is Building until the pod is ready, then Ready', async () => {
  await cluster.apply(manifest())
  await cluster.advance(500)
  expect(await state()).toBe('Building')
  await cluster.settle()
  expect(await state()).toBe('Ready')
})

it('the MyResource operator follows a change of the image and of the memory', async () => {
  await cluster.apply(manifest())
  await cluster.settle()
  await cluster.apply(manifest('nginx:2', '1Gi'))
  await cluster.settle()
  const { items } = await cluster.client.list(Pod, { namespace: 'default' })
  expect(items.map(({ spec }) => spec?.containers?.[0])).toMatchObject([
    { image: 'nginx:2', resources: { requests: { memory: '1Gi' } } },
  ])
  expect(await state()).toBe('Ready')
})

it('the MyResource operator does nothing when nothing has changed', async () => {
  await cluster.apply(manifest())
  await cluster.settle()
  const sent = cluster.requests.length
  await cluster.restart()
  await cluster.advance(3_600_000)
  expect(cluster.requests.slice(sent).filter((line) => !line.startsWith('GET'))).toEqual([])
})

it('a deleted MyResource leaves its Deployment and pods to the garbage collector', async () => {
  await cluster.apply(manifest())
  await cluster.settle()
  await cluster.client.delete(MyResource, key)
  await cluster.settle()
  expect((await cluster.client.list(Deployment)).items).toEqual([])
  expect((await cluster.client.list(Pod)).items).toEqual([])
})

it('the MyResource operator refuses to choose between two Deployments', async () => {
  await cluster.apply(manifest())
  await cluster.settle()
  const { spec } = await cluster.client.get(Deployment, child)
  await cluster.apply({
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'other', labels: { myresource: 'sample' } },
    spec,
  } as never)
  await cluster.apply(manifest('nginx:3'))
  await cluster.advance(5000)
  expect(await cluster.events(manifest())).toContainEqual(
    expect.objectContaining({
      reason: 'ReconcileRetried',
      message: '2 Deployments have the label myresource=sample, and there should be 1',
    }),
  )
  await cluster.client.delete(Deployment, { namespace: 'default', name: 'other' })
  await cluster.settle()
  expect(await state()).toBe('Ready')
})

it('the MyResource operator asks for exactly the rights that it uses', async () => {
  await cluster.apply(manifest())
  await cluster.settle()
  await cluster.apply(manifest('nginx:2'))
  await cluster.settle()
  expect(matchers.toUseExactly(cluster.access, myresource)).toMatchObject({ pass: true })
})

it('the MyResource operator is what docs/tutorials/first-operator.md shows', () => {
  const page = readFileSync(new URL('../../docs/tutorials/first-operator.md', import.meta.url), 'utf8')
  const [operatorCode = '', testCode = ''] = [...page.matchAll(/```ts\n([\s\S]*?)```/g)].map(([, text]) => text)
  expect(operatorCode).toBe(readFileSync(new URL('operator.ts', import.meta.url), 'utf8'))
  expect(readFileSync(new URL('operator.test.ts', import.meta.url), 'utf8')).toContain(testCode)
  expect(testCode).toContain('Building')
  expect(operatorCode.split('\n').length).toBeLessThan(30)
})
