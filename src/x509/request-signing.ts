/**
 * Signs certificate requests as kube-controller-manager does: the subject, the alternative names and the key come from
 * the request, usages and validity from the policy; no other extension of the request is kept.
 */
import { X509Certificate } from 'node:crypto'
import type { Env } from '../env/env.ts'
import { certificateSigner, encodeCertificate, encodeExtension, type CertificateAuthority } from './certificate.ts'
import { commonNameId, organizationId, readCertificateRequest, type CertificateRequest } from './certificate-request.ts'
import { derElement, derImplicit, derSequence, derSet, namedBits, objectIdentifier, utf8String } from './der.ts'

export interface SigningPolicy {
  /** Names of CertificateSigningRequests: `client auth`, `digital signature`. Unknown ones throw. */
  readonly usages: readonly string[]
  readonly validMs: number
}

/** Returns the certificate of a request; both are PEM. Throws for a request that is malformed or not signed. */
export type SignRequest = (request: string, policy: SigningPolicy) => string

/** Certificates are valid from five minutes ago, for clocks that are behind. */
const backdatedMs = 5 * 60 * 1000
/** Of certificates with a shorter validity, the end is not moved back. */
const shortMs = 8 * 60 * 60 * 1000

/** `authority` is called for each request. */
export function requestSigner(env: Env, authority: () => CertificateAuthority): SignRequest {
  return (text, policy) => {
    const request = readCertificateRequest(text)
    if (request === undefined) throw new Error('unable to parse certificate request')
    if (!request.isSigned()) throw new Error('unable to verify certificate request signature')
    return sign(env, authority(), request, policy)
  }
}

function sign(
  env: Env,
  ca: CertificateAuthority,
  request: CertificateRequest,
  { usages, validMs }: SigningPolicy,
): string {
  const now = env.now()
  const signer = certificateSigner(ca)
  const subject = encodeSubject(request)
  const authorityEndsMs = Date.parse(new X509Certificate(ca.caCert).validTo)
  if (now >= authorityEndsMs) throw new Error('the signer has expired')
  const endMs = validMs < shortMs ? now + validMs : now + validMs - backdatedMs
  return encodeCertificate({
    env,
    validFromMs: now - backdatedMs,
    validToMs: Math.min(endMs, authorityEndsMs),
    issuer: signer.name,
    subject,
    publicKey: request.publicKey,
    signingKey: signer.key,
    extensions: [
      ...usageExtensions(usages),
      encodeExtension('2.5.29.19', true, derSequence()),
      encodeExtension('2.5.29.35', false, derSequence(derImplicit(0, signer.keyId))),
      ...altNameExtension(request, subject.length === derSequence().length),
    ],
  })
}

/** In the order of the certificate, each with all its values in one set. Other attributes are left out. */
const subjectAttributes = [
  '2.5.4.6',
  '2.5.4.8',
  '2.5.4.7',
  '2.5.4.9',
  '2.5.4.17',
  organizationId,
  '2.5.4.11',
  commonNameId,
  '2.5.4.5',
]
/** Attributes with one value: the last one counts. */
const singleAttributes = new Set([commonNameId, '2.5.4.5'])

function encodeSubject({ subject }: CertificateRequest): Buffer {
  const sets: Buffer[] = []
  for (const id of subjectAttributes) {
    const values = subject.get(id) ?? []
    const used = singleAttributes.has(id) ? values.slice(-1).filter((value) => value !== '') : values
    const encoded = used.map((value) => derSequence(objectIdentifier(id), directoryString(value)))
    if (encoded.length > 0) sets.push(derSet(...encoded.sort((a, b) => a.compare(b))))
  }
  return derSequence(...sets)
}

const printable = /^[A-Za-z0-9 '()+,./:=?-]*$/

function directoryString(text: string): Buffer {
  return printable.test(text) ? derElement(0x13, Buffer.from(text, 'latin1')) : utf8String(text)
}

/** By the name of the usage, its bit. */
const keyUsages = new Map([
  ['signing', 0],
  ['digital signature', 0],
  ['content commitment', 1],
  ['key encipherment', 2],
  ['data encipherment', 3],
  ['key agreement', 4],
  ['cert sign', 5],
  ['crl sign', 6],
  ['encipher only', 7],
  ['decipher only', 8],
])

/** By the name of the usage, its object identifier, in the order of the certificate. */
const extendedKeyUsages = new Map([
  ['any', '2.5.29.37.0'],
  ['server auth', '1.3.6.1.5.5.7.3.1'],
  ['client auth', '1.3.6.1.5.5.7.3.2'],
  ['code signing', '1.3.6.1.5.5.7.3.3'],
  ['email protection', '1.3.6.1.5.5.7.3.4'],
  ['s/mime', '1.3.6.1.5.5.7.3.4'],
  ['ipsec end system', '1.3.6.1.5.5.7.3.5'],
  ['ipsec tunnel', '1.3.6.1.5.5.7.3.6'],
  ['ipsec user', '1.3.6.1.5.5.7.3.7'],
  ['timestamping', '1.3.6.1.5.5.7.3.8'],
  ['ocsp signing', '1.3.6.1.5.5.7.3.9'],
  ['microsoft sgc', '1.3.6.1.4.1.311.10.3.3'],
  ['netscape sgc', '2.16.840.1.113730.4.1'],
])

function usageExtensions(usages: readonly string[]): Buffer[] {
  const unknown = usages.filter((usage) => !keyUsages.has(usage) && !extendedKeyUsages.has(usage))
  if (unknown.length > 0) throw new Error(`unrecognized usage values: ${JSON.stringify(unknown)}`)
  const bits = usages.flatMap((usage) => keyUsages.get(usage) ?? [])
  const wanted = [...extendedKeyUsages].filter(([usage]) => usages.includes(usage)).map(([, id]) => id)
  const extensions: Buffer[] = []
  if (bits.length > 0) extensions.push(encodeExtension('2.5.29.15', true, namedBits(...bits)))
  if (wanted.length > 0) {
    const ids = [...new Set(wanted)].map((id) => objectIdentifier(id))
    extensions.push(encodeExtension('2.5.29.37', false, derSequence(...ids)))
  }
  return extensions
}

/** Critical if nothing else names the holder. */
function altNameExtension(request: CertificateRequest, isCritical: boolean): Buffer[] {
  const { dnsNames, emailAddresses, ipAddresses, uris } = request
  const names = [
    ...dnsNames.map((name) => derImplicit(2, Buffer.from(name, 'latin1'))),
    ...emailAddresses.map((name) => derImplicit(1, Buffer.from(name, 'latin1'))),
    ...ipAddresses.map((address) => derImplicit(7, address)),
    ...uris.map((uri) => derImplicit(6, Buffer.from(uri, 'latin1'))),
  ]
  return names.length === 0 ? [] : [encodeExtension('2.5.29.17', isCritical, derSequence(...names))]
}
