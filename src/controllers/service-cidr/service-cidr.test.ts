/** Ranges of cluster IPs: finalizer, Ready, more Services than the default range has addresses, and deletion. */
import { afterEach, describe, expect, it } from 'vitest'
import { IPAddress, Service, ServiceCIDR, type Client } from '../../index.ts'
import { embedded, type Embedded } from '../../testing/index.ts'
import { covers, offers, overlaps, parsePrefix, type Prefix } from './prefix.ts'

const running: Embedded[] = []
afterEach(async () => {
  for (const cluster of running.splice(0)) await cluster.stop()
})

async function start(serviceClusterIpRange = '10.0.0.0/28'): Promise<Embedded> {
  const cluster = await embedded({
    builtin: ['service-cidr-controller'],
    controlPlane: { serviceClusterIpRange },
  })
  running.push(cluster)
  return cluster
}

const finalizer = 'networking.k8s.io/service-cidr-finalizer'
const more = { metadata: { name: 'more' }, spec: { cidrs: ['192.168.0.0/28'] } }

async function createServices(client: Client, count: number, prefix: string): Promise<string[]> {
  const ips: string[] = []
  for (let i = 0; i < count; i++) {
    const metadata = { namespace: 'default', name: `${prefix}${i}` }
    const { spec } = await client.create(Service, { metadata, spec: { ports: [{ port: 80 }] } })
    ips.push(spec?.clusterIP ?? '')
  }
  return ips
}

const condition = async (client: Client, name: string) =>
  (await client.get(ServiceCIDR, { name })).status?.conditions?.find(({ type }) => type === 'Ready')

describe('a ServiceCIDR', () => {
  it('gets a finalizer and is Ready, as the default one', async () => {
    const cluster = await start()
    const { client } = cluster
    await client.create(ServiceCIDR, more)
    await cluster.settle()
    for (const name of ['kubernetes', 'more']) {
      expect((await client.get(ServiceCIDR, { name })).metadata.finalizers).toEqual([finalizer])
      expect(await condition(client, name)).toMatchObject({
        status: 'True',
        reason: '',
        message: 'Kubernetes Service CIDR is ready',
      })
    }
  })

  it('adds addresses when the default range is full', async () => {
    const cluster = await start()
    const { client } = cluster
    await createServices(client, 13, 'a')
    await expect(createServices(client, 1, 'b')).rejects.toThrow('failed to allocate a serviceIP: range is full')
    await client.create(ServiceCIDR, more)
    await cluster.settle()
    const [ip = ''] = await createServices(client, 1, 'b')
    expect(ip).toMatch(/^192\.168\.0\.\d+$/)
    expect((await client.get(IPAddress, { name: ip })).spec?.parentRef).toEqual({
      resource: 'services',
      namespace: 'default',
      name: 'b0',
    })
  })

  it('stays while a Service has one of its addresses, then ten more seconds; allocates nothing meanwhile', async () => {
    const cluster = await start()
    const { client } = cluster
    await client.create(ServiceCIDR, more)
    const metadata = { namespace: 'default', name: 'web' }
    await client.create(Service, { metadata, spec: { clusterIP: '192.168.0.5', ports: [{ port: 80 }] } })
    await cluster.settle()
    await client.delete(ServiceCIDR, { name: 'more' })
    await cluster.settle()
    expect(await condition(client, 'more')).toMatchObject({ status: 'False', reason: 'Terminating' })
    const taken = client.create(Service, {
      metadata: { namespace: 'default', name: 'late' },
      spec: { clusterIP: '192.168.0.6', ports: [{ port: 80 }] },
    })
    await expect(taken).rejects.toThrow('the provided network does not match the current range')
    await cluster.advance(60_000)
    expect((await client.get(ServiceCIDR, { name: 'more' })).metadata.finalizers).toEqual([finalizer])
    await client.delete(Service, metadata)
    await cluster.advance(20_000)
    await expect(client.get(ServiceCIDR, { name: 'more' })).rejects.toThrow('not found')
  })

  it('may go although its addresses are used, if another one covers it; not before ten seconds', async () => {
    const cluster = await start()
    const { client } = cluster
    await client.create(ServiceCIDR, more)
    await client.create(ServiceCIDR, { metadata: { name: 'larger' }, spec: { cidrs: ['192.168.0.0/24'] } })
    await client.create(Service, {
      metadata: { namespace: 'default', name: 'web' },
      spec: { clusterIP: '192.168.0.5', ports: [{ port: 80 }] },
    })
    await cluster.settle()
    await client.delete(ServiceCIDR, { name: 'more' })
    await cluster.advance(9000)
    expect((await client.get(ServiceCIDR, { name: 'more' })).metadata.finalizers).toEqual([finalizer])
    await cluster.advance(2000)
    await expect(client.get(ServiceCIDR, { name: 'more' })).rejects.toThrow('not found')
  })

  it('is not written at rest', async () => {
    const cluster = await start()
    const { revision } = cluster.plane.store
    await cluster.advance(3_600_000)
    expect(cluster.plane.store.revision).toBe(revision)
  })
})

describe('a prefix', () => {
  const prefix = (text: string): Prefix => parsePrefix(text) as Prefix

  it('has the addresses between its network and its broadcast address; in IPv6 also the last', () => {
    const four = prefix('192.168.0.0/29')
    expect(['192.168.0.0', '192.168.0.1', '192.168.0.6', '192.168.0.7', '::1'].map((ip) => offers(four, ip))).toEqual([
      false,
      true,
      true,
      false,
      false,
    ])
    const six = prefix('2001:db8::/64')
    const asked = ['2001:db8::', '2001:db8::1', '2001:db8::ffff:ffff:ffff:ffff', '2001:db8:0:1::1']
    expect(asked.map((ip) => offers(six, ip))).toEqual([false, true, true, false])
  })

  it('overlaps and covers others of its family', () => {
    expect(overlaps(prefix('10.0.0.0/8'), prefix('10.1.0.0/16'))).toBe(true)
    expect(covers(prefix('10.0.0.0/8'), prefix('10.1.0.0/16'))).toBe(true)
    expect(covers(prefix('10.1.0.0/16'), prefix('10.0.0.0/8'))).toBe(false)
    expect(overlaps(prefix('10.0.0.0/16'), prefix('10.1.0.0/16'))).toBe(false)
    expect(overlaps(prefix('0.0.0.0/0'), prefix('::/0'))).toBe(false)
    expect(covers(prefix('2001:db8::/64'), prefix('2001:db8::/64'))).toBe(true)
  })
})
