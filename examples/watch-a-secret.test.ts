import { Deployment, Secret } from 'coxswain'
import { embedded, explore, matchers, type Embedded } from 'coxswain/testing'
import { afterEach, beforeEach, expect, it } from 'vitest'
import workersOperator, { Worker, workers } from './watch-a-secret.ts'

const worker = (name: string, secretName = 'smtp') => ({
  apiVersion: 'example.dev/v1',
  kind: 'Worker',
  metadata: { name },
  spec: { image: 'nginx:1.27', secretName },
})
const secret = (password: string) => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name: 'smtp' },
  stringData: { password },
})
const key = (name: string) => ({ namespace: 'default', name })

let cluster: Embedded
beforeEach(async () => {
  cluster = await embedded({ controllers: [workers] })
})
afterEach(() => cluster.stop())

const readyReason = async (name: string) =>
  (await cluster.client.get(Worker, key(name))).status?.conditions?.find(({ type }) => type === 'Ready')?.reason
const generation = async (name: string) => (await cluster.client.get(Deployment, key(name))).metadata.generation

it('the Secret example waits for a missing Secret and continues when it is created', async () => {
  await cluster.apply(worker('mail'))
  await cluster.settle()
  expect(await readyReason('mail')).toBe('SecretMissing')
  expect((await cluster.client.list(Deployment)).items).toEqual([])
  expect(await cluster.writesDuring(3_600_000)).toEqual([])

  await cluster.apply(secret('one'))
  await cluster.settle()
  expect(await readyReason('mail')).toBe('Applied')
})

it('restarts the pods of those Workers that use the Secret when its data changes', async () => {
  await cluster.apply(secret('one'), worker('mail'), worker('news'), worker('other', 'none'))
  await cluster.settle()
  const checksum = async (name: string) =>
    (await cluster.client.get(Deployment, key(name))).spec?.template?.metadata?.annotations?.[
      'example.dev/secret-checksum'
    ]
  const before = await checksum('mail')
  const runs = cluster.logs.filter((line) => line.includes('"name":"other"')).length

  await cluster.apply(secret('two'))
  await cluster.settle()
  expect(await generation('mail')).toBe(2)
  expect(await generation('news')).toBe(2)
  expect(await checksum('mail')).toMatch(/^[0-9a-f]{16}$/)
  expect(await checksum('mail')).not.toBe(before)
  expect(cluster.logs.filter((line) => line.includes('"name":"other"'))).toHaveLength(runs)
})

it('the Secret example does nothing when only the labels of the Secret change', async () => {
  await cluster.apply(secret('one'), worker('mail'))
  await cluster.settle()
  await cluster.client.patch(Secret, key('smtp'), { type: 'merge', patch: { metadata: { labels: { team: 'a' } } } })
  expect(await cluster.writesDuring(3_600_000)).toEqual([])
  expect(await generation('mail')).toBe(1)
})

it('uses exactly the access that it declares', async () => {
  await cluster.apply(worker('mail'))
  await cluster.settle()
  await cluster.apply(secret('one'))
  await cluster.settle()
  expect(matchers.toUseExactly(cluster.access, workersOperator)).toMatchObject({ pass: true })
})

it('the Secret example converges when any call fails', async () => {
  const report = await explore({
    cluster: { controllers: () => [workers] },
    steps: [
      { name: 'create', act: (explored) => explored.apply(secret('one'), worker('mail')) },
      { name: 'rotate', act: (explored) => explored.apply(secret('two')) },
    ],
    atMost: 40,
  })
  expect(report.failures, report.text).toEqual([])
})
