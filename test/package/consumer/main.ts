/** A program of a package user: an operator that runs in an embedded cluster. Prints its results. */
import { ApiError, ConfigMap, controller, isNotFound, operator, resource, t, type Client } from 'coxswain'
import { parseKey, type Status } from 'coxswain/api'
import { inProcessTransport, RestClient } from 'coxswain/client'
import { generationChanged } from 'coxswain/controller'
import { createControlPlane } from 'coxswain/controlplane'
import { realEnv } from 'coxswain/env'
import { Manager } from 'coxswain/manager'
import { SchemaError } from 'coxswain/schema'
import { Metrics } from 'coxswain/telemetry'
import { embedded } from 'coxswain/testing'

export const Greeting = resource('example.dev/v1', 'Greeting', {
  spec: t.object({ name: t.string().minLength(1), language: t.enum('en', 'de').default('en') }),
  status: t.object({ text: t.string().optional() }),
})

export const greetings = controller(Greeting)
  .owns(ConfigMap)
  .when(generationChanged)
  .reconcile(async ({ object, apply, status }) => {
    const text = `${object.spec.language === 'de' ? 'Hallo' : 'Hello'}, ${object.spec.name}!`
    await apply(ConfigMap, { metadata: { name: object.metadata.name }, data: { text } })
    status.set({ text })
  })

export default operator({ name: 'greetings', version: '1.0.0', controllers: [greetings] })

const cluster = await embedded({ controllers: [greetings] })
await cluster.apply({
  apiVersion: 'example.dev/v1',
  kind: 'Greeting',
  metadata: { name: 'world' },
  spec: { name: 'world' },
})
await cluster.settle()
const key = parseKey('default/world')
const { data } = await cluster.client.get(ConfigMap, key)

/** Types and classes are identical in all entry points. */
async function reasonOf(client: Client): Promise<Status['reason']> {
  try {
    await client.get(ConfigMap, { namespace: 'default', name: 'none' })
    return undefined
  } catch (error) {
    return error instanceof ApiError && isNotFound(error) ? error.status.reason : 'another error'
  }
}
const plane = createControlPlane()
const transport = inProcessTransport(plane.transport())
const env = realEnv()
const metrics: Metrics = new Manager({ transport, env, controllers: [], metrics: new Metrics() }).metrics
const report = {
  text: data?.['text'],
  manager: cluster.manager instanceof Manager && metrics instanceof Metrics,
  errors: [await reasonOf(cluster.client), await reasonOf(new RestClient({ transport, env }))],
  schemaError: typeof SchemaError,
}
await plane.close()
await cluster.stop()
console.log(JSON.stringify(report))
