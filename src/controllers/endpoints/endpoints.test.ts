import { afterEach, describe, expect, it } from 'vitest'
import { ApiError, Endpoints, Pod, Service, type coreV1, type Live } from '../../index.ts'
import { embedded, type Embedded } from '../../testing/index.ts'
import { endpoints } from './index.ts'
import { maxEndpointAddresses, truncated } from './subsets.ts'

const running: Embedded[] = []
afterEach(async () => {
  for (const cluster of running.splice(0)) await cluster.stop()
})

async function start(): Promise<Embedded> {
  const cluster = await embedded({ controllers: [endpoints()] })
  running.push(cluster)
  return cluster
}
const key = { namespace: 'default', name: 'web' }
const web = (spec: object = {}) => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { ...key, labels: { app: 'web' } },
  spec: { selector: { app: 'web' }, ports: [{ name: 'http', port: 80, targetPort: 8080 }], ...spec },
})

async function pod({ client }: Embedded, name: string, ip: string, ready = true, port = 8080): Promise<void> {
  const containers = [{ name: 'c', image: 'i', ports: [{ name: 'web', containerPort: port }] }]
  await client.create(Pod, {
    metadata: { namespace: 'default', name, labels: { app: 'web' } },
    spec: { containers, nodeName: 'n1' },
  })
  const conditions = [{ type: 'Ready', status: ready ? 'True' : 'False', lastTransitionTime: '2024-01-01T00:00:00Z' }]
  await client.patch(
    Pod,
    { namespace: 'default', name },
    { type: 'merge', patch: { status: { phase: 'Running', podIP: ip, podIPs: [{ ip }], conditions } } },
    { subresource: 'status' },
  )
}

async function found({ client }: Embedded): Promise<Live<Endpoints> | undefined> {
  try {
    return await client.get(Endpoints, key)
  } catch (error) {
    if (error instanceof ApiError && error.code === 404) return undefined
    throw error
  }
}
const ips = (list: readonly { readonly ip: string }[] | undefined): string[] => (list ?? []).map(({ ip }) => ip)

describe('endpoints', () => {
  it('endpoints report ready and other pods, and go with the Service', async () => {
    const cluster = await start()
    await pod(cluster, 'a', '10.0.0.1')
    await pod(cluster, 'b', '10.0.0.2', false)
    await cluster.apply(web())
    await cluster.settle()
    const object = await found(cluster)
    expect(object?.subsets).toHaveLength(1)
    expect(ips(object?.subsets?.[0]?.addresses)).toEqual(['10.0.0.1'])
    expect(ips(object?.subsets?.[0]?.notReadyAddresses)).toEqual(['10.0.0.2'])
    expect(object?.subsets?.[0]?.ports).toEqual([{ name: 'http', port: 8080, protocol: 'TCP' }])
    expect(object?.subsets?.[0]?.addresses?.[0]).toMatchObject({
      nodeName: 'n1',
      targetRef: { kind: 'Pod', name: 'a', namespace: 'default' },
    })
    expect(object?.metadata.labels).toEqual({ app: 'web', 'endpoints.kubernetes.io/managed-by': 'endpoint-controller' })
    await cluster.client.delete(Service, key)
    await cluster.settle()
    expect(await found(cluster)).toBeUndefined()
  })

  it('endpoints leave out pods that end, unless the Service publishes all', async () => {
    const cluster = await start()
    await pod(cluster, 'a', '10.0.0.1')
    await cluster.apply(web())
    await cluster.client.delete(Pod, { namespace: 'default', name: 'a' })
    await cluster.settle()
    expect((await found(cluster))?.subsets ?? []).toEqual([])
    await cluster.apply(web({ publishNotReadyAddresses: true }))
    await cluster.settle()
    expect(ips((await found(cluster))?.subsets?.[0]?.addresses)).toEqual(['10.0.0.1'])
  })

  it('endpoints group addresses by the ports they offer', async () => {
    const cluster = await start()
    await pod(cluster, 'a', '10.0.0.1', true, 8080)
    await pod(cluster, 'b', '10.0.0.2', true, 9090)
    await cluster.apply(
      web({
        ports: [
          { name: 'web', port: 80, targetPort: 'web' },
          { name: 'fixed', port: 81, targetPort: 7070 },
        ],
      }),
    )
    await cluster.settle()
    const subsets = (await found(cluster))?.subsets ?? []
    expect(
      subsets
        .map(
          ({ addresses, ports }) =>
            `${ips(addresses).join()} ${ports?.map(({ name, port }) => `${name}:${port}`).join()}`,
        )
        .sort(),
    ).toEqual(['10.0.0.1 web:8080', '10.0.0.1,10.0.0.2 fixed:7070', '10.0.0.2 web:9090'])
  })

  it('endpoints of others are left alone: without a selector, and without a Service', async () => {
    const cluster = await start()
    const own = { metadata: key, subsets: [{ addresses: [{ ip: '1.2.3.4' }] }] }
    await cluster.client.create(Endpoints, own)
    await cluster.settle()
    await cluster.apply({ apiVersion: 'v1', kind: 'Service', metadata: key, spec: { ports: [{ port: 80 }] } } as never)
    await cluster.settle()
    expect(ips((await found(cluster))?.subsets?.[0]?.addresses)).toEqual(['1.2.3.4'])
  })

  it('endpoints of a Service that went while nobody looked go later', async () => {
    const cluster = await start()
    await cluster.apply(web())
    await cluster.settle()
    expect(await found(cluster)).toBeDefined()
    const gone = cluster.crash()
    await cluster.client.delete(Service, key)
    await gone
    await cluster.settle()
    expect(await found(cluster)).toBeUndefined()
  })

  it('endpoints are reported up to a thousand, the ready ones first', () => {
    const addresses = (count: number): coreV1.EndpointAddress[] =>
      Array.from({ length: count }, (_, index) => ({ ip: `10.0.${Math.floor(index / 250)}.${index % 250}` }))
    const few = truncated([{ addresses: addresses(600), notReadyAddresses: addresses(400) }])
    expect(few.isOver).toBe(false)
    const many = truncated([{ addresses: addresses(600), notReadyAddresses: addresses(500) }])
    expect(many.isOver).toBe(true)
    expect([many.subsets[0]?.addresses?.length, many.subsets[0]?.notReadyAddresses?.length]).toEqual([600, 400])
    const more = truncated([
      { addresses: addresses(1500), notReadyAddresses: addresses(5) },
      { addresses: addresses(500) },
    ])
    expect(more.subsets.map(({ addresses: kept }) => kept?.length)).toEqual([750, 250])
    expect(more.subsets.every(({ notReadyAddresses }) => notReadyAddresses === undefined)).toBe(true)
    expect(maxEndpointAddresses).toBe(1000)
  })
})
