/** Ranges of IP addresses as numbers: which of them overlap, and which addresses a range of Services has. */

/** A range: all addresses from `first` to `last`, both included. */
export interface Prefix {
  readonly isIPv6: boolean
  readonly first: bigint
  readonly last: bigint
}

/** Undefined if the text is not `ADDRESS/LENGTH`. The server has validated both already. */
export function parsePrefix(text: string): Prefix | undefined {
  const [address = '', length = ''] = text.split('/')
  const base = parseIp(address)
  if (base === undefined || !/^\d{1,3}$/.test(length)) return undefined
  const isIPv6 = address.includes(':')
  const hostBits = BigInt(isIPv6 ? 128 : 32) - BigInt(length)
  if (hostBits < 0n) return undefined
  const first = (base >> hostBits) << hostBits
  return { isIPv6, first, last: first + (1n << hostBits) - 1n }
}

export function overlaps(a: Prefix, b: Prefix): boolean {
  return a.isIPv6 === b.isIPv6 && a.first <= b.last && b.first <= a.last
}

/** Whether `outer` has all addresses of `inner`. */
export function covers(outer: Prefix, inner: Prefix): boolean {
  return outer.isIPv6 === inner.isIPv6 && outer.first <= inner.first && inner.last <= outer.last
}

/** Whether a Service can have this address: not that of the network, and in IPv4 not the broadcast address. */
export function offers({ isIPv6, first, last }: Prefix, address: string): boolean {
  const ip = parseIp(address)
  if (ip === undefined || address.includes(':') !== isIPv6) return false
  return ip > first && (isIPv6 ? ip <= last : ip < last)
}

function parseIp(text: string): bigint | undefined {
  return text.includes(':') ? parseIPv6(text) : parseGroups(text.split('.'), 4, 8n, 10)
}

function parseIPv6(text: string): bigint | undefined {
  const [head = '', tail] = text.split('::')
  const before = head === '' ? [] : head.split(':')
  const after = tail === undefined || tail === '' ? [] : tail.split(':')
  const zeros = tail === undefined ? 0 : 8 - before.length - after.length
  if (zeros < 0) return undefined
  return parseGroups([...before, ...Array<string>(zeros).fill('0'), ...after], 8, 16n, 16)
}

function parseGroups(groups: readonly string[], count: number, bits: bigint, radix: 10 | 16): bigint | undefined {
  if (groups.length !== count) return undefined
  let value = 0n
  for (const group of groups) {
    const number = Number.parseInt(group, radix)
    if (Number.isNaN(number)) return undefined
    value = (value << bits) | BigInt(number)
  }
  return value
}
