/**
 * Why DER does not have the structure of a type, in the words of Go's encoding/asn1, which API servers use for
 * certificate requests. Only the types that these need.
 */

export type Asn1Type =
  | { readonly is: 'struct'; readonly name: string; readonly fields: readonly Asn1Field[] }
  | { readonly is: 'list'; readonly name: string; readonly items: Asn1Type; readonly isSet?: true }
  /** `raw`: one element, whatever it is. `any`: likewise, but its content must fit its tag. */
  | { readonly is: 'integer' | 'bits' | 'identifier' | 'boolean' | 'bytes' | 'raw' | 'any' }

export interface Asn1Field {
  readonly type: Asn1Type
  readonly optional?: true
  /** The number of a context-specific tag that replaces the usual one. */
  readonly tag?: number
}

interface Header {
  readonly class: number
  readonly tag: number
  readonly length: number
  readonly isCompound: boolean
  /** Where the content starts. */
  readonly start: number
}

class Malformed extends Error {}

const syntax = (text: string): Malformed => new Malformed(`asn1: syntax error: ${text}`)
const structure = (text: string): Malformed => new Malformed(`asn1: structure error: ${text}`)

const tags = { boolean: 1, integer: 2, bits: 3, bytes: 4, identifier: 6, struct: 16, list: 16 } as const
const setTag = 17
const goNames = {
  boolean: 'bool',
  integer: 'int',
  bits: 'BitString',
  bytes: '',
  identifier: 'ObjectIdentifier',
} as const

/** Undefined if `der` is one element of this type. Takes time in proportion to its length. */
export function asn1Problem(der: Uint8Array, type: Asn1Type): string | undefined {
  try {
    if (readField(der, 0, { type }) < der.length) throw syntax('trailing data')
    return undefined
  } catch (error) {
    if (error instanceof Malformed) return error.message
    throw error
  }
}

/** Returns the offset behind the field. */
function readField(bytes: Uint8Array, offset: number, field: Asn1Field): number {
  const { type, optional, tag } = field
  if (offset === bytes.length) {
    if (optional === true) return offset
    throw syntax('sequence truncated')
  }
  const header = readHeader(bytes, offset)
  const end = header.start + header.length
  if (type.is === 'raw' || type.is === 'any') {
    if (end > bytes.length) throw syntax('data truncated')
    if (type.is === 'any') checkAny(header, bytes.subarray(header.start, end))
    return end
  }
  const isCompound = type.is === 'struct' || type.is === 'list'
  const expected = tag ?? (type.is === 'list' && type.isSet === true ? setTag : tags[type.is])
  if (header.class !== (tag === undefined ? 0 : 2) || header.tag !== expected || header.isCompound !== isCompound) {
    if (optional === true) return offset
    throw structure(
      `tags don't match (${expected} vs ${shown(header)}) ${parameters(field)} ${nameOf(type)} @${header.start}`,
    )
  }
  if (end > bytes.length) throw syntax('data truncated')
  readContent(type, bytes.subarray(header.start, end))
  return end
}

function readContent(type: Asn1Type, content: Uint8Array): void {
  switch (type.is) {
    case 'struct':
      // Go allows more elements at the end.
      type.fields.reduce((offset, field) => readField(content, offset, field), 0)
      return
    case 'list':
      readItems(type.items, content)
      return
    case 'integer':
      checkInteger(content)
      return
    case 'bits':
      checkBits(content)
      return
    case 'identifier':
      checkIdentifier(content)
      return
    case 'boolean':
      if (content.length !== 1) throw syntax('invalid boolean')
      if (content[0] !== 0 && content[0] !== 0xff) throw syntax('invalid boolean')
      return
    case 'bytes':
    case 'raw':
    case 'any':
  }
}

/** All headers are checked before any content. */
function readItems(type: Asn1Type, content: Uint8Array): void {
  const expected =
    type.is === 'raw' || type.is === 'any'
      ? undefined
      : type.is === 'list' && type.isSet === true
        ? setTag
        : tags[type.is]
  const isCompound = type.is === 'struct' || type.is === 'list'
  for (let offset = 0; offset < content.length;) {
    const header = readHeader(content, offset)
    if (expected !== undefined && (header.class !== 0 || header.isCompound !== isCompound || header.tag !== expected))
      throw structure('sequence tag mismatch')
    offset = header.start + header.length
    if (offset > content.length) throw syntax('truncated sequence')
  }
  for (let offset = 0; offset < content.length;) offset = readField(content, offset, { type })
}

function readHeader(bytes: Uint8Array, offset: number): Header {
  const first = bytes[offset] ?? 0
  let [tag, next] = [first & 0x1f, offset + 1]
  if (tag === 0x1f) {
    ;[tag, next] = readBase128(bytes, next)
    if (tag < 0x1f) throw syntax('non-minimal tag')
  }
  if (next >= bytes.length) throw syntax('truncated tag or length')
  let length = bytes[next++] ?? 0
  if (length >= 0x80) {
    const count = length & 0x7f
    if (count === 0) throw syntax('indefinite length found (not DER)')
    length = 0
    for (let i = 0; i < count; i++) {
      if (next >= bytes.length) throw syntax('truncated tag or length')
      if (length >= 1 << 23) throw structure('length too large')
      length = length * 256 + (bytes[next++] ?? 0)
      if (length === 0) throw structure('superfluous leading zeros in length')
    }
    if (length < 0x80) throw structure('non-minimal length')
  }
  return { class: first >> 6, tag, length, isCompound: (first & 0x20) !== 0, start: next }
}

function readBase128(bytes: Uint8Array, offset: number): [value: number, next: number] {
  let value = 0
  for (let i = 0; offset + i < bytes.length; i++) {
    if (i === 5) throw structure('base 128 integer too large')
    const byte = bytes[offset + i] ?? 0
    if (i === 0 && byte === 0x80) throw syntax('integer is not minimally encoded')
    value = value * 128 + (byte & 0x7f)
    if (byte >= 0x80) continue
    if (value > 2 ** 31 - 1) throw structure('base 128 integer too large')
    return [value, offset + i + 1]
  }
  throw syntax('truncated base 128 integer')
}

function checkInteger(content: Uint8Array): void {
  const [first = 0, second = 0] = content
  if (content.length === 0) throw structure('empty integer')
  const isNegative = second >= 0x80
  if (content.length > 1 && ((first === 0 && !isNegative) || (first === 0xff && isNegative)))
    throw structure('integer not minimally-encoded')
  if (content.length > 8) throw structure('integer too large')
}

function checkBits(content: Uint8Array): void {
  if (content.length === 0) throw syntax('zero length BIT STRING')
  const unused = content[0] ?? 0
  const last = content.at(-1) ?? 0
  if (unused > 7 || (content.length === 1 && unused > 0) || (last & ((1 << unused) - 1)) !== 0)
    throw syntax('invalid padding bits in BIT STRING')
}

function checkIdentifier(content: Uint8Array): void {
  if (content.length === 0) throw syntax('zero length OBJECT IDENTIFIER')
  for (let offset = 0; offset < content.length;) [, offset] = readBase128(content, offset)
}

const printable = /^[a-zA-Z0-9 '()+,\-./:=?*&]*$/
const notUtf8 = new TextDecoder('utf-8', { fatal: true })

function checkAny({ class: kind, tag, isCompound }: Header, content: Uint8Array): void {
  if (isCompound || kind !== 0) return
  const text = (): string => Buffer.from(content).toString('latin1')
  if (tag === tags.boolean) readContent({ is: 'boolean' }, content)
  else if (tag === tags.integer) checkInteger(content)
  else if (tag === tags.bits) checkBits(content)
  else if (tag === tags.identifier) checkIdentifier(content)
  else if (tag === 12 && !isUtf8(content)) throw new Malformed('asn1: invalid UTF-8 string')
  else if (tag === 18 && !/^[0-9 ]*$/.test(text())) throw syntax('NumericString contains invalid character')
  else if (tag === 19 && !printable.test(text())) throw syntax('PrintableString contains invalid character')
  else if (tag === 22 && content.some((byte) => byte >= 0x80)) throw syntax('IA5String contains invalid character')
}

function isUtf8(content: Uint8Array): boolean {
  try {
    notUtf8.decode(content)
    return true
  } catch {
    return false
  }
}

function nameOf(type: Asn1Type): string {
  if (type.is === 'struct' || type.is === 'list') return type.name
  return type.is === 'raw' || type.is === 'any' ? '' : goNames[type.is]
}

/** As Go prints these structs. */
function shown({ class: kind, tag, length, isCompound }: Header): string {
  return `{class:${kind} tag:${tag} length:${length} isCompound:${isCompound}}`
}

function parameters({ optional }: Asn1Field): string {
  return (
    `{optional:${optional === true} explicit:false application:false private:false defaultValue:<nil> tag:<nil> ` +
    'stringType:0 timeType:0 set:false omitEmpty:false}'
  )
}
