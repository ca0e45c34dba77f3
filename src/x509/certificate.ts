/**
 * Certificates: a private certificate authority, and the server and client certificates that it signs.
 *
 * Everything is ECDSA on P-256 with SHA-256, which all current TLS clients support and which takes a fraction of a
 * millisecond. Validity uses the clock of the Env; keys use the machine's secure random generator.
 */
import type { KeyObject } from 'node:crypto'
import { createHash, createPrivateKey, createPublicKey, generateKeyPairSync, sign, X509Certificate } from 'node:crypto'
import { domainToASCII } from 'node:url'
import type { Env } from '../env/env.ts'
import {
  bitString,
  derBoolean,
  derChildren,
  derExplicit,
  derImplicit,
  derInteger,
  namedBits,
  objectIdentifier,
  octetString,
  pem,
  derSequence,
  derSet,
  derTime,
  utf8String,
} from './der.ts'

export interface CertificateAuthority {
  /** PEM. */
  readonly caCert: string
  /** PEM, PKCS #8. Secret: anyone who has it can authenticate as any user. */
  readonly caKey: string
}

export interface IssuedCertificate {
  /** PEM. */
  readonly cert: string
  /** PEM, PKCS #8. */
  readonly key: string
}

export interface ServerCertificateOptions {
  readonly env: Env
  /** DNS names (`*.example.org` too) and IP addresses of the server; at least one. */
  readonly hosts: readonly string[]
  /** Default 365. */
  readonly validDays?: number
  /** An authority from {@link issueCertificateAuthority}. Default: a new one. */
  readonly ca?: CertificateAuthority
}

export interface ClientCertificateOptions {
  readonly env: Env
  /** The user's name. */
  readonly commonName: string
  /** The user's groups. */
  readonly organizations?: readonly string[]
  /** Default 365. */
  readonly validDays?: number
}

const dayMs = 24 * 60 * 60 * 1000
/** Certificates are valid from one hour ago, for clients whose clocks are behind. */
const clockSkewMs = 60 * 60 * 1000
const caValidDays = 3650
const leafValidDays = 365

const commonNameType = objectIdentifier('2.5.4.3')
const organizationType = objectIdentifier('2.5.4.10')
const ecdsaWithSha256 = derSequence(objectIdentifier('1.2.840.10045.4.3.2'))
const serverAuth = objectIdentifier('1.3.6.1.5.5.7.3.1')
const clientAuth = objectIdentifier('1.3.6.1.5.5.7.3.2')

/**
 * A certificate authority that may sign servers and clients, but no further authorities. `validDays`: default ten
 * years.
 */
export function issueCertificateAuthority(env: Env, validDays: number = caValidDays): CertificateAuthority {
  return newAuthority(env, validDays).pems
}

/**
 * A serving certificate, and the authority that clients must trust. Throws a RangeError for an invalid host.
 */
export function issueServerCertificate(options: ServerCertificateOptions): CertificateAuthority & IssuedCertificate {
  const { env, hosts, ca } = options
  if (hosts.length === 0) throw new RangeError('a server certificate needs at least one host')
  const names = hosts.map(generalName)
  const validDays = options.validDays ?? leafValidDays
  // A certificate must not outlive its authority.
  const signer = ca === undefined ? newAuthority(env, Math.max(caValidDays, validDays)) : certificateSigner(ca)
  const subject = distinguishedName(`coxswain@${Math.floor(env.now() / 1000)}`, [])
  const extensions = [encodeExtension('2.5.29.17', false, derSequence(...names))]
  return { ...signer.pems, ...issueLeaf(signer, env, subject, validDays, serverAuth, extensions) }
}

/** A client certificate for authentication: the common name is the user, the organizations are the groups. */
export function issueClientCertificate(ca: CertificateAuthority, options: ClientCertificateOptions): IssuedCertificate {
  const subject = distinguishedName(options.commonName, options.organizations ?? [])
  return issueLeaf(certificateSigner(ca), options.env, subject, options.validDays ?? leafValidDays, clientAuth, [])
}

/** An authority with its parsed key, ready to sign. */
interface Signer {
  readonly name: Uint8Array
  readonly key: KeyObject
  readonly keyId: Buffer
  readonly pems: CertificateAuthority
}

function newAuthority(env: Env, validDays: number): Signer {
  const { publicKey, privateKey } = newKeys()
  const keyId = keyIdentifier(publicKey)
  // The time distinguishes the authorities of several runs, for readers and for tools that compare only names.
  const name = distinguishedName(`coxswain-ca@${Math.floor(env.now() / 1000)}`, [])
  const caCert = encodeCertificate({
    env,
    ...validity(env, validDays),
    issuer: name,
    subject: name,
    publicKey,
    signingKey: privateKey,
    extensions: [
      encodeExtension('2.5.29.19', true, derSequence(derBoolean(true), derInteger(Buffer.from([0])))),
      // digitalSignature, keyCertSign, cRLSign
      encodeExtension('2.5.29.15', true, namedBits(0, 5, 6)),
      encodeExtension('2.5.29.14', false, octetString(keyId)),
      encodeExtension('2.5.29.35', false, derSequence(derImplicit(0, keyId))),
    ],
  })
  return { name, key: privateKey, keyId, pems: { caCert, caKey: privateKeyPem(privateKey) } }
}

/** Ready to sign with the authority. */
export function certificateSigner(ca: CertificateAuthority): Signer {
  const key = createPrivateKey(ca.caKey)
  const keyId = keyIdentifier(publicKeyInfo(createPublicKey(key)))
  return { name: subjectOf(ca.caCert), key, keyId, pems: { caCert: ca.caCert, caKey: ca.caKey } }
}

function issueLeaf(
  signer: Signer,
  env: Env,
  subject: Buffer,
  validDays: number,
  usage: Buffer,
  more: readonly Buffer[],
): IssuedCertificate {
  const { publicKey, privateKey } = newKeys()
  const cert = encodeCertificate({
    env,
    ...validity(env, validDays),
    issuer: signer.name,
    subject,
    publicKey,
    signingKey: signer.key,
    extensions: [
      encodeExtension('2.5.29.19', true, derSequence()),
      // digitalSignature
      encodeExtension('2.5.29.15', true, namedBits(0)),
      encodeExtension('2.5.29.37', false, derSequence(usage)),
      encodeExtension('2.5.29.14', false, octetString(keyIdentifier(publicKey))),
      encodeExtension('2.5.29.35', false, derSequence(derImplicit(0, signer.keyId))),
      ...more,
    ],
  })
  return { cert, key: privateKeyPem(privateKey) }
}

function validity(env: Env, validDays: number): Pick<CertificateFields, 'validFromMs' | 'validToMs'> {
  const now = env.now()
  return { validFromMs: now - clockSkewMs, validToMs: now + validDays * dayMs }
}

interface CertificateFields {
  readonly env: Env
  /** Milliseconds since the epoch. */
  readonly validFromMs: number
  /** Milliseconds since the epoch. */
  readonly validToMs: number
  readonly issuer: Uint8Array
  readonly subject: Uint8Array
  /** DER. */
  readonly publicKey: Uint8Array
  readonly signingKey: KeyObject
  readonly extensions: readonly Uint8Array[]
}

/** PEM. The serial number comes from the Env. */
export function encodeCertificate(fields: CertificateFields): string {
  const signed = derSequence(
    derExplicit(0, derInteger(Buffer.from([2]))),
    derInteger(serialNumber(fields.env)),
    ecdsaWithSha256,
    fields.issuer,
    derSequence(derTime(fields.validFromMs), derTime(fields.validToMs)),
    fields.subject,
    fields.publicKey,
    derExplicit(3, derSequence(...fields.extensions)),
  )
  const signature = sign('sha256', signed, fields.signingKey)
  return pem('CERTIFICATE', derSequence(signed, ecdsaWithSha256, bitString(signature)))
}

/** 120 random bits; the first byte keeps the number positive and its length constant. */
function serialNumber(env: Env): Buffer {
  const bytes = Buffer.from(env.uuid().replaceAll('-', ''), 'hex')
  bytes[0] = ((bytes[0] ?? 0) & 0x3f) | 0x40
  return bytes
}

/**
 * Organizations first, the common name last, each in its own set: the order that Kubernetes tools use.
 */
function distinguishedName(commonName: string, organizations: readonly string[]): Buffer {
  return derSequence(
    ...organizations.map((name) => derSet(derSequence(organizationType, utf8String(name)))),
    derSet(derSequence(commonNameType, utf8String(commonName))),
  )
}

export function encodeExtension(id: string, critical: boolean, value: Buffer): Buffer {
  const parts = critical ? [objectIdentifier(id), derBoolean(true)] : [objectIdentifier(id)]
  return derSequence(...parts, octetString(value))
}

function generalName(host: string): Buffer {
  // Not net.isIP: its first use compiles regular expressions for several milliseconds of startup time.
  if (host.includes(':')) return derImplicit(7, ipv6Bytes(host))
  if (endsInNumber.test(host)) return derImplicit(7, ipv4Bytes(host))
  const wildcard = host.startsWith('*.') ? '*.' : ''
  const name = domainToASCII(host.slice(wildcard.length))
  if (!hostName.test(name) || name.length > 253) throw notAHost(host)
  return derImplicit(2, Buffer.from(wildcard + name, 'latin1'))
}

const hostName = /^[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?(\.[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?)*$/
/** No DNS name ends in a number: the URL standard uses this rule to recognize IPv4 addresses. */
const endsInNumber = /(^|\.)\d+\.?$/
const ipv4 = /^(0|[1-9]\d{0,2})\.(0|[1-9]\d{0,2})\.(0|[1-9]\d{0,2})\.(0|[1-9]\d{0,2})$/

function ipv4Bytes(address: string): Buffer {
  const bytes = ipv4.exec(address)?.slice(1).map(Number)
  if (bytes === undefined || bytes.some((byte) => byte > 255)) throw notAHost(address)
  return Buffer.from(bytes)
}

function ipv6Bytes(address: string): Buffer {
  // The URL parser validates the address and returns its shortest form, without dotted parts. It rejects zones.
  const url = `http://[${address}]`
  if (!ipv6Characters.test(address) || !URL.canParse(url)) throw notAHost(address)
  const [head = '', tail] = new URL(url).hostname.slice(1, -1).split('::')
  const before = head === '' ? [] : head.split(':')
  const after = tail === undefined || tail === '' ? [] : tail.split(':')
  const zeros = Array.from({ length: 8 - before.length - after.length }, () => '0')
  const groups = [...before, ...zeros, ...after]
  return Buffer.from(groups.map((group) => group.padStart(4, '0')).join(''), 'hex')
}

const ipv6Characters = /^[0-9a-f:.]+$/i

function notAHost(host: string): RangeError {
  return new RangeError(`${JSON.stringify(host)} is neither a host name nor an IP address`)
}

function newKeys(): { publicKey: Buffer; privateKey: KeyObject } {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  return { publicKey: publicKeyInfo(publicKey), privateKey }
}

function privateKeyPem(key: KeyObject): string {
  return key.export({ type: 'pkcs8', format: 'pem' }) as string
}

function publicKeyInfo(key: KeyObject): Buffer {
  return key.export({ type: 'spki', format: 'der' })
}

/** The first 160 bits of the public key's SHA-256 (RFC 7093, method 1). */
function keyIdentifier(publicKey: Uint8Array): Buffer {
  const bits = derChildren(publicKey)[1] as Uint8Array
  // Skips the tag, the length and the count of unused bits.
  return createHash('sha256').update(bits.subarray(3)).digest().subarray(0, 20)
}

/** The subject of a certificate, byte for byte, because the issuer of what it signs must be identical. */
function subjectOf(cert: string): Uint8Array {
  const [signed] = derChildren(new X509Certificate(cert).raw)
  // version, serial number, algorithm, issuer, validity, subject
  return derChildren(signed as Uint8Array)[5] as Uint8Array
}

/** When the first certificate of a PEM text expires, in milliseconds since the epoch. Undefined: it has none. */
export function certificateEndMs(text: string): number | undefined {
  try {
    return Date.parse(new X509Certificate(text).validTo)
  } catch {
    return undefined
  }
}
