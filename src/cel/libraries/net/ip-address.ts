/**
 * IP addresses as Go's netip parses and prints them: syntax, canonical text, address classes and error messages.
 */
import { takeSteps } from '../../../api/step-limit.ts'
import { goQuote } from '../../../api/go-format.ts'

export interface IpAddress {
  /** Four or sixteen bytes, most significant first. Must not be modified. */
  readonly bytes: Uint8Array
  /** IPv6 only; empty if there is none. */
  readonly zone: string
}

/** The text is not an address; the message is netip's. */
export class IpAddressError extends Error {
  override readonly name = 'IpAddressError'
}

export function isIPv4(address: IpAddress): boolean {
  return address.bytes.length === 4
}

/** True for an IPv6 address of the form `::ffff:1.2.3.4`. */
export function isMappedIPv4({ bytes }: IpAddress): boolean {
  if (bytes.length !== 16 || bytes[10] !== 0xff || bytes[11] !== 0xff) return false
  return allZero(bytes, 0, 10)
}

/** Throws {@link IpAddressError}. */
export function parseIpAddress(text: string): IpAddress {
  takeSteps(40 + 2 * text.length)
  for (const char of text) {
    if (char === '.') return parseIPv4(text)
    if (char === ':') return parseIPv6(text)
    if (char === '%') throw parseError(text, 'missing IPv6 address')
  }
  throw parseError(text, 'unable to parse IP')
}

function parseError(text: string, problem: string, at = ''): IpAddressError {
  const place = at === '' ? '' : ` (at ${goQuote(at)})`
  return new IpAddressError(`ParseAddr(${goQuote(text)}): ${problem}${place}`)
}

function parseIPv4(text: string): IpAddress {
  const bytes = new Uint8Array(4)
  readOctets(text, text, bytes, 0)
  return { bytes, zone: '' }
}

/** Parses `part`, the dotted end of `text`, into four bytes at `offset`. */
function readOctets(text: string, part: string, bytes: Uint8Array, offset: number): void {
  let octet = 0
  let value = 0
  let digits = 0
  for (let i = 0; i < part.length; i++) {
    const code = part.charCodeAt(i)
    if (code >= 48 && code <= 57) {
      if (digits === 1 && value === 0) throw parseError(text, 'IPv4 field has octet with leading zero')
      value = value * 10 + code - 48
      digits++
      if (value > 255) throw parseError(text, 'IPv4 field has value >255')
    } else if (code === 46) {
      if (digits === 0 || i === part.length - 1) {
        throw parseError(text, 'IPv4 field must have at least one digit', part.slice(i))
      }
      if (octet === 3) throw parseError(text, 'IPv4 address too long')
      bytes[offset + octet] = value
      octet++
      value = 0
      digits = 0
    } else {
      throw parseError(text, 'unexpected character', part.slice(i))
    }
  }
  if (octet < 3) throw parseError(text, 'IPv4 address too short')
  bytes[offset + 3] = value
}

function parseIPv6(text: string): IpAddress {
  const percent = text.indexOf('%')
  const zone = percent === -1 ? '' : text.slice(percent + 1)
  if (percent !== -1 && zone === '') throw parseError(text, 'zone must be a non-empty string')
  let rest = percent === -1 ? text : text.slice(0, percent)
  const bytes = new Uint8Array(16)
  let ellipsis = -1
  if (rest.startsWith('::')) {
    ellipsis = 0
    rest = rest.slice(2)
    if (rest === '') return { bytes, zone }
  }
  let filled = 0
  while (filled < 16) {
    const digits = hexDigits(text, rest)
    if (rest.charAt(digits) === '.') {
      checkEmbedded(text, rest, ellipsis, filled)
      readOctets(text, rest, bytes, filled)
      rest = ''
      filled += 4
      break
    }
    const group = Number.parseInt(rest.slice(0, digits), 16)
    bytes[filled] = group >> 8
    bytes[filled + 1] = group & 0xff
    filled += 2
    rest = rest.slice(digits)
    if (rest === '') break
    if (!rest.startsWith(':')) throw parseError(text, 'unexpected character, want colon', rest)
    if (rest.length === 1) throw parseError(text, 'colon must be followed by more characters', rest)
    rest = rest.slice(1)
    if (rest.startsWith(':')) {
      if (ellipsis >= 0) throw parseError(text, 'multiple :: in address', rest)
      ellipsis = filled
      rest = rest.slice(1)
      if (rest === '') break
    }
  }
  if (rest !== '') throw parseError(text, 'trailing garbage after address', rest)
  expandEllipsis(text, bytes, filled, ellipsis)
  return { bytes, zone }
}

/** The number of hexadecimal digits at the start of `rest`: one to four. */
function hexDigits(text: string, rest: string): number {
  let digits = 0
  while (digits < rest.length && isHexDigit(rest.charCodeAt(digits))) {
    if (digits > 3) throw parseError(text, 'each group must have 4 or less digits', rest)
    digits++
  }
  if (digits === 0) {
    throw parseError(text, 'each colon-separated field must have at least one digit', rest)
  }
  return digits
}

function isHexDigit(code: number): boolean {
  return (code >= 48 && code <= 57) || (code >= 97 && code <= 102) || (code >= 65 && code <= 70)
}

function checkEmbedded(text: string, rest: string, ellipsis: number, filled: number): void {
  if (ellipsis < 0 && filled !== 12) {
    throw parseError(text, 'embedded IPv4 address must replace the final 2 fields of the address', rest)
  }
  if (filled + 4 > 16) {
    throw parseError(text, 'too many hex fields to fit an embedded IPv4 at the end of the address', rest)
  }
}

function expandEllipsis(text: string, bytes: Uint8Array, filled: number, ellipsis: number): void {
  if (filled < 16) {
    if (ellipsis < 0) throw parseError(text, 'address string too short')
    const moved = 16 - filled
    bytes.copyWithin(ellipsis + moved, ellipsis, filled)
    bytes.fill(0, ellipsis, ellipsis + moved)
  } else if (ellipsis >= 0) {
    throw parseError(text, 'the :: must expand to at least one field of zeros')
  }
}

/** The canonical text. */
export function ipText(address: IpAddress): string {
  const { bytes, zone } = address
  if (isIPv4(address)) return bytes.join('.')
  const suffix = zone === '' ? '' : `%${zone}`
  if (isMappedIPv4(address)) return `::ffff:${bytes.subarray(12).join('.')}${suffix}`
  const groups: number[] = []
  for (let i = 0; i < 16; i += 2) groups.push(((bytes[i] as number) << 8) | (bytes[i + 1] as number))
  const [start, end] = longestZeros(groups)
  const hex = groups.map((group) => group.toString(16))
  if (end - start < 2) return hex.join(':') + suffix
  return `${hex.slice(0, start).join(':')}::${hex.slice(end).join(':')}${suffix}`
}

/** The start and end of the longest run of zero groups; the first one if there are several. */
function longestZeros(groups: readonly number[]): [number, number] {
  let best: [number, number] = [0, 0]
  for (let start = 0; start < groups.length; start++) {
    let end = start
    while (end < groups.length && groups[end] === 0) end++
    if (end - start > best[1] - best[0]) best = [start, end]
    if (end > start) start = end
  }
  return best
}

export function equalIpAddresses(a: IpAddress, b: IpAddress): boolean {
  return a.zone === b.zone && Buffer.compare(a.bytes, b.bytes) === 0
}

function allZero(bytes: Uint8Array, from: number, to: number): boolean {
  for (let i = from; i < to; i++) if (bytes[i] !== 0) return false
  return true
}

export function isUnspecified({ bytes, zone }: IpAddress): boolean {
  return zone === '' && allZero(bytes, 0, bytes.length)
}

export function isLoopbackAddress({ bytes }: IpAddress): boolean {
  if (bytes.length === 4) return bytes[0] === 127
  return allZero(bytes, 0, 15) && bytes[15] === 1
}

export function isLinkLocalUnicast({ bytes }: IpAddress): boolean {
  if (bytes.length === 4) return bytes[0] === 169 && bytes[1] === 254
  return bytes[0] === 0xfe && ((bytes[1] as number) & 0xc0) === 0x80
}

export function isLinkLocalMulticast({ bytes }: IpAddress): boolean {
  if (bytes.length === 4) return bytes[0] === 224 && bytes[1] === 0 && bytes[2] === 0
  return bytes[0] === 0xff && ((bytes[1] as number) & 0x0f) === 0x02
}

function isMulticast({ bytes }: IpAddress): boolean {
  return bytes.length === 4 ? ((bytes[0] as number) & 0xf0) === 0xe0 : bytes[0] === 0xff
}

/** Private addresses count as global unicast. */
export function isGlobalUnicast(address: IpAddress): boolean {
  if (isUnspecified(address) || isLoopbackAddress(address) || isLinkLocalUnicast(address)) return false
  if (isMulticast(address)) return false
  return !(isIPv4(address) && address.bytes.every((byte) => byte === 255))
}
