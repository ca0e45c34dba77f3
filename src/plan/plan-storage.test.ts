/** Plans of operators with volumes: the copy of a cluster has neither its provisioners nor, mostly, its volumes. */
import { describe, expect, it } from 'vitest'
import { controller } from '../controller/builder.ts'
import { PersistentVolumeClaim, StatefulSet } from '../schema/builtin/kinds.ts'
import { resource } from '../schema/resource.ts'
import { t } from '../schema/t.ts'
import type { Manifest } from './manifest.ts'
import { plan } from './plan.ts'

const now = Date.parse('2026-11-17T00:00:00Z')
const Database = resource('example.dev/v1', 'Database', {
  spec: t.object({ size: t.string().default('1Gi') }),
  status: t.object({ ready: t.int().optional(), claim: t.string().optional() }),
})
const database: Manifest = {
  apiVersion: 'example.dev/v1',
  kind: 'Database',
  metadata: { name: 'db', namespace: 'default' },
  spec: {},
}
const claimSpec = (storage: string) => ({
  accessModes: ['ReadWriteOnce' as const],
  resources: { requests: { storage } },
  storageClassName: 'fast',
})
const databases = controller(Database)
  .owns(StatefulSet)
  .watches(PersistentVolumeClaim, { map: () => [{ namespace: 'default', name: 'db' }] })
  .options({ observedGeneration: false })
  .reconcile(async ({ object, apply, get, status }) => {
    const { name } = object.metadata
    const labels = { db: name }
    await apply(StatefulSet, {
      metadata: { name },
      spec: {
        replicas: 1,
        serviceName: name,
        selector: { matchLabels: labels },
        template: { metadata: { labels }, spec: { containers: [{ name: 'db', image: 'db:1' }] } },
        volumeClaimTemplates: [{ metadata: { name: 'data' }, spec: claimSpec(object.spec.size) }],
      },
    })
    const ready = (await get(StatefulSet, name))?.status?.readyReplicas ?? 0
    const claim = (await get(PersistentVolumeClaim, 'data-db-0'))?.status?.phase
    status.set({ ready, claim })
  })
const operator = { name: 'databases', controllers: [databases] }

describe('a plan with volumes', () => {
  it('a plan with volumes provides those of classes that it does not know', async () => {
    const { outcomes, warnings } = await plan({ operator, apply: [database], now })
    expect(outcomes).toMatchObject([{ status: { ready: 1, claim: 'Bound' } }])
    expect(warnings).toEqual([])
  })

  it('a plan with volumes loses no claim whose volume it does not see', async () => {
    const annotations = { 'pv.kubernetes.io/bind-completed': 'yes', 'pv.kubernetes.io/bound-by-controller': 'yes' }
    const bound: Manifest = {
      apiVersion: 'v1',
      kind: 'PersistentVolumeClaim',
      metadata: { name: 'data-db-0', namespace: 'default', uid: 'c-1', annotations },
      spec: { ...claimSpec('1Gi'), volumeName: 'disk-1' },
      status: { phase: 'Bound', accessModes: ['ReadWriteOnce'], capacity: { storage: '1Gi' } },
    }
    const { outcomes, warnings } = await plan({ operator, from: [bound], apply: [database], now })
    expect(outcomes).toMatchObject([{ status: { ready: 1, claim: 'Bound' } }])
    expect(warnings).toEqual([])
  })
})
