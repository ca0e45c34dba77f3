/**
 * The pools of cluster IPs (10.0.0.0/24) and node ports (30000 to 32767). Allocated values are read from the existing
 * services, so there is no state to keep or repair. A dry run allocates nothing and returns upstream's placeholders.
 */
import { apiError } from '../../../api/status.ts'
import type { WriteContext } from '../../contract/resource.ts'
import { addressText, parseAddress } from '../shared/ip.ts'
import { int, items, strings, struct } from '../shared/values.ts'

export const addressRange = '10.0.0.0/24'
const addressPrefix = '10.0.0.'
/** The first and the last address of the range are not usable. */
const firstHost = 1
const lastHost = 254
/** Addresses below this are used last: they are for clients that request a certain address. */
const firstDynamicHost = 17

const firstPort = 30000
const lastPort = 32767
const firstDynamicPort = 30086
/** One below the first placeholder of a dry run. */
const dryRunPort = 32768

/** Why a requested value cannot be allocated: the detail of a field error. */
export type AllocationFailure = string

export class Pools {
  readonly #context: WriteContext
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
      for (const ip of strings(spec?.clusterIPs)) {
        const address = parseAddress(ip)
        if (address !== undefined) this.#addresses.add(addressText(address))
      }
      for (const port of items(spec?.ports)) this.#ports.add(int(port.nodePort))
      this.#ports.add(int(spec?.healthCheckNodePort))
    }
  }

  takeAddress(ip: string): AllocationFailure | undefined {
    const address = parseAddress(ip)
    const canonical = address === undefined ? ip : addressText(address)
    const host = Number(canonical.slice(addressPrefix.length))
    if (!canonical.startsWith(addressPrefix) || host < firstHost || host > lastHost) {
      const range = `The range of valid IPs is ${addressRange}`
      return `the provided IP (${canonical}) is not in the valid range. ${range}`
    }
    if (this.#context.dryRun) return undefined
    this.#load()
    if (this.#addresses.has(canonical)) return 'provided IP is already allocated'
    this.#addresses.add(canonical)
    return undefined
  }

  /** Throws a 500 if the range is full. */
  nextAddress(): string {
    if (this.#context.dryRun) return `${addressPrefix}0`
    this.#load()
    const host = this.#next(firstHost, firstDynamicHost, lastHost, (n) => this.#addresses.has(`${addressPrefix}${n}`))
    if (host === undefined) throw apiError.internal('failed to allocate a serviceIP: range is full')
    this.#addresses.add(`${addressPrefix}${host}`)
    return `${addressPrefix}${host}`
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
    const size = last - firstDynamic + 1
    const offset = Math.floor(this.#context.env.random() * size)
    for (let i = 0; i < size; i++) {
      const candidate = firstDynamic + ((offset + i) % size)
      if (!taken(candidate)) return candidate
    }
    for (let candidate = first; candidate < firstDynamic; candidate++) if (!taken(candidate)) return candidate
    return undefined
  }
}
