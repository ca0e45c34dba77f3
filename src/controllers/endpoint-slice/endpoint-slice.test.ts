import { afterEach, describe, expect, it } from 'vitest'
import { EndpointSlice, Node, Pod, Service, type Live } from '../../index.ts'
import { embedded, type Embedded } from '../../testing/index.ts'
import { endpointSlices } from './index.ts'

const running: Embedded[] = []
afterEach(async () => {
  for (const cluster of running.splice(0)) await cluster.stop()
})

async function start(): Promise<Embedded> {
  const cluster = await embedded({ controllers: [endpointSlices()] })
  running.push(cluster)
  return cluster
}

const web = (spec: object = {}, labels = { app: 'web' }) => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name: 'web', namespace: 'default', labels },
  spec: { selector: { app: 'web' }, ports: [{ name: 'http', port: 80, targetPort: 8080 }], ...spec },
})

interface PodOptions {
  readonly ip?: string
  readonly ready?: boolean
  readonly port?: number
  readonly spec?: object
  readonly labels?: Record<string, string>
}

async function pod(
  { client }: Embedded,
  name: string,
  { ip, ready = true, port = 8080, spec = {}, labels = { app: 'web' } }: PodOptions = {},
): Promise<void> {
  const containers = [{ name: 'c', image: 'i', ports: [{ name: 'web', containerPort: port }] }]
  await client.create(Pod, { metadata: { namespace: 'default', name, labels }, spec: { containers, ...spec } })
  const ips = ip === undefined ? {} : { podIP: ip.split(',')[0], podIPs: ip.split(',').map((each) => ({ ip: each })) }
  await setStatus(client, name, {
    phase: 'Running',
    ...ips,
    conditions: [{ type: 'Ready', status: ready ? 'True' : 'False', lastTransitionTime: '2024-01-01T00:00:00Z' }],
  })
}

async function setStatus(client: Embedded['client'], name: string, status: object): Promise<void> {
  await client.patch(
    Pod,
    { namespace: 'default', name },
    { type: 'merge', patch: { status } as never },
    { subresource: 'status' },
  )
}

async function slices({ client }: Embedded): Promise<readonly Live<EndpointSlice>[]> {
  return (await client.list(EndpointSlice, { namespace: 'default', labelSelector: 'kubernetes.io/service-name=web' }))
    .items
}
const reported = (slice: Live<EndpointSlice> | undefined): string[] =>
  (slice?.endpoints ?? [])
    .map(({ addresses, conditions: c }) => `${addresses.join()} ${c?.ready} ${c?.serving} ${c?.terminating}`)
    .sort()

describe('endpoint slices', () => {
  it('endpoint slices hold the pods that a Service selects, with labels, owner and trigger time', async () => {
    const cluster = await start()
    await cluster.client.create(Node, { metadata: { name: 'n1', labels: { 'topology.kubernetes.io/zone': 'east' } } })
    await pod(cluster, 'a', { ip: '10.0.0.1', spec: { nodeName: 'n1', hostname: 'a', subdomain: 'web' } })
    await pod(cluster, 'b', { ip: '10.0.0.2', ready: false })
    await pod(cluster, 'c')
    await pod(cluster, 'd', { ip: '10.0.0.4', labels: { app: 'other' } })
    await cluster.apply(web())
    await cluster.settle()
    const [slice, ...more] = await slices(cluster)
    const service = await cluster.client.get(Service, { namespace: 'default', name: 'web' })
    expect(more).toEqual([])
    expect(reported(slice)).toEqual(['10.0.0.1 true true false', '10.0.0.2 false false false'])
    expect(slice?.endpoints?.find(({ hostname }) => hostname === 'a')).toMatchObject({
      nodeName: 'n1',
      zone: 'east',
      targetRef: { kind: 'Pod', name: 'a', namespace: 'default' },
    })
    expect(slice?.ports).toEqual([{ name: 'http', port: 8080, protocol: 'TCP' }])
    expect(slice?.addressType).toBe('IPv4')
    expect(slice?.metadata.generateName).toBe('web-')
    expect(slice?.metadata.labels).toEqual({
      app: 'web',
      'kubernetes.io/service-name': 'web',
      'endpointslice.kubernetes.io/managed-by': 'endpointslice-controller.k8s.io',
    })
    expect(slice?.metadata.ownerReferences).toEqual([
      {
        apiVersion: 'v1',
        kind: 'Service',
        name: 'web',
        uid: service.metadata.uid,
        controller: true,
        blockOwnerDeletion: true,
      },
    ])
    expect(slice?.metadata.annotations).toEqual({
      'endpoints.kubernetes.io/last-change-trigger-time': service.metadata.creationTimestamp,
    })
  })

  it('endpoint slices begin as a placeholder, which is filled, emptied and never replaced', async () => {
    const cluster = await start()
    await cluster.apply(web())
    await cluster.settle()
    const [empty] = await slices(cluster)
    expect(empty?.endpoints ?? []).toEqual([])
    await pod(cluster, 'a', { ip: '10.0.0.1' })
    await cluster.settle()
    expect((await slices(cluster)).map(({ metadata, endpoints }) => [metadata.name, endpoints?.length])).toEqual([
      [empty?.metadata.name, 1],
    ])
    await cluster.client.delete(Pod, { namespace: 'default', name: 'a' }, { gracePeriodSeconds: 0 })
    await cluster.settle()
    expect((await slices(cluster)).map(({ metadata, endpoints }) => [metadata.name, endpoints?.length ?? 0])).toEqual([
      [empty?.metadata.name, 0],
    ])
  })

  it('endpoint slices show a terminating pod as serving but not ready, unless the Service publishes all', async () => {
    const cluster = await start()
    await pod(cluster, 'a', { ip: '10.0.0.1', spec: { nodeName: 'n1' } })
    await cluster.apply(web())
    await cluster.settle()
    await cluster.client.delete(Pod, { namespace: 'default', name: 'a' })
    await cluster.settle()
    expect(reported((await slices(cluster))[0])).toEqual(['10.0.0.1 false true true'])
    await cluster.apply(web({ publishNotReadyAddresses: true }))
    await cluster.settle()
    expect(reported((await slices(cluster))[0])).toEqual(['10.0.0.1 true true true'])
    await setStatus(cluster.client, 'a', { phase: 'Succeeded' })
    await cluster.settle()
    expect(reported((await slices(cluster))[0])).toEqual([])
  })

  it('endpoint slices are as many as there are numbers of a named port', async () => {
    const cluster = await start()
    await pod(cluster, 'a', { ip: '10.0.0.1', port: 8080 })
    await pod(cluster, 'b', { ip: '10.0.0.2', port: 9090 })
    await cluster.apply(web({ ports: [{ port: 80, targetPort: 'web' }] }))
    await cluster.settle()
    const found = await slices(cluster)
    expect(
      found
        .map(({ ports, endpoints }) => `${ports?.[0]?.name}:${ports?.[0]?.port} ${endpoints?.[0]?.addresses[0]}`)
        .sort(),
    ).toEqual([':8080 10.0.0.1', ':9090 10.0.0.2'])
  })

  it('endpoint slices hold a hundred endpoints at most, and change as few as they can', async () => {
    const cluster = await start()
    for (let index = 0; index < 120; index++) await pod(cluster, `p${index}`, { ip: `10.0.1.${index}` })
    await cluster.apply(web())
    await cluster.settle()
    const before = await slices(cluster)
    expect(before.map(({ endpoints }) => endpoints?.length ?? 0).sort((a, b) => a - b)).toEqual([20, 100])
    const full = before.find(({ endpoints }) => endpoints?.length === 100)
    const gone = full?.endpoints?.[0]?.targetRef?.name ?? ''
    await cluster.client.delete(Pod, { namespace: 'default', name: gone }, { gracePeriodSeconds: 0 })
    await cluster.settle()
    const after = await slices(cluster)
    expect(after.map(({ endpoints }) => endpoints?.length ?? 0).sort((a, b) => a - b)).toEqual([20, 99])
    const small = before.find(({ endpoints }) => endpoints?.length === 20)
    expect(after.find(({ metadata }) => metadata.name === small?.metadata.name)?.metadata.resourceVersion).toBe(
      small?.metadata.resourceVersion,
    )
  })

  it('endpoint slices are marked for headless Services, and follow the labels of the Service', async () => {
    const cluster = await start()
    await pod(cluster, 'a', { ip: '10.0.0.1' })
    await cluster.apply(web({ clusterIP: 'None', ports: [] }))
    await cluster.settle()
    expect((await slices(cluster))[0]).toMatchObject({
      metadata: { labels: { 'service.kubernetes.io/headless': '' } },
      endpoints: [{ addresses: ['10.0.0.1'] }],
    })
    await cluster.client.patch(
      Service,
      { namespace: 'default', name: 'web' },
      { type: 'merge', patch: { metadata: { labels: { app: null, tier: 'front' } } } },
    )
    await cluster.settle()
    const labels = (await slices(cluster))[0]?.metadata.labels
    expect(labels).toMatchObject({ tier: 'front' })
    expect(labels).not.toHaveProperty('app')
  })

  it('endpoint slices are left alone for Services without a selector, and written only on change', async () => {
    const cluster = await start()
    await cluster.apply({
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: 'web' },
      spec: { ports: [{ port: 80 }] },
    } as never)
    await cluster.settle()
    expect(await slices(cluster)).toEqual([])
    await cluster.apply(web())
    await pod(cluster, 'a', { ip: '10.0.0.1' })
    await cluster.settle()
    const before = cluster.requests.filter((request) => !request.startsWith('GET')).length
    await cluster.client.patch(
      Pod,
      { namespace: 'default', name: 'a' },
      { type: 'merge', patch: { metadata: { annotations: { note: 'x' } } } },
    )
    await cluster.settle()
    expect(cluster.requests.filter((request) => !request.startsWith('GET'))).toHaveLength(before)
  })

  it('endpoint slices come back when somebody deletes them', async () => {
    const cluster = await start()
    await pod(cluster, 'a', { ip: '10.0.0.1' })
    await cluster.apply(web())
    await cluster.settle()
    await cluster.client.deleteCollection(EndpointSlice, {
      namespace: 'default',
      labelSelector: 'kubernetes.io/service-name=web',
    })
    await cluster.settle()
    expect(reported((await slices(cluster))[0])).toEqual(['10.0.0.1 true true false'])
  })
})
