/** docs/how-to/coming-from-other-frameworks.md: our code does what the code beside it does, and our names exist. */
import { readFileSync } from 'node:fs'
import { ConfigMap, controller, Deployment } from 'coxswain'
import { embedded, type Embedded } from 'coxswain/testing'
import { afterEach, describe, expect, it } from 'vitest'
import { commands } from '../../src/cli/commands.ts'
import { settings } from '../../src/manager/settings.ts'
import { docsPage } from './page.ts'
import { Bucket, bucketApi, buckets, Greeting, greetings, webhooks, type BucketApi } from './testdata/coming-from.ts'

const page = docsPage('how-to/coming-from-other-frameworks.md')
const frameworks = ['controller-runtime', 'kopf', 'Pepr']
const ours = frameworks.flatMap((name) => page.table(name).map(([, cell = '']) => cell))
const key = { namespace: 'default', name: 'hello' }

class Buckets implements BucketApi {
  readonly regions: Record<string, string>
  isEmpty = false
  constructor(regions: Readonly<Record<string, string>> = {}) {
    this.regions = { ...regions }
  }
  ensure(id: string, region: string): Promise<string> {
    this.regions[id] = region
    return Promise.resolve(`https://${region}/${id}`)
  }
  remove(id: string): Promise<boolean> {
    if (this.isEmpty) delete this.regions[id]
    return Promise.resolve(this.isEmpty)
  }
  state(): Record<string, string> {
    return { ...this.regions }
  }
}

let cluster: Embedded | undefined
afterEach(async () => {
  await cluster?.stop()
  cluster = undefined
})

describe('docs/how-to/coming-from-other-frameworks.md', () => {
  it('docs/how-to/coming-from-other-frameworks.md shows a pair for each framework, ours compiled', () => {
    const code = readFileSync(new URL('testdata/coming-from.ts', import.meta.url), 'utf8')
    expect(page.blocks('ts')).toHaveLength(frameworks.length)
    for (const block of page.blocks('ts')) expect(code).toContain(block)
    for (const theirs of ['go', 'python', 'typescript']) expect(page.blocks(theirs)).toHaveLength(1)
  })

  it('docs/how-to/coming-from-other-frameworks.md: the Greeting has its ConfigMap and status', async () => {
    cluster = await embedded({ controllers: [greetings] })
    await cluster.client.create(Greeting, { metadata: key, spec: { name: 'you' } })
    await cluster.settle()
    expect((await cluster.client.get(ConfigMap, key)).data).toEqual({ text: 'Hello, you!' })
    expect((await cluster.client.get(Greeting, key)).status).toEqual({ text: 'Hello, you!' })
    expect(await cluster.writesDuring(3_600_000)).toEqual([])
  })

  it('docs/how-to/coming-from-other-frameworks.md: the Bucket goes when the other system has removed it', async () => {
    const model = bucketApi.model((regions?: Readonly<Record<string, string>>) => new Buckets(regions))
    cluster = await embedded({ controllers: [buckets], externals: [model] })
    const { client } = cluster
    await client.create(Bucket, { metadata: key, spec: { region: 'north' } })
    await client.create(Bucket, { metadata: { ...key, name: 'nowhere' }, spec: { region: 'nowhere' } })
    await cluster.settle()
    const { metadata, status } = await client.get(Bucket, key)
    expect(status).toEqual({ url: `https://north/${metadata.uid}` })
    expect(cluster.model(model).regions).toEqual({ [metadata.uid]: 'north' })

    await client.delete(Bucket, key)
    await cluster.advance(60_000)
    expect((await client.get(Bucket, key)).metadata.finalizers).toEqual(['example.dev/bucket'])
    cluster.model(model).isEmpty = true
    await cluster.advance(60_000)
    await expect(client.get(Bucket, key)).rejects.toMatchObject({ status: { code: 404 } })
    expect(cluster.model(model).regions).toEqual({})
  })

  it('docs/how-to/coming-from-other-frameworks.md: the finalizer of kopf is taken over', async () => {
    const [, finalizer = ''] = /Use its name, `([^`]+)`/.exec(page.text) ?? []
    const cleaned: string[] = []
    const greeted = controller(Greeting)
      .finalizer(finalizer, ({ object }) => void cleaned.push(object.metadata.name))
      .reconcile(() => undefined)
    const before = await embedded({ crds: [Greeting.crd] })
    await before.client.create(Greeting, { metadata: { ...key, finalizers: [finalizer] }, spec: { name: 'you' } })
    await before.client.delete(Greeting, key)
    const from = before.snapshot()
    await before.stop()
    cluster = await embedded({ from, controllers: [greeted] })
    await cluster.settle()
    expect(cleaned).toEqual(['hello'])
    await expect(cluster.client.get(Greeting, key)).rejects.toMatchObject({ status: { code: 404 } })
  })

  it('docs/how-to/coming-from-other-frameworks.md: Deployments are changed and checked in one namespace', async () => {
    cluster = await embedded({ webhooks })
    const { client } = cluster
    await cluster.apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'web' } })
    const deployment = (namespace: string, replicas: number): Deployment => ({
      metadata: { namespace, name: `r${replicas}` },
      spec: {
        replicas,
        selector: { matchLabels: { app: 'a' } },
        template: { metadata: { labels: { app: 'a' } }, spec: { containers: [{ name: 'a', image: 'a:1' }] } },
      },
    })
    expect((await client.create(Deployment, deployment('web', 1))).metadata.labels).toEqual({ team: 'web' })
    await expect(client.create(Deployment, deployment('web', 0))).rejects.toThrow('start with a replica')
    expect((await client.create(Deployment, deployment('default', 0))).metadata.labels).toBeUndefined()
  })

  it('docs/how-to/coming-from-other-frameworks.md: methods, settings and commands of the tables exist', () => {
    const code = ours.flatMap((cell) => [...cell.matchAll(/`([^`]+)`/g)].map(([, text = '']) => text))
    const methods = code.flatMap((text) => /^\.(\w+)/.exec(text)?.[1] ?? [])
    expect(methods.length).toBeGreaterThan(15)
    expect(Object.keys(controller(Greeting))).toEqual(expect.arrayContaining(methods))
    const options = code.flatMap((text) => [...text.matchAll(/--([a-z-]+)/g)].map(([, name = '']) => name))
    expect(Object.keys(settings)).toEqual(expect.arrayContaining(options))
    const run = code.flatMap((text) => /^coxswain (\w+)/.exec(text)?.[1] ?? [])
    expect(commands.map(({ name }) => name)).toEqual(expect.arrayContaining(run))
    expect(options.length + run.length).toBeGreaterThan(6)
  })
})
