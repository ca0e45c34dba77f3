import { describe, expect, it } from 'vitest'
import { simulatedEnv } from '../../env/simulated.ts'
import { createControlPlane } from '../index.ts'

const api = createControlPlane({ env: simulatedEnv({ seed: 7 }) }).transport()
const maps = '/api/v1/namespaces/default/configmaps'

describe('the handler', () => {
  it.each([
    ['GET', '/api/v1/namespaces/default/namespaces', 404],
    ['GET', '/api/v1/namespaces/default/namespaces/kube-system', 404],
    ['GET', '/api/v1/watch/configmaps/x', 404],
    ['GET', '/apis/apps/v1/namespaces/default/deployments/x/status/more', 404],
    ['GET', '/api/v1/namespaces/default', 200],
    ['HEAD', `${maps}/x`, 405],
    ['OPTIONS', maps, 405],
  ])('the API handler answers %s %s with %i', async (method, path, status) => {
    expect(await api({ method, path })).toMatchObject({ status })
  })

  it('the API handler keeps the warnings of a request that fails', async () => {
    const body = { metadata: { name: 'w' }, foo: 1 }
    expect(await api({ method: 'POST', path: maps, body })).toMatchObject({ status: 201 })
    const again = await api({ method: 'POST', path: maps, body })
    expect(again).toMatchObject({ status: 409, headers: { warning: ['299 - "unknown field \\"foo\\""'] } })
  })

  it('the API handler takes a created resourceVersion of 0 and drops one on create by update', async () => {
    const lease = '/apis/coordination.k8s.io/v1/namespaces/default/leases/l'
    expect(
      await api({ method: 'POST', path: maps, body: { metadata: { name: 'z', resourceVersion: '0' } } }),
    ).toMatchObject({ status: 201 })
    expect(
      await api({ method: 'PUT', path: lease, body: { metadata: { name: 'l', resourceVersion: '4' }, spec: {} } }),
    ).toMatchObject({ status: 201 })
  })
})
