/** Computes the slices that mirror an Endpoints object: its addresses by family and ports. A pure function. */
import type { DeepReadonly } from '../../api/index.ts'
import type { discoveryV1, Endpoints, Live, coreV1 } from '../../index.ts'
import { portsKey } from '../endpoint-slice/desired.ts'

export type MirroredFamily = 'IPv4' | 'IPv6'

export interface MirroredSlice {
  readonly family: MirroredFamily
  readonly ports: readonly discoveryV1.EndpointPort[]
  readonly endpoints: discoveryV1.Endpoint[]
}

export interface MirroredSlices {
  /** By {@link sliceKey}. */
  readonly slices: ReadonlyMap<string, MirroredSlice>
  /** The number of addresses that were skipped. */
  readonly skipped: number
}

/** The limit for one subset; further addresses are skipped. */
export const maxMirroredAddresses = 1000

export function sliceKey(family: string, ports: readonly DeepReadonly<discoveryV1.EndpointPort>[] | undefined): string {
  return `${family} ${portsKey(ports)}`
}

export function mirrorOf({ subsets = [] }: Live<Endpoints>): MirroredSlices {
  const slices = new Map<string, MirroredSlice>()
  let skipped = 0
  for (const { ports, addresses } of repacked(subsets)) {
    for (const { address, ready } of addresses.slice(0, maxMirroredAddresses)) {
      const { family, text } = parsedIp(address.ip)
      const key = sliceKey(family, ports)
      const slice = slices.get(key) ?? { family, ports, endpoints: [] }
      slices.set(key, slice)
      slice.endpoints.push(endpointOf(address, text, ready))
    }
    skipped += Math.max(0, addresses.length - maxMirroredAddresses)
  }
  return { slices, skipped }
}

type Address = DeepReadonly<coreV1.EndpointAddress>

interface Subset {
  readonly ports: discoveryV1.EndpointPort[]
  readonly addresses: readonly State[]
}

interface State {
  readonly address: Address
  readonly ready: boolean
}

const none: discoveryV1.EndpointPort = {}

/**
 * Collects the addresses of each port, then groups ports with equal addresses. An address that is not ready in one
 * subset is not ready.
 */
function repacked(subsets: readonly DeepReadonly<coreV1.EndpointSubset>[]): Subset[] {
  const byPort = new Map<string, { readonly port: discoveryV1.EndpointPort; readonly states: Map<string, State> }>()
  for (const { ports = [], addresses = [], notReadyAddresses = [] } of subsets) {
    const given = ports.map(({ name = '', port, protocol = 'TCP', appProtocol }): discoveryV1.EndpointPort => ({
      name,
      port,
      protocol,
      ...(appProtocol === undefined ? {} : { appProtocol }),
    }))
    for (const port of given.length === 0 ? [none] : given) {
      const { states } = getOrAdd(byPort, portsKey([port]), () => ({ port, states: new Map() }))
      for (const address of addresses)
        if (!states.has(addressKey(address))) states.set(addressKey(address), { address, ready: true })
      for (const address of notReadyAddresses) states.set(addressKey(address), { address, ready: false })
    }
  }
  const byAddresses = new Map<string, Subset & { readonly ports: discoveryV1.EndpointPort[] }>()
  for (const { port, states } of byPort.values()) {
    const key = [...states]
      .map(([each, { ready }]) => `${each} ${ready}`)
      .sort()
      .join()
    const addresses = [...states.values()].sort((a, b) => Number(b.ready) - Number(a.ready))
    const { ports } = getOrAdd(byAddresses, key, () => ({ ports: [], addresses }))
    if (port !== none) ports.push(port)
  }
  return [...byAddresses.values()]
}

function addressKey({ ip, targetRef }: Address): string {
  return JSON.stringify([ip, targetRef?.uid])
}

function getOrAdd<Value>(map: Map<string, Value>, key: string, make: () => Value): Value {
  const found = map.get(key) ?? make()
  map.set(key, found)
  return found
}

function endpointOf(
  { nodeName, hostname = '', targetRef }: Address,
  address: string,
  ready: boolean,
): discoveryV1.Endpoint {
  return {
    addresses: [address],
    conditions: { ready },
    ...(hostname === '' ? {} : { hostname }),
    ...(nodeName === undefined ? {} : { nodeName }),
    ...(targetRef === undefined ? {} : { targetRef: { ...targetRef } }),
  }
}

/** In Go's canonical form. The server has validated the address. */
function parsedIp(ip: string): { readonly family: MirroredFamily; readonly text: string } {
  if (!ip.includes(':')) return { family: 'IPv4', text: ip.split('.').map(Number).join('.') }
  return { family: 'IPv6', text: new URL(`http://[${ip}]/`).hostname.slice(1, -1) }
}
