/** docs/how-to/migrate-a-version.md: its operator migrates objects that were stored in the old version. */
import { readFileSync } from 'node:fs'
import { CustomResourceDefinition, resource, t, type Client } from 'coxswain'
import type { Json } from '../../src/api/json.ts'
import { embedded, matchers, type Embedded } from 'coxswain/testing'
import { afterEach, expect, it } from 'vitest'
import { docsPage } from './page.ts'
import backups, { Backup, BackupV1, storeInCurrentVersion } from './testdata/migrate-a-version.ts'

const BeforeV2 = resource('example.dev/v1', 'Backup', { spec: t.object({ everyHours: t.int().min(1) }) })
const WithoutV1 = resource('example.dev/v2', 'Backup', { spec: t.object({ every: t.string() }) })
const { controllers, webhooks = [], tasks = [] } = backups
const crdName = { name: 'backups.example.dev' }
const key = { namespace: 'default', name: 'photos' }

let cluster: Embedded | undefined
afterEach(async () => {
  await cluster?.stop()
  cluster = undefined
})

/** The old release with an object, then the CRD and the webhook of the new one. */
async function upgraded(): Promise<Embedded> {
  const old = await embedded({ crds: [BeforeV2.crd] })
  await old.client.create(BeforeV2, { metadata: key, spec: { everyHours: 6 } })
  const from = old.snapshot()
  await old.stop()
  cluster = await embedded({ from, webhooks })
  const webhook = { clientConfig: { url: 'https://webhooks.test/convert' }, conversionReviewVersions: ['v1'] }
  await replaceVersions(cluster.client, Backup, { strategy: 'Webhook', webhook })
  return cluster
}

async function replaceVersions(client: Client, { crd }: typeof Backup, conversion: Json): Promise<void> {
  const patch = { spec: { versions: crd.spec.versions as unknown as Json, conversion } }
  await client.patch(CustomResourceDefinition, crdName, { type: 'merge', patch })
}

const storedVersions = async (client: Client): Promise<readonly string[] | undefined> =>
  (await client.get(CustomResourceDefinition, crdName)).status?.storedVersions

it('docs/how-to/migrate-a-version.md shows code that is compiled', () => {
  const code = readFileSync(new URL('testdata/migrate-a-version.ts', import.meta.url), 'utf8')
  const blocks = docsPage('how-to/migrate-a-version.md').blocks('ts')
  expect(blocks).toHaveLength(3)
  for (const part of blocks.flatMap((block) => block.split(/^ *\/\/ …\n/m))) expect(code).toContain(part)
})

it('docs/how-to/migrate-a-version.md: objects of v1 are served in v2, and stored in v2 by the task', async () => {
  const before = await upgraded()
  expect((await before.client.get(Backup, key)).spec).toEqual({ every: '6h' })
  expect(await storedVersions(before.client)).toEqual(['v1', 'v2'])
  await expect(replaceVersions(before.client, WithoutV1, null)).rejects.toThrow('status.storedVersions[0]')

  const from = before.snapshot()
  await before.stop()
  const after = (cluster = await embedded({ from, controllers, webhooks, tasks }))
  await after.settle()
  expect(await storedVersions(after.client)).toEqual(['v2'])
  expect(await after.writesDuring(3_600_000)).toEqual([])
  expect((await after.client.get(BackupV1, key)).spec).toEqual({ everyHours: 6 })
  expect(matchers.toUseExactly(after.access, backups)).toMatchObject({ pass: true })

  const NotServedV1 = resource('example.dev/v1', 'Backup', { spec: t.object({ everyHours: t.int() }), served: false })
  const NotServing = resource('example.dev/v2', 'Backup', {
    spec: t.object({ every: t.string() }),
    versions: [NotServedV1],
  })
  await replaceVersions(after.client, NotServing, null)
  await expect(after.client.get(BackupV1, key)).rejects.toMatchObject({ status: { code: 404 } })

  await replaceVersions(after.client, WithoutV1, null)
  expect((await after.client.get(WithoutV1, key)).spec).toEqual({ every: '6h' })
})

it('docs/how-to/migrate-a-version.md: the task stores an object again once only', async () => {
  const { client } = await upgraded()
  const version = async (): Promise<unknown> => (await client.get(Backup, key)).metadata.resourceVersion
  const before = await version()
  await storeInCurrentVersion(client)
  const stored = await version()
  expect(stored).not.toBe(before)
  await storeInCurrentVersion(client)
  expect(await version()).toBe(stored)
})
