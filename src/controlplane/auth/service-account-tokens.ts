/**
 * Service account tokens: issues them, optionally bound to a pod, secret or node, and authenticates them. A token is
 * valid until it expires, while its service account and the object it is bound to exist with the same uid.
 *
 * The signature of a token cannot change, so it is verified once and cached; everything else is checked for each
 * request.
 */
import { isObject, type Json, type JsonObject } from '../../api/json.ts'
import type { KubeObject } from '../../api/object.ts'
import type { Env } from '../../env/env.ts'
import type { UserInfo } from '../contract/resource.ts'
import type { Store } from '../storage/store.ts'
import { goQuote } from '../../api/go-format.ts'
import { quotedList } from './policy-rule.ts'
import { decode, SignatureError, type SigningKey } from './signing-key.ts'
import { authenticatedGroup, serviceAccountGroups, serviceAccountUser } from './user-names.ts'

export interface TokenAccess {
  readonly env: Env
  readonly store: Store
  readonly key: SigningKey
  /** The `iss` of tokens, and the audience of tokens that request none. */
  readonly issuer: string
}

/** The content of a token to be issued. */
export interface TokenSpec {
  readonly account: KubeObject
  readonly audiences: readonly string[]
  /** Seconds from now until it expires. */
  readonly expires: number
  /**
   * Seconds from now after which the token is stale: a client that still uses it does not reload it. Undefined: never.
   */
  readonly warnAfter: number | undefined
  readonly pod: KubeObject | undefined
  readonly secret: KubeObject | undefined
  /** The uid is unknown if the node of the pod does not exist. */
  readonly node: { readonly name: string; readonly uid: string | undefined } | undefined
}

export interface TokenBearer {
  readonly user: UserInfo
  readonly audiences: readonly string[]
}

/** Why one of our tokens is not accepted. Clients see it only in token reviews. */
export class InvalidTokenError extends Error {}

/** The tolerated clock skew, and how long tokens of a deleted object remain valid. */
const clockLeewaySeconds = 60
const maxCachedTokens = 1000

interface Known {
  readonly claims: JsonObject
  readonly user: UserInfo
}

export class ServiceAccountTokens {
  readonly issuer: string
  readonly #access: TokenAccess
  readonly #known = new Map<string, Known>()

  constructor(access: TokenAccess) {
    this.issuer = access.issuer
    this.#access = access
  }

  issue({ account, audiences, expires, warnAfter, pod, secret, node }: TokenSpec): string {
    const { env, key, issuer } = this.#access
    const now = Math.floor(env.now() / 1000)
    const { name = '', namespace = '' } = account.metadata
    const bound: JsonObject = { namespace }
    if (node !== undefined)
      bound['node'] = node.uid === undefined ? { name: node.name } : { name: node.name, uid: node.uid }
    if (pod !== undefined) bound['pod'] = reference(pod)
    if (secret !== undefined) bound['secret'] = reference(secret)
    bound['serviceaccount'] = reference(account)
    if (warnAfter !== undefined) bound['warnafter'] = now + warnAfter
    return key.sign({
      aud: [...audiences],
      exp: now + expires,
      iat: now,
      iss: issuer,
      jti: env.uuid(),
      'kubernetes.io': bound,
      nbf: now,
      sub: serviceAccountUser(namespace, name),
    })
  }

  /**
   * The user of the token, for one of the audiences. Undefined if the token has another issuer. Throws {@link
   * InvalidTokenError}.
   */
  authenticate(token: string, wanted: readonly string[]): TokenBearer | undefined {
    const known = this.#known.get(token) ?? this.#verify(token)
    if (known === undefined) return undefined
    const given = strings(known.claims['aud'])
    const audiences = (given.length === 0 ? [this.issuer] : given).filter((audience) => wanted.includes(audience))
    if (audiences.length === 0) {
      throw new InvalidTokenError(
        `token audiences ${quotedList(given)} is invalid for the target audiences ${quotedList(wanted)}`,
      )
    }
    this.#checkTime(known.claims)
    this.#checkObjects(struct(known.claims['kubernetes.io']))
    return { user: known.user, audiences }
  }

  #verify(token: string): Known | undefined {
    const [, body = ''] = token.split('.', 3)
    if (decode(body)?.['iss'] !== this.issuer) return undefined
    let claims: JsonObject | undefined
    try {
      claims = this.#access.key.verify(token)
    } catch (error) {
      if (error instanceof SignatureError) throw new InvalidTokenError(error.message)
      throw error
    }
    if (claims === undefined) return undefined
    const known = { claims, user: userOf(claims) }
    if (this.#known.size >= maxCachedTokens) this.#known.clear()
    this.#known.set(token, known)
    return known
  }

  #checkTime(claims: JsonObject): void {
    const now = this.#access.env.now() / 1000
    const { nbf, exp, iat } = claims
    if (typeof nbf === 'number' && now + clockLeewaySeconds < nbf)
      throw new InvalidTokenError('service account token is not valid yet')
    if (typeof exp === 'number' && now - clockLeewaySeconds > exp)
      throw new InvalidTokenError('service account token has expired')
    if (typeof iat === 'number' && now + clockLeewaySeconds < iat)
      throw new InvalidTokenError('service account token is issued in the future')
  }

  #checkObjects(bound: JsonObject): void {
    const namespace = text(bound['namespace'])
    const claim = struct(bound['serviceaccount'])
    const name = text(claim['name'])
    const account = this.#access.store.get(`/registry/serviceaccounts/${namespace}/${name}`)?.object
    if (account === undefined) throw new InvalidTokenError(`serviceaccounts ${goQuote(name)} not found`)
    if (account.metadata.uid !== claim['uid']) {
      throw new InvalidTokenError(
        `service account UID (${account.metadata.uid ?? ''}) does not match claim (${text(claim['uid'])})`,
      )
    }
    if (this.#isGone(account)) throw new InvalidTokenError(`service account ${namespace}/${name} has been deleted`)
    const { secret, pod, node } = bound
    if (secret !== undefined) this.#checkBound(secret, 'secret', `/registry/secrets/${namespace}/`)
    if (pod !== undefined) this.#checkBound(pod, 'pod', `/registry/pods/${namespace}/`)
    else if (node !== undefined) this.#checkBound(node, 'node', '/registry/minions/')
  }

  #checkBound(claim: Json, what: string, prefix: string): void {
    const { name, uid } = struct(claim)
    const object = this.#access.store.get(prefix + text(name))?.object
    if (object === undefined || this.#isGone(object))
      throw new InvalidTokenError('service account token has been invalidated')
    if (object.metadata.uid === uid) return
    const title = what === 'secret' ? what : what === 'pod' ? 'pod' : 'node'
    throw new InvalidTokenError(
      `${title} UID (${object.metadata.uid ?? ''}) does not match service account ${what} ref claim (${text(uid)})`,
    )
  }

  /** An object with finalizers still counts for a short time after its deletionTimestamp. */
  #isGone({ metadata }: KubeObject): boolean {
    if (metadata.deletionTimestamp === undefined) return false
    return Date.parse(metadata.deletionTimestamp) < this.#access.env.now() - clockLeewaySeconds * 1000
  }
}

function userOf(claims: JsonObject): UserInfo {
  const bound = struct(claims['kubernetes.io'])
  const account = struct(bound['serviceaccount'])
  const namespace = text(bound['namespace'])
  const extra: Record<string, readonly string[]> = {}
  const jti = text(claims['jti'])
  if (jti !== '') extra['authentication.kubernetes.io/credential-id'] = [`JTI=${jti}`]
  for (const part of ['node', 'pod'] as const) {
    const { name, uid } = struct(bound[part])
    if (text(name) !== '') extra[`authentication.kubernetes.io/${part}-name`] = [text(name)]
    if (text(uid) !== '') extra[`authentication.kubernetes.io/${part}-uid`] = [text(uid)]
  }
  return {
    name: serviceAccountUser(namespace, text(account['name'])),
    uid: text(account['uid']),
    groups: [...serviceAccountGroups(namespace), authenticatedGroup],
    ...(Object.keys(extra).length > 0 ? { extra } : {}),
  }
}

function reference({ metadata }: KubeObject): JsonObject {
  return { name: metadata.name ?? '', uid: metadata.uid ?? '' }
}

function struct(value: Json | undefined): JsonObject {
  return isObject(value) ? value : {}
}

function text(value: Json | undefined): string {
  return typeof value === 'string' ? value : ''
}

function strings(value: Json | undefined): string[] {
  if (typeof value === 'string') return [value]
  return Array.isArray(value) ? value.filter((each): each is string => typeof each === 'string') : []
}
