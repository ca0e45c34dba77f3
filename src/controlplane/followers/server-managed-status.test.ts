/** The status that the server maintains itself. */
import { afterEach, describe, expect, it } from 'vitest'
import type { Json, JsonObject } from '../../api/json.ts'
import { simulatedEnv } from '../../env/simulated.ts'
import { createControlPlane, type ControlPlane } from '../control-plane.ts'

const planes: ControlPlane[] = []

afterEach(async () => {
  await Promise.all(planes.splice(0).map((plane) => plane.close()))
})

function server() {
  return living().send
}

function living(serviceClusterIpRange?: string) {
  const env = simulatedEnv()
  const plane = createControlPlane({ env, serviceClusterIpRange })
  planes.push(plane)
  const api = plane.transport()
  const send = async (method: string, path: string, body?: Json) =>
    (await api(body === undefined ? { method, path } : { method, path, body })).body as JsonObject & {
      items: JsonObject[]
    }
  return { send, advance: (ms: number) => env.advanceAsync(ms) }
}

const flows = '/apis/flowcontrol.apiserver.k8s.io/v1'
const registrations = '/apis/apiregistration.k8s.io/v1/apiservices'

describe('statuses that the server keeps', () => {
  it('statuses that the server keeps say whether a flow schema dangles, and follow its level', async () => {
    const send = server()
    const made = await send('POST', `${flows}/flowschemas`, {
      metadata: { name: 's' },
      spec: { priorityLevelConfiguration: { name: 'mine' } },
    })
    expect(made['status']).toEqual({})
    expect(await send('GET', `${flows}/flowschemas/s`)).toMatchObject({
      status: { conditions: [{ type: 'Dangling', status: 'True', reason: 'NotFound' }] },
    })
    await send('POST', `${flows}/prioritylevelconfigurations`, {
      metadata: { name: 'mine' },
      spec: { type: 'Limited', limited: { limitResponse: { type: 'Reject' } } },
    })
    expect(await send('GET', `${flows}/flowschemas/s`)).toMatchObject({
      status: { conditions: [{ type: 'Dangling', status: 'False', reason: 'Found' }] },
    })
  })

  it('statuses that the server keeps say whether a registered API can be reached', async () => {
    const send = server()
    const spec = {
      group: 'x.example.com',
      version: 'v1',
      groupPriorityMinimum: 1,
      versionPriority: 1,
      service: { name: 'x', namespace: 'default' },
    }
    await send('POST', registrations, { metadata: { name: 'v1.x.example.com' }, spec })
    expect(await send('GET', `${registrations}/v1.x.example.com`)).toMatchObject({
      status: {
        conditions: [
          {
            type: 'Available',
            status: 'False',
            reason: 'ServiceNotFound',
            message: 'service/x in "default" is not present',
          },
        ],
      },
    })
  })
})

describe('objects that the server makes', () => {
  it('objects that the server makes are there at the start', async () => {
    const send = server()
    const count = async (path: string) => (await send('GET', path)).items.length
    expect(await count(registrations)).toBe(21)
    expect(await count(`${flows}/flowschemas`)).toBe(11)
    expect(await count(`${flows}/prioritylevelconfigurations`)).toBe(8)
    expect(await count('/apis/scheduling.k8s.io/v1/priorityclasses')).toBe(2)
    expect(await send('GET', '/api/v1/namespaces/default/services/kubernetes')).toMatchObject({
      spec: { clusterIP: '10.0.0.1' },
    })
  })

  it('objects that the server makes come and go with services', async () => {
    const send = server()
    const names = async () =>
      (await send('GET', '/apis/networking.k8s.io/v1/ipaddresses')).items.map(
        (item) => (item['metadata'] as JsonObject)['name'],
      )
    expect(await names()).toEqual(['10.0.0.1'])
    const made = await send('POST', '/api/v1/namespaces/default/services', {
      metadata: { name: 's' },
      spec: { ports: [{ port: 1 }] },
    })
    const ip = (made['spec'] as JsonObject)['clusterIP']
    expect(await names()).toContain(ip)
    await send('DELETE', '/api/v1/namespaces/default/services/s')
    expect(await names()).toEqual(['10.0.0.1'])
  })
})

describe('IPAddresses and ranges that users change', () => {
  const addresses = '/apis/networking.k8s.io/v1/ipaddresses'
  const ranges = '/apis/networking.k8s.io/v1/servicecidrs'
  const managed = {
    'ipaddress.kubernetes.io/ip-family': 'IPv4',
    'ipaddress.kubernetes.io/managed-by': 'ipallocator.k8s.io',
  }
  const own = {
    metadata: { name: '10.0.0.1', labels: managed },
    spec: { parentRef: { resource: 'services', namespace: 'default', name: 'kubernetes' } },
  }

  it('IPAddresses are made again when they are deleted or lose a label, with an event', async () => {
    const { send } = living()
    const { metadata } = await send('GET', `${addresses}/10.0.0.1`)
    await send('DELETE', `${addresses}/10.0.0.1`)
    const made = await send('GET', `${addresses}/10.0.0.1`)
    expect(made).toMatchObject(own)
    expect((made['metadata'] as JsonObject)['uid']).not.toBe((metadata as JsonObject)['uid'])
    const { items } = await send('GET', '/api/v1/namespaces/default/events')
    expect(items).toMatchObject([
      {
        involvedObject: { kind: 'Service', name: 'kubernetes' },
        reason: 'ClusterIPNotAllocated',
        message: 'Cluster IP [IPv4]: 10.0.0.1 is not allocated; repairing',
        reportingComponent: 'ipallocator-repair-controller',
      },
    ])
    await send('PUT', `${addresses}/10.0.0.1`, {
      ...made,
      metadata: { ...(made['metadata'] as JsonObject), labels: {} },
    })
    expect(await send('GET', `${addresses}/10.0.0.1`)).toMatchObject(own)
  })

  it.each([
    ['of a Service that does not exist', { resource: 'services', namespace: 'default', name: 'x' }, 59_000],
    ['of a Service with another address', { resource: 'services', namespace: 'default', name: 'kubernetes' }, 4000],
    ['of something else', { resource: 'things', name: 'x' }, 0],
  ])('IPAddresses %s are deleted if they say that the allocator made them', async (_, parentRef, keptMs) => {
    const { send, advance } = living()
    await advance(1000)
    const code = async (name: string) => (await send('GET', `${addresses}/${name}`))['code']
    await send('POST', addresses, { metadata: { name: '10.0.0.7', labels: managed }, spec: { parentRef } })
    await send('POST', addresses, { metadata: { name: '10.0.0.8' }, spec: { parentRef } })
    if (keptMs > 0) {
      await advance(keptMs)
      expect(await code('10.0.0.7')).toBeUndefined()
    }
    await advance(2000)
    expect([await code('10.0.0.7'), await code('10.0.0.8')]).toEqual([404, undefined])
  })

  it('IPAddresses that users made are not allocated', async () => {
    const { send } = living()
    await send('POST', addresses, { metadata: { name: '10.0.0.7' }, spec: own.spec })
    const made = await send('POST', '/api/v1/namespaces/default/services', {
      metadata: { name: 's' },
      spec: { clusterIP: '10.0.0.7', ports: [{ port: 1 }] },
    })
    expect(made['message']).toContain('failed to allocate IP 10.0.0.7: provided IP is already allocated')
  })

  it('the default range and the Service of the server are made again within ten seconds', async () => {
    const { send, advance } = living('10.96.0.0/12')
    const own = '/api/v1/namespaces/default/services/kubernetes'
    const spec = { clusterIP: '10.96.0.1', clusterIPs: ['10.96.0.1'] }
    expect(await send('GET', own)).toMatchObject({ spec })
    await send('DELETE', `${ranges}/kubernetes`)
    await send('DELETE', own)
    await advance(9000)
    expect([(await send('GET', own))['code'], (await send('GET', `${ranges}/kubernetes`))['code']]).toEqual([404, 404])
    await advance(1000)
    expect(await send('GET', `${ranges}/kubernetes`)).toMatchObject({ spec: { cidrs: ['10.96.0.0/12'] } })
    expect(await send('GET', own)).toMatchObject({ spec })
    expect((await send('GET', addresses)).items).toMatchObject([{ metadata: { name: '10.96.0.1' } }])
  })

  it('the Service of the server waits until its address is free', async () => {
    const { send, advance } = living()
    const all = '/api/v1/namespaces/default/services'
    await send('DELETE', `${all}/kubernetes`)
    await send('POST', all, { metadata: { name: 'thief' }, spec: { clusterIP: '10.0.0.1', ports: [{ port: 1 }] } })
    await advance(60_000)
    expect((await send('GET', `${all}/kubernetes`))['code']).toBe(404)
    await send('DELETE', `${all}/thief`)
    await advance(10_000)
    expect(await send('GET', `${all}/kubernetes`)).toMatchObject({ spec: { clusterIP: '10.0.0.1' } })
  })

  it.each(['10.0.0.0', '10.0.0.1/24', '10.0.0.0/30', '10.0.0.0/11', '2001:db8::/112'])('%s is not a range', (range) => {
    expect(() => living(range)).toThrow('the range of cluster IPs must be an IPv4 network')
  })
})
