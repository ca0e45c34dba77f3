/**
 * Certificates of a webhook server, and the CAs that its callers must trust.
 *
 * In a cluster all replicas share them in a Secret. The first replica that finds one due renews it there; a replica
 * whose write conflicts uses the other's. A CA is renewed in two steps, one check apart: first callers get the new CA
 * beside the current one, then the server presents a certificate of it. So no caller gets a certificate that it does
 * not trust yet.
 */
import { X509Certificate } from 'node:crypto'
import { isIP } from 'node:net'
import { isAlreadyExists, isConflict, isNotFound } from '../api/error-reasons.ts'
import type { ApiObject, Live } from '../api/live-object.ts'
import type { Client } from '../client/client.ts'
import { FileSource } from '../client/file-source.ts'
import { issueCertificateAuthority, issueServerCertificate } from '../x509/certificate.ts'
import type { Env } from '../env/env.ts'
import { Secret } from '../schema/builtin/kinds.ts'
import type { KeyPair } from './webhook-server.ts'

/** PEM. `ca`: one or more certificates, the newest first. */
export interface ServingCertificate extends KeyPair {
  readonly ca: string
}

/** The stored form. `caKey` is the key of the first CA. */
export interface KeptCertificates extends ServingCertificate {
  readonly caKey: string
}

export interface CertificateSource {
  /** The certificate to present now. Renews certificates that are due. */
  current(signal?: AbortSignal): Promise<ServingCertificate>
}

const dayMs = 24 * 60 * 60 * 1000
const authority = { days: 730, renewedBefore: 180 * dayMs }
const serving = { days: 90, renewedBefore: 30 * dayMs }

/** The certificates to store from now on; the same value if nothing is due. */
export function renewed(env: Env, kept: KeptCertificates | undefined, hosts: readonly string[]): KeptCertificates {
  if (kept === undefined || !isUsable(kept)) return issued(env, newAuthority(env), hosts)
  const [first, ...older] = certificatesOf(kept.ca) as [string, ...string[]]
  if (endOf(first) - env.now() < authority.renewedBefore) {
    const { caCert, caKey } = newAuthority(env)
    const stillTrusted = [first, ...older].filter((pem) => endOf(pem) > env.now())
    return { ...kept, ca: [caCert, ...stillTrusted].map(withNewline).join(''), caKey }
  }
  const leaf = new X509Certificate(kept.cert)
  const isOfFirst = leaf.verify(new X509Certificate(first).publicKey)
  if (isOfFirst && endOf(kept.cert) - env.now() >= serving.renewedBefore && hosts.every((host) => covers(leaf, host)))
    return kept
  return issued(env, { ca: kept.ca, caCert: first, caKey: kept.caKey }, hosts)
}

interface Authority {
  readonly caCert: string
  readonly caKey: string
  /** All trusted CAs. Default: only the signing one. */
  readonly ca?: string
}

function newAuthority(env: Env): Authority {
  return issueCertificateAuthority(env, authority.days)
}

function issued(env: Env, { caCert, caKey, ca = caCert }: Authority, hosts: readonly string[]): KeptCertificates {
  const { cert, key } = issueServerCertificate({ env, hosts, validDays: serving.days, ca: { caCert, caKey } })
  return { ca, caKey, cert, key }
}

/** The Secret may contain anything. */
function isUsable({ ca, cert, key, caKey }: KeptCertificates): boolean {
  try {
    const authorities = certificatesOf(ca)
    const areAuthorities = authorities.length > 0 && authorities.every((pem) => new X509Certificate(pem).ca)
    return areAuthorities && new X509Certificate(cert).serialNumber !== '' && key !== '' && caKey !== ''
  } catch {
    return false
  }
}

function certificatesOf(pems: string): readonly string[] {
  return pems.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? []
}

function withNewline(pem: string): string {
  return pem.endsWith('\n') ? pem : `${pem}\n`
}

function endOf(pem: string): number {
  return Date.parse(new X509Certificate(pem).validTo)
}

function covers(leaf: X509Certificate, host: string): boolean {
  return (isIP(host) === 0 ? leaf.checkHost(host) : leaf.checkIP(host)) !== undefined
}

/** For a single server, as in a local run: stored in memory. */
export function memoryCertificates(env: Env, hosts: readonly string[]): CertificateSource {
  let kept: KeptCertificates | undefined
  return { current: () => Promise.resolve((kept = renewed(env, kept, hosts))) }
}

/** `tls.crt` and `tls.key` of a folder. Another program renews them and distributes their CA. Reread after a minute. */
export function fileCertificates(env: Env, folder: string): CertificateSource {
  const [cert, key] = ['tls.crt', 'tls.key'].map((name) => new FileSource(env, `${folder}/${name}`)) as [
    FileSource,
    FileSource,
  ]
  return { current: async () => ({ cert: await cert.read(), key: await key.read(), ca: '' }) }
}

export interface SecretCertificateOptions {
  readonly env: Env
  readonly client: Client
  readonly namespace: string
  readonly name: string
  readonly hosts: readonly string[]
}

export function secretCertificates({
  env,
  client,
  namespace,
  name,
  hosts,
}: SecretCertificateOptions): CertificateSource {
  const key = { namespace, name }
  const attempt = async (signal: AbortSignal | undefined): Promise<ServingCertificate> => {
    const secret = await found(client, key, signal)
    const kept = secret === undefined ? undefined : readSecret(secret)
    const wanted = renewed(env, kept, hosts)
    if (wanted === kept) return kept
    const data = secretData(wanted)
    const made = { type: 'Opaque', data }
    if (secret === undefined) await client.create(Secret, { metadata: key, ...made }, { signal })
    else {
      const { resourceVersion, uid } = secret.metadata
      await client.update(Secret, { metadata: { ...key, resourceVersion, uid }, ...made }, { signal })
    }
    return wanted
  }
  return {
    async current(signal) {
      for (let races = 0; ; races++) {
        try {
          return await attempt(signal)
        } catch (error) {
          if (races >= 5 || (!isConflict(error) && !isAlreadyExists(error))) throw error
        }
      }
    },
  }
}

type SecretObject = Live<Secret & ApiObject>

async function found(
  client: Client,
  key: { readonly namespace: string; readonly name: string },
  signal: AbortSignal | undefined,
): Promise<SecretObject | undefined> {
  try {
    return await client.get(Secret, key, { signal })
  } catch (error) {
    if (isNotFound(error)) return undefined
    throw error
  }
}

function readSecret({ data = {} }: SecretObject): KeptCertificates {
  const text = (name: string): string => Buffer.from(data[name] ?? '', 'base64').toString('utf8')
  return { ca: text('ca.crt'), caKey: text('ca.key'), cert: text('tls.crt'), key: text('tls.key') }
}

function secretData({ ca, caKey, cert, key }: KeptCertificates): Record<string, string> {
  const entries = { 'ca.crt': ca, 'ca.key': caKey, 'tls.crt': cert, 'tls.key': key }
  return Object.fromEntries(Object.entries(entries).map(([name, pem]) => [name, Buffer.from(pem).toString('base64')]))
}
