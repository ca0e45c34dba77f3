/**
 * The ranges of cluster IPs: those of the ServiceCIDRs that are ready and not being deleted. IPv4 only, as the cluster.
 * Addresses are numbers here.
 */
import { ipv4Network } from '../../../api/ipv4-network.ts'
import type { KubeObject } from '../../../api/object.ts'
import type { WriteContext } from '../../contract/resource.ts'
import { items, strings, struct } from '../shared/values.ts'

export interface AddressRange {
  /** `10.0.0.0/24` */
  readonly text: string
  /** The address of the network. It cannot be allocated, and neither can the broadcast address. */
  readonly network: number
  readonly first: number
  readonly last: number
  /** Addresses below this are used last: they are for clients that request a certain address. */
  readonly firstDynamic: number
}

/** The range that the server makes itself comes first, others by name. */
export function addressRanges(context: WriteContext): readonly AddressRange[] {
  const ranges: AddressRange[] = []
  for (const object of context.lookupAll('networking.k8s.io', 'servicecidrs', '')) {
    if (!isReady(object)) continue
    const isDefault = object.metadata.name === 'kubernetes'
    for (const text of strings(struct(object.spec)?.cidrs)) {
      const range = addressRange(text)
      if (range === undefined) continue
      if (isDefault) ranges.unshift(range)
      else ranges.push(range)
    }
  }
  return ranges
}

/** Without a condition it counts as ready: no controller may be running. */
function isReady({ metadata, status }: KubeObject): boolean {
  if (metadata.deletionTimestamp !== undefined) return false
  const ready = items(struct(status)?.conditions).find(({ type }) => type === 'Ready')
  return ready === undefined || ready.status === 'True'
}

/** The share of a range that is used last: a sixteenth, within these limits, and nothing of a small range. */
const minStaticHosts = 16
const maxStaticHosts = 256

/** Undefined for IPv6, and for what is not a CIDR. */
export function addressRange(text: string): AddressRange | undefined {
  const found = ipv4Network(text)
  if (found === undefined) return undefined
  const { first: network, size } = found
  const first = network + 1
  const reserved = size <= minStaticHosts ? 0 : Math.min(Math.max(minStaticHosts, size / 16), maxStaticHosts)
  return { text, network, first, last: network + size - 2, firstDynamic: first + reserved }
}
