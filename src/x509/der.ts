/**
 * The minimum of DER (ITU-T X.690) to write an X.509 certificate and to find a field in one.
 */

const lastUtcTime = Date.UTC(2050, 0, 1)

/** One element: tag, length, content. */
export function derElement(tag: number, ...content: readonly Uint8Array[]): Buffer {
  const body = Buffer.concat(content)
  if (body.length < 0x80) return Buffer.concat([Buffer.from([tag, body.length]), body])
  const length: number[] = []
  for (let left = body.length; left > 0; left = Math.floor(left / 256)) length.unshift(left % 256)
  return Buffer.concat([Buffer.from([tag, 0x80 | length.length, ...length]), body])
}

export function derSequence(...content: readonly Uint8Array[]): Buffer {
  return derElement(0x30, ...content)
}

export function derSet(...content: readonly Uint8Array[]): Buffer {
  return derElement(0x31, ...content)
}

/** A context-specific tag around complete elements, as in `[0] EXPLICIT`. */
export function derExplicit(number: number, ...content: readonly Uint8Array[]): Buffer {
  return derElement(0xa0 | number, ...content)
}

/** A context-specific tag that replaces the tag of a primitive element, as in `[2] IMPLICIT IA5String`. */
export function derImplicit(number: number, content: Uint8Array): Buffer {
  return derElement(0x80 | number, content)
}

export function derBoolean(value: boolean): Buffer {
  return derElement(0x01, Buffer.from([value ? 0xff : 0]))
}

/** A non-negative integer from its big-endian bytes. */
export function derInteger(bytes: Uint8Array): Buffer {
  let start = 0
  while (start < bytes.length - 1 && bytes[start] === 0) start++
  const digits = bytes.subarray(start)
  // If the first bit is set, the number would be negative.
  return derElement(0x02, ...((digits[0] ?? 0) >= 0x80 ? [Buffer.from([0]), digits] : [digits]))
}

/** From the dotted form. */
export function objectIdentifier(dotted: string): Buffer {
  const [first = 0, second = 0, ...rest] = dotted.split('.').map(Number)
  const bytes: number[] = []
  for (const arc of [first * 40 + second, ...rest]) {
    const digits = [arc % 128]
    for (let left = Math.floor(arc / 128); left > 0; left = Math.floor(left / 128)) {
      digits.unshift((left % 128) | 0x80)
    }
    bytes.push(...digits)
  }
  return derElement(0x06, Buffer.from(bytes))
}

export function utf8String(text: string): Buffer {
  return derElement(0x0c, Buffer.from(text, 'utf8'))
}

export function octetString(...content: readonly Uint8Array[]): Buffer {
  return derElement(0x04, ...content)
}

/** A BIT STRING of whole bytes. */
export function bitString(bytes: Uint8Array): Buffer {
  return derElement(0x03, Buffer.from([0]), bytes)
}

/** A BIT STRING of named bits, numbered from the left; it ends with the last set bit. */
export function namedBits(...numbers: readonly number[]): Buffer {
  const last = Math.max(...numbers)
  const bytes = Buffer.alloc((last >> 3) + 1)
  for (const number of numbers) bytes[number >> 3] = (bytes[number >> 3] ?? 0) | (0x80 >> (number & 7))
  return derElement(0x03, Buffer.from([7 - (last & 7)]), bytes)
}

/** UTCTime before 2050, GeneralizedTime from then on, as RFC 5280 requires. Whole seconds. */
export function derTime(ms: number): Buffer {
  const digits = `${new Date(ms).toISOString().slice(0, 19).replace(/[-:T]/g, '')}Z`
  return ms < lastUtcTime ? derElement(0x17, Buffer.from(digits.slice(2))) : derElement(0x18, Buffer.from(digits))
}

/** The elements inside an element, each with its tag and length. The input must be well-formed. */
export function derChildren(der: Uint8Array): Uint8Array[] {
  const found: Uint8Array[] = []
  let at = contentStart(der)
  while (at < der.length) {
    const rest = der.subarray(at)
    const end = at + contentStart(rest) + contentLength(rest)
    found.push(der.subarray(at, end))
    at = end
  }
  return found
}

function contentStart(der: Uint8Array): number {
  const length = der[1] ?? 0
  return length < 0x80 ? 2 : 2 + (length & 0x7f)
}

function contentLength(der: Uint8Array): number {
  const length = der[1] ?? 0
  if (length < 0x80) return length
  return der.subarray(2, contentStart(der)).reduce((sum, byte) => sum * 256 + byte, 0)
}

const base64Line = /.{1,64}/g

export function pem(label: string, der: Uint8Array): string {
  const lines = Buffer.from(der).toString('base64').match(base64Line) ?? []
  return `-----BEGIN ${label}-----\n${lines.join('\n')}\n-----END ${label}-----\n`
}

/** An element of input that may be malformed. */
export interface DerElement {
  readonly tag: number
  readonly content: Uint8Array
  /** With its tag and length. */
  readonly whole: Uint8Array
}

/** Undefined if the bytes at `at` are no whole element. */
export function readDer(bytes: Buffer, at: number): DerElement | undefined {
  const tag = bytes[at]
  const first = bytes[at + 1]
  if (tag === undefined || first === undefined) return undefined
  let start = at + 2
  let length = first
  if (first >= 0x80) {
    const digits = first & 0x7f
    if (digits === 0 || digits > 4 || start + digits > bytes.length) return undefined
    length = bytes.readUIntBE(start, digits)
    start += digits
  }
  const end = start + length
  return end > bytes.length ? undefined : { tag, content: bytes.subarray(start, end), whole: bytes.subarray(at, end) }
}

/** The elements in the content of an element, up to the first that is malformed. */
export function derElements(content: Uint8Array): DerElement[] {
  const bytes = Buffer.from(content.buffer, content.byteOffset, content.byteLength)
  const found: DerElement[] = []
  for (let at = 0; at < bytes.length;) {
    const element = readDer(bytes, at)
    if (element === undefined) break
    found.push(element)
    at += element.whole.length
  }
  return found
}
