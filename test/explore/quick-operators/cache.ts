/**
 * The operator of the first user review: a Cache is a StatefulSet with a headless Service and a PodDisruptionBudget, a
 * CronJob if it has backups, and an entry in a registry outside the cluster. A new password restarts the pods.
 */
import { createHash } from 'node:crypto'
import {
  controller,
  CronJob,
  keyOf,
  PodDisruptionBudget,
  requeueAfter,
  resource,
  Secret,
  Service,
  StatefulSet,
  t,
  type ControllerDefinition,
  type Infer,
} from 'coxswain'
import { changed } from 'coxswain/controller'
import type { Registry } from './registry.ts'

export const Cache = resource('quick.example.dev/v1', 'Cache', {
  spec: t.object({
    version: t.string().minLength(1),
    replicas: t.int().min(1).default(3),
    secretName: t.string().minLength(1),
    backup: t.object({ schedule: t.string(), keep: t.int().min(1).default(7) }).optional(),
  }),
  status: t.object({
    observedGeneration: t.int64().optional(),
    endpoint: t.string().optional(),
    ready: t.int().optional(),
    conditions: t.conditions().optional(),
  }),
})
export type Cache = Infer<typeof Cache>

export function caches(registry: Registry): ControllerDefinition<Cache> {
  return controller(Cache)
    .cached({ indexes: { secret: ({ spec }) => [spec.secretName] } })
    .owns(StatefulSet, Service, PodDisruptionBudget, CronJob)
    .may('delete', CronJob)
    .watches(Secret, {
      map: ({ metadata: { namespace, name } }, { lister }) =>
        lister(Cache).byIndex('secret', name, namespace).map(keyOf),
      when: changed((secret) => secret.data),
    })
    .finalizer('quick.example.dev/registry', async ({ object }) => {
      await registry.delete(object.metadata.uid)
    })
    .reconcile(async ({ object, get, apply, delete: remove, status }) => {
      const { name, uid } = object.metadata
      const { version, replicas, secretName, backup } = object.spec
      const labels = { cache: name }
      const secret = await get(Secret, secretName)
      if (secret === undefined) {
        status.condition({ type: 'Ready', status: false, reason: 'SecretMissing', message: `no Secret ${secretName}` })
        return
      }
      const checksum = createHash('sha256').update(JSON.stringify(secret.data)).digest('hex')

      await apply(Service, {
        metadata: { name },
        spec: { clusterIP: 'None', selector: labels, ports: [{ port: 6379 }] },
      })
      const container = { name: 'cache', image: `cache:${version}`, envFrom: [{ secretRef: { name: secretName } }] }
      const { object: set } = await apply(StatefulSet, {
        metadata: { name, labels },
        spec: {
          serviceName: name,
          replicas,
          selector: { matchLabels: labels },
          template: {
            metadata: { labels, annotations: { 'quick.example.dev/checksum': checksum } },
            spec: { containers: [container] },
          },
        },
      })
      await apply(PodDisruptionBudget, {
        metadata: { name },
        spec: { maxUnavailable: 1, selector: { matchLabels: labels } },
      })
      if (backup !== undefined) {
        const backupContainer = { name: 'backup', image: 'cache-backup:1', args: ['--from', name] }
        await apply(CronJob, {
          metadata: { name: `${name}-backup` },
          spec: {
            schedule: backup.schedule,
            successfulJobsHistoryLimit: backup.keep,
            jobTemplate: { spec: { template: { spec: { restartPolicy: 'Never', containers: [backupContainer] } } } },
          },
        })
      } else await remove(CronJob, `${name}-backup`)

      const endpoint = `${name}.${object.metadata.namespace}.svc:6379`
      await registry.put(uid, { endpoint, version })

      const ready = set.status?.readyReplicas ?? 0
      status.set({ endpoint, ready })
      status.condition({
        type: 'Ready',
        status: ready === replicas,
        reason: ready === replicas ? 'Running' : 'RollingOut',
        message: `${ready} of ${replicas} are ready`,
      })
      return requeueAfter(600_000)
    })
}
