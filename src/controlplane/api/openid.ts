/**
 * OpenID discovery of the service account issuer: the configuration document and the JWKS, with which other services
 * verify service account tokens.
 */
import { apiError } from '../../api/status.ts'
import type { SigningKey } from '../auth/signing-key.ts'
import { matchesMediaRange, parseAccept } from '../discovery/accept.ts'
import type { ApiRequest, TextResponse } from '../contract/request.ts'

export interface OpenIdOptions {
  readonly key: SigningKey
  readonly issuer: string
  /** Host and port at which clients reach the server. */
  readonly serverAddress: () => string
}

const maxAgeSeconds = 'public, max-age=3600'

/** Serves the two documents and returns undefined for other paths. Throws 404 for paths below them, 405 and 406. */
export function openIdDocuments({
  key,
  issuer,
  serverAddress,
}: OpenIdOptions): (request: ApiRequest) => TextResponse | undefined {
  const documents: Readonly<Record<string, readonly [type: string, body: () => unknown]>> = {
    '/.well-known/openid-configuration': [
      'application/json',
      () => ({
        issuer,
        jwks_uri: `https://${serverAddress()}/openid/v1/jwks`,
        response_types_supported: ['id_token'],
        subject_types_supported: ['public'],
        id_token_signing_alg_values_supported: [key.algorithm],
      }),
    ],
    '/openid/v1/jwks': ['application/jwk-set+json', () => ({ keys: [key.publicJwk()] })],
  }
  return (request) => {
    const path = request.path.endsWith('/') ? request.path.slice(0, -1) : request.path
    const document = Object.hasOwn(documents, path) ? documents[path] : undefined
    if (document === undefined) {
      if (Object.keys(documents).some((known) => path.startsWith(`${known}/`))) throw apiError.noSuchResource()
      return undefined
    }
    const [contentType, body] = document
    if (request.method !== 'GET') throw apiError.methodNotAllowed()
    if (!parseAccept(request.headers['accept']).some((range) => matchesMediaRange(range, contentType))) {
      throw apiError.notAcceptable(`406: Not Acceptable\n\nAvailable representations: ${contentType}`, {})
    }
    return {
      type: 'text',
      status: 200,
      contentType,
      body: JSON.stringify(body()),
      headers: { 'cache-control': maxAgeSeconds },
    }
  }
}
