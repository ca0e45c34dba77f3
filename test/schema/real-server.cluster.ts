/** Schemas have the same effect on a real kube-apiserver: definitions are served, defaults and rejections are equal. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { sampleKinds } from '../../src/schema/testdata/random-schemas.ts'
import { compare, install, type Api } from '../../src/schema/testdata/server-comparison.ts'
import { Everything } from '../../src/schema/testdata/ready-made-kind.ts'
import { request, startCluster, type Cluster } from '../cluster/index.ts'

describe('a real kube-apiserver', () => {
  let cluster: Cluster
  let api: Api
  beforeAll(async () => {
    cluster = await startCluster()
    api = (method, path, body) => request(cluster, method, path, body)
  })
  afterAll(() => cluster.stop())

  it('a real kube-apiserver means the same by random schemas', async () => {
    const samples = sampleKinds(5, 20, 40)
    const served = await Promise.all(samples.map(({ kind }) => install(api, kind.crd)))
    for (const { status } of served) {
      expect(status?.conditions?.map(({ type, status }) => `${type}=${status}`)).toEqual([
        'NamesAccepted=True',
        'Established=True',
      ])
    }
    for (const sample of samples) expect((await compare(api, sample)).differences).toEqual([])
  })

  it('a real kube-apiserver serves a kind with all ready-made nodes, columns, scale and several versions', async () => {
    const served = await install(api, Everything.crd)
    expect(served.spec).toEqual({ ...Everything.crd.spec, conversion: { strategy: 'None' } })
  })
})
