/** The test that `docs/reference/webhooks.md` shows. */
import { expect, it } from 'vitest'
import { embedded } from '../cluster/embedded.ts'
import { conversionsOf } from './configurations.ts'
import example, { WebApp, WebAppV1alpha1 } from './testdata/docs-example.ts'

const [versions] = conversionsOf(example.webhooks ?? []) as [ReturnType<typeof conversionsOf>[number]]

it('keeps its image in both versions', async () => {
  const cluster = await embedded({ webhooks: [versions] })
  const key = { namespace: 'default', name: 'hello' }
  await cluster.client.create(WebAppV1alpha1, { metadata: key, spec: { picture: 'nginx:1.27' } })
  expect((await cluster.client.get(WebApp, key)).spec).toEqual({ image: 'nginx:1.27', port: 80 })
  await cluster.client.patch(WebApp, key, { type: 'merge', patch: { spec: { image: 'nginx:1.28' } } })
  expect((await cluster.client.get(WebAppV1alpha1, key)).spec).toEqual({ picture: 'nginx:1.28' })
  await cluster.stop()
})
