import { describe, expect, it } from 'vitest'
import { knownFormat } from './formats.ts'

/** Both columns were recorded from a real server. */
const cases: Readonly<Record<string, readonly [valid: readonly string[], invalid: readonly string[]]>> = {
  date: [
    ['2024-02-29', '0000-01-01'],
    ['2023-02-29', '2024-13-01', '2024-1-1', ''],
  ],
  'date-time': [
    ['2024-01-01T00:00:00Z', '2024-01-01t00:00:00z', '2024-01-01T00:00:00.123+01:00'],
    ['2024-01-01T24:00:00Z', '2024-01-01T00:00:00'],
  ],
  duration: [
    ['1h2m3s', '.5s', '-1s', '0', '3 days', '1 Hour', 'x 5 min y'],
    ['1', 's', '', '99999999999999999999 s'],
  ],
  email: [
    ['a@b', 'A B <a@b.c>', '"a b"@c', 'a@[1.2.3.4]', 'ü@x'],
    ['a', 'a..b@c', 'a@', 'a b@c', 'a@b.'],
  ],
  uri: [
    ['http://a', '/a', 'mailto:x', '*', 'http://[::1]:80', '/a#b'],
    ['a/b', '', 'http://a:b', '/%', 'http://a b', ':a'],
  ],
  hostname: [
    ['a.bc', '日本.jp', 'EXAMPLE.COM', '1'],
    ['a..b', '-a', 'foo_bar.com', 'ex.ample.c'],
  ],
  ipv4: [
    ['1.2.3.4', '01.02.03.004', '::ffff:1.2.3.4'],
    ['256.1.1.1', '1.2.3', '::1'],
  ],
  ipv6: [
    ['::', '1:2:3:4:5:6:7::', '::ffff:1.2.3.4'],
    [':::', 'fe80::1%eth0', '1:2:3:4:5:6:7:8:9', '12345::', '::ffff:01.2.3.4'],
  ],
  cidr: [
    ['10.0.0.0/8', '::/0', '10.0.0.0/08'],
    ['10.0.0.0/33', '10.0.0/8', '::/129'],
  ],
  mac: [
    ['01:23:45:67:89:ab', '0123.4567.89ab', '01-23-45-67-89-AB'],
    ['01:23:45:67:89', '01:23:45-67:89:ab', ''],
  ],
  uuid4: [
    ['00000000-0000-4000-8000-000000000000', '00000000000040008000000000000000'],
    ['00000000-0000-5000-8000-000000000000'],
  ],
  byte: [
    ['AAAA', 'AAA=', 'AA=='],
    ['', 'A===', 'AA=A', 'YWJj\n'],
  ],
  isbn: [['0321751043', '978-0321751041', '080442957X'], ['032175104X']],
  creditcard: [['4111 1111 1111 1111'], ['4111111111111112']],
  ssn: [['123-45-6789', '123 45 6789'], ['123456789']],
  rgbcolor: [['rgb( 255 , 1 , 10 )'], ['rgb(256,0,0)', 'rgb(01,0,0)']],
  'k8s-short-name': [['my-name'], ['My-Name', 'a.b', 'a'.repeat(64)]],
  'k8s-long-name': [['a.b'], ['a..b', 'a'.repeat(254)]],
}

describe('formats', () => {
  it.each(Object.entries(cases))('formats: %s', (name, [valid, invalid]) => {
    const check = knownFormat(name)
    for (const text of valid) expect([text, check?.(text)]).toEqual([text, true])
    for (const text of invalid) expect([text, check?.(text)]).toEqual([text, false])
  })

  it('formats are known by name, with or without dashes', () => {
    expect(knownFormat('datetime')).toBe(knownFormat('date-time'))
    expect(knownFormat('int32')).toBeUndefined()
    expect(knownFormat('')).toBeUndefined()
  })

  it('formats answer in linear time', () => {
    const digits = '1'.repeat(1_000_000)
    for (const name of Object.keys(cases)) {
      for (const text of [
        digits,
        `a@${'a.'.repeat(300_000)}`,
        '<'.repeat(500_000),
        '"'.repeat(500_000),
        ' '.repeat(1_000_000),
      ]) {
        knownFormat(name)?.(text)
      }
    }
  }, 20_000)
})
