/** An issued certificate as text without what is random: its serial number, keys, times and signature. */
import { X509Certificate } from 'node:crypto'
import { derElements } from '../../src/x509/der.ts'

/** Identifies the key of the authority, which each cluster makes. */
const authorityKeyId = '0603551d23'

/** `base64` of PEM, as in the status of a CertificateSigningRequest. */
export function certificateText(base64: string): string {
  const certificate = new X509Certificate(Buffer.from(base64, 'base64'))
  const minutes = (Date.parse(certificate.validTo) - Date.parse(certificate.validFrom)) / 60_000
  const [signed] = derElements(new Uint8Array(certificate.raw)).flatMap(({ content }) => derElements(content))
  const fields = derElements(signed?.content ?? new Uint8Array())
  // version, serial number, algorithm, issuer, validity, subject, key, extensions
  const subject = hex(fields[5]?.whole)
  const extensions = derElements(fields[7]?.content ?? new Uint8Array())
    .flatMap(({ content }) => derElements(content))
    .map(({ content }) => hex(content))
    .map((text) => (text.startsWith(authorityKeyId) ? authorityKeyId : text))
  return [
    'CERTIFICATE',
    certificate.subject.replaceAll('\n', ', '),
    certificate.subjectAltName ?? 'no names',
    `${minutes} minutes`,
    subject,
    ...extensions,
  ].join('; ')
}

function hex(bytes: Uint8Array | undefined): string {
  return Buffer.from(bytes ?? []).toString('hex')
}
