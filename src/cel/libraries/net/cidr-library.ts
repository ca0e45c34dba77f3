/** Kubernetes' CIDR library: `cidr`, `isCIDR`, `containsIP`, `containsCIDR`, `ip`, `masked`, `prefixLength`. */
import { goQuote } from '../../../api/go-format.ts'
import { addEstimates, type Estimate, scaleCost, scaleEstimate, stringTraversalFactor } from '../../costs.ts'
import {
  actualSize,
  boolType,
  CelError,
  CelObject,
  type CelResult,
  type CelType,
  type CelValue,
  intType,
  type Library,
  opaqueType,
  stringType,
} from '../../library.ts'
import { type Costs, declare, method, overload, traversal } from '../declare.ts'
import { equalIpAddresses, isMappedIPv4 } from './ip-address.ts'
import { ipType, IpValue, toIp } from './ip-library.ts'
import {
  type IpPrefix,
  IpPrefixError,
  maskPrefix,
  parseIpPrefix,
  prefixContains,
  prefixContainsPrefix,
  prefixText,
} from './ip-prefix.ts'

export const cidrType = opaqueType('net.CIDR') as CelType & { kind: 'opaque' }

export class CidrValue extends CelObject {
  readonly type = cidrType
  readonly prefix: IpPrefix
  /** The number of bytes of the prefix. */
  override readonly size: number

  constructor(prefix: IpPrefix) {
    super()
    this.prefix = prefix
    this.size = Math.ceil(prefix.bits / 8)
  }

  equals(other: CelObject): CelResult {
    if (!(other instanceof CidrValue) || this.prefix.bits !== other.prefix.bits) return false
    return equalIpAddresses(this.prefix.address, other.prefix.address)
  }
}

const problem = 'network address parse error during conversion from string: '

/** Some messages have their prefix twice: upstream wraps the error twice. */
function toCidr(text: string): CidrValue | CelError {
  try {
    const prefix = parseIpPrefix(text)
    if (!isMappedIPv4(prefix.address)) return new CidrValue(prefix)
    return new CelError(`${problem}IPv4-mapped IPv6 address ${goQuote(text)} is not allowed`)
  } catch (error) {
    if (error instanceof IpPrefixError) return new CelError(problem + problem + error.message)
    throw error
  }
}

function containsIp({ prefix }: CidrValue, ip: IpValue): boolean {
  return prefixContains(prefix, ip.address)
}

/** For text that is not an address, the error names the network's type: upstream passes the wrong argument. */
function containsIpText(cidr: CidrValue, text: string): CelResult {
  const ip = toIp(text)
  return ip instanceof CelError ? noSuchOverload : containsIp(cidr, ip)
}

const noSuchOverload = new CelError('no such overload')

function containsCidr({ prefix }: CidrValue, other: CidrValue): boolean {
  return prefixContainsPrefix(prefix, other.prefix)
}

function containsCidrText(cidr: CidrValue, text: string): CelResult {
  const other = toCidr(text)
  return other instanceof CelError ? other : containsCidr(cidr, other)
}

/**
 * Compares addresses of 4 to 16 bytes; with `mask`, also masks one of them; with `parses`, also parses a text.
 */
function comparisonCosts(mask: boolean, parses: boolean): Costs {
  const address: Estimate = { min: 4, max: 16 }
  let base = scaleEstimate(addEstimates(address, address), stringTraversalFactor)
  if (mask) {
    base = addEstimates(base, scaleEstimate(address, stringTraversalFactor))
    base = addEstimates(base, { min: 1, max: 1 })
  }
  const compare = (cidr: CelValue): number => {
    const size = actualSize(cidr)
    const cost = scaleCost(size + size, stringTraversalFactor)
    return mask ? cost + scaleCost(size, stringTraversalFactor) + 1 : cost
  }
  return {
    cost: ([cidr, other]) => {
      const cost = compare(cidr as CelValue)
      return parses ? cost + scaleCost(actualSize(other as CelValue), stringTraversalFactor) : cost
    },
    unsureCost: ([cidr]) => compare(cidr as CelValue),
    estimate: (call) => {
      const [other] = call.args
      if (other === undefined) return undefined
      if (!parses) return { cost: base }
      return { cost: addEstimates(base, scaleEstimate(call.sizeOf(other), stringTraversalFactor)) }
    },
  }
}

export const cidrLibrary: Library = {
  name: 'kubernetes.net.cidr',
  types: [cidrType],
  functions: [
    declare('cidr', overload('string_to_cidr', [stringType], cidrType, toCidr, traversal())),
    declare(
      'containsIP',
      method('cidr_contains_ip_string', [cidrType, stringType], boolType, containsIpText, comparisonCosts(false, true)),
      method('cidr_contains_ip_ip', [cidrType, ipType], boolType, containsIp, comparisonCosts(false, false)),
    ),
    declare(
      'containsCIDR',
      method(
        'cidr_contains_cidr_string',
        [cidrType, stringType],
        boolType,
        containsCidrText,
        comparisonCosts(true, true),
      ),
      method('cidr_contains_cidr', [cidrType, cidrType], boolType, containsCidr, comparisonCosts(true, false)),
    ),
    declare(
      'ip',
      method('cidr_ip', [cidrType], ipType, ({ prefix }: CidrValue) => new IpValue(prefix.address)),
    ),
    declare(
      'prefixLength',
      method('cidr_prefix_length', [cidrType], intType, ({ prefix }: CidrValue) => BigInt(prefix.bits)),
    ),
    declare(
      'masked',
      method('cidr_masked', [cidrType], cidrType, ({ prefix }: CidrValue) => new CidrValue(maskPrefix(prefix))),
    ),
    declare(
      'isCIDR',
      overload('is_cidr', [stringType], boolType, (text: string) => toCidr(text) instanceof CidrValue, traversal()),
    ),
    declare(
      'string',
      overload('cidr_to_string', [cidrType], stringType, ({ prefix }: CidrValue) => prefixText(prefix)),
    ),
  ],
}
