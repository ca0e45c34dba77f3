/**
 * Authentication: determines the user of a request. A client certificate comes first, then a bearer token (static or of
 * a service account). Without credentials the user is anonymous, if that is allowed. Invalid credentials are rejected
 * with 401 even then.
 */
import { apiError } from '../../api/status.ts'
import type { UserInfo } from '../contract/resource.ts'
import { InvalidTokenError, type ServiceAccountTokens, type TokenBearer } from './service-account-tokens.ts'
import { bearerToken, StaticTokens, type Token } from './tokens.ts'
import { anonymous } from './user-names.ts'

/** The client certificate of a connection. */
export interface VerifiedCertificate {
  /** Undefined if the certificate is not trusted. */
  readonly user: UserInfo | undefined
  /** Milliseconds since the epoch. Checked for each request, because a connection may outlive its certificate. */
  readonly validFrom: number
  readonly validUntil: number
}

export interface AuthenticatorOptions {
  readonly tokens: readonly Token[]
  readonly accounts: ServiceAccountTokens
  /** If false, requests without credentials are rejected. */
  readonly allowAnonymous: boolean
  now(): number
}

/** The result of a token review: the user, or why the token is invalid. */
export type TokenReviewResult = TokenBearer | { readonly error: string }

export class Authenticator {
  readonly #options: AuthenticatorOptions
  readonly #static: StaticTokens

  constructor(options: AuthenticatorOptions) {
    this.#options = options
    this.#static = new StaticTokens(options.tokens)
  }

  /** The audience of this server. */
  get audience(): string {
    return this.#options.accounts.issuer
  }

  /** The user of an `Authorization` header and a certificate. Throws 401. */
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

  /** The user of this token, for one of the audiences. */
  review(token: string, audiences: readonly string[]): TokenReviewResult {
    const invalid = 'invalid bearer token'
    // A token is one word: as upstream, anything after a space is ignored.
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
