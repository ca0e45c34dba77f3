/** docs/how-to/several-namespaces.md: its operator works in its namespaces only, with the permissions that it names. */
import { readFileSync } from 'node:fs'
import { ConfigMap, isNotFound, type ClusterRole, type Role } from 'coxswain'
import { embedded, type Embedded } from 'coxswain/testing'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { docsPage } from './page.ts'
import operator, { Greeting, greetings } from './testdata/several-namespaces.ts'

const page = docsPage('how-to/several-namespaces.md')
const namespace = (name: string) => ({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } })
const greeting = (of: string) => ({
  apiVersion: 'example.dev/v1',
  kind: 'Greeting',
  metadata: { name: 'hello', namespace: of },
  spec: { name: 'you' },
})

let cluster: Embedded
beforeEach(async () => {
  cluster = await embedded({ controllers: [greetings], namespaces: ['team-a', 'team-b'] })
  await cluster.apply(...['team-a', 'team-b', 'team-c', 'greetings-system'].map(namespace))
  await cluster.apply(...['team-a', 'team-b', 'team-c'].map(greeting))
  await cluster.settle()
})
afterEach(() => cluster.stop())

async function textIn(of: string): Promise<string | undefined> {
  try {
    return (await cluster.client.get(ConfigMap, { namespace: of, name: 'hello' })).data?.['text']
  } catch (error) {
    if (isNotFound(error)) return undefined
    throw error
  }
}
const texts = (): Promise<readonly (string | undefined)[]> => Promise.all(['team-a', 'team-b', 'team-c'].map(textIn))

it('docs/how-to/several-namespaces.md shows code that is compiled', () => {
  const code = readFileSync(new URL('testdata/several-namespaces.ts', import.meta.url), 'utf8')
  const blocks = page.blocks('ts')
  expect(blocks).toHaveLength(3)
  const test = readFileSync(new URL('several-namespaces.test.ts', import.meta.url), 'utf8')
  for (const block of blocks) expect(code + test).toContain(block.trim())
})

it('docs/how-to/several-namespaces.md: only the namespaces of the operator are watched and written', async () => {
  expect(await texts()).toEqual(['Hello, you! (unlicensed)', 'Hello, you! (unlicensed)', undefined])
  const elsewhere = cluster.requests.filter(
    (line) => !/\/namespaces\/(team-[ab]|greetings-system\/secrets|default\/events)/.test(line),
  )
  expect(cluster.requests).not.toEqual([])
  expect(elsewhere).toEqual([])
})

it('docs/how-to/several-namespaces.md: settings are those of the namespace of the object', async () => {
  const metadata = { name: 'greeting-settings', namespace: 'team-b' }
  await cluster.apply({ apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { word: 'Hi' } })
  await cluster.apply({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 'license', namespace: 'greetings-system' },
  })
  await cluster.client.patch(
    Greeting,
    { namespace: 'team-a', name: 'hello' },
    { type: 'merge', patch: { spec: { name: 'all' } } },
  )
  await cluster.settle()
  expect(await texts()).toEqual(['Hello, all!', 'Hi, you!', undefined])
})

it('docs/how-to/several-namespaces.md: the table of permissions is that of the manifests', async () => {
  const { objects } = await operator.manifests()
  const roles = objects.filter(
    ({ kind, metadata }) => /^(Cluster)?Role$/.test(kind ?? '') && metadata.name === 'greetings-operator',
  ) as unknown as readonly (ClusterRole | Role)[]
  const rows = roles.map(({ kind, metadata, rules = [] }) => {
    const where = kind === 'ClusterRole' ? 'the cluster' : `\`${metadata.namespace}\``
    const granted = rules.map(({ resources = [], verbs }) => `${resources.join(', ')} (${verbs.join(', ')})`)
    return `| ${where} | ${granted.join('; ')} |`
  })
  page.checkGenerated('permissions', ['| role in | permissions |', '|---|---|', ...rows])
})
