import { readFileSync } from 'node:fs'
import { ConfigMap } from 'coxswain'
import { embedded } from 'coxswain/testing'
import { expect, it } from 'vitest'
import { Greeting, greetings } from './greeting.ts'

it('greets', async () => {
  const cluster = await embedded({ controllers: [greetings] })
  await cluster.apply({
    apiVersion: 'example.dev/v1',
    kind: 'Greeting',
    metadata: { name: 'world' },
    spec: { name: 'world' },
  })
  await cluster.settle()

  const key = { namespace: 'default', name: 'world' }
  expect((await cluster.client.get(ConfigMap, key)).data).toEqual({ text: 'Hello, world!' })
  expect((await cluster.client.get(Greeting, key)).status?.text).toBe('Hello, world!')

  await cluster.client.delete(ConfigMap, key)
  await cluster.settle()
  expect((await cluster.client.get(ConfigMap, key)).data).toEqual({ text: 'Hello, world!' })
  await cluster.stop()
})

it('is what the README shows', () => {
  const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8')
  for (const file of ['greeting.ts', 'greeting.test.ts']) {
    const code = readFileSync(new URL(file, import.meta.url), 'utf8')
    const shown =
      file === 'greeting.ts' ? code : code.slice(code.indexOf("it('greets'"), code.indexOf("it('is what")).trimEnd()
    expect(readme).toContain(shown)
  }
})
