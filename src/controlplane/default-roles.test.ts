import { afterEach, describe, expect, it } from 'vitest'
import type { Json, JsonObject } from '../api/json.ts'
import { simulatedEnv } from '../env/simulated.ts'
import { createControlPlane, type ControlPlane } from './control-plane.ts'
import { defaultPolicy } from '../facts/facts.ts'

const planes: ControlPlane[] = []

afterEach(async () => {
  await Promise.all(planes.splice(0).map((plane) => plane.close()))
})

function plane(authorization: 'AlwaysAllow' | 'RBAC'): ControlPlane {
  const made = createControlPlane({ env: simulatedEnv(), authorization })
  planes.push(made)
  return made
}

const group = '/apis/rbac.authorization.k8s.io/v1'

describe('default roles', () => {
  it('default roles are there only where they are consulted', async () => {
    const without = await plane('AlwaysAllow').transport()({ method: 'GET', path: `${group}/clusterroles` })
    expect((without.body as unknown as { items: Json[] }).items).toEqual([])
    const admin = plane('RBAC').transport()
    const counts: number[] = []
    for (const plural of ['clusterroles', 'clusterrolebindings', 'roles', 'rolebindings']) {
      const { body } = await admin({ method: 'GET', path: `${group}/${plural}` })
      counts.push((body as unknown as { items: Json[] }).items.length)
    }
    expect(counts).toEqual([68, 49, 7, 7])
  })

  it('default roles are stored as if they had come through the registry', async () => {
    const made = plane('RBAC')
    const other = plane('AlwaysAllow').transport()
    for (const [plural, facts] of Object.entries(defaultPolicy())) {
      for (const { name, namespace, labels, ...rest } of facts) {
        const key = `/registry/${plural}/${namespace === undefined ? '' : `${namespace}/`}${name}`
        const body: JsonObject = {
          metadata: {
            name,
            labels: { 'kubernetes.io/bootstrapping': 'rbac-defaults', ...labels },
            annotations: { 'rbac.authorization.kubernetes.io/autoupdate': 'true' },
          },
          ...(structuredClone(rest) as JsonObject),
        }
        const path = namespace === undefined ? `${group}/${plural}` : `${group}/namespaces/${namespace}/${plural}`
        const posted = await other({ method: 'POST', path, headers: { 'user-agent': 'kube-apiserver' }, body })
        expect(posted.status).toBe(201)
        expect(comparable(made.store.get(key)?.object), key).toEqual(comparable(posted.body))
      }
    }
  })
})

/** Without the fields that differ between two servers; as text, to compare the order of fields. */
function comparable(object: unknown): string[] {
  const { metadata, ...rest } = object as { metadata: JsonObject }
  return [
    JSON.stringify({ ...metadata, uid: '', resourceVersion: '' }),
    ...Object.entries(rest)
      .map((entry) => JSON.stringify(entry))
      .sort(),
  ]
}
