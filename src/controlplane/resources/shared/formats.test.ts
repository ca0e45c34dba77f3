/** Formats of single values: addresses, CIDRs, images, ports, percentages. */
import { describe, expect, it } from 'vitest'
import { cidrWarnings, isStrictSubset, parseCidr, type Cidr } from './cidr.ts'
import { envName, headerName, percent, portName, portNumber } from './formats.ts'
import { defaultPullPolicy, imageTag } from './image.ts'
import { addressText, addressWarnings, endpointAddressMessages, parseAddress } from './ip.ts'

describe('addresses', () => {
  it.each([
    ['1.2.3.4', '1.2.3.4'],
    ['01.002.3.4', '1.2.3.4'],
    ['::', '::'],
    ['2001:DB8:0:0:1:0:0:1', '2001:db8::1:0:0:1'],
    ['2001:db8::', '2001:db8::'],
    ['::ffff:1.2.3.4', '1.2.3.4'],
    ['fe80::1', 'fe80::1'],
  ])('addresses: %s is %s', (given, canonical) => {
    const address = parseAddress(given)
    expect(address && addressText(address)).toBe(canonical)
  })

  it.each(['', '1.2.3', '1.2.3.256', '1.2.3.4.5', 'a.b.c.d', ':::', '1::2::3', '12345::', 'fe80::1%eth0', '1:2:3'])(
    'addresses: %s is none',
    (given) => expect(parseAddress(given)).toBeUndefined(),
  )

  it('addresses warns of texts that are not canonical', () => {
    expect(addressWarnings('f', '1.2.3.4')).toEqual([])
    expect(addressWarnings('f', '01.2.3.4')).toEqual([
      'f: non-standard IP address "01.2.3.4" will be considered invalid in a future Kubernetes release: ' +
        'use "1.2.3.4"',
    ])
    expect(addressWarnings('f', '2001:DB8::1')).toEqual([
      'f: IPv6 address "2001:DB8::1" should be in RFC 5952 canonical format ("2001:db8::1")',
    ])
  })

  it('addresses refuses endpoints that traffic cannot reach', () => {
    const refused = ['0.0.0.0', '127.9.9.9', '::1', '169.254.1.1', 'fe80::2', '224.0.0.5', 'ff02::1', 'x']
    expect(refused.map((ip) => endpointAddressMessages(ip).length)).toEqual(refused.map(() => 1))
    expect(endpointAddressMessages('10.1.2.3')).toEqual([])
  })
})

describe('CIDRs', () => {
  it.each(['1.2.3.4', '1.2.3.4/33', '1.2.3.4/', '1.2.3.4/-1', '::/129', 'x/8'])('CIDRs: %s is none', (given) => {
    expect(parseCidr(given)).toBeUndefined()
  })

  it.each([
    ['10.1.0.0/16', '10.0.0.0/8', true],
    ['10.0.0.0/8', '10.0.0.0/8', false],
    ['11.0.0.0/16', '10.0.0.0/8', false],
    ['10.0.0.0/7', '10.0.0.0/8', false],
    ['2001:db8:1::/48', '2001:db8::/32', true],
    ['10.0.0.0/16', '::/0', false],
  ])('CIDRs: %s inside %s: %s', (inner, outer, expected) => {
    expect(isStrictSubset(parseCidr(inner) as Cidr, parseCidr(outer) as Cidr)).toBe(expected)
  })

  it('CIDRs warns of host bits and of texts that are not canonical', () => {
    expect(cidrWarnings('f', '10.0.0.0/8')).toEqual([])
    expect(cidrWarnings('f', '10.0.0.1/8')).toEqual([
      'f: CIDR value "10.0.0.1/8" is ambiguous in this context (should be "10.0.0.0/8" or "10.0.0.1/32"?)',
    ])
    expect(cidrWarnings('f', '2001:DB8::/32')).toHaveLength(1)
    expect(cidrWarnings('f', '::ffff:10.0.0.0/104')).toHaveLength(1)
  })
})

describe('images', () => {
  it.each([
    ['nginx', 'latest', 'Always'],
    ['nginx:latest', 'latest', 'Always'],
    ['nginx:1.2', '1.2', 'IfNotPresent'],
    ['registry.example:5000/a/b', 'latest', 'Always'],
    ['registry.example:5000/a/b:v1', 'v1', 'IfNotPresent'],
    [`a@sha256:${'0'.repeat(64)}`, '', 'IfNotPresent'],
    [`a:v1@sha256:${'0'.repeat(64)}`, 'v1', 'IfNotPresent'],
    ['UPPER', '', 'IfNotPresent'],
    ['0'.repeat(64).replaceAll('0', 'a'), '', 'IfNotPresent'],
  ])('images: %s has tag %s', (image, tag, policy) => {
    expect(imageTag(image)).toBe(tag)
    expect(defaultPullPolicy(image)).toBe(policy)
  })
})

describe('small formats', () => {
  it('small formats counts what is wrong with a port name', () => {
    const counts = ['http', 'a-1', '', 'UP', '1', 'a--b', '-a', 'sixteen-letters1'].map((name) => portName(name).length)
    expect(counts).toEqual([0, 0, 2, 2, 1, 1, 1, 1])
  })

  it('small formats accepts and refuses', () => {
    expect([1, 65535].flatMap(portNumber)).toEqual([])
    expect([0, 65536, -1].map((port) => portNumber(port).length)).toEqual([1, 1, 1])
    expect([percent('10%').length, percent('10').length, percent('-1%').length]).toEqual([0, 1, 1])
    expect([headerName('X-A').length, headerName('a b').length]).toEqual([0, 1])
    expect([envName('A.b c').length, envName('a=b').length, envName('').length]).toEqual([0, 1, 1])
  })
})
