/**
 * Reads certificate requests (PKCS #10, RFC 2986), which are input of clients: a request that is not well-formed is
 * undefined, and reading takes time in proportion to its size.
 */
import { createPublicKey, verify } from 'node:crypto'
import { derElements, objectIdentifier, readDer, type DerElement } from './der.ts'
import { firstPemBlock } from './pem-block.ts'

export interface CertificateRequest {
  /** The attributes of the subject that certificates have, by dotted object identifier. */
  readonly subject: ReadonlyMap<string, readonly string[]>
  /** '' if the subject has none. */
  readonly commonName: string
  readonly organizations: readonly string[]
  readonly dnsNames: readonly string[]
  readonly emailAddresses: readonly string[]
  /** 4 or 16 bytes each. */
  readonly ipAddresses: readonly Uint8Array[]
  readonly uris: readonly string[]
  /** DER: SubjectPublicKeyInfo. */
  readonly publicKey: Uint8Array
  /** The dotted identifier of the algorithm of the signature. */
  readonly algorithm: string
  /** Whether the request is signed with its key. */
  isSigned(): boolean
}

export const commonNameId = '2.5.4.3'
export const organizationId = '2.5.4.10'
const extensionRequest = objectIdentifier('1.2.840.113549.1.9.14')
const subjectAltName = objectIdentifier('2.5.29.17')

const sequenceTag = 0x30
const stringTags = new Set([0x0c, 0x12, 0x13, 0x14, 0x16, 0x1e])
const bmpString = 0x1e
const nameTags = { email: 0x81, dns: 0x82, uri: 0x86, ip: 0x87 } as const

/** By the object identifier of the signature algorithm: the hash; null if the algorithm has its own. */
const hashes: readonly (readonly [string, string | null])[] = [
  ['1.2.840.10045.4.3.2', 'sha256'],
  ['1.2.840.10045.4.3.3', 'sha384'],
  ['1.2.840.10045.4.3.4', 'sha512'],
  ['1.2.840.113549.1.1.11', 'sha256'],
  ['1.2.840.113549.1.1.12', 'sha384'],
  ['1.2.840.113549.1.1.13', 'sha512'],
  ['1.3.101.112', null],
]

/** `text` is PEM. */
export function readCertificateRequest(text: string): CertificateRequest | undefined {
  const block = firstPemBlock(text)
  const outer = block?.type === 'CERTIFICATE REQUEST' ? readDer(Buffer.from(block.body, 'base64'), 0) : undefined
  if (outer?.tag !== sequenceTag) return undefined
  const [info, algorithm, signature] = derElements(outer.content)
  if (info === undefined || algorithm === undefined || signature === undefined) return undefined
  const [version, subject, publicKey, attributes] = derElements(info.content)
  if (version === undefined || subject?.tag !== sequenceTag || publicKey?.tag !== sequenceTag) return undefined
  const names = readSubject(subject)
  return {
    subject: names,
    commonName: names.get(commonNameId)?.at(-1) ?? '',
    organizations: names.get(organizationId) ?? [],
    ...readAltNames(attributes),
    publicKey: publicKey.whole,
    algorithm: dotted(derElements(algorithm.content)[0]?.content ?? new Uint8Array()),
    isSigned: () => isSigned(info.whole, publicKey.whole, algorithm, signature),
  }
}

/** Attributes whose value is no string are left out. */
function readSubject(subject: DerElement): Map<string, string[]> {
  const found = new Map<string, string[]>()
  for (const set of derElements(subject.content)) {
    for (const attribute of derElements(set.content)) {
      const [type, value] = derElements(attribute.content)
      if (type === undefined || value === undefined || !stringTags.has(value.tag)) continue
      const id = dotted(type.content)
      const values = found.get(id)
      if (values === undefined) found.set(id, [stringOf(value)])
      else values.push(stringOf(value))
    }
  }
  return found
}

/** Identifiers of subjects are short: each arc fits a number. */
function dotted(content: Uint8Array): string {
  const arcs: number[] = []
  let arc = 0
  for (const byte of content) {
    arc = arc * 128 + (byte & 0x7f)
    if (byte >= 0x80) continue
    arcs.push(arc)
    arc = 0
  }
  const [first = 0, ...rest] = arcs
  const top = Math.min(2, Math.floor(first / 40))
  return [top, first - top * 40, ...rest].join('.')
}

function stringOf({ tag, content }: DerElement): string {
  const bytes = Buffer.from(content)
  return tag === bmpString
    ? bytes
        .subarray(0, bytes.length & ~1)
        .swap16()
        .toString('utf16le')
    : bytes.toString('utf8')
}

type AltNames = Pick<CertificateRequest, 'dnsNames' | 'emailAddresses' | 'ipAddresses' | 'uris'>

function readAltNames(attributes: DerElement | undefined): AltNames {
  const names = {
    dnsNames: [] as string[],
    emailAddresses: [] as string[],
    ipAddresses: [] as Buffer[],
    uris: [] as string[],
  }
  for (const extension of requestedExtensions(attributes)) {
    const parts = derElements(extension.content)
    const value = parts.at(-1)
    if (parts[0] === undefined || !subjectAltName.equals(parts[0].whole) || value === undefined) continue
    const list = readDer(Buffer.from(value.content), 0)
    for (const { tag, content } of list === undefined ? [] : derElements(list.content)) {
      const text = Buffer.from(content).toString('latin1')
      if (tag === nameTags.dns) names.dnsNames.push(text)
      else if (tag === nameTags.email) names.emailAddresses.push(text)
      else if (tag === nameTags.uri) names.uris.push(text)
      else if (tag === nameTags.ip) names.ipAddresses.push(Buffer.from(content))
    }
  }
  return names
}

function requestedExtensions(attributes: DerElement | undefined): readonly DerElement[] {
  for (const attribute of attributes === undefined ? [] : derElements(attributes.content)) {
    const [type, values] = derElements(attribute.content)
    if (type === undefined || values === undefined || !extensionRequest.equals(type.whole)) continue
    const [extensions] = derElements(values.content)
    return extensions === undefined ? [] : derElements(extensions.content)
  }
  return []
}

function isSigned(info: Uint8Array, publicKey: Uint8Array, algorithm: DerElement, signature: DerElement): boolean {
  const [id] = derElements(algorithm.content)
  const known = hashes.find(([each]) => id !== undefined && objectIdentifier(each).equals(id.whole))
  if (known === undefined) return false
  try {
    const key = createPublicKey({ key: Buffer.from(publicKey), format: 'der', type: 'spki' })
    // The first byte of a bit string is the number of unused bits.
    return verify(known[1], info, key, signature.content.subarray(1))
  } catch {
    return false
  }
}
