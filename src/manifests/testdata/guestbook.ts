/**
 * An operator with every kind of declaration: creates a Deployment and a Service for each Guestbook, with the password
 * of a Secret.
 */
import { controller } from '../../controller/builder.ts'
import { operator } from '../../operator/operator.ts'
import { ConfigMap, Deployment, Secret, Service } from '../../schema/builtin/kinds.ts'
import { resource } from '../../schema/resource.ts'
import { t } from '../../schema/t.ts'

export const Guestbook = resource('example.dev/v1', 'Guestbook', {
  spec: t.object({ image: t.string(), port: t.int().default(80) }),
  status: t.object({ observedGeneration: t.int64().optional(), conditions: t.conditions().optional() }),
})

export const guestbooks = controller(Guestbook)
  .owns(Deployment, Service)
  .watches(Secret, { map: ({ metadata }) => [metadata] })
  .reads(ConfigMap)
  .may('delete', Service)
  .finalizer('example.dev/guestbook', async (context) => {
    await context.delete(Service, context.object.metadata.name)
  })
  .reconcile(async ({ object, apply, get, event }) => {
    const { name } = object.metadata
    const labels = { app: name }
    const secret = await get(Secret, name)
    const settings = await get(ConfigMap, 'guestbooks')
    const annotations = {
      'example.dev/inputs': [secret, settings].map((each) => each?.metadata.resourceVersion ?? '').join(),
    }
    const template = {
      metadata: { labels, annotations },
      spec: { containers: [{ name: 'web', image: object.spec.image }] },
    }
    const { outcome } = await apply(Deployment, {
      metadata: { name },
      spec: { selector: { matchLabels: labels }, template },
    })
    await apply(Service, { metadata: { name }, spec: { selector: labels, ports: [{ port: object.spec.port }] } })
    if (outcome !== 'unchanged') event('Normal', 'Applied', outcome)
  })

export default operator({ name: 'guestbook', version: '1.2.3', controllers: [guestbooks] })
