import { afterEach, describe, expect, it } from 'vitest'
import { Endpoints, EndpointSlice, Service, type Live } from '../../index.ts'
import { embedded, type Embedded } from '../../testing/index.ts'
import { mirroredSlices } from './index.ts'

const running: Embedded[] = []
afterEach(async () => {
  for (const cluster of running.splice(0)) await cluster.stop()
})

async function start(...objects: readonly object[]): Promise<Embedded> {
  const cluster = await embedded({ controllers: [mirroredSlices] })
  running.push(cluster)
  await cluster.apply(...(objects as never[]))
  await cluster.settle()
  return cluster
}

const key = { namespace: 'default', name: 'db' }
const service = { apiVersion: 'v1', kind: 'Service', metadata: key, spec: { ports: [{ name: 'sql', port: 5432 }] } }
const sql = { name: 'sql', port: 5432, protocol: 'TCP' }
const endpoints = (subsets: readonly object[], metadata: object = {}) => ({
  apiVersion: 'v1',
  kind: 'Endpoints',
  metadata: { ...key, ...metadata },
  subsets,
})
const one = endpoints([{ addresses: [{ ip: '192.0.2.1' }], ports: [sql] }])

async function slices({ client }: Embedded): Promise<readonly Live<EndpointSlice>[]> {
  return (await client.list(EndpointSlice, { namespace: 'default', labelSelector: 'kubernetes.io/service-name=db' }))
    .items
}
const addresses = async (cluster: Embedded): Promise<string[][]> =>
  (await slices(cluster)).map((slice) =>
    (slice.endpoints ?? [])
      .map(({ addresses: list, conditions }) => `${list.join()}${conditions?.ready === true ? '' : ' not ready'}`)
      .sort(),
  )

describe('Endpoints that were written by hand', () => {
  it('Endpoints that were written by hand are mirrored, with their labels and annotations', async () => {
    const cluster = await start(
      service,
      endpoints(
        [
          {
            addresses: [{ ip: '192.0.2.1', nodeName: 'n', hostname: 'h' }],
            notReadyAddresses: [{ ip: '192.0.2.2' }],
            ports: [sql],
          },
        ],
        { labels: { team: 'a' }, annotations: { note: 'x', 'kubectl.kubernetes.io/last-applied-configuration': '{}' } },
      ),
    )
    const [slice, ...more] = await slices(cluster)
    expect(more).toEqual([])
    expect(slice).toMatchObject({
      addressType: 'IPv4',
      ports: [sql],
      endpoints: [
        { addresses: ['192.0.2.1'], conditions: { ready: true }, nodeName: 'n', hostname: 'h' },
        { addresses: ['192.0.2.2'], conditions: { ready: false } },
      ],
    })
    expect(slice?.metadata).toMatchObject({
      labels: {
        team: 'a',
        'kubernetes.io/service-name': 'db',
        'endpointslice.kubernetes.io/managed-by': 'endpointslicemirroring-controller.k8s.io',
      },
      annotations: { note: 'x' },
      ownerReferences: [
        { apiVersion: 'v1', kind: 'Endpoints', name: 'db', controller: true, blockOwnerDeletion: true },
      ],
    })
    expect(slice?.metadata.name).toMatch(/^db-/)
    expect(Object.keys(slice?.metadata.annotations ?? {})).toEqual(['note'])
  })

  it('Endpoints written by hand have a slice per family and set of ports, whatever their subsets', async () => {
    const cluster = await start(
      service,
      endpoints([
        { addresses: [{ ip: '192.0.2.1' }, { ip: '2001:DB8:0::1' }], ports: [sql] },
        { addresses: [{ ip: '192.0.2.1' }], ports: [{ name: 'web', port: 80 }] },
        { addresses: [{ ip: '192.0.2.2' }], ports: [sql] },
        { notReadyAddresses: [{ ip: '192.0.2.2' }], ports: [sql] },
      ]),
    )
    const found = (await slices(cluster)).map(
      ({ addressType, ports = [], endpoints: list }) =>
        `${addressType} ${ports.map(({ port }) => port).join()}: ` +
        (list ?? [])
          .map(({ addresses: [ip], conditions }) => `${ip}${conditions?.ready === true ? '' : '-'}`)
          .join(' '),
    )
    expect(found.sort()).toEqual(['IPv4 5432: 192.0.2.1 192.0.2.2-', 'IPv4 80: 192.0.2.1', 'IPv6 5432: 2001:db8::1'])
  })

  it('Endpoints that were written by hand take their slices along when they change, in place', async () => {
    const cluster = await start(service, one)
    const [before] = await slices(cluster)
    await cluster.apply(
      endpoints([{ addresses: [{ ip: '192.0.2.9' }], ports: [{ ...sql, port: 6000 }] }], {
        labels: { team: 'b' },
      }) as never,
    )
    await cluster.settle()
    const [after, ...more] = await slices(cluster)
    expect(more).toEqual([])
    expect(after?.metadata).toMatchObject({ name: before?.metadata.name, labels: { team: 'b' } })
    expect(after).toMatchObject({ ports: [{ port: 6000 }], endpoints: [{ addresses: ['192.0.2.9'] }] })
    await cluster.client.patch(
      EndpointSlice,
      { namespace: 'default', name: after?.metadata.name ?? '' },
      { type: 'merge', patch: { endpoints: [] } },
    )
    await cluster.settle()
    expect(await addresses(cluster)).toEqual([['192.0.2.9']])
    await cluster.apply(endpoints([]) as never)
    await cluster.settle()
    expect(await slices(cluster)).toEqual([])
  })

  it.each<[string, object, object]>([
    [
      'nobody asked',
      service,
      { ...one, metadata: { ...key, labels: { 'endpointslice.kubernetes.io/skip-mirror': 'true' } } },
    ],
    [
      'they are a lock',
      service,
      { ...one, metadata: { ...key, annotations: { 'control-plane.alpha.kubernetes.io/leader': '{}' } } },
    ],
    ['the Service has a selector', { ...service, spec: { ...service.spec, selector: { app: 'db' } } }, one],
    ['there is no Service', { ...service, metadata: { namespace: 'default', name: 'other' } }, one],
  ])('are not mirrored when %s', async (_, first, second) => {
    const cluster = await start(first, second)
    expect(await slices(cluster)).toEqual([])
  })

  it('Endpoints that were written by hand and their Service: when one goes, the slices go', async () => {
    const cluster = await start(service, one)
    expect(await addresses(cluster)).toEqual([['192.0.2.1']])
    await cluster.client.delete(Service, key)
    await cluster.settle()
    expect(await slices(cluster)).toEqual([])
    await cluster.apply(service as never, one as never)
    await cluster.settle()
    expect(await addresses(cluster)).toEqual([['192.0.2.1']])
    await cluster.client.delete(Endpoints, key)
    await cluster.settle()
    expect(await slices(cluster)).toEqual([])
  })

  it('Endpoints that were written by hand are reported when they are too many, once', async () => {
    const many = Array.from({ length: 1003 }, (_, i) => ({ ip: `198.51.${i >> 8}.${i & 255}` }))
    const cluster = await start(service, endpoints([{ addresses: many, ports: [sql] }]))
    expect((await slices(cluster)).map(({ endpoints: list }) => list?.length)).toEqual([1000])
    expect(await cluster.events({ metadata: key })).toEqual([
      {
        type: 'Warning',
        reason: 'TooManyAddressesToMirror',
        count: 1,
        message:
          'A max of 1000 addresses can be mirrored to EndpointSlices per Endpoints subset. 3 addresses were skipped',
      },
    ])
    const { revision } = cluster.plane.store
    await cluster.restart()
    await cluster.settle()
    expect(cluster.plane.store.revision).toBe(revision)
  })
})
