/**
 * The key that signs and verifies service account tokens (JWTs in compact form), and its JWKS entry for other
 * verifiers. Without a configured key, a P-256 key is generated from secure randomness on first use, so that a server
 * without token requests does not pay for it. A configured key may also be RSA.
 */
import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  sign,
  verify,
  type KeyObject,
} from 'node:crypto'
import { isObject, type JsonObject } from '../../api/json.ts'

interface Keys {
  readonly privateKey: KeyObject
  readonly publicKey: KeyObject
  readonly algorithm: string
  readonly hash: string
  /** From the digest of the public key, as upstream. */
  readonly id: string
}

/** The signature of a token is invalid. */
export class SignatureError extends Error {}

const curves: Readonly<Record<string, readonly [algorithm: string, hash: string]>> = {
  prime256v1: ['ES256', 'sha256'],
  secp384r1: ['ES384', 'sha384'],
  secp521r1: ['ES512', 'sha512'],
}

export class SigningKey {
  readonly #pem: string | undefined
  #made: Keys | undefined

  /** A private key in PEM, RSA or EC. Parsed on first use. */
  constructor(pem?: string) {
    this.#pem = pem
  }

  get algorithm(): string {
    return this.#keys().algorithm
  }

  /** Claims are encoded in this order. */
  sign(claims: JsonObject): string {
    const { privateKey, algorithm, hash, id } = this.#keys()
    const signed = `${encode({ alg: algorithm, kid: id })}.${encode(claims)}`
    const signature = sign(hash, Buffer.from(signed), { key: privateKey, dsaEncoding: 'ieee-p1363' })
    return `${signed}.${signature.toString('base64url')}`
  }

  /**
   * The claims of a token that this key signed. Undefined if it is not a JWT. Throws SignatureError if the signature
   * does not match.
   */
  verify(token: string): JsonObject | undefined {
    const [head = '', body = '', signature = '', ...more] = token.split('.')
    const header = decode(head)
    const claims = decode(body)
    if (more.length > 0 || header === undefined || claims === undefined || !isBase64url(signature)) return undefined
    const { publicKey, algorithm, hash, id } = this.#keys()
    if (typeof header['kid'] === 'string' && header['kid'] !== '' && header['kid'] !== id) {
      throw new SignatureError('invalid signature, no keys found')
    }
    const bytes = Buffer.from(signature, 'base64url')
    const isValid =
      header['alg'] === algorithm &&
      verify(hash, Buffer.from(`${head}.${body}`), { key: publicKey, dsaEncoding: 'ieee-p1363' }, bytes)
    if (!isValid) throw new SignatureError('go-jose/go-jose: error in cryptographic primitive')
    return claims
  }

  /** The public key as an entry of a JWKS. */
  publicJwk(): JsonObject {
    const { publicKey, algorithm, id } = this.#keys()
    const { kty, crv, n, e, x, y } = publicKey.export({ format: 'jwk' })
    const named = { use: 'sig', kty: kty as string, kid: id }
    return kty === 'RSA'
      ? { ...named, alg: algorithm, n: n as string, e: e as string }
      : { ...named, crv: crv as string, alg: algorithm, x: x as string, y: y as string }
  }

  #keys(): Keys {
    return (this.#made ??= keysOf(
      this.#pem === undefined
        ? generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey
        : createPrivateKey(this.#pem),
    ))
  }
}

function keysOf(privateKey: KeyObject): Keys {
  const publicKey = createPublicKey(privateKey)
  const id = createHash('sha256')
    .update(publicKey.export({ type: 'spki', format: 'der' }))
    .digest('base64url')
  if (privateKey.asymmetricKeyType === 'rsa') return { privateKey, publicKey, algorithm: 'RS256', hash: 'sha256', id }
  const curve = curves[privateKey.asymmetricKeyDetails?.namedCurve ?? '']
  if (curve === undefined)
    throw new Error('the key for service account tokens must be RSA, or EC on P-256, P-384 or P-521')
  return { privateKey, publicKey, algorithm: curve[0], hash: curve[1], id }
}

function encode(value: JsonObject): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url')
}

/** Node decodes any text, ignoring characters that do not belong there. A token must have none. */
function isBase64url(text: string): boolean {
  return text.length % 4 !== 1 && /^[\w-]+$/.test(text)
}

/** Undefined unless it is a base64url-encoded JSON object. The content is not verified. */
export function decode(part: string): JsonObject | undefined {
  if (!isBase64url(part)) return undefined
  try {
    const value: unknown = JSON.parse(Buffer.from(part, 'base64url').toString())
    return isObject(value) ? value : undefined
  } catch {
    return undefined
  }
}
