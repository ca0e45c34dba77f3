/**
 * Tests the client on a real kube-apiserver: the same verbs as on the embedded one, with a kubeconfig as for kubectl.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { discover } from '../../src/client/discovery.ts'
import { clusterTransport } from '../../src/client/cluster-access.ts'
import { loadAccess } from '../../src/client/load-access.ts'
import { RestClient } from '../../src/client/rest-client.ts'
import { RestMapper } from '../../src/client/rest-mapper.ts'
import { describeVerbs } from '../../src/client/testdata/verbs.ts'
import { realEnv } from '../../src/env/real.ts'
import { startCluster, type Cluster } from '../cluster/index.ts'

const env = realEnv()
let cluster: Cluster
beforeAll(async () => {
  cluster = await startCluster()
})
afterAll(() => cluster.stop())

describeVerbs('a real kube-apiserver', env, async () => {
  const transport = clusterTransport(env, await loadAccess({ env, kubeconfig: cluster.kubeconfig }))
  return { transport, close: () => transport.close() }
})

describe('a real kube-apiserver', () => {
  it('a real kube-apiserver knows its kinds, in the newer documents and the older', async () => {
    const transport = clusterTransport(env, await loadAccess({ env, kubeconfig: cluster.kubeconfig }))
    const client = new RestClient({ env, transport })
    expect((await new RestMapper(client).find('deploy')).kind).toMatchObject({
      apiVersion: 'apps/v1',
      plural: 'deployments',
    })
    const older = await discover({
      raw: (method, path, options) => client.raw(method, path, { ...options, headers: { accept: 'application/json' } }),
    })
    const names = (all: typeof older): string[] =>
      all.map(({ kind }) => `${kind.apiVersion} ${kind.plural} ${kind.kind} ${kind.namespaced}`).sort()
    expect(names(older)).toEqual(names(await discover(client)))
    await transport.close()
    expect(transport.connectionCount).toBe(0)
  })
})
