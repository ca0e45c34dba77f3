/** Parses IP addresses as upstream does: leading zeros in IPv4 are accepted, zones are not. */
import type { KubeObject } from '../../../api/object.ts'
import { items, struct, text as textOf } from './values.ts'

export interface Address {
  readonly family: 4 | 6
  /** 4 or 16 bytes. */
  readonly bytes: readonly number[]
}

/** Undefined if the text is not an address. An IPv4-mapped IPv6 address counts as IPv4. */
export function parseAddress(text: string): Address | undefined {
  return text.includes(':') ? parse6(text) : parse4(text)
}

export function isAddress(text: string): boolean {
  return parseAddress(text) !== undefined
}

export function isAddress6(text: string): boolean {
  return parseAddress(text)?.family === 6
}

function parse4(text: string): Address | undefined {
  const parts = text.split('.')
  if (parts.length !== 4) return undefined
  const bytes: number[] = []
  for (const part of parts) {
    if (!/^[0-9]{1,}$/.test(part) || Number(part) > 255) return undefined
    bytes.push(Number(part))
  }
  return { family: 4, bytes }
}

function parse6(text: string): Address | undefined {
  const halves = text.split('::')
  if (halves.length > 2) return undefined
  const head = groups(halves[0] as string, halves.length === 1)
  const tail = halves.length === 2 ? groups(halves[1] as string, true) : []
  if (head === undefined || tail === undefined) return undefined
  const missing = 16 - head.length - tail.length
  if (halves.length === 1 ? missing !== 0 : missing < 2) return undefined
  const bytes = [...head, ...Array<number>(missing).fill(0), ...tail]
  const mapped = bytes.slice(0, 10).every((byte) => byte === 0) && bytes[10] === 255 && bytes[11] === 255
  return mapped ? { family: 4, bytes: bytes.slice(12) } : { family: 6, bytes }
}

/** The bytes of colon-separated groups; the last may be an IPv4 address. */
function groups(text: string, last: boolean): number[] | undefined {
  if (text === '') return []
  const bytes: number[] = []
  const parts = text.split(':')
  for (const [i, part] of parts.entries()) {
    if (last && i === parts.length - 1 && part.includes('.')) {
      const four = parse4(part)
      if (four === undefined) return undefined
      bytes.push(...four.bytes)
      continue
    }
    if (!/^[0-9a-fA-F]{1,4}$/.test(part)) return undefined
    const value = Number.parseInt(part, 16)
    bytes.push(value >> 8, value & 255)
  }
  return bytes
}

const notAddress = 'must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)'

/** The error of a value that must be an address. */
export function addressMessages(text: string): readonly string[] {
  return isAddress(text) ? [] : [notAddress]
}

/** The errors of an address that cannot be an endpoint. */
export function endpointAddressMessages(text: string): readonly string[] {
  const address = parseAddress(text)
  if (address === undefined) return ['must be a valid IP address']
  const wrong: string[] = []
  if (address.bytes.every((byte) => byte === 0)) wrong.push(`may not be unspecified (${text})`)
  if (isLoopback(address)) wrong.push('may not be in the loopback range (127.0.0.0/8, ::1/128)')
  if (isLinkLocal(address)) wrong.push('may not be in the link-local range (169.254.0.0/16, fe80::/10)')
  if (isLinkLocalMulticast(address)) {
    wrong.push('may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)')
  }
  return wrong
}

function isLoopback({ family, bytes }: Address): boolean {
  return family === 4 ? bytes[0] === 127 : bytes[15] === 1 && bytes.slice(0, 15).every((byte) => byte === 0)
}

function isLinkLocal({ family, bytes }: Address): boolean {
  if (family === 4) return bytes[0] === 169 && bytes[1] === 254
  return bytes[0] === 0xfe && ((bytes[1] as number) & 0xc0) === 0x80
}

function isLinkLocalMulticast({ family, bytes }: Address): boolean {
  if (family === 4) return bytes[0] === 224 && bytes[1] === 0 && bytes[2] === 0
  return bytes[0] === 0xff && ((bytes[1] as number) & 0x0f) === 2
}

/** The canonical text of an address. */
export function addressText({ family, bytes }: Address): string {
  if (family === 4) return bytes.join('.')
  const parts: number[] = []
  for (let i = 0; i < 16; i += 2) parts.push(((bytes[i] as number) << 8) | (bytes[i + 1] as number))
  let best = { start: -1, length: 1 }
  for (let i = 0; i < 8; i++) {
    let end = i
    while (end < 8 && parts[end] === 0) end++
    if (end - i > best.length) best = { start: i, length: end - i }
    if (end > i) i = end
  }
  const hex = parts.map((part) => part.toString(16))
  if (best.start < 0) return hex.join(':')
  return `${hex.slice(0, best.start).join(':')}::${hex.slice(best.start + best.length).join(':')}`
}

/** Warnings about an address that is valid but not canonical. */
export function addressWarnings(field: string, text: string): string[] {
  const address = parseAddress(text)
  if (address === undefined) return []
  const canonical = addressText(address)
  if (canonical === text) return []
  const standard = address.family === 6 && !text.includes('.')
  if (!standard) {
    const future = 'will be considered invalid in a future Kubernetes release'
    const use = `use ${JSON.stringify(canonical)}`
    return [`${field}: non-standard IP address ${JSON.stringify(text)} ${future}: ${use}`]
  }
  const form = `should be in RFC 5952 canonical format (${JSON.stringify(canonical)})`
  return [`${field}: IPv6 address ${JSON.stringify(text)} ${form}`]
}

/** Warnings about the addresses in the load balancer status of an object. */
export function loadBalancerWarnings(object: KubeObject): string[] {
  const ingresses = items(struct(struct(object.status)?.loadBalancer)?.ingress)
  return ingresses.flatMap(({ ip }, i) => addressWarnings(`status.loadBalancer.ingress[${i}]`, textOf(ip)))
}
