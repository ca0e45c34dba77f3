import { X509Certificate } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { inProcessTransport } from '../client/in-process-transport.ts'
import { RestClient } from '../client/rest-client.ts'
import { createControlPlane, type ControlPlane } from '../controlplane/index.ts'
import { simulatedEnv, type SimulatedEnv } from '../env/simulated.ts'
import { Secret } from '../schema/builtin/kinds.ts'
import {
  fileCertificates,
  memoryCertificates,
  renewed,
  secretCertificates,
  type CertificateSource,
  type ServingCertificate,
} from './certificates.ts'

const day = 24 * 60 * 60 * 1000
const hosts = ['shop-webhooks.shops.svc', 'shop-webhooks.shops.svc.cluster.local']
const key = { namespace: 'default', name: 'shop-webhooks' }

let env: SimulatedEnv
let plane: ControlPlane
let client: RestClient
beforeEach(() => {
  env = simulatedEnv()
  plane = createControlPlane({ env })
  client = new RestClient({ env, transport: inProcessTransport(plane.transport()), timeoutMs: 0 })
})
afterEach(() => plane.close())

const source = (): CertificateSource => secretCertificates({ env, client, ...key, hosts })

/** Whether a client with these CAs trusts the certificate now. */
function isBelieved({ cert }: Pick<ServingCertificate, 'cert'>, ca: string): boolean {
  const leaf = new X509Certificate(cert)
  const isValid = (each: X509Certificate): boolean =>
    Date.parse(each.validFrom) <= env.now() && env.now() < Date.parse(each.validTo)
  const authorities = (ca.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? []).map(
    (pem) => new X509Certificate(pem),
  )
  return (
    isValid(leaf) &&
    authorities.some((each) => isValid(each) && leaf.verify(each.publicKey)) &&
    hosts.every((host) => leaf.checkHost(host) === host)
  )
}

describe('certificates in a Secret', () => {
  it('certificates in a Secret are issued once, also when replicas start at the same time', async () => {
    const [a, b, c] = await Promise.all([source().current(), source().current(), source().current()])
    expect(b).toEqual(a)
    expect(c).toEqual(a)
    expect(isBelieved(a, a.ca)).toBe(true)
    const secret = await client.get(Secret, key)
    expect(Object.keys(secret.data ?? {}).sort()).toEqual(['ca.crt', 'ca.key', 'tls.crt', 'tls.key'])
    await source().current()
    expect((await client.get(Secret, key)).metadata.resourceVersion).toBe(secret.metadata.resourceVersion)
  })

  it('certificates in a Secret are renewed in time, and trusted before they are served', async () => {
    const copies = [source(), source()]
    let reported = await (copies[0] as CertificateSource).current()
    let [leaves, authorities] = [0, 0]
    for (let days = 0; days < 3650; days += 10) {
      env.advance(10 * day)
      const now = await (copies[days % 20 === 0 ? 0 : 1] as CertificateSource).current()
      // A client that got its CAs at the last check trusts the current certificate.
      expect(isBelieved(now, reported.ca), `day ${days}`).toBe(true)
      // A client that gets its CAs now trusts the certificate that other replicas still present.
      expect(isBelieved(reported, now.ca), `day ${days}`).toBe(true)
      if (now.cert !== reported.cert) leaves++
      if (now.ca !== reported.ca) authorities++
      reported = now
    }
    expect(leaves).toBeGreaterThan(50)
    expect(leaves).toBeLessThan(75)
    expect(authorities).toBeGreaterThanOrEqual(6)
    expect(reported.ca.match(/BEGIN/g)?.length).toBeLessThanOrEqual(2)
  })

  it('certificates in a Secret that are broken, or for other names, are issued again', async () => {
    const first = await source().current()
    await client.patch(Secret, key, {
      type: 'merge',
      patch: { data: { 'tls.crt': Buffer.from('nonsense').toString('base64') } },
    })
    const second = await source().current()
    expect(second.cert).not.toBe(first.cert)
    expect(isBelieved(second, second.ca)).toBe(true)
    const third = await secretCertificates({ env, client, ...key, hosts: ['other.svc'] }).current()
    expect(new X509Certificate(third.cert).checkHost('other.svc')).toBe('other.svc')
    expect(third.ca).toBe(second.ca)
    await client.patch(Secret, key, { type: 'merge', patch: { data: null } })
    expect(isBelieved(await source().current(), (await source().current()).ca)).toBe(true)
  })
})

it('certificates in memory are renewed, too, and may be for an address', async () => {
  const certificates = memoryCertificates(env, ['127.0.0.1'])
  const first = await certificates.current()
  expect(await certificates.current()).toBe(first)
  env.advance(61 * day)
  const second = await certificates.current()
  expect(second.cert).not.toBe(first.cert)
  expect(new X509Certificate(second.cert).checkIP('127.0.0.1')).toBe('127.0.0.1')
})

it('certificates in files are taken as they are, and again when they have changed', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'coxswain-certs-'))
  try {
    const write = (): ServingCertificate => {
      const made = renewed(env, undefined, hosts)
      writeFileSync(join(folder, 'tls.crt'), made.cert)
      writeFileSync(join(folder, 'tls.key'), made.key)
      return made
    }
    const certificates = fileCertificates(env, folder)
    await expect(certificates.current()).rejects.toThrow('ENOENT')
    const first = write()
    expect((await certificates.current()).cert).toBe(first.cert.trim())
    const second = write()
    env.advance(61_000)
    expect((await certificates.current()).cert).toBe(second.cert.trim())
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})
