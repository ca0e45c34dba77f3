import { createPrivateKey, X509Certificate } from 'node:crypto'
import type { AddressInfo } from 'node:net'
import type { PeerCertificate, TLSSocket } from 'node:tls'
import { connect, createServer } from 'node:tls'
import { describe, expect, it } from 'vitest'
import { realEnv } from '../env/real.ts'
import { simulatedEnv } from '../env/simulated.ts'
import { issueCertificateAuthority, issueClientCertificate, issueServerCertificate } from './certificate.ts'

const addresses = ['127.0.0.1', '::1', '2001:db8::1:0:0:2']
const hosts = ['localhost', 'kubernetes.default.svc', '*.example.org', ...addresses]

describe('a server certificate', () => {
  const issued = issueServerCertificate({ env: simulatedEnv(), hosts })
  const ca = new X509Certificate(issued.caCert)
  const leaf = new X509Certificate(issued.cert)

  it('a server certificate is signed by its authority, which signed itself', () => {
    expect(leaf.verify(ca.publicKey)).toBe(true)
    expect(leaf.checkIssued(ca)).toBe(true)
    expect(ca.verify(ca.publicKey)).toBe(true)
    expect(ca.checkIssued(ca)).toBe(true)
    expect([ca.ca, leaf.ca]).toEqual([true, false])
    expect(leaf.checkPrivateKey(createPrivateKey(issued.key))).toBe(true)
    expect(ca.checkPrivateKey(createPrivateKey(issued.caKey))).toBe(true)
    const stranger = new X509Certificate(issueCertificateAuthority(simulatedEnv()).caCert)
    expect(leaf.verify(stranger.publicKey)).toBe(false)
    // Same name, different key: only the key identifier differs.
    expect(stranger.subject).toBe(ca.subject)
    expect(leaf.checkIssued(stranger)).toBe(false)
  })

  it('a server certificate names its hosts and no others', () => {
    expect(leaf.checkHost('localhost')).toBe('localhost')
    expect(leaf.checkHost('kubernetes.default.svc')).toBe('kubernetes.default.svc')
    expect(leaf.checkHost('www.example.org')).toBe('*.example.org')
    expect(leaf.checkHost('example.org')).toBeUndefined()
    for (const ip of addresses) expect(leaf.checkIP(ip)).toBe(ip)
    expect(leaf.checkIP('127.0.0.2')).toBeUndefined()
    expect(leaf.checkIP('::2')).toBeUndefined()
  })

  it('a server certificate may serve, and nothing else', () => {
    expect(leaf.keyUsage).toEqual(['1.3.6.1.5.5.7.3.1'])
  })

  it('a server certificate is valid from an hour ago for a year, its authority for ten', () => {
    expect(new Date(leaf.validFrom).toISOString()).toBe('2025-12-31T23:00:00.000Z')
    expect(new Date(leaf.validTo).toISOString()).toBe('2027-01-01T00:00:00.000Z')
    expect(new Date(ca.validTo).toISOString()).toBe('2035-12-30T00:00:00.000Z')
    const long = issueServerCertificate({ env: simulatedEnv(), hosts, validDays: 36_500 })
    expect(new Date(new X509Certificate(long.cert).validTo).toISOString()).toBe('2125-12-08T00:00:00.000Z')
    expect(new Date(new X509Certificate(long.caCert).validTo).toISOString()).toBe('2125-12-08T00:00:00.000Z')
  })

  it('a server certificate has a serial number of its own', () => {
    expect(leaf.serialNumber).toMatch(/^[4-7][0-9A-F]{31}$/)
    expect(leaf.serialNumber).not.toBe(ca.serialNumber)
  })

  it('a server certificate can come from an authority that exists', () => {
    const again = issueServerCertificate({ env: simulatedEnv({ seed: 2 }), hosts: ['localhost'], ca: issued })
    expect([again.caCert, again.caKey]).toEqual([issued.caCert, issued.caKey])
    const cert = new X509Certificate(again.cert)
    expect(cert.checkIssued(ca) && cert.verify(ca.publicKey)).toBe(true)
  })

  it('a server certificate writes addresses and names as they are meant', () => {
    const given = ['::', 'fe80::', '1:2:3:4:5:6:7:8', '::ffff:10.0.0.1', 'bücher.example', 'UPPER.example']
    const cert = new X509Certificate(issueServerCertificate({ env: simulatedEnv(), hosts: given }).cert)
    expect(cert.subjectAltName?.split(', ')).toEqual([
      'IP Address:0:0:0:0:0:0:0:0',
      'IP Address:FE80:0:0:0:0:0:0:0',
      'IP Address:1:2:3:4:5:6:7:8',
      'IP Address:0:0:0:0:0:FFFF:A00:1',
      'DNS:xn--bcher-kva.example',
      'DNS:upper.example',
    ])
  })

  it('a server certificate refuses what is no host', () => {
    const names = ['', 'a b', 'a..b', '*', 'http://x', 'x:1', 'a'.repeat(64), 'a\u0000b', '-a', 'a.1']
    const ipv4 = ['256.0.0.1', '1.2.3', '01.2.3.4', '1.2.3.4.5', '1.2.3.4.']
    const ipv6 = ['fe80::1%eth0', '::1::', ':1', '1:2', '::1]/x[', '::1.2.3']
    for (const host of [...names, ...ipv4, ...ipv6]) {
      expect(() => issueServerCertificate({ env: simulatedEnv(), hosts: [host] }), host).toThrow(RangeError)
    }
    expect(() => issueServerCertificate({ env: simulatedEnv(), hosts: [] })).toThrow(RangeError)
  })
})

describe('a client certificate', () => {
  it('a client certificate carries the user and the groups', () => {
    const authority = issueCertificateAuthority(simulatedEnv())
    const issued = issueClientCertificate(authority, {
      env: simulatedEnv({ seed: 9 }),
      commonName: 'system:admin',
      organizations: ['system:masters', 'group with ünusual, name'],
    })
    const cert = new X509Certificate(issued.cert)
    const ca = new X509Certificate(authority.caCert)
    expect(cert.checkIssued(ca) && cert.verify(ca.publicKey)).toBe(true)
    expect(cert.keyUsage).toEqual(['1.3.6.1.5.5.7.3.2'])
    const subject = cert.toLegacyObject().subject
    expect(subject.CN).toBe('system:admin')
    expect(subject.O).toEqual(['system:masters', 'group with ünusual, name'])
  })
})

describe('a handshake', () => {
  const env = realEnv()
  const server = issueServerCertificate({ env, hosts: ['localhost', '127.0.0.1'] })
  const client = issueClientCertificate(server, { env, commonName: 'alice', organizations: ['dev'] })

  interface Outcome {
    error?: string
    peer?: PeerCertificate
    user?: PeerCertificate
  }

  /** One TLS connection over loopback; returns what each side learned about the other. */
  async function shake(ca: string, servername: string): Promise<Outcome> {
    const listener = createServer({
      cert: server.cert,
      key: server.key,
      ca: server.caCert,
      requestCert: true,
      rejectUnauthorized: true,
    })
    const accepted = new Promise<TLSSocket>((resolve) => listener.once('secureConnection', resolve))
    listener.on('tlsClientError', () => undefined)
    await new Promise<void>((resolve) => {
      listener.listen(0, '127.0.0.1', resolve)
    })
    try {
      const { port } = listener.address() as AddressInfo
      const options = { host: '127.0.0.1', port, ca, servername, cert: client.cert, key: client.key }
      const socket = connect(options)
      const error = await new Promise<Error | undefined>((resolve) => {
        socket.once('secureConnect', () => resolve(undefined))
        socket.once('error', resolve)
      })
      if (error !== undefined) return { error: (error as NodeJS.ErrnoException).code ?? error.message }
      const peer = socket.getPeerCertificate()
      const user = (await accepted).getPeerCertificate()
      socket.destroy()
      return { peer, user }
    } finally {
      listener.close()
    }
  }

  it('a handshake succeeds both ways with the authority known', async () => {
    const { error, peer, user } = await shake(server.caCert, 'localhost')
    expect(error).toBeUndefined()
    expect(peer?.subjectaltname).toBe('DNS:localhost, IP Address:127.0.0.1')
    expect(user?.subject).toMatchObject({ CN: 'alice', O: 'dev' })
  })

  it('a handshake fails for a name that is not in the certificate', async () => {
    expect((await shake(server.caCert, 'elsewhere')).error).toBe('ERR_TLS_CERT_ALTNAME_INVALID')
  })

  it('a handshake fails with another authority', async () => {
    const { error } = await shake(issueCertificateAuthority(env).caCert, 'localhost')
    expect(error).toBe('SELF_SIGNED_CERT_IN_CHAIN')
  })
})
