/**
 * Writes the protobuf wire format from the last byte to the first. A message is complete before its length is written,
 * so nothing is measured in advance or moved.
 */

const firstBufferBytes = 16 * 1024
/** A buffer that grew beyond this size is released, so that one large list does not hold memory forever. */
const maxKeptBufferBytes = 1024 * 1024
const shortText = 48
const int64Limit = 2 ** 63

export class WireWriter {
  #buffer = Buffer.allocUnsafeSlow(firstBufferBytes)
  #at = firstBufferBytes

  /** How many bytes have been written. */
  get length(): number {
    return this.#buffer.length - this.#at
  }

  /** Returns a copy of the written bytes and empties the writer. */
  take(): Uint8Array {
    const bytes = new Uint8Array(this.length)
    bytes.set(this.#buffer.subarray(this.#at))
    this.clear()
    return bytes
  }

  clear(): void {
    if (this.#buffer.length > maxKeptBufferBytes) this.#buffer = Buffer.allocUnsafeSlow(firstBufferBytes)
    this.#at = this.#buffer.length
  }

  /** Unsigned, up to 2^32 - 1: tags and lengths. */
  varint(value: number): void {
    if (value < 0x80) {
      if (this.#at === 0) this.#grow(1)
      this.#buffer[--this.#at] = value
    } else {
      this.#halves(value >>> 0, 0)
    }
  }

  /** Signed, as Go writes it: a negative number takes ten bytes. */
  integer(value: number): void {
    if (value >= 0 && value <= 0x7fffffff) this.varint(value)
    else if (value >= int64Limit) this.#halves(0xffffffff, 0x7fffffff)
    else this.#halves(value >>> 0, Math.floor(value / 2 ** 32) >>> 0)
  }

  double(value: number): void {
    this.#reserve(8)
    this.#buffer.writeDoubleLE(value, this.#at)
  }

  raw(bytes: Uint8Array): void {
    this.#reserve(bytes.length)
    this.#buffer.set(bytes, this.#at)
  }

  /** Length-delimited UTF-8. */
  text(value: string): void {
    const { length } = value
    if (length > shortText || !this.#ascii(value)) {
      const size = Buffer.byteLength(value)
      this.#reserve(size)
      this.#buffer.write(value, this.#at, size, 'utf8')
      this.varint(size)
    } else {
      this.varint(length)
    }
  }

  /** The length-delimited decoded bytes; false if the text is not plain base64. */
  base64(value: string): boolean {
    const padding = value.endsWith('==') ? 2 : value.endsWith('=') ? 1 : 0
    const size = Math.floor(((value.length - padding) * 3) / 4)
    this.#reserve(size)
    if (this.#buffer.write(value, this.#at, size, 'base64') !== size) return false
    this.varint(size)
    return true
  }

  #ascii(value: string): boolean {
    const { length } = value
    this.#reserve(length)
    const buffer = this.#buffer
    const start = this.#at
    for (let i = 0; i < length; i++) {
      const code = value.charCodeAt(i)
      if (code >= 0x80) {
        this.#at += length
        return false
      }
      buffer[start + i] = code
    }
    return true
  }

  #halves(low: number, high: number): void {
    const bits = high > 0 ? 64 - Math.clz32(high) : 32 - Math.clz32(low | 1)
    const size = Math.ceil(bits / 7)
    this.#reserve(size)
    let at = this.#at
    for (let i = 1; i < size; i++) {
      this.#buffer[at++] = (low & 0x7f) | 0x80
      low = ((low >>> 7) | (high << 25)) >>> 0
      high >>>= 7
    }
    this.#buffer[at] = low & 0x7f
  }

  #reserve(count: number): void {
    if (count > this.#at) this.#grow(count)
    this.#at -= count
  }

  #grow(count: number): void {
    const { length } = this
    let size = this.#buffer.length * 2
    while (size < length + count) size *= 2
    const larger = Buffer.allocUnsafeSlow(size)
    larger.set(this.#buffer.subarray(this.#at), size - length)
    this.#buffer = larger
    this.#at = size - length
  }
}
