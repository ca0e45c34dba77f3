/**
 * Authentication: who sends this? A client certificate comes first, then a bearer token, of the token file or of a
 * service account; who shows neither is anonymous where that is allowed. A credential that is wrong is refused even so.
 */
import { apiError } from '../../api/status.ts'
import type { UserInfo } from '../contract/resource.ts'
import { InvalidTokenError, type ServiceAccountTokens, type TokenBearer } from './service-account-tokens.ts'
import { bearerToken, StaticTokens, type Token } from './tokens.ts'
import { anonymous } from './user-names.ts'

/** What a client showed in its TLS handshake. */
export interface VerifiedCertificate {
  /** Undefined: the certificate is not one that this server trusts. */
  readonly user: UserInfo | undefined
  /** Milliseconds since the epoch; a connection may outlive its certificate. */
  readonly validFrom: number
  readonly validUntil: number
}

export interface AuthenticatorOptions {
  readonly tokens: readonly Token[]
  readonly accounts: ServiceAccountTokens
  /** Without credentials a request is anonymous, else refused. */
  readonly allowAnonymous: boolean
  now(): number
}

/** What a token review says: the bearer, or why there is none. */
export type TokenReviewResult = TokenBearer | { readonly error: string }

export class Authenticator {
  readonly #options: AuthenticatorOptions
  readonly #static: StaticTokens

  constructor(options: AuthenticatorOptions) {
    this.#options = options
    this.#static = new StaticTokens(options.tokens)
  }

  /** The audience that this server's own tokens are for. */
  get audience(): string {
    return this.#options.accounts.issuer
  }

  /** The user behind an `Authorization` header and a certificate. Throws 401. */
  authenticate(authorization: string | undefined, certificate?: VerifiedCertificate): UserInfo {
    if (certificate?.user !== undefined && isValid(certificate, this.#options.now())) return certificate.user
    if (authorization !== undefined) {
      const known = this.#static.findHeader(authorization)
      if (known !== undefined) return known
      const token = bearerToken(authorization)
      if (token !== undefined) {
        const finding = this.review(token, [this.audience])
        if ('user' in finding) return finding.user
        throw apiError.unauthorized()
      }
    }
    if (certificate === undefined && this.#options.allowAnonymous) return anonymous
    throw apiError.unauthorized()
  }

  /** Who bears this token, for one of the audiences. */
  review(token: string, audiences: readonly string[]): TokenReviewResult {
    const invalid = 'invalid bearer token'
    // A token is one word: what follows a space was never looked at.
    const [word = ''] = token.trim().split(' ', 1)
    const user = this.#static.find(word)
    if (user !== undefined) {
      return audiences.includes(this.audience) ? { user, audiences: [this.audience] } : { error: invalid }
    }
    try {
      return this.#options.accounts.authenticate(word, audiences) ?? { error: invalid }
    } catch (error) {
      if (error instanceof InvalidTokenError) return { error: `[${invalid}, ${error.message}]` }
      throw error
    }
  }
}

function isValid({ validFrom, validUntil }: VerifiedCertificate, now: number): boolean {
  return validFrom <= now && now <= validUntil
}
