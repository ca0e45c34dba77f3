/** Networks in CIDR notation, as Go's netip parses and prints them. */
import { goQuote } from '../../../api/go-format.ts'
import { type IpAddress, IpAddressError, ipText, isIPv4, parseIpAddress } from './ip-address.ts'

export interface IpPrefix {
  /** As written: bits after the prefix are kept. */
  readonly address: IpAddress
  readonly bits: number
}

/** The text is not a prefix; the message is netip's. */
export class IpPrefixError extends Error {
  override readonly name = 'IpPrefixError'
}

const prefixLength = /^(?:[0-9]|[1-9][0-9]*)$/

/** Throws {@link IpPrefixError}. */
export function parseIpPrefix(text: string): IpPrefix {
  const slash = text.lastIndexOf('/')
  if (slash === -1) throw parseError(text, "no '/'")
  const address = parseAddress(text, slash)
  if (address.zone !== '') throw parseError(text, 'IPv6 zones cannot be present in a prefix')
  const length = text.slice(slash + 1)
  // Upstream: a length beyond 64 bits is not a number; a shorter one can be out of range.
  if (!prefixLength.test(length) || BigInt(length) >= 2n ** 63n) {
    throw parseError(text, `bad bits after slash: ${goQuote(length)}`)
  }
  const bits = Number(length)
  if (bits > address.bytes.length * 8) throw parseError(text, 'prefix length out of range')
  return { address, bits }
}

function parseAddress(text: string, slash: number): IpAddress {
  try {
    return parseIpAddress(text.slice(0, slash))
  } catch (error) {
    if (error instanceof IpAddressError) throw parseError(text, error.message)
    throw error
  }
}

function parseError(text: string, problem: string): IpPrefixError {
  return new IpPrefixError(`netip.ParsePrefix(${goQuote(text)}): ${problem}`)
}

export function prefixText({ address, bits }: IpPrefix): string {
  return `${ipText(address)}/${bits}`
}

/** The same network with all bits after the prefix set to zero. */
export function maskPrefix({ address, bits }: IpPrefix): IpPrefix {
  const bytes = address.bytes.slice()
  const whole = bits >> 3
  if (whole < bytes.length) {
    bytes[whole] = (bytes[whole] as number) & (0xff00 >> (bits & 7))
    bytes.fill(0, whole + 1)
  }
  return { address: { bytes, zone: '' }, bits }
}

/** False for different address families, and for an address with a zone. */
export function prefixContains({ address, bits }: IpPrefix, ip: IpAddress): boolean {
  return ip.zone === '' && isIPv4(address) === isIPv4(ip) && sameBits(address.bytes, ip.bytes, bits)
}

/** True if `outer` contains every address of `inner`. */
export function prefixContainsPrefix(outer: IpPrefix, inner: IpPrefix): boolean {
  return outer.bits <= inner.bits && prefixContains(outer, inner.address)
}

function sameBits(a: Uint8Array, b: Uint8Array, bits: number): boolean {
  const whole = bits >> 3
  for (let i = 0; i < whole; i++) if (a[i] !== b[i]) return false
  const mask = 0xff00 >> (bits & 7)
  return (bits & 7) === 0 || (((a[whole] as number) ^ (b[whole] as number)) & mask & 0xff) === 0
}
