/**
 * Decides who may use a route that can be reached from other machines, as controller-runtime does: the API server says
 * whose bearer token it is (TokenReview) and whether that user may do this (SubjectAccessReview).
 *
 * Decisions are kept for a short time, by a digest of the token. Both tables are bounded, and so are the reviews in
 * progress: callers with made-up tokens displace no decision about a valid one, and cannot send the API server more
 * than a few reviews at a time.
 */
import { hash } from 'node:crypto'
import type { Client } from '../client/client.ts'
import type { Env } from '../env/env.ts'
import { SubjectAccessReview, TokenReview } from '../schema/builtin/kinds.ts'
import type { Logger } from '../telemetry/logger.ts'
import type { RouteCaller, RouteResponse } from './http-server.ts'

export interface AccessReviewsOptions {
  readonly env: Env
  /** Needs `create` on tokenreviews and subjectaccessreviews. */
  readonly client: Client
  readonly log: Logger
}

const allowedPeriodMs = 60_000
const rejectedPeriodMs = 10_000
const maxDecisions = 1_000
const maxReviewsInProgress = 16

/** Undefined: allowed. */
type Decision = RouteResponse | undefined

const unauthorized: RouteResponse = { status: 401, body: 'Unauthorized\n' }

export class AccessReviews {
  readonly #options: AccessReviewsOptions
  readonly #allowed: DecisionTable
  readonly #rejected: DecisionTable
  readonly #inProgress = new Map<string, Promise<Decision>>()

  constructor(options: AccessReviewsOptions) {
    this.#options = options
    this.#allowed = new DecisionTable(options.env, allowedPeriodMs)
    this.#rejected = new DecisionTable(options.env, rejectedPeriodMs)
  }

  /** Undefined: the caller may. */
  async decide({ verb, path, authorization }: RouteCaller): Promise<Decision> {
    const token = bearerToken(authorization)
    if (token === undefined) return unauthorized
    const key = hash('sha256', `${verb} ${path} ${token}`, 'base64')
    if (this.#allowed.has(key)) return undefined
    const known = this.#rejected.get(key)
    if (known !== undefined) return known
    const shared = this.#inProgress.get(key)
    if (shared !== undefined) return shared
    if (this.#inProgress.size >= maxReviewsInProgress)
      return { status: 503, body: 'too many callers are being reviewed: try again\n' }
    const decision = this.#reviewed(key, token, verb, path)
    this.#inProgress.set(key, decision)
    try {
      return await decision
    } finally {
      this.#inProgress.delete(key)
    }
  }

  /** Failed reviews are not kept. */
  async #reviewed(key: string, token: string, verb: string, path: string): Promise<Decision> {
    try {
      const decision = await this.#review(token, verb, path)
      if (decision === undefined) this.#allowed.set(key, decision)
      else this.#rejected.set(key, decision)
      return decision
    } catch (error) {
      this.#options.log.warn('the API server did not review a caller', { path, error })
      return { status: 500, body: 'the API server did not review the caller\n' }
    }
  }

  async #review(token: string, verb: string, path: string): Promise<Decision> {
    const { client } = this.#options
    const { status: identity } = await client.create(TokenReview, { metadata: {}, spec: { token } })
    const user = identity?.user
    if (identity?.authenticated !== true || user?.username === undefined) return unauthorized
    const { username, uid, groups = [], extra = {} } = user
    const { status: access } = await client.create(SubjectAccessReview, {
      metadata: {},
      spec: {
        user: username,
        groups: [...groups],
        extra: Object.fromEntries(Object.entries(extra).map(([name, values]) => [name, [...values]])),
        nonResourceAttributes: { path, verb },
        ...(uid === undefined ? {} : { uid }),
      },
    })
    if (access?.allowed === true) return undefined
    return { status: 403, body: `Authorization denied for user ${username}\n` }
  }
}

/** Decisions by key, each for the same time, at most {@link maxDecisions}. The oldest one goes first. */
class DecisionTable {
  readonly #env: Env
  readonly #periodMs: number
  readonly #entries = new Map<string, { readonly until: number; readonly decision: Decision }>()

  constructor(env: Env, periodMs: number) {
    this.#env = env
    this.#periodMs = periodMs
  }

  has(key: string): boolean {
    const entry = this.#entries.get(key)
    if (entry === undefined) return false
    const left = entry.until - this.#env.monotonic()
    // A clock that was set back must not make a decision last longer.
    if (left > 0 && left <= this.#periodMs) return true
    this.#entries.delete(key)
    return false
  }

  get(key: string): Decision {
    return this.has(key) ? this.#entries.get(key)?.decision : undefined
  }

  set(key: string, decision: Decision): void {
    this.#entries.delete(key)
    for (const oldest of this.#entries.keys()) {
      if (this.#entries.size < maxDecisions) break
      this.#entries.delete(oldest)
    }
    this.#entries.set(key, { until: this.#env.monotonic() + this.#periodMs, decision })
  }
}

/** As the API server reads it: the scheme in any case, then one token. */
function bearerToken(authorization: string | undefined): string | undefined {
  const [scheme = '', token = ''] = authorization?.trim().split(' ') ?? []
  return scheme.toLowerCase() === 'bearer' && token !== '' ? token : undefined
}
