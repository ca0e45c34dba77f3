/** What is wrong with the text of a certificate request, in the words of Go's crypto/x509. */
import { createPublicKey } from 'node:crypto'
import { readCertificateRequest } from './certificate-request.ts'
import { derElements, objectIdentifier, readDer, type DerElement } from './der.ts'
import { asn1Problem, type Asn1Type } from './go-asn1.ts'
import { firstPemBlock } from './pem-block.ts'

const integer: Asn1Type = { is: 'integer' }
const bits: Asn1Type = { is: 'bits' }
const identifier: Asn1Type = { is: 'identifier' }
const raw: Asn1Type = { is: 'raw' }
const struct = (name: string, ...fields: readonly Asn1Type[]): Asn1Type => ({
  is: 'struct',
  name,
  fields: fields.map((type) => ({ type })),
})
const algorithm: Asn1Type = {
  is: 'struct',
  name: 'AlgorithmIdentifier',
  fields: [{ type: identifier }, { type: raw, optional: true }],
}
const certificateRequest = struct(
  'certificateRequest',
  {
    is: 'struct',
    name: 'tbsCertificateRequest',
    fields: [
      { type: integer },
      { type: raw },
      { type: struct('publicKeyInfo', algorithm, bits) },
      { type: { is: 'list', name: '', items: raw }, tag: 0 },
    ],
  },
  algorithm,
  bits,
)
const attribute = struct('AttributeTypeAndValue', identifier, { is: 'any' })
const subjectNames: Asn1Type = {
  is: 'list',
  name: 'RDNSequence',
  items: { is: 'list', name: 'RelativeDistinguishedNameSET', items: attribute, isSet: true },
}
const requestAttribute = struct('pkcs10Attribute', identifier, { is: 'list', name: '', items: raw, isSet: true })
const requestedExtensions: Asn1Type = {
  is: 'list',
  name: '',
  items: {
    is: 'struct',
    name: 'Extension',
    fields: [{ type: identifier }, { type: { is: 'boolean' }, optional: true }, { type: { is: 'bytes' } }],
  },
}
const extensionRequest = objectIdentifier('1.2.840.113549.1.9.14')

/** Undefined if the request can be read and is signed. The content of its extensions is not checked. */
export function certificateRequestProblem(text: string): string | undefined {
  return structureProblem(text) ?? signatureProblem(text)
}

function structureProblem(text: string): string | undefined {
  const block = firstPemBlock(text)
  if (block?.type !== 'CERTIFICATE REQUEST') return 'PEM block type must be CERTIFICATE REQUEST'
  const der = Buffer.from(block.body, 'base64')
  const problem = asn1Problem(der, certificateRequest)
  const [info] = problem === undefined ? derElements(readDer(der, 0)?.content ?? der) : []
  if (info === undefined) return problem
  const [, subject, key, attributes] = derElements(info.content)
  return (
    (key === undefined ? undefined : keyProblem(key)) ??
    (subject === undefined ? undefined : asn1Problem(subject.whole, subjectNames)) ??
    (attributes === undefined ? undefined : extensionsProblem(attributes))
  )
}

const uncompressed = 4
const ellipticKey = objectIdentifier('1.2.840.10045.2.1')
const curves = new Map(
  [
    ['1.3.132.0.33', 'P224'],
    ['1.2.840.10045.3.1.7', 'P256'],
    ['1.3.132.0.34', 'P384'],
    ['1.3.132.0.35', 'P521'],
  ].map(([id = '', name]) => [objectIdentifier(id).toString('hex'), name]),
)

/** Of keys on elliptic curves: the others are checked with the signature. */
function keyProblem(key: DerElement): string | undefined {
  const [algorithmOf, point] = derElements(key.content)
  const [type, parameters] = derElements(algorithmOf?.content ?? key.content)
  if (type === undefined || !ellipticKey.equals(type.whole)) return undefined
  if (parameters === undefined || asn1Problem(parameters.whole, identifier) !== undefined)
    return 'x509: invalid ECDSA parameters'
  const curve = curves.get(Buffer.from(parameters.whole).toString('hex'))
  if (curve === undefined) return 'x509: unsupported elliptic curve'
  // Behind the number of unused bits.
  if (point?.content[1] !== uncompressed) return 'ecdsa: invalid uncompressed public key'
  return isKey(key.whole) ? undefined : `${curve} point not on curve`
}

function isKey(der: Uint8Array = new Uint8Array()): boolean {
  try {
    createPublicKey({ key: Buffer.from(der), format: 'der', type: 'spki' })
    return true
  } catch {
    return false
  }
}

/** By the identifier of the algorithm. */
const failures = new Map([
  ...['1.2.840.10045.4.3.2', '1.2.840.10045.4.3.3', '1.2.840.10045.4.3.4'].map(
    (id) => [id, 'x509: ECDSA verification failure'] as const,
  ),
  ...['1.2.840.113549.1.1.11', '1.2.840.113549.1.1.12', '1.2.840.113549.1.1.13'].map(
    (id) => [id, 'crypto/rsa: verification error'] as const,
  ),
  ['1.3.101.112', 'x509: Ed25519 verification failure'],
])

function signatureProblem(text: string): string | undefined {
  const request = readCertificateRequest(text)
  if (request?.isSigned() === true) return undefined
  const failure = isKey(request?.publicKey) ? failures.get(request?.algorithm ?? '') : undefined
  return failure ?? 'x509: cannot verify signature: algorithm unimplemented'
}

/** Attributes that cannot be read are ignored, as upstream does. */
function extensionsProblem(attributes: DerElement): string | undefined {
  const seen = new Set<string>()
  for (const each of derElements(attributes.content)) {
    if (asn1Problem(each.whole, requestAttribute) !== undefined) continue
    const [type, values] = derElements(each.content)
    const [list] = values === undefined ? [] : derElements(values.content)
    if (type === undefined || list === undefined || !extensionRequest.equals(type.whole)) continue
    const problem = asn1Problem(list.whole, requestedExtensions)
    if (problem !== undefined) return problem
    for (const extension of derElements(list.content)) {
      const id = Buffer.from(derElements(extension.content)[0]?.whole ?? []).toString('hex')
      if (seen.size === seen.add(id).size) return 'x509: certificate request contains duplicate requested extensions'
    }
  }
  return undefined
}
