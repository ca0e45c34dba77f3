import { expect, it } from 'vitest'
import { ipv4Network, ipv4Number, ipv4Text } from './ipv4-network.ts'

it('an address is a number and back', () => {
  for (const [ip, number] of [
    ['0.0.0.0', 0],
    ['10.0.0.1', 167_772_161],
    ['255.255.255.255', 4_294_967_295],
  ] as const) {
    expect(ipv4Number(ip)).toBe(number)
    expect(ipv4Text(number)).toBe(ip)
  }
})

it.each(['', '10.0.0', '10.0.0.256', '10.0.0.01', '10.0.0.1.1', '1e1.0.0.1', '::1', '-1.0.0.0'])(
  '%j is not an address',
  (text) => {
    expect(ipv4Number(text)).toBeUndefined()
  },
)

it('a network has a first address and a size', () => {
  expect(ipv4Network('10.0.0.0/24')).toEqual({ first: 167_772_160, size: 256 })
  expect(ipv4Network('0.0.0.0/0')).toEqual({ first: 0, size: 2 ** 32 })
})

it.each(['10.0.0.1/24', '10.0.0.0', '10.0.0.0/33', '10.0.0.0/024', '2001:db8::/64'])('%j is not a network', (text) => {
  expect(ipv4Network(text)).toBeUndefined()
})
