/** Certificate requests with malformed PEM and DER. */
import { servingRequest } from '../../../src/x509/testdata/requests.ts'
import type { Case, Step } from '../case.ts'
import { clusterResource } from '../steps.ts'

const requests = clusterResource('certificatesigningrequests', 'certificates.k8s.io/v1')
const create = (text: string): Step =>
  requests.create(
    {
      apiVersion: 'certificates.k8s.io/v1',
      kind: 'CertificateSigningRequest',
      metadata: { name: '{{ns}}' },
      spec: {
        request: Buffer.from(text, 'latin1').toString('base64'),
        signerName: 'example.com/s',
        usages: ['client auth'],
      },
    },
    'dryRun=All',
  )

const der = Buffer.from(servingRequest.replaceAll(/-----.*-----|\s/g, ''), 'base64')
const pem = (bytes: Uint8Array): string =>
  `-----BEGIN CERTIFICATE REQUEST-----\n${Buffer.from(bytes).toString('base64')}\n-----END CERTIFICATE REQUEST-----\n`
const changed = (at: number, byte: number): Step => {
  const bytes = Buffer.from(der)
  bytes[at] = byte
  return create(pem(bytes))
}
/** Of the headers and contents: tags, lengths, the version, names, the key, its curve and its point, the signature. */
const places = [
  0, 1, 2, 3, 4, 6, 7, 8, 9, 11, 13, 15, 16, 17, 18, 20, 22, 34, 60, 62, 64, 66, 69, 80, 90, 150, 210, 230, 270,
]
const text = pem(der)

export const signingRequestCases: readonly Case[] = [
  ...[0x80, 0x1f, 0x05].map((byte) => ({
    name: `certificate requests with a byte ${byte}`,
    steps: places.map((at) => changed(at, byte)),
  })),
  {
    name: 'certificate requests that are cut or within other text',
    steps: [
      ...[0, 1, 2, 5, 50, 200, der.length - 1].map((length) => create(pem(der.subarray(0, length)))),
      create(pem(Buffer.concat([der, Buffer.from([0])]))),
      create(pem(Buffer.from('hello'))),
      create(text),
      create(`text before\n${text}text behind`),
      create(text.replaceAll('\n', '\r\n')),
      create(text.replaceAll('REQUEST', 'REQUESTS')),
      create(text.replace('MIIB', 'M*IB')),
      create(text.replace('END CERTIFICATE REQUEST', 'END OTHER')),
      create(`${text.replaceAll('REQUEST', 'REQUESTS')}${text}`),
      create(`${text.replace('MIIB', 'M*IB')}${text}`),
    ],
  },
]
