import { readFileSync } from 'node:fs'
import { ConfigMap } from 'coxswain'
import { embedded } from 'coxswain/testing'
import { expect, it } from 'vitest'
import { Greeting, greetings } from './greeting.ts'

it('the greeting operator greets', async () => {
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

it('the greeting operator is what the README and the guide show', () => {
  const read = (path: string): string => readFileSync(new URL(path, import.meta.url), 'utf8')
  expect(read('../README.md')).toContain(read('greeting.ts'))
  const code = read('greeting.test.ts')
  const shown = code
    .slice(code.indexOf("it('the greeting operator greets'"), code.indexOf("it('the greeting operator is what"))
    .trimEnd()
  expect(read('../docs/how-to/test-an-operator.md')).toContain(shown)
})
