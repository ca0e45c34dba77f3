/** Validation of IP addresses and CIDRs that must be in canonical form. */
import { cidrMessages, parseCidr } from './cidr.ts'
import { addressMessages, addressText, parseAddress } from './ip.ts'

/** Whether an octet of an IPv4 address, or a prefix length, has a leading zero. */
const hasLeadingZeros = (text: string): boolean => /(^|[.:])0\d+[./]|\.0\d+$|\/0\d/.test(text)

/** The error of an address that must be in canonical form. */
export function strictAddressMessages(text: string): readonly string[] {
  const address = parseAddress(text)
  if (address === undefined) return addressMessages(text)
  if (text.includes('.') && hasLeadingZeros(text)) return ['must not have leading 0s']
  if (address.family === 4 && text.includes(':')) return ['must not be an IPv4-mapped IPv6 address']
  const canonical = addressText(address)
  return canonical === text ? [] : [`must be in canonical form (${JSON.stringify(canonical)})`]
}

/** Same for CIDRs. */
export function strictCidrMessages(text: string): readonly string[] {
  const cidr = parseCidr(text)
  if (cidr === undefined) return cidrMessages(text)
  if (hasLeadingZeros(text)) return ['must not have leading 0s in IP or prefix length']
  if (cidr.address.family === 4 && text.includes(':')) return ['must not have an IPv4-mapped IPv6 address']
  const bytes = [...cidr.address.bytes]
  const masked = bytes.map((byte, i) => byte & (0xff << Math.min(8, Math.max(0, 8 * (i + 1) - cidr.length))))
  if (masked.some((byte, i) => (byte & 0xff) !== bytes[i])) return ['must not have bits set beyond the prefix length']
  const canonical = `${addressText(cidr.address)}/${cidr.length}`
  return canonical === text ? [] : [`must be in canonical form (${JSON.stringify(canonical)})`]
}
