/**
 * Reads the protobuf wire format directly from the bytes.
 *
 * Every read is bounded by the end of its message, and no length causes an allocation before the input is known to have
 * that many bytes. Errors have upstream's messages where upstream has one.
 */

/** The input is not a protobuf message of a known kind, or a value has no protobuf form. */
export class ProtobufError extends Error {
  /** The kind in the envelope; undefined if the envelope is invalid. */
  kind: string | undefined
  apiVersion: string | undefined

  constructor(message: string) {
    super(message)
    this.name = 'ProtobufError'
  }
}

/** Deeper messages are rejected. The deepest real ones are CRD schemas, with two messages per level. */
export const maxMessages = 100

export const wireType = { varint: 0, fixed64: 1, bytes: 2, startGroup: 3, endGroup: 4, fixed32: 5 } as const

/** Up to this length, a loop over the bytes is faster than a call into the runtime. */
const shortText = 8

export class WireReader {
  at = 0
  readonly #bytes: Buffer
  #low = 0
  #high = 0
  #depth = 0

  constructor(bytes: Uint8Array) {
    this.#bytes = Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  }

  enter(): void {
    if (++this.#depth > maxMessages) throw new ProtobufError(`proto: more than ${maxMessages} nested messages`)
  }

  leave(): void {
    this.#depth--
  }

  /** Field number times eight plus wire type. */
  tag(end: number, message: string): number {
    const tag = this.#unsigned(end)
    const wire = tag % 8
    if (wire === wireType.endGroup) throw new ProtobufError(`proto: ${message}: wiretype end group for non-group`)
    const number = (tag - wire) / 8
    if (number === 0 || number > 0x1fffffff) {
      throw new ProtobufError(`proto: ${message}: illegal tag ${number} (wire type ${tag})`)
    }
    return tag
  }

  /** Reads a length and returns the end position of the block. */
  block(end: number): number {
    const length = this.#unsigned(end)
    if (length > end - this.at) {
      if (length >= 2 ** 63) throw new ProtobufError('proto: negative length found during unmarshaling')
      throw new ProtobufError('unexpected EOF')
    }
    return this.at + length
  }

  /** The low 32 bits, as Go's int32 reads them. */
  int32(end: number): number {
    this.#varint(end)
    return this.#low | 0
  }

  /** Above 2^53, the nearest number, as JSON would give. */
  int64(end: number): number {
    this.#varint(end)
    return (this.#high | 0) * 2 ** 32 + this.#low
  }

  bool(end: number): boolean {
    this.#varint(end)
    return this.#low !== 0 || this.#high !== 0
  }

  double(end: number): number {
    const start = this.at
    this.#advance(8, end)
    return this.#bytes.readDoubleLE(start)
  }

  /** Invalid UTF-8 becomes U+FFFD, as in the JSON that Go would write. */
  text(end: number): string {
    const stop = this.block(end)
    const start = this.at
    this.at = stop
    return stop - start > shortText ? this.#bytes.toString('utf8', start, stop) : this.#shortText(start, stop)
  }

  base64(end: number): string {
    const stop = this.block(end)
    const start = this.at
    this.at = stop
    return this.#bytes.toString('base64', start, stop)
  }

  /** Skips the value of an unknown field. Groups are skipped without recursion. */
  skip(tag: number, end: number): void {
    let open = 0
    let wire = tag % 8
    for (;;) {
      switch (wire) {
        case wireType.varint:
          this.#varint(end)
          break
        case wireType.fixed64:
          this.#advance(8, end)
          break
        case wireType.bytes:
          this.at = this.block(end)
          break
        case wireType.startGroup:
          open++
          break
        case wireType.endGroup:
          open--
          break
        case wireType.fixed32:
          this.#advance(4, end)
          break
        default:
          throw new ProtobufError(`proto: illegal wireType ${wire}`)
      }
      if (open === 0) return
      wire = this.#unsigned(end) % 8
    }
  }

  /** Most short texts are ASCII, and many are empty. */
  #shortText(start: number, stop: number): string {
    const bytes = this.#bytes
    let text = ''
    for (let i = start; i < stop; i++) {
      const byte = bytes[i] as number
      if (byte >= 0x80) return bytes.toString('utf8', start, stop)
      text += String.fromCharCode(byte)
    }
    return text
  }

  #advance(count: number, end: number): void {
    if (count > end - this.at) throw new ProtobufError('unexpected EOF')
    this.at += count
  }

  #unsigned(end: number): number {
    if (this.at < end) {
      const byte = this.#bytes[this.at] as number
      if (byte < 0x80) {
        this.at++
        return byte
      }
    }
    this.#varint(end)
    return this.#high * 2 ** 32 + this.#low
  }

  /** Stores the two unsigned halves in `#low` and `#high`. Bits beyond the 64th are dropped. */
  #varint(end: number): void {
    const bytes = this.#bytes
    let low = 0
    let high = 0
    let at = this.at
    for (let shift = 0; ; shift += 7) {
      if (shift >= 64) throw new ProtobufError('proto: integer overflow')
      if (at >= end) throw new ProtobufError('unexpected EOF')
      const byte = bytes[at++] as number
      const bits = byte & 0x7f
      if (shift < 28) low |= bits << shift
      else if (shift === 28) {
        low |= bits << 28
        high = bits >>> 4
      } else high |= bits << (shift - 32)
      if (byte < 0x80) break
    }
    this.at = at
    this.#low = low >>> 0
    this.#high = high >>> 0
  }
}
