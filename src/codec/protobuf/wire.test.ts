import fc from 'fast-check'
import { expect, test } from 'vitest'
import { ProtobufError, WireReader } from './wire-reader.ts'
import { WireWriter } from './wire-writer.ts'

/** A reference implementation of varints with bigint. */
function varint(value: bigint): string {
  let rest = BigInt.asUintN(64, value)
  const bytes: number[] = []
  while (rest >= 0x80n) {
    bytes.push(Number(rest & 0x7fn) | 0x80)
    rest >>= 7n
  }
  return Buffer.from([...bytes, Number(rest)]).toString('hex')
}

function written(write: (writer: WireWriter) => void): Uint8Array {
  const writer = new WireWriter()
  write(writer)
  return writer.take()
}

const safe = fc.oneof(
  fc.maxSafeInteger(),
  fc.integer(),
  fc.nat({ max: 63 }).map((power) => 2 ** Math.min(power, 52)),
  fc.nat({ max: 53 }).map((power) => -(2 ** Math.min(power, 52)) - 1),
)

test("integers are written as varints of their two's complement, and read back", () => {
  fc.assert(
    fc.property(safe, (value) => {
      const bytes = written((writer) => writer.integer(value))
      expect(Buffer.from(bytes).toString('hex')).toBe(varint(BigInt(value)))
      const reader = new WireReader(bytes)
      expect(reader.int64(bytes.length)).toBe(value)
      expect(reader.at).toBe(bytes.length)
    }),
  )
})

test('int32 takes the low bits', () => {
  fc.assert(
    fc.property(safe, (value) => {
      const bytes = written((writer) => writer.integer(value))
      expect(new WireReader(bytes).int32(bytes.length)).toBe(Number(BigInt.asIntN(32, BigInt(value))))
    }),
  )
})

test('numbers beyond int64 are written as its largest', () => {
  expect(Buffer.from(written((writer) => writer.integer(2 ** 63))).toString('hex')).toBe(varint(2n ** 63n - 1n))
  expect(Buffer.from(written((writer) => writer.integer(-(2 ** 63)))).toString('hex')).toBe(varint(-(2n ** 63n)))
})

test('a bool is any bit', () => {
  const bytes = Buffer.from(varint(2n ** 40n), 'hex')
  expect(new WireReader(bytes).bool(bytes.length)).toBe(true)
})

test('texts of any length and script', () => {
  const maxLength = 200
  const text = fc.oneof(fc.string({ unit: 'grapheme', maxLength }), fc.string({ unit: 'binary-ascii', maxLength }))
  fc.assert(
    fc.property(fc.array(text, { maxLength: 5 }), (texts) => {
      const bytes = written((writer) => texts.forEach((each) => writer.text(each)))
      const reader = new WireReader(bytes)
      for (const each of texts.toReversed()) expect(reader.text(bytes.length)).toBe(each)
      expect(reader.at).toBe(bytes.length)
    }),
  )
})

test('bytes and doubles', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 100 }), fc.double(), (content, double) => {
      const base64 = Buffer.from(content).toString('base64')
      const bytes = written((writer) => {
        writer.double(double)
        expect(writer.base64(base64)).toBe(true)
      })
      const reader = new WireReader(bytes)
      expect(reader.base64(bytes.length)).toBe(base64)
      expect(reader.double(bytes.length)).toBe(double)
    }),
  )
})

test('text that is no base64 is reported', () => {
  expect(new WireWriter().base64('a b c')).toBe(false)
})

test('a writer grows, shrinks again, and starts again after each take', () => {
  const writer = new WireWriter()
  const large = 'x'.repeat(3_000_000)
  writer.text(large)
  expect(writer.take()).toHaveLength(3_000_004)
  writer.text('é')
  expect([...writer.take()]).toEqual([2, 0xc3, 0xa9])
  expect(writer.length).toBe(0)
})

test('bytes that are no UTF-8 become replacement characters', () => {
  expect(new WireReader(Uint8Array.of(2, 0x61, 0xff)).text(3)).toBe('a\ufffd')
})

test('a view into a larger buffer is read from its own start', () => {
  const bytes = Uint8Array.of(9, 9, 1, 0x61, 9).subarray(2, 4)
  expect(new WireReader(bytes).text(bytes.length)).toBe('a')
})

test.each([
  ['a varint of eleven bytes', [255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 1], 'proto: integer overflow'],
  ['a varint without end', [255, 255], 'unexpected EOF'],
  ['no varint', [], 'unexpected EOF'],
])('%s', (_, bytes, message) => {
  const reader = new WireReader(Uint8Array.from(bytes))
  expect(() => reader.int64(bytes.length)).toThrow(new ProtobufError(message))
})

test('groups are passed over, however deep', () => {
  const open = Array.from({ length: 50_000 }, () => 0x0b)
  const close = open.map(() => 0x0c)
  const bytes = Uint8Array.from([...open, 0x08, 0x05, ...close, 0x08, 0x07])
  const reader = new WireReader(bytes)
  reader.skip(reader.tag(bytes.length, 'X'), bytes.length)
  expect(reader.tag(bytes.length, 'X')).toBe(8)
  expect(reader.int32(bytes.length)).toBe(7)
  const unclosed = new WireReader(Uint8Array.from(open))
  expect(() => unclosed.skip(unclosed.tag(open.length, 'X'), open.length)).toThrow('unexpected EOF')
})
