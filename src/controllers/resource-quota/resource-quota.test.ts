import { afterEach, describe, expect, it } from 'vitest'
import {
  ApiError,
  ConfigMap,
  CronJob,
  DaemonSet,
  Job,
  Pod,
  ReplicationController,
  ResourceQuota,
  Service,
  ServiceAccount,
  type Kind,
} from '../../index.ts'
import { quotaCount } from '../../controlplane/index.ts'
import { embedded, type Embedded } from '../../testing/index.ts'
import { resourceQuotas } from './index.ts'

const running: Embedded[] = []
afterEach(async () => {
  for (const cluster of running.splice(0)) await cluster.stop()
})

async function start(): Promise<Embedded> {
  const cluster = await embedded({ controllers: [resourceQuotas(quotaCount)] })
  running.push(cluster)
  await cluster.apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'blue' } })
  return cluster
}
const key = { namespace: 'blue', name: 'limits' }
const quota = (hard: Record<string, string>, spec: object = {}) => ({
  apiVersion: 'v1',
  kind: 'ResourceQuota',
  metadata: key,
  spec: { hard, ...spec },
})

const pod = (name: string, cpu?: string): Pod => ({
  metadata: { namespace: 'blue', name },
  spec: {
    nodeName: 'n1',
    containers: [{ name: 'c', image: 'i', ...(cpu === undefined ? {} : { resources: { requests: { cpu } } }) }],
  },
})
const used = async ({ client }: Embedded): Promise<unknown> => (await client.get(ResourceQuota, key)).status?.used

describe('a resource quota', () => {
  it('a resource quota reports what is used of what it limits', async () => {
    const cluster = await start()
    const { client } = cluster
    await client.create(Pod, pod('a', '250m'))
    await client.create(Pod, pod('b', '1'))
    await client.create(ConfigMap, { metadata: { namespace: 'blue', name: 'c' } })
    await client.create(Service, {
      metadata: { namespace: 'blue', name: 's' },
      spec: { type: 'NodePort', ports: [{ port: 80 }] },
    })
    await cluster.apply(
      quota({
        pods: '5',
        'requests.cpu': '2',
        'count/configmaps': '3',
        'services.nodeports': '2',
        'count/secrets': '9',
      }),
    )
    await cluster.settle()
    expect(await used(cluster)).toEqual({
      pods: '2',
      'requests.cpu': '1250m',
      'count/configmaps': '1',
      'services.nodeports': '1',
      'count/secrets': '0',
    })
    expect((await client.get(ResourceQuota, key)).status?.hard).toEqual({
      pods: '5',
      'requests.cpu': '2',
      'count/configmaps': '3',
      'services.nodeports': '2',
      'count/secrets': '9',
    })
  })

  it('a resource quota counts down when something ends, and with admission lets nothing more in', async () => {
    const cluster = await start()
    const { client } = cluster
    await cluster.apply(quota({ pods: '2' }))
    await cluster.settle()
    await client.create(Pod, pod('a'))
    await client.create(Pod, pod('b'))
    await cluster.settle()
    expect(await used(cluster)).toEqual({ pods: '2' })
    const refused: unknown = await client.create(Pod, pod('c')).catch((error: unknown) => error)
    expect(refused).toBeInstanceOf(ApiError)
    await client.patch(
      Pod,
      { namespace: 'blue', name: 'a' },
      { type: 'merge', patch: { status: { phase: 'Succeeded' } } },
      { subresource: 'status' },
    )
    await cluster.settle()
    expect(await used(cluster)).toEqual({ pods: '1' })
    await client.create(Pod, pod('c'))
    await client.delete(Pod, { namespace: 'blue', name: 'b' }, { gracePeriodSeconds: 0 })
    await cluster.settle()
    expect(await used(cluster)).toEqual({ pods: '1' })
  })

  it('a resource quota keeps what admission has counted until its object is there, or a recount', async () => {
    const cluster = await start()
    const { client } = cluster
    await cluster.apply(quota({ configmaps: '3' }))
    await cluster.settle()
    const patch = { status: { used: { configmaps: '2' } } }
    await client.patch(ResourceQuota, key, { type: 'merge', patch }, { subresource: 'status' })
    await cluster.settle({ patienceMs: 0 })
    expect(await used(cluster)).toEqual({ configmaps: '2' })
    await client.create(ConfigMap, { metadata: { namespace: 'blue', name: 'c' } })
    await cluster.settle({ patienceMs: 0 })
    expect(await used(cluster)).toEqual({ configmaps: '3' })
    await cluster.advance(300_000)
    expect(await used(cluster)).toEqual({ configmaps: '1' })
  })

  it('a resource quota counts only what its scopes match', async () => {
    const cluster = await start()
    await cluster.client.create(Pod, pod('best-effort'))
    await cluster.client.create(Pod, pod('burstable', '1'))
    await cluster.apply(quota({ pods: '5' }, { scopes: ['BestEffort'] }))
    await cluster.settle()
    expect(await used(cluster)).toEqual({ pods: '1' })
  })

  it('a resource quota finds what goes of kinds that it watches at once, of others after a while', async () => {
    const cluster = await start()
    await cluster.client.create(ConfigMap, { metadata: { namespace: 'blue', name: 'c' } })
    await cluster.client.create(ServiceAccount, { metadata: { namespace: 'blue', name: 's' } })
    await cluster.apply(quota({ configmaps: '3', 'count/serviceaccounts': '3' }))
    await cluster.settle()
    expect(await used(cluster)).toEqual({ configmaps: '1', 'count/serviceaccounts': '1' })
    await cluster.client.delete(ServiceAccount, { namespace: 'blue', name: 's' })
    await cluster.advance(290_000)
    expect(await used(cluster)).toEqual({ configmaps: '1', 'count/serviceaccounts': '1' })
    await cluster.advance(10_000)
    expect(await used(cluster)).toEqual({ configmaps: '1', 'count/serviceaccounts': '0' })
    await cluster.client.delete(ConfigMap, { namespace: 'blue', name: 'c' })
    await cluster.settle({ patienceMs: 0 })
    expect(await used(cluster)).toEqual({ configmaps: '0', 'count/serviceaccounts': '0' })
  })

  it('a resource quota finds at once what goes of workloads', async () => {
    const cluster = await start()
    const { client } = cluster
    const limits = ['replicationcontrollers', 'count/daemonsets.apps', 'count/jobs.batch', 'count/cronjobs.batch']
    await cluster.apply(quota(Object.fromEntries(limits.map((name) => [name, '3']))))
    await cluster.settle()
    const metadata = { namespace: 'blue', name: 'a' }
    const podSpec = { containers: [{ name: 'c', image: 'i' }] }
    const template = { metadata: { labels: { app: 'a' } }, spec: podSpec }
    const job = { template: { spec: { containers: podSpec.containers, restartPolicy: 'Never' as const } } }
    await client.create(ReplicationController, { metadata, spec: { replicas: 0, template } })
    await client.create(DaemonSet, { metadata, spec: { selector: { matchLabels: { app: 'a' } }, template } })
    await client.create(Job, { metadata, spec: job })
    await client.create(CronJob, { metadata, spec: { schedule: '0 0 1 1 *', jobTemplate: { spec: job } } })
    await cluster.settle({ patienceMs: 0 })
    expect(await used(cluster)).toEqual(Object.fromEntries(limits.map((name) => [name, '1'])))
    const kinds: readonly Kind[] = [ReplicationController, DaemonSet, Job, CronJob]
    for (const kind of kinds) await client.delete(kind, metadata, { propagationPolicy: 'Background' })
    await cluster.settle({ patienceMs: 0 })
    expect(await used(cluster)).toEqual(Object.fromEntries(limits.map((name) => [name, '0'])))
  })
})
