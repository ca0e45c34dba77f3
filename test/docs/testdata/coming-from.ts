/** The code of Coxswain in docs/how-to/coming-from-other-frameworks.md. */
import { ConfigMap, controller, Deployment, PermanentError, requeueAfter, resource, t } from 'coxswain'
import { external } from 'coxswain/external'
import { mutating, validating } from 'coxswain/webhooks'

export const Greeting = resource('example.dev/v1', 'Greeting', {
  spec: t.object({ name: t.string() }),
  status: t.object({ text: t.string().optional() }),
})

export const greetings = controller(Greeting)
  .owns(ConfigMap)
  .reconcile(async ({ object, apply, status }) => {
    const text = `Hello, ${object.spec.name}!`
    await apply(ConfigMap, { metadata: { name: object.metadata.name }, data: { text } })
    status.set({ text })
    return requeueAfter(600_000)
  })

export const Bucket = resource('example.dev/v1', 'Bucket', {
  spec: t.object({ region: t.string() }),
  status: t.object({ url: t.string().optional() }),
})

export interface BucketApi {
  ensure(id: string, region: string): Promise<string>
  /** False while the bucket is not empty. */
  remove(id: string): Promise<boolean>
}

export const bucketApi = external<BucketApi>('buckets', {
  connect: () => {
    throw new Error('only its model is used')
  },
})

const regions = new Set(['north', 'south'])

export const buckets = controller(Bucket)
  .uses(bucketApi)
  .finalizer('example.dev/bucket', async ({ object, use }) => {
    const isGone = await use(bucketApi).remove(object.metadata.uid)
    return isGone ? undefined : requeueAfter(30_000)
  })
  .reconcile(async ({ object, use, status }) => {
    const { region } = object.spec
    if (!regions.has(region)) throw new PermanentError('no such region')
    status.set({ url: await use(bucketApi).ensure(object.metadata.uid, region) })
  })

const inWeb = { namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'web' } } }

const label = mutating(
  Deployment,
  {
    create: ({ object }) => {
      object.metadata.labels = { ...object.metadata.labels, team: 'web' }
    },
  },
  inWeb,
)

const check = validating(
  Deployment,
  { create: ({ object }) => (object.spec?.replicas === 0 ? 'start with a replica' : undefined) },
  inWeb,
)

export const webhooks = [label, check]
