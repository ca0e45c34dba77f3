/**
 * Allocation of cluster IPs and node ports: none is allocated twice, and requested ones are granted if they are free.
 */
import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../../api/json.ts'
import type { KubeObject } from '../../../api/object.ts'
import { simulatedEnv } from '../../../env/simulated.ts'
import type { WriteContext } from '../../contract/resource.ts'
import { addressRange, type AddressRange } from './address-ranges.ts'
import { Pools } from './pools.ts'

function contextOf(services: KubeObject[], dryRun = false, ranges: KubeObject[] = [range('kubernetes')]): WriteContext {
  const allocated = new Set(services.flatMap(({ spec }) => (spec as { clusterIPs: string[] }).clusterIPs))
  return {
    env: simulatedEnv({ seed: 1 }),
    dryRun,
    lookupAll: (_group: string, plural: string) => (plural === 'servicecidrs' ? ranges : services),
    lookup: (_group: string, _plural: string, _namespace: string, name: string) =>
      allocated.has(name) ? { metadata: { name } } : undefined,
  } as unknown as WriteContext
}

const range = (name: string, cidrs = ['10.0.0.0/24'], more: JsonObject = {}): KubeObject => ({
  metadata: { name },
  spec: { cidrs },
  ...more,
})

const service = (ip: string, nodePort = 0): KubeObject => ({
  metadata: {},
  spec: { clusterIPs: [ip], ports: nodePort === 0 ? [] : [{ nodePort }] },
})

describe('addresses', () => {
  it('the pool of addresses allocates each once: first above the reserved band, then the band', () => {
    const pools = new Pools(contextOf([service('10.0.0.200')]))
    const drawn = Array.from({ length: 253 }, () => pools.nextAddress())
    const hosts = drawn.map((ip) => Number(ip.split('.')[3]))
    expect(new Set(hosts).size).toBe(253)
    expect(hosts).not.toContain(200)
    expect(hosts.slice(0, 237).every((host) => host >= 17 && host <= 254)).toBe(true)
    expect(hosts.slice(237)).toEqual(Array.from({ length: 16 }, (_, i) => i + 1))
    expect(() => pools.nextAddress()).toThrow('range is full')
  })

  it('the pool of addresses refuses what is taken, however it is written, and what is not in the range', () => {
    const pools = new Pools(contextOf([service('10.0.0.5')]))
    expect(pools.takeAddress('10.0.0.6')).toBeUndefined()
    expect(pools.takeAddress('10.0.0.6')).toBe('provided IP is already allocated')
    expect(pools.takeAddress('10.0.0.05')).toBe('provided IP is already allocated')
    const dry = new Pools(contextOf([], true))
    for (const ip of ['10.0.0.0', '10.0.0.255', '10.0.1.1', '::1']) {
      expect(pools.takeAddress(ip)).toBe('the provided network does not match the current range')
      expect(dry.takeAddress(ip)).toContain('is not in the valid range')
    }
  })

  it('the pool of addresses continues with further ranges, except those that are not ready or being deleted', () => {
    const notReady = { status: { conditions: [{ type: 'Ready', status: 'False' }] } }
    const deleted = { metadata: { name: 'c', deletionTimestamp: '2026-01-01T00:00:00Z' } }
    const ranges = [
      range('a', ['2001:db8::/64', '192.168.0.0/29']),
      range('b', ['192.168.1.0/24'], notReady),
      range('c', ['192.168.2.0/24'], deleted),
      range('kubernetes'),
    ]
    const pools = new Pools(contextOf([], false, ranges))
    const drawn = Array.from({ length: 254 + 6 }, () => pools.nextAddress())
    expect(new Set(drawn).size).toBe(260)
    expect(drawn.slice(0, 254).every((ip) => ip.startsWith('10.0.0.'))).toBe(true)
    expect(drawn.slice(254).sort()).toEqual([1, 2, 3, 4, 5, 6].map((host) => `192.168.0.${host}`))
    expect(() => pools.nextAddress()).toThrow('range is full')
    expect(pools.takeAddress('192.168.1.5')).toContain('does not match the current range')
  })

  it.each([
    ['10.0.0.0/24', 1, 17, 254],
    ['10.0.0.0/28', 1, 1, 14],
    ['10.0.0.0/27', 1, 17, 30],
    ['10.0.0.0/20', 1, 257, 4094],
    ['10.0.0.0/16', 1, 257, 65_534],
    ['10.0.0.0/31', 1, 1, 0],
  ])('the range %s is used from host %i, first from %i to %i', (text, first, firstDynamic, last) => {
    const { network, ...made } = addressRange(text) as AddressRange
    const hosts = { first: made.first - network, firstDynamic: made.firstDynamic - network, last: made.last - network }
    expect(hosts).toEqual({ first, firstDynamic, last })
  })
})

describe('ports', () => {
  it('the pool of ports draws every one once', () => {
    const pools = new Pools(contextOf([service('None', 30_000)]))
    const drawn = Array.from({ length: 2767 }, () => pools.nextPort())
    expect(new Set(drawn).size).toBe(2767)
    expect([Math.min(...drawn), Math.max(...drawn)]).toEqual([30_001, 32_767])
    expect(() => pools.nextPort()).toThrow('range is full')
  })

  it('the pool of ports refuses what is taken and what is not in the range', () => {
    const pools = new Pools(contextOf([service('None', 31_000)]))
    expect(pools.takePort(31_001)).toBeUndefined()
    expect([pools.takePort(31_001), pools.takePort(31_000)]).toEqual([
      'provided port is already allocated',
      'provided port is already allocated',
    ])
    expect(pools.takePort(29_999)).toContain('The range of valid ports is 30000-32767')
  })
})

it('a pool draws nothing under dry run, but still refuses ports that are taken', () => {
  const pools = new Pools(contextOf([service('10.0.0.5', 31_000)], true))
  expect([pools.nextAddress(), pools.nextAddress()]).toEqual(['10.0.0.0', '10.0.0.0'])
  expect([pools.nextPort(), pools.nextPort()]).toEqual([32_769, 32_770])
  expect(pools.takePort(31_000)).toBe('provided port is already allocated')
})
