/** A Site is a Deployment behind a Service and an Ingress, with an admin password that is generated once. */
import { randomBytes } from 'node:crypto'
import {
  controller,
  Deployment,
  Ingress,
  isAlreadyExists,
  resource,
  Secret,
  Service,
  t,
  type Infer,
  type ReconcileContext,
} from 'coxswain'
import { controllerReference } from 'coxswain/controller'

export const Site = resource('quick.example.dev/v1', 'Site', {
  spec: t.object({
    image: t.string().minLength(1),
    host: t.string().minLength(1),
    replicas: t.int().min(0).default(1),
  }),
  status: t.object({
    observedGeneration: t.int64().optional(),
    url: t.string().optional(),
    ready: t.int().optional(),
    conditions: t.conditions().optional(),
  }),
})

export type Site = Infer<typeof Site>

/** As it was written. */
export const sites = controller(Site)
  .owns(Deployment, Service, Ingress, Secret)
  .reconcile(async (context) => {
    const { object, get, apply } = context
    const admin = `${object.metadata.name}-admin`
    if ((await get(Secret, admin)) === undefined)
      await apply(Secret, { metadata: { name: admin }, stringData: { password: randomBytes(12).toString('hex') } })
    await serve(context, admin)
  })

/** The corrected operator: a create fails if there is a Secret that the cache does not show, an apply replaces it. */
export const correctSites = controller(Site)
  .owns(Deployment, Service, Ingress, Secret)
  .may('create', Secret)
  .reconcile(async (context) => {
    const { object, get, client } = context
    const { name, namespace = 'default' } = object.metadata
    const admin = `${name}-admin`
    if ((await get(Secret, admin)) === undefined) {
      const ownerReferences = [controllerReference(Site, object)]
      const password = randomBytes(12).toString('hex')
      await client
        .create(Secret, { metadata: { name: admin, namespace, ownerReferences }, stringData: { password } })
        .catch((error: unknown) => {
          if (!isAlreadyExists(error)) throw error
        })
    }
    await serve(context, admin)
  })

async function serve({ object, apply, status }: ReconcileContext<Site>, admin: string): Promise<void> {
  const { name } = object.metadata
  const { image, host, replicas } = object.spec
  const labels = { site: name }
  const container = {
    name: 'site',
    image,
    ports: [{ containerPort: 80 }],
    env: [{ name: 'ADMIN_PASSWORD', valueFrom: { secretKeyRef: { name: admin, key: 'password' } } }],
  }
  const { object: deployment } = await apply(Deployment, {
    metadata: { name, labels },
    spec: {
      replicas,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [container] } },
    },
  })
  await apply(Service, { metadata: { name, labels }, spec: { selector: labels, ports: [{ port: 80 }] } })
  const backend = { service: { name, port: { number: 80 } } }
  await apply(Ingress, {
    metadata: { name, labels },
    spec: { rules: [{ host, http: { paths: [{ path: '/', pathType: 'Prefix', backend }] } }] },
  })

  const ready = deployment.status?.readyReplicas ?? 0
  status.set({ url: `http://${host}/`, ready })
  status.condition({
    type: 'Ready',
    status: ready >= replicas,
    reason: ready >= replicas ? 'Available' : 'Starting',
    message: `${ready} of ${replicas} pods are ready`,
  })
}
