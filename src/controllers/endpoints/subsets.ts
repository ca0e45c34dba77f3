/**
 * Computes the subsets of an Endpoints object: addresses with the same ports share a subset. At most 1000 addresses.
 */
import type { coreV1, Live, Pod, Service } from '../../index.ts'
import type { DeepReadonly } from '../../api/index.ts'
import { isReady } from '../shared/pod-state.ts'
import {
  addressesOfFamily,
  familiesOf,
  hostnameIn,
  isAddressable,
  isHeadless,
  targetPortNumber,
  referenceTo,
} from '../shared/service-pods.ts'

type Address = coreV1.EndpointAddress
type Port = coreV1.EndpointPort
type Subset = coreV1.EndpointSubset

export const maxEndpointAddresses = 1000

interface Offer {
  readonly address: Address
  readonly isReady: boolean
}

export function subsetsOf(service: Live<Service>, pods: readonly Live<Pod>[]): Subset[] {
  const publishAll = service.spec?.publishNotReadyAddresses === true
  const byPort = new Map<string, { readonly port: Port | undefined; readonly offers: Offer[] }>()
  for (const pod of pods) {
    const address = isAddressable(pod, publishAll) ? addressOf(service, pod) : undefined
    if (address === undefined) continue
    for (const port of portsOf(service, pod)) {
      const key = JSON.stringify(port ?? null)
      const entry = byPort.get(key) ?? { port, offers: [] }
      byPort.set(key, entry)
      entry.offers.push({ address, isReady: publishAll || isReady(pod) })
    }
  }
  return joined([...byPort.values()])
}

/** One family, the first of the Service. */
function addressOf(service: Live<Service>, pod: Live<Pod>): Address | undefined {
  const family =
    service.spec?.ipFamilies === undefined && isHeadless(service) && pod.status?.podIP?.includes(':') === true
      ? 'IPv6'
      : (familiesOf(service)[0] ?? 'IPv4')
  const ip = addressesOfFamily(pod, family)[0]
  if (ip === undefined) return undefined
  const hostname = hostnameIn(service, pod)
  const nodeName = pod.spec?.nodeName
  return {
    ip,
    ...(nodeName === undefined ? {} : { nodeName }),
    targetRef: referenceTo(pod),
    ...(hostname === undefined ? {} : { hostname }),
  }
}

/** A headless Service may have no ports; its addresses are listed all the same. */
function portsOf(service: Live<Service>, pod: Live<Pod>): (Port | undefined)[] {
  const ports = service.spec?.ports ?? []
  if (ports.length === 0) return service.spec?.clusterIP === 'None' ? [undefined] : []
  return ports.flatMap((servicePort) => {
    const port = targetPortNumber(pod, servicePort)
    if (port === undefined) return []
    const { name, protocol = 'TCP', appProtocol } = servicePort
    return [
      {
        ...(name === undefined ? {} : { name }),
        port,
        protocol,
        ...(appProtocol === undefined ? {} : { appProtocol }),
      },
    ]
  })
}

/** Ports with the same addresses become one subset. */
function joined(entries: readonly { readonly port: Port | undefined; readonly offers: readonly Offer[] }[]): Subset[] {
  const byAddresses = new Map<string, { readonly ports: Port[]; readonly offers: readonly Offer[] }>()
  for (const { port, offers } of entries) {
    const sorted = [...offers].sort((a, b) => (placeOf(a.address) < placeOf(b.address) ? -1 : 1))
    const key = JSON.stringify(sorted.map(({ address, isReady: ready }) => [placeOf(address), ready]))
    const group = byAddresses.get(key) ?? { ports: [], offers: sorted }
    byAddresses.set(key, group)
    if (port !== undefined) group.ports.push(port)
  }
  return [...byAddresses.values()]
    .map(({ ports, offers }): Subset => {
      const ready = offers.filter(({ isReady: is }) => is).map(({ address }) => address)
      const notReady = offers.filter(({ isReady: is }) => !is).map(({ address }) => address)
      const sortedPorts = ports.sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1))
      return {
        ...(ready.length === 0 ? {} : { addresses: ready }),
        ...(notReady.length === 0 ? {} : { notReadyAddresses: notReady }),
        ...(sortedPorts.length === 0 ? {} : { ports: sortedPorts }),
      }
    })
    .sort((a, b) => (JSON.stringify(a.ports) < JSON.stringify(b.ports) ? -1 : 1))
}

function placeOf({ ip, targetRef }: Address): string {
  return `${ip} ${targetRef?.uid ?? ''}`
}

/** Truncates: ready addresses come before others; within these, each subset keeps its share. */
export function truncated(subsets: readonly Subset[]): { readonly subsets: Subset[]; readonly isOver: boolean } {
  const count = (field: 'addresses' | 'notReadyAddresses'): number =>
    subsets.reduce((sum, subset) => sum + (subset[field]?.length ?? 0), 0)
  const ready = count('addresses')
  const notReady = count('notReadyAddresses')
  if (ready + notReady <= maxEndpointAddresses) return { subsets: [...subsets], isOver: false }
  const field = ready > maxEndpointAddresses ? 'addresses' : 'notReadyAddresses'
  const room = ready > maxEndpointAddresses ? maxEndpointAddresses : maxEndpointAddresses - ready
  const all = ready > maxEndpointAddresses ? ready : notReady
  let left = room
  const cut = subsets.map((subset): Subset => {
    const own = subset[field] ?? []
    const kept = own.slice(0, Math.min(left, Math.ceil((own.length / all) * room)))
    left -= kept.length
    const { addresses, notReadyAddresses: _, ...rest } = subset
    if (field === 'addresses') return { ...(kept.length === 0 ? {} : { addresses: kept }), ...rest }
    return {
      ...(addresses === undefined ? {} : { addresses }),
      ...(kept.length === 0 ? {} : { notReadyAddresses: kept }),
      ...rest,
    }
  })
  return {
    subsets: cut.filter(
      ({ addresses, notReadyAddresses }) => addresses !== undefined || notReadyAddresses !== undefined,
    ),
    isOver: true,
  }
}

/** Equal for equal subsets, whatever the order of their fields. */
export function subsetsFingerprint(subsets: readonly DeepReadonly<Subset>[] | undefined): string {
  const address = ({ ip, nodeName, hostname, targetRef }: DeepReadonly<Address>) => [
    ip,
    nodeName,
    hostname,
    targetRef?.kind,
    targetRef?.namespace,
    targetRef?.name,
    targetRef?.uid,
  ]
  const port = ({ name, port: number, protocol, appProtocol }: DeepReadonly<Port>) => [
    name,
    number,
    protocol,
    appProtocol,
  ]
  return JSON.stringify(
    (subsets ?? []).map(({ addresses = [], notReadyAddresses = [], ports = [] }) => [
      addresses.map(address),
      notReadyAddresses.map(address),
      ports.map(port),
    ]),
  )
}
