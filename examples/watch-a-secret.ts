/**
 * Shows how to reconcile again when an object that the spec refers to changes. A Worker names a Secret. An index finds
 * the Workers of a Secret, and a checksum in the pod template restarts the pods when the Secret's data changes.
 *
 * Run it: `npm run -s coxswain -- demo examples/watch-a-secret.ts`
 */
import { createHash } from 'node:crypto'
import { changed } from 'coxswain/controller'
import { age, column, controller, Deployment, keyOf, operator, resource, Secret, t, type OperatorDemo } from 'coxswain'

export const Worker = resource('example.dev/v1', 'Worker', {
  spec: t.object({ image: t.string().minLength(1), secretName: t.string().minLength(1) }),
  status: t.object({
    observedGeneration: t.int64().optional(),
    conditions: t.conditions().optional(),
  }),
  columns: [column('Ready', '.status.conditions[?(@.type=="Ready")].reason'), age()],
})

export const workers = controller(Worker)
  // The cache keeps this index up to date: from the name of a Secret to the Workers that use it.
  .cached({ indexes: { secret: ({ spec }) => [spec.secretName] } })
  .owns(Deployment)
  .watches(Secret, {
    map: ({ metadata: { namespace, name } }, { lister }) =>
      lister(Worker).byIndex('secret', name, namespace).map(keyOf),
    // A new label on a Secret is not worth a run.
    when: changed((secret) => secret.data),
  })
  .reconcile(async ({ object, get, apply, status }) => {
    const { name } = object.metadata
    const { image, secretName } = object.spec
    const secret = await get(Secret, secretName)
    if (secret === undefined) {
      // No requeue: the watch runs this again when the Secret appears. Pods that run already keep running.
      status.condition({
        type: 'Ready',
        status: false,
        reason: 'SecretMissing',
        message: `there is no Secret ${secretName}`,
      })
      return
    }
    const labels = { worker: name }
    await apply(Deployment, {
      metadata: { name, labels },
      spec: {
        selector: { matchLabels: labels },
        template: {
          metadata: { labels, annotations: { 'example.dev/secret-checksum': checksum(secret.data ?? {}) } },
          spec: { containers: [{ name: 'worker', image, envFrom: [{ secretRef: { name: secretName } }] }] },
        },
      },
    })
    status.condition({ type: 'Ready', status: true, reason: 'Applied', message: `uses the Secret ${secretName}` })
  })

/** Depends on the content only: neither on the order of the keys nor on metadata. */
function checksum(data: Readonly<Record<string, string>>): string {
  const entries = Object.entries(data).sort(([a], [b]) => (a < b ? -1 : 1))
  return createHash('sha256').update(JSON.stringify(entries)).digest('hex').slice(0, 16)
}

export default operator({ name: 'workers', controllers: [workers] })

export const demo: OperatorDemo = {
  samples: [
    {
      apiVersion: 'example.dev/v1',
      kind: 'Worker',
      metadata: { name: 'mail' },
      spec: { image: 'nginx:1.27', secretName: 'smtp' },
    },
    { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'smtp' }, stringData: { password: 'one' } },
  ],
  tries: [
    ['rotate the password', `kubectl patch secret smtp --type merge -p '{"stringData":{"password":"two"}}'`],
    ['look: the pods are new', 'kubectl get workers,deployments,pods'],
    ['delete the Secret', 'kubectl delete secret smtp && kubectl describe worker mail'],
  ],
}
