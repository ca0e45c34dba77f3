/** Creates the Apps on a server before the measurements and resets them in between. None of this is measured. */
import { clusterTransport, loadAccess, RestClient } from '../../src/client/index.ts'
import { realEnv } from '../../src/env/index.ts'
import { CustomResourceDefinition, resource, t } from '../../src/index.ts'
import { app, appKind } from './app-kind.ts'

const App = appKind({ resource, t })

/** Concurrent requests. */
const clients = 32

async function withClient(kubeconfig: string, work: (client: RestClient) => Promise<void>): Promise<void> {
  const env = realEnv()
  const transport = clusterTransport(env, await loadAccess({ env, kubeconfig }))
  try {
    await work(new RestClient({ env, transport }))
  } finally {
    await transport.close()
  }
}

async function forEach(count: number, work: (index: number) => Promise<void>): Promise<void> {
  let next = 0
  const worker = async (): Promise<void> => {
    for (let index = next++; index < count; index = next++) await work(index)
  }
  await Promise.all(Array.from({ length: clients }, worker))
}

/** Creates the definition and the objects. */
export function fill(kubeconfig: string, count: number): Promise<void> {
  return withClient(kubeconfig, async (client) => {
    await client.create(CustomResourceDefinition, App.crd)
    for (;;) {
      const { status } = await client.get(CustomResourceDefinition, { name: App.crd.metadata.name ?? '' })
      if (status?.conditions?.some(({ type, status: is }) => type === 'Established' && is === 'True') === true) break
    }
    await forEach(count, async (index) => {
      for (let tries = 0; ; tries++)
        try {
          await client.create(App, app(index))
          return
        } catch (error) {
          if (tries === 100) throw error
        }
    })
  })
}

/** Clears the status that a measurement has written, so that the next one writes it again. */
export function clearStatus(kubeconfig: string): Promise<void> {
  return withClient(kubeconfig, async (client) => {
    const { items } = await client.list(App)
    await forEach(items.length, async (index) => {
      const { name, namespace } = items[index]?.metadata ?? {}
      if (name === undefined || namespace === undefined) return
      const patch = { status: { phase: 'Cleared' } }
      await client.patch(App, { name, namespace }, { type: 'merge', patch }, { subresource: 'status' })
    })
  })
}
