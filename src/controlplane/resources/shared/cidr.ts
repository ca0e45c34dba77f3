/** Parses CIDRs as upstream does: an address, a slash and a prefix length. */
import { addressText, parseAddress, type Address } from './ip.ts'

export interface Cidr {
  readonly address: Address
  /** Of the text as written: 32 or 128, the latter also for an IPv4-mapped IPv6 address. */
  readonly bits: number
  readonly length: number
}

/** Undefined if the text is not a CIDR. */
export function parseCidr(text: string): Cidr | undefined {
  const slash = text.indexOf('/')
  if (slash < 0) return undefined
  const length = text.slice(slash + 1)
  if (!/^[0-9]{1,3}$/.test(length)) return undefined
  const address = parseAddress(text.slice(0, slash))
  const bits = text.includes(':') ? 128 : 32
  return address === undefined || Number(length) > bits ? undefined : { address, bits, length: Number(length) }
}

/** The length of the prefix in bits of the address itself. */
function prefixLength({ address, bits, length }: Cidr): number {
  return address.family === 4 && bits === 128 ? Math.max(0, length - 96) : length
}

function networkOf(cidr: Cidr): Address {
  const length = prefixLength(cidr)
  const bytes = cidr.address.bytes.map((byte, i) => {
    const kept = Math.min(8, Math.max(0, length - 8 * i))
    return byte & (0xff << (8 - kept)) & 0xff
  })
  return { family: cidr.address.family, bytes }
}

function networkText(cidr: Cidr): string {
  return `${addressText(networkOf(cidr))}/${prefixLength(cidr)}`
}

/** Whether `inner` is a proper subset of `outer`. */
export function isStrictSubset(inner: Cidr, outer: Cidr): boolean {
  if (inner.address.family !== outer.address.family) return false
  const length = prefixLength(outer)
  if (prefixLength(inner) <= length) return false
  const cut = networkOf({ address: inner.address, bits: inner.address.bytes.length * 8, length })
  return addressText(cut) === addressText(networkOf(outer))
}

export function cidrMessages(text: string): readonly string[] {
  return parseCidr(text) === undefined ? ['must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)'] : []
}

/** Warnings about a CIDR that is valid but not canonical. */
export function cidrWarnings(field: string, text: string): string[] {
  const cidr = parseCidr(text)
  if (cidr === undefined) return []
  const { address, bits } = cidr
  const quoted = JSON.stringify(text)
  const network = JSON.stringify(networkText(cidr))
  const found: string[] = []
  if (addressText(address) !== addressText(networkOf(cidr))) {
    const single = JSON.stringify(`${addressText(address)}/${bits}`)
    found.push(`${field}: CIDR value ${quoted} is ambiguous in this context (should be ${network} or ${single}?)`)
  }
  if (address.family === 4 ? bits === 128 || /(?:^|[./])0[0-9]/.test(text) : /\/0[0-9]|[:.]0[0-9]*\./.test(text)) {
    const future = 'will be considered invalid in a future Kubernetes release'
    found.push(`${field}: non-standard CIDR value ${quoted} ${future}: use ${network}`)
  }
  const canonical = `${addressText(address)}/${cidr.length}`
  if (found.length === 0 && address.family === 6 && canonical !== text) {
    const form = `should be in RFC 5952 canonical format (${JSON.stringify(canonical)})`
    found.push(`${field}: IPv6 CIDR value ${quoted} ${form}`)
  }
  return found
}
