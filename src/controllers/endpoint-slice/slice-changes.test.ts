import { describe, expect, it } from 'vitest'
import type { EndpointSlice, Live, Pod, Service } from '../../index.ts'
import { desiredGroups } from './desired.ts'
import { sliceLabels, sliceChanges } from './slice-changes.ts'

const meta = (name: string) => ({ name, namespace: 'default', uid: `uid-${name}`, resourceVersion: '1' })
const service: Live<Service> = {
  metadata: meta('web'),
  spec: { clusterIP: '10.96.0.1', ipFamilies: ['IPv4', 'IPv6'], ports: [{ port: 80 }] },
}
const pod = (index: number): Live<Pod> => ({
  metadata: meta(`p${index}`),
  spec: { containers: [] },
  status: {
    phase: 'Running',
    podIPs: [{ ip: `10.0.0.${index}` }, { ip: `fd00::${index}` }],
    conditions: [{ type: 'Ready', status: 'True' }],
  },
})
const pods = (count: number, from = 0): Live<Pod>[] => Array.from({ length: count }, (_, index) => pod(index + from))
const groups = (list: readonly Live<Pod>[]) => desiredGroups(service, list, () => undefined, 'IPv4')
const endpointsOf = (list: readonly Live<Pod>[]) => [...groups(list).values()].flatMap(({ endpoints }) => endpoints)

function slice(name: string, list: readonly Live<Pod>[], owner = 'uid-web'): Live<EndpointSlice> {
  const ownerReferences = [{ apiVersion: 'v1', kind: 'Service', name: 'web', uid: owner, controller: true }]
  return {
    metadata: { ...meta(name), labels: sliceLabels(service), ownerReferences },
    addressType: 'IPv4',
    ports: [{ name: '', port: 80, protocol: 'TCP' }],
    endpoints: endpointsOf(list),
  }
}

describe('the plan for slices', () => {
  it('the plan for slices takes of each pod the addresses of one family', () => {
    const addresses = (family: 'IPv4' | 'IPv6') =>
      [...desiredGroups(service, pods(2), () => undefined, family).values()].flatMap(({ endpoints }) =>
        endpoints.flatMap((each) => each.addresses),
      )
    expect(addresses('IPv4')).toEqual(['10.0.0.0', '10.0.0.1'])
    expect(addresses('IPv6')).toEqual(['fd00::0', 'fd00::1'])
  })

  it('the plan for slices is empty when all is as it should be', () => {
    const plan = sliceChanges(service, [slice('a', pods(100)), slice('b', pods(20, 100))], groups(pods(120)), 'IPv4')
    expect(plan).toEqual({ create: [], update: [], remove: [] })
  })

  it('the plan for slices puts new endpoints into one slice that has room for all of them, the fullest', () => {
    const plan = sliceChanges(service, [slice('a', pods(60)), slice('b', pods(90, 60))], groups(pods(155)), 'IPv4')
    expect(plan.update.map(({ slice: { metadata }, content }) => [metadata.name, content.endpoints.length])).toEqual([
      ['b', 95],
    ])
    expect([plan.create, plan.remove]).toEqual([[], []])
  })

  it('the plan for slices makes a new slice rather than change two', () => {
    const plan = sliceChanges(service, [slice('a', pods(90)), slice('b', pods(90, 90))], groups(pods(195)), 'IPv4')
    expect(plan.update).toEqual([])
    expect(plan.create.map(({ endpoints }) => endpoints.length)).toEqual([15])
  })

  it('the plan for slices fills slices that change anyway', () => {
    const wanted = [...pods(90).slice(1), ...pods(90, 90), ...pods(5, 180)]
    const plan = sliceChanges(service, [slice('a', pods(90)), slice('b', pods(90, 90))], groups(wanted), 'IPv4')
    expect(plan.update.map(({ slice: { metadata }, content }) => [metadata.name, content.endpoints.length])).toEqual([
      ['a', 94],
    ])
  })

  it('changes of slices reuse a slice that would be deleted, but not one of an earlier Service', () => {
    const recycled = sliceChanges(
      service,
      [{ ...slice('a', pods(3)), ports: [{ name: 'old', port: 1, protocol: 'TCP' }] }],
      groups(pods(3)),
      'IPv4',
    )
    expect(recycled.update.map(({ slice: { metadata } }) => metadata.name)).toEqual(['a'])
    expect([recycled.create, recycled.remove]).toEqual([[], []])
    const foreign = sliceChanges(service, [slice('a', pods(3), 'uid-before')], groups(pods(3)), 'IPv4')
    expect(foreign.remove.map(({ metadata }) => metadata.name)).toEqual(['a'])
    expect(foreign.create).toHaveLength(1)
  })
})
