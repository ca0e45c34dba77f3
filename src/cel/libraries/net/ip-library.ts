/** Kubernetes' IP library: `ip`, `isIP`, `ip.isCanonical`, `family` and the address classes. */
import { goQuote } from '../../../api/go-format.ts'
import {
  boolType,
  CelError,
  CelObject,
  type CelResult,
  type CelType,
  intType,
  type Library,
  opaqueType,
  stringType,
} from '../../library.ts'
import { declare, method, overload, traversal } from '../declare.ts'
import {
  equalIpAddresses,
  type IpAddress,
  IpAddressError,
  ipText,
  isGlobalUnicast,
  isIPv4,
  isLinkLocalMulticast,
  isLinkLocalUnicast,
  isLoopbackAddress,
  isMappedIPv4,
  isUnspecified,
  parseIpAddress,
} from './ip-address.ts'

export const ipType = opaqueType('net.IP') as CelType & { kind: 'opaque' }

export class IpValue extends CelObject {
  readonly type = ipType
  readonly address: IpAddress
  /** The number of bytes. */
  override readonly size: number

  constructor(address: IpAddress) {
    super()
    this.address = address
    this.size = address.bytes.length
  }

  equals(other: CelObject): CelResult {
    return other instanceof IpValue && equalIpAddresses(this.address, other.address)
  }
}

/** Zones and IPv4-mapped IPv6 addresses are rejected. */
export function toIp(text: string): IpValue | CelError {
  let address: IpAddress
  try {
    address = parseIpAddress(text)
  } catch (error) {
    if (!(error instanceof IpAddressError)) throw error
    const quoted = goQuote(text)
    return new CelError(`IP Address ${quoted} parse error during conversion from string: ${error.message}`)
  }
  if (address.zone !== '') return new CelError(`IP address ${goQuote(text)} with zone value is not allowed`)
  if (isMappedIPv4(address)) return new CelError(`IPv4-mapped IPv6 address ${goQuote(text)} is not allowed`)
  return new IpValue(address)
}

function isCanonical(text: string): CelResult {
  const ip = toIp(text)
  return ip instanceof CelError ? ip : ipText(ip.address) === text
}

const test = (name: string, id: string, holds: (address: IpAddress) => boolean) =>
  declare(
    name,
    method(id, [ipType], boolType, (ip: IpValue) => holds(ip.address)),
  )

export const ipLibrary: Library = {
  name: 'kubernetes.net.ip',
  types: [ipType],
  functions: [
    declare('ip', overload('string_to_ip', [stringType], ipType, toIp, traversal())),
    declare(
      'family',
      method('ip_family', [ipType], intType, (ip: IpValue) => (isIPv4(ip.address) ? 4n : 6n)),
    ),
    declare('ip.isCanonical', overload('ip_is_canonical', [stringType], boolType, isCanonical, traversal(2))),
    test('isUnspecified', 'ip_is_unspecified', isUnspecified),
    test('isLoopback', 'ip_is_loopback', isLoopbackAddress),
    test('isLinkLocalMulticast', 'ip_is_link_local_multicast', isLinkLocalMulticast),
    test('isLinkLocalUnicast', 'ip_is_link_local_unicast', isLinkLocalUnicast),
    test('isGlobalUnicast', 'ip_is_global_unicast', isGlobalUnicast),
    declare(
      'isIP',
      overload('is_ip', [stringType], boolType, (text: string) => toIp(text) instanceof IpValue, traversal()),
    ),
    declare(
      'string',
      overload('ip_to_string', [ipType], stringType, (ip: IpValue) => ipText(ip.address)),
    ),
  ],
}
