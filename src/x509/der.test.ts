import { describe, expect, it } from 'vitest'
import { derChildren, derElement, derInteger, namedBits, objectIdentifier } from './der.ts'
import { octetString, pem, derSequence, derTime } from './der.ts'

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex')

describe('DER', () => {
  it('DER writes lengths in the shortest form', () => {
    expect(hex(derElement(4, Buffer.alloc(127))).slice(0, 4)).toBe('047f')
    expect(hex(derElement(4, Buffer.alloc(128))).slice(0, 6)).toBe('048180')
    expect(hex(derElement(4, Buffer.alloc(256))).slice(0, 8)).toBe('04820100')
    expect(hex(derElement(4, Buffer.alloc(65_536))).slice(0, 10)).toBe('0483010000')
  })

  it('DER writes integers without a sign and without needless zeros', () => {
    const cases = { '00': '020100', '7f': '02017f', 80: '02020080', '000080': '02020080', '000001': '020101' }
    for (const [bytes, expected] of Object.entries(cases)) {
      expect(hex(derInteger(Buffer.from(bytes, 'hex')))).toBe(expected)
    }
  })

  it('DER writes object identifiers', () => {
    expect(hex(objectIdentifier('1.2.840.10045.4.3.2'))).toBe('06082a8648ce3d040302')
    expect(hex(objectIdentifier('2.5.29.17'))).toBe('0603551d11')
  })

  it('DER writes named bits up to the last one set', () => {
    expect(hex(namedBits(0))).toBe('03020780')
    expect(hex(namedBits(0, 5, 6))).toBe('03020186')
    expect(hex(namedBits(8))).toBe('0303070080')
  })

  it('DER changes the kind of time in 2050', () => {
    expect(derTime(Date.UTC(2049, 11, 31, 23, 59, 59)).toString('latin1')).toBe('\u0017\r491231235959Z')
    expect(derTime(Date.UTC(2050, 0, 1)).toString('latin1')).toBe('\u0018\u000f20500101000000Z')
  })

  it('DER finds children, whatever their length', () => {
    const parts = [0, 1, 127, 128, 300, 70_000].map((size) => octetString(Buffer.alloc(size, 1)))
    expect(derChildren(derSequence(...parts)).map(hex)).toEqual(parts.map(hex))
    expect(derChildren(derSequence())).toEqual([])
  })

  it('DER breaks lines at 64 characters', () => {
    expect(pem('X', Buffer.alloc(49))).toBe(`-----BEGIN X-----\n${'A'.repeat(64)}\nAA==\n-----END X-----\n`)
  })
})
