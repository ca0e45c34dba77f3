/** Reads the organizations in the subject of a certificate request (PKCS #10 in PEM), with a minimal DER parser. */

const organization = Buffer.from([0x55, 0x04, 0x0a])
const sequenceTag = 0x30
const bmpString = 0x1e

interface Element {
  readonly tag: number
  readonly content: Buffer
  /** Where the next element begins. */
  readonly end: number
}

/** `request` is base64 of PEM, as in the object's spec. Undefined if it is not a certificate request. */
export function csrOrganizations(request: string): string[] | undefined {
  const pem = Buffer.from(request, 'base64').toString('latin1')
  const body = /-----BEGIN CERTIFICATE REQUEST-----([^-]*)-----END CERTIFICATE REQUEST-----/.exec(pem)?.[1]
  if (body === undefined) return undefined
  const outer = readElement(Buffer.from(body, 'base64'), 0)
  const info = outer && readElement(outer.content, 0)
  const version = info && readElement(info.content, 0)
  const subject = version && readElement(info.content, version.end)
  if (subject?.tag !== sequenceTag) return undefined
  const found: string[] = []
  for (const set of elements(subject.content)) {
    for (const attribute of elements(set.content)) {
      const [type, value] = elements(attribute.content)
      if (type?.content.equals(organization) === true && value !== undefined) found.push(stringOf(value))
    }
  }
  return found
}

function stringOf({ tag, content }: Element): string {
  if (tag !== bmpString) return content.toString('utf8')
  return Buffer.from(content.subarray(0, content.length & ~1))
    .swap16()
    .toString('utf16le')
}

function* elements(content: Buffer): Iterable<Element> {
  for (let at = 0; at < content.length;) {
    const element = readElement(content, at)
    if (element === undefined) return
    yield element
    at = element.end
  }
}

/** Undefined if the bytes are truncated. */
function readElement(bytes: Buffer, at: number): Element | undefined {
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
  if (start + length > bytes.length) return undefined
  return { tag, content: bytes.subarray(start, start + length), end: start + length }
}
