/** Authentication by client certificate, over real sockets. */
import { X509Certificate } from 'node:crypto'
import { request } from 'node:https'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { realEnv } from '../../env/real.ts'
import type { VerifiedCertificate } from '../auth/authenticator.ts'
import {
  issueCertificateAuthority,
  issueClientCertificate,
  issueServerCertificate,
  type IssuedCertificate,
} from '../../x509/certificate.ts'
import { startListener, type Listener } from './listener.ts'

const env = realEnv()
const authority = issueCertificateAuthority(env)
const server = issueServerCertificate({ env, hosts: ['127.0.0.1'], ca: authority })

const nobody: VerifiedCertificate = { user: undefined, validFrom: 0, validUntil: 0 }

let listener: Listener
const shown: (VerifiedCertificate | undefined)[] = []

beforeEach(async () => {
  shown.length = 0
  listener = await startListener(
    {
      handle: () => ({ type: 'text', status: 200, contentType: 'text/plain', body: 'ok' }),
      authenticate: (_authorization, certificate) => {
        shown.push(certificate)
        return { name: 'x', uid: '', groups: [] }
      },
    },
    { tls: { cert: server.cert, key: server.key, clientCa: authority.caCert } },
  )
})

afterEach(() => listener.close())

async function visit(certificate?: IssuedCertificate): Promise<VerifiedCertificate | undefined> {
  await new Promise<void>((resolve, reject) => {
    const options = { ca: authority.caCert, ...(certificate && { cert: certificate.cert, key: certificate.key }) }
    const sent = request(listener.url, { ...options, agent: false }, (res) => {
      res.resume()
      res.on('end', resolve)
    })
    sent.on('error', reject)
    sent.end()
  })
  return shown.at(-1)
}

describe('client certificates', () => {
  it('client certificates are not needed', async () => {
    expect(await visit()).toBeUndefined()
  })

  it('client certificates name a user and groups', async () => {
    const certificate = await visit(
      issueClientCertificate(authority, { env, commonName: 'ada', organizations: ['dev', 'ops'] }),
    )
    expect(certificate?.user).toMatchObject({ name: 'ada', uid: '', groups: ['dev', 'ops', 'system:authenticated'] })
    expect(certificate?.user?.extra?.['authentication.kubernetes.io/credential-id']?.[0]).toMatch(
      /^X509SHA256=[0-9a-f]{64}$/,
    )
    expect((certificate?.validUntil ?? 0) - env.now()).toBeGreaterThan(364 * 24 * 3600 * 1000)
  })

  it('client certificates of another authority are nobody, and are told apart from none', async () => {
    const other = issueCertificateAuthority(env)
    expect(await visit(issueClientCertificate(other, { env, commonName: 'ada' }))).toEqual(nobody)
  })

  it('client certificates that were changed after they were signed are nobody', async () => {
    const { cert, key } = issueClientCertificate(authority, { env, commonName: 'ada' })
    const forged = Buffer.from(new X509Certificate(cert).raw)
    forged.write('eve', forged.lastIndexOf('ada'))
    expect(new X509Certificate(forged).subject).toBe('CN=eve')
    expect(await visit({ cert: new X509Certificate(forged).toString(), key })).toEqual(nobody)
  })

  it('client certificates tell from when to when they are valid', async () => {
    const certificate = await visit(issueClientCertificate(authority, { env, commonName: 'ada', validDays: 1 }))
    const { validFrom = 0, validUntil = 0 } = certificate ?? {}
    expect(validFrom).toBeLessThan(env.now())
    expect(validUntil - validFrom).toBe(25 * 3600 * 1000)
  })

  it('client certificates of servers do not log in', async () => {
    expect((await visit(server))?.user).toBeUndefined()
    expect(shown.at(-1)).toBeDefined()
  })

  it('client certificates without a name count as none', async () => {
    expect(
      await visit(issueClientCertificate(authority, { env, commonName: '', organizations: ['dev'] })),
    ).toBeUndefined()
  })
})
