/**
 * The pools of cluster IPs (the ranges of ServiceCIDRs) and node ports (30000 to 32767). An address is allocated if it
 * has an IPAddress; ports are read from the existing services. So there is no state to keep. A dry run allocates
 * nothing and returns upstream's placeholders.
 */
import { ipv4Number, ipv4Text } from '../../../api/ipv4-network.ts'
import { apiError } from '../../../api/status.ts'
import type { WriteContext } from '../../contract/resource.ts'
import { addressText, parseAddress } from '../shared/ip.ts'
import { int, items, struct } from '../shared/values.ts'
import { addressRanges, type AddressRange } from './address-ranges.ts'

const firstPort = 30000
const lastPort = 32767
const firstDynamicPort = 30086
/** One below the first placeholder of a dry run. */
const dryRunPort = 32768

/** Why a requested value cannot be allocated: the detail of a field error. */
export type AllocationFailure = string

export class Pools {
  readonly #context: WriteContext
  /** Those that this request has allocated: their IPAddresses are made when the service is stored. */
  readonly #addresses = new Set<string>()
  readonly #ports = new Set<number>()
  /** Placeholders that this dry run has returned. */
  readonly #drawn = new Set<number>()
  #lastDrawn = dryRunPort
  #loaded = false

  constructor(context: WriteContext) {
    this.#context = context
  }

  #load(): void {
    if (this.#loaded) return
    this.#loaded = true
    for (const service of this.#context.lookupAll('', 'services', '')) {
      const spec = struct(service.spec)
      for (const port of items(spec?.ports)) this.#ports.add(int(port.nodePort))
      this.#ports.add(int(spec?.healthCheckNodePort))
    }
  }

  takeAddress(ip: string): AllocationFailure | undefined {
    const address = parseAddress(ip)
    const canonical = address === undefined ? ip : addressText(address)
    const number = ipv4Number(canonical)
    const ranges = addressRanges(this.#context)
    const isOffered = number !== undefined && ranges.some(({ first, last }) => first <= number && number <= last)
    if (this.#context.dryRun) return isOffered ? undefined : outOfRange(canonical, ranges)
    if (!isOffered) return 'the provided network does not match the current range'
    if (this.#isTaken(canonical)) return 'provided IP is already allocated'
    this.#addresses.add(canonical)
    return undefined
  }

  /** Throws a 500 if all ranges are full. */
  nextAddress(): string {
    const ranges = addressRanges(this.#context)
    if (this.#context.dryRun) return ipv4Text(ranges[0]?.network ?? 0)
    for (const { first, firstDynamic, last } of ranges) {
      const host = this.#next(first, firstDynamic, last, (n) => this.#isTaken(ipv4Text(n)))
      if (host === undefined) continue
      const ip = ipv4Text(host)
      this.#addresses.add(ip)
      return ip
    }
    throw apiError.internal('failed to allocate a serviceIP: range is full')
  }

  #isTaken(ip: string): boolean {
    return this.#addresses.has(ip) || this.#context.lookup('networking.k8s.io', 'ipaddresses', '', ip) !== undefined
  }

  takePort(port: number): AllocationFailure | undefined {
    if (this.#context.dryRun) {
      this.#load()
      if (this.#ports.has(port) || this.#drawn.has(port)) return 'provided port is already allocated'
      this.#draw(port)
      return undefined
    }
    if (port < firstPort || port > lastPort) {
      return `provided port is not in the valid range. The range of valid ports is ${firstPort}-${lastPort}`
    }
    this.#load()
    if (this.#ports.has(port)) return 'provided port is already allocated'
    this.#ports.add(port)
    return undefined
  }

  /** Throws a 500 if the range is full. */
  nextPort(): number {
    if (this.#context.dryRun) {
      return this.#draw(this.#lastDrawn + 1)
    }
    this.#load()
    const port = this.#next(firstPort, firstDynamicPort, lastPort, (n) => this.#ports.has(n))
    if (port === undefined) throw apiError.internal('failed to allocate a nodePort: range is full')
    this.#ports.add(port)
    return port
  }

  #draw(port: number): number {
    this.#lastDrawn = this.#drawn.size === 0 ? port : Math.max(this.#lastDrawn, port)
    this.#drawn.add(port)
    return port
  }

  /** A free number: the upper band is searched first, from a random start, then the lower band. */
  #next(first: number, firstDynamic: number, last: number, taken: (n: number) => boolean): number | undefined {
    const size = Math.max(0, last - firstDynamic + 1)
    const offset = Math.floor(this.#context.env.random() * size)
    for (let i = 0; i < size; i++) {
      const candidate = firstDynamic + ((offset + i) % size)
      if (!taken(candidate)) return candidate
    }
    for (let candidate = first; candidate < firstDynamic; candidate++) if (!taken(candidate)) return candidate
    return undefined
  }
}

function outOfRange(ip: string, [range]: readonly AddressRange[]): AllocationFailure {
  return `the provided IP (${ip}) is not in the valid range. The range of valid IPs is ${range?.text ?? ''}`
}
