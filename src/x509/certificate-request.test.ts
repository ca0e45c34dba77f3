import { generateKeyPairSync, X509Certificate } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { simulatedEnv } from '../env/simulated.ts'
import { issueCertificateAuthority } from './certificate.ts'
import { readCertificateRequest, type CertificateRequest } from './certificate-request.ts'
import { requestSigner } from './request-signing.ts'
import { aliceRequest, namedRequest, nodeRequest, rsaRequest, servingRequest } from './testdata/requests.ts'

const read = (text: string): CertificateRequest => readCertificateRequest(text) as CertificateRequest

describe('a certificate request', () => {
  it('a certificate request is read', () => {
    expect(read(aliceRequest)).toMatchObject({ commonName: 'alice', organizations: ['dev', 'ops'], dnsNames: [] })
    expect(read(servingRequest)).toMatchObject({ dnsNames: ['node-9'], ipAddresses: [Buffer.from([192, 0, 2, 9])] })
    const named = read(namedRequest)
    expect([...named.subject]).toEqual([
      ['2.5.4.6', ['DE']],
      ['2.5.4.8', ['BE']],
      ['2.5.4.7', ['Berlin']],
      ['2.5.4.10', ['dev']],
      ['2.5.4.11', ['a']],
      ['2.5.4.3', ['web']],
    ])
    expect(named).toMatchObject({
      dnsNames: ['web.example.org'],
      emailAddresses: ['a@example.org'],
      uris: ['spiffe://x/y'],
    })
    expect(named.ipAddresses.map(({ length }) => length)).toEqual([16])
  })

  it('a certificate request is signed with its key, or not', () => {
    for (const text of [aliceRequest, nodeRequest, rsaRequest]) expect(read(text).isSigned()).toBe(true)
    // Another common name of the same length, so that only the signature is wrong.
    const body = Buffer.from(aliceRequest.replace(/-----[^-]+-----/g, ''), 'base64')
    body.write('mallo', body.indexOf('alice'))
    const forged = `-----BEGIN CERTIFICATE REQUEST-----\n${body.toString('base64')}\n-----END CERTIFICATE REQUEST-----`
    expect(read(forged).commonName).toBe('mallo')
    expect(read(forged).isSigned()).toBe(false)
  })

  it('a certificate request that is cut or garbage is none, and does no harm', () => {
    const pem = (body: string) => `-----BEGIN CERTIFICATE REQUEST-----\n${body}\n-----END CERTIFICATE REQUEST-----`
    const body = namedRequest.replace(/-----[^-]+-----|\n/g, '')
    for (const garbage of ['', pem(''), pem('AAAA'), pem('MIAA')])
      expect(readCertificateRequest(garbage)).toBeUndefined()
    for (let cut = 4; cut < body.length; cut += 4)
      expect(readCertificateRequest(pem(body.slice(0, cut)))).toBeUndefined()
    const bytes = Buffer.from(body, 'base64')
    for (let at = 0; at < bytes.length; at++) {
      const changed = Buffer.from(bytes)
      changed[at] = (changed[at] ?? 0) ^ 0xff
      readCertificateRequest(pem(changed.toString('base64')))?.isSigned()
    }
  })
})

describe('a signed request', () => {
  const env = simulatedEnv()
  const ca = issueCertificateAuthority(env)
  const sign = requestSigner(env, () => ca)
  const hourMs = 3_600_000

  it('a signed request is a certificate of the authority, with the subject and the names of the request', () => {
    const certificate = new X509Certificate(sign(namedRequest, { usages: ['client auth', 'any'], validMs: hourMs }))
    expect(certificate.verify(new X509Certificate(ca.caCert).publicKey)).toBe(true)
    expect(certificate.ca).toBe(false)
    expect(certificate.subject).toBe('C=DE\nST=BE\nL=Berlin\nO=dev\nOU=a\nCN=web')
    expect(certificate.subjectAltName).toBe(
      'DNS:web.example.org, email:a@example.org, IP Address:2001:DB8:0:0:0:0:0:1, URI:spiffe://x/y',
    )
    expect(certificate.keyUsage).toEqual(['2.5.29.37.0', '1.3.6.1.5.5.7.3.2'])
    const several = new X509Certificate(sign(aliceRequest, { usages: ['client auth'], validMs: hourMs }))
    expect(several.subject).toBe('O=dev + O=ops\nCN=alice')
  })

  it('a signed request is valid from five minutes ago, and not longer than its authority', () => {
    const times = (validMs: number): number[] => {
      const { validFrom, validTo } = new X509Certificate(sign(rsaRequest, { usages: [], validMs }))
      return [Date.parse(validFrom) - env.now(), Date.parse(validTo) - env.now()].map((ms) => ms / 60_000)
    }
    expect(times(hourMs)).toEqual([-5, 60])
    expect(times(8 * hourMs)).toEqual([-5, 8 * 60 - 5])
    expect(times(20 * 365 * 24 * hourMs)).toEqual([-5, 3650 * 24 * 60])
  })

  it('a request that is not one, or has unknown usages, is not signed', () => {
    const { publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    const key = publicKey.export({ type: 'spki', format: 'pem' }) as string
    const policy = { usages: ['client auth'], validMs: hourMs }
    expect(() => sign(key, policy)).toThrow('unable to parse certificate request')
    expect(() => sign(aliceRequest, { ...policy, usages: ['what'] })).toThrow('unrecognized usage values: ["what"]')
    const ended = requestSigner(simulatedEnv({ start: env.now() + 3651 * 24 * hourMs }), () => ca)
    expect(() => ended(aliceRequest, policy)).toThrow('the signer has expired')
  })
})
