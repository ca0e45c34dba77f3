import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { closeCode, encodeClose, encodeWebSocketFrame, FrameReader, opcode } from './web-socket-frame.ts'

/** A frame as a client sends it: masked, unless a test violates that rule. */
function clientFrame(code: number, payload: Uint8Array, { final = true, masked = true, reserved = 0 } = {}): Buffer {
  const plain = encodeWebSocketFrame(code, payload)
  const start = plain.length - payload.length
  plain[0] = (final ? 0x80 : 0) | reserved | code
  if (!masked) return plain
  plain[1] = (plain[1] as number) | 0x80
  const mask = Buffer.from([0x37, 0xfa, 0x21, 0x3d])
  return Buffer.concat([plain.subarray(0, start), mask, payload.map((byte, i) => byte ^ (mask[i & 3] as number))])
}

/** What the reader reports for the bytes, in chunks of this size. */
function read(bytes: Buffer, size = bytes.length): string[] {
  const seen: string[] = []
  const reader = new FrameReader({
    ping: (payload) => seen.push(`ping ${Buffer.from(payload).toString()}`),
    end: (code) => seen.push(`end ${code}`),
  })
  for (let at = 0; at < bytes.length; at += size) reader.read(bytes.subarray(at, at + size))
  return seen
}

const text = (value: string): Buffer => clientFrame(opcode.text, Buffer.from(value))
const ping = (value: string): Buffer => clientFrame(opcode.ping, Buffer.from(value))
const close = clientFrame(opcode.close, Buffer.from([0x03, 0xe8]))

describe('frames that are written', () => {
  it.each([
    [0, 2],
    [125, 2],
    [126, 4],
    [65_535, 4],
    [65_536, 10],
  ])('a payload of %i bytes follows a head of %i', (size, head) => {
    const frame = encodeWebSocketFrame(opcode.binary, new Uint8Array(size).fill(7))
    expect(frame.length).toBe(head + size)
    expect(frame[0]).toBe(0x82)
    expect(frame.subarray(head).every((byte) => byte === 7)).toBe(true)
  })

  it('frames that are written count text in bytes', () => {
    expect([...encodeWebSocketFrame(opcode.text, 'ä')]).toEqual([0x81, 2, 0xc3, 0xa4])
  })

  it('frames that are written report why a connection ends', () => {
    expect([...encodeClose(closeCode.protocolError)]).toEqual([0x88, 2, 0x03, 0xea])
  })
})

describe('frames that are read', () => {
  it('frames that are read are thrown away, but for pings and the end', () => {
    const bytes = Buffer.concat([
      text('hello'),
      ping('1'),
      clientFrame(opcode.pong, Buffer.from('x')),
      clientFrame(opcode.binary, Buffer.alloc(70_000, 0xff)),
      close,
    ])
    expect(read(bytes)).toEqual(['ping 1', 'end 1000'])
  })

  it('frames that are read may be fragments with control frames between them', () => {
    const bytes = Buffer.concat([
      clientFrame(opcode.text, Buffer.from([0xe2, 0x82]), { final: false }),
      ping('in between'),
      clientFrame(opcode.continuation, Buffer.from([0xac])),
      text('next'),
    ])
    expect(read(bytes)).toEqual(['ping in between'])
  })

  it('frames that are read are the same however they are cut', () => {
    const bytes = Buffer.concat([
      text('grüße'),
      ping(''),
      clientFrame(opcode.text, Buffer.alloc(300, 97)),
      ping('2'),
      close,
    ])
    fc.assert(
      fc.property(fc.integer({ min: 1, max: bytes.length }), (size) => {
        expect(read(bytes, size)).toEqual(['ping ', 'ping 2', 'end 1000'])
      }),
    )
  })

  it('frames that are read end at the first close', () => {
    expect(read(Buffer.concat([close, ping('late'), close]))).toEqual(['end 1000'])
  })

  const huge = Buffer.from([0x82, 0xff, 0, 0, 1, 0, 0, 0, 0, 0, 1, 2, 3, 4])
  it.each<[string, Buffer, number]>([
    ['an unmasked frame', clientFrame(opcode.text, Buffer.from('x'), { masked: false }), closeCode.protocolError],
    ['a reserved bit', clientFrame(opcode.text, Buffer.from('x'), { reserved: 0x40 }), closeCode.protocolError],
    ['a reserved code', clientFrame(3, Buffer.from('x')), closeCode.protocolError],
    ['a fragment of a ping', clientFrame(opcode.ping, Buffer.from('x'), { final: false }), closeCode.protocolError],
    ['a long ping', clientFrame(opcode.ping, Buffer.alloc(126)), closeCode.protocolError],
    ['a continuation of nothing', clientFrame(opcode.continuation, Buffer.from('x')), closeCode.protocolError],
    [
      'a message within a message',
      Buffer.concat([clientFrame(opcode.binary, Buffer.from('x'), { final: false }), text('y')]),
      closeCode.protocolError,
    ],
    ['text that is no UTF-8', clientFrame(opcode.text, Buffer.from([0xff])), closeCode.notUtf8],
    ['text that ends within a character', clientFrame(opcode.text, Buffer.from([0xe2, 0x82])), closeCode.notUtf8],
    ['a frame of a terabyte', huge, closeCode.tooLarge],
  ])('%s ends them, and nothing is read after it', (_what, bytes, code) => {
    expect(read(Buffer.concat([bytes, ping('after')]))).toEqual([`end ${code}`])
    expect(read(Buffer.concat([bytes, ping('after')]), 1)).toEqual([`end ${code}`])
  })

  it('frames that are read of any bytes never throw', () => {
    fc.assert(fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => void read(Buffer.from(bytes))))
  })
})
