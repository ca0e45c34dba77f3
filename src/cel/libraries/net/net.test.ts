import { describe, expect, test } from 'vitest'
import {
  ipText,
  isGlobalUnicast,
  isLinkLocalMulticast,
  isLinkLocalUnicast,
  isLoopbackAddress,
  isMappedIPv4,
  isUnspecified,
  parseIpAddress,
} from './ip-address.ts'
import { maskPrefix, parseIpPrefix, prefixContains, prefixContainsPrefix, prefixText } from './ip-prefix.ts'

describe('IP addresses', () => {
  test.each([
    ['1.2.3.4', '1.2.3.4'],
    ['2001:DB8:0:0:0:0:0:A', '2001:db8::a'],
    ['1:0:0:4:0:0:0:8', '1:0:0:4::8'],
    ['1:0:3:4:5:6:7:8', '1:0:3:4:5:6:7:8'],
    ['::', '::'],
    ['1::', '1::'],
    ['64:ff9b::1.2.3.4', '64:ff9b::102:304'],
    ['::ffff:1.2.3.4', '::ffff:1.2.3.4'],
    ['fe80::1%eth0', 'fe80::1%eth0'],
  ])('IP addresses: %s is printed as %s', (text, canonical) => {
    expect(ipText(parseIpAddress(text))).toBe(canonical)
  })

  test.each([
    ['1.2.3', 'ParseAddr("1.2.3"): IPv4 address too short'],
    ['1.2.3.400', 'ParseAddr("1.2.3.400"): IPv4 field has value >255'],
    ['1.2.3.04', 'ParseAddr("1.2.3.04"): IPv4 field has octet with leading zero'],
    ['1::2::3', 'ParseAddr("1::2::3"): multiple :: in address (at ":3")'],
    ['12345::', 'ParseAddr("12345::"): each group must have 4 or less digits (at "12345::")'],
    ['', 'ParseAddr(""): unable to parse IP'],
  ])('IP addresses: %s is refused', (text, message) => {
    expect(() => parseIpAddress(text)).toThrow(message)
  })

  test('IP addresses: classes', () => {
    const classes = [
      isUnspecified,
      isLoopbackAddress,
      isLinkLocalMulticast,
      isLinkLocalUnicast,
      isGlobalUnicast,
      isMappedIPv4,
    ]
    const of = (text: string) => classes.map((holds) => Number(holds(parseIpAddress(text)))).join('')
    expect(of('0.0.0.0')).toBe('100000')
    expect(of('127.9.9.9')).toBe('010000')
    expect(of('224.0.0.1')).toBe('001000')
    expect(of('169.254.0.1')).toBe('000100')
    expect(of('10.0.0.1')).toBe('000010')
    expect(of('255.255.255.255')).toBe('000000')
    expect(of('::ffff:10.0.0.1')).toBe('000011')
  })
})

describe('networks', () => {
  test('mask, containment', () => {
    const network = parseIpPrefix('10.1.2.3/12')
    expect(prefixText(maskPrefix(network))).toBe('10.0.0.0/12')
    expect(prefixContains(network, parseIpAddress('10.15.255.255'))).toBe(true)
    expect(prefixContains(network, parseIpAddress('10.16.0.0'))).toBe(false)
    expect(prefixContains(network, parseIpAddress('::1'))).toBe(false)
    expect(prefixContainsPrefix(network, parseIpPrefix('10.3.0.0/16'))).toBe(true)
    expect(prefixContainsPrefix(parseIpPrefix('10.3.0.0/16'), network)).toBe(false)
    expect(prefixText(maskPrefix(parseIpPrefix('ffff::1/128')))).toBe('ffff::1/128')
    expect(prefixText(maskPrefix(parseIpPrefix('ffff::1/0')))).toBe('::/0')
  })

  test.each([
    ['1.2.3.4', 'netip.ParsePrefix("1.2.3.4"): no \'/\''],
    ['1.2.3.4/08', 'netip.ParsePrefix("1.2.3.4/08"): bad bits after slash: "08"'],
    ['1.2.3.4/33', 'netip.ParsePrefix("1.2.3.4/33"): prefix length out of range'],
    [`1.2.3.4/${'9'.repeat(1000)}`, 'bad bits after slash'],
  ])('networks: %s is refused', (text, message) => {
    expect(() => parseIpPrefix(text)).toThrow(message)
  })
})
