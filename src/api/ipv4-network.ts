/** IPv4 networks as numbers. */

export interface Ipv4Network {
  /** The address of the network, which is its first. */
  readonly first: number
  /** The number of addresses. */
  readonly size: number
}

/** Of `10.0.0.0/24`. Undefined if the text is not an IPv4 CIDR in canonical form. */
export function ipv4Network(cidr: string): Ipv4Network | undefined {
  const [, ip = '', length = ''] = /^([\d.]+)\/(\d|[12]\d|3[0-2])$/.exec(cidr) ?? []
  const first = ipv4Number(ip)
  const size = 2 ** (32 - Number(length))
  return first === undefined || first % size !== 0 ? undefined : { first, size }
}

/** Undefined if the text is not an IPv4 address in canonical form. */
export function ipv4Number(ip: string): number | undefined {
  const bytes = ip.split('.').map(Number)
  const isAddress = bytes.length === 4 && bytes.every((byte) => byte >= 0 && byte <= 255) && bytes.join('.') === ip
  return isAddress ? bytes.reduce((number, byte) => number * 256 + byte, 0) : undefined
}

export function ipv4Text(number: number): string {
  return [24, 16, 8, 0].map((shift) => Math.floor(number / 2 ** shift) % 256).join('.')
}
