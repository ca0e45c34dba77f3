/**
 * The replicas of a program: each has a Lease, which it renews and which the others observe. Whether a replica is alive
 * is measured by the own monotonic clock since its lease last changed. Two replicas may disagree for a while: only the
 * balance of shards depends on it.
 */
import { isConflict, isNotFound } from '../api/error-reasons.ts'
import type { ApiObject, Live } from '../api/live-object.ts'
import { microTime } from '../api/micro-time.ts'
import type { Client } from '../client/client.ts'
import type { Env } from '../env/env.ts'
import { Lease } from '../schema/builtin/kinds.ts'
import type { Logger } from '../telemetry/logger.ts'

export interface MembershipOptions {
  readonly namespace: string
  /** The name of the program: replicas with the same name belong together. */
  readonly name: string
  readonly identity: string
  /** Milliseconds without a renewal after which a replica is gone. */
  readonly leaseDurationMs: number
  /** The timeout of a call, in milliseconds. */
  readonly callTimeoutMs: number
}

const label = 'coxswain.dev/copies-of'

type LeaseObject = Live<Lease & ApiObject>

interface Seen {
  readonly version: string
  /** By the monotonic clock. */
  readonly at: number
}

export class Membership {
  readonly #env: Env
  readonly #client: Client
  readonly #log: Logger
  readonly #options: MembershipOptions
  readonly #key: { readonly namespace: string; readonly name: string }
  readonly #seen = new Map<string, Seen>()
  #own: LeaseObject | undefined
  #members: readonly string[]

  constructor(
    { env, client, log }: { readonly env: Env; readonly client: Client; readonly log: Logger },
    options: MembershipOptions,
  ) {
    this.#env = env
    this.#client = client
    this.#log = log
    this.#options = options
    this.#key = { namespace: options.namespace, name: `${options.name}-copy-${env.uuid()}` }
    this.#members = [options.identity]
  }

  /** The identities of all live replicas, including this one; the last known ones while the server does not respond. */
  async refresh(signal: AbortSignal): Promise<readonly string[]> {
    try {
      await this.#renew(signal)
      this.#members = await this.#living(signal)
    } catch (error) {
      if (!signal.aborted) this.#log.warn('cannot tell which copies there are', { error })
    }
    return this.#members
  }

  /** Removes this replica's lease, so that the others need not wait for its expiry. Does not fail. */
  async leave(): Promise<void> {
    if (this.#own === undefined) return
    try {
      await this.#client.delete(Lease, this.#key, {
        uid: this.#own.metadata.uid,
        timeoutMs: this.#options.callTimeoutMs,
      })
    } catch (error) {
      if (!isNotFound(error)) this.#log.warn('could not sign off; the others will miss this copy', { error })
    }
  }

  /** Applied, not replaced: it works whether the lease exists or was deleted while this replica was stopped. */
  async #renew(signal: AbortSignal): Promise<void> {
    const { identity, leaseDurationMs, callTimeoutMs, name } = this.#options
    const spec = {
      holderIdentity: identity,
      leaseDurationSeconds: Math.ceil(leaseDurationMs / 1000),
      renewTime: microTime(this.#env.now()),
    }
    const metadata = { ...this.#key, labels: { [label]: name } }
    this.#own = await this.#client.apply(
      Lease,
      { metadata, spec },
      { fieldManager: name, force: true, signal, timeoutMs: callTimeoutMs },
    )
  }

  async #living(signal: AbortSignal): Promise<readonly string[]> {
    const { namespace, name, identity, callTimeoutMs, leaseDurationMs } = this.#options
    const { items } = await this.#client.list(Lease, {
      namespace,
      labelSelector: `${label}=${name}`,
      signal,
      timeoutMs: callTimeoutMs,
    })
    const now = this.#env.monotonic()
    const members = new Set([identity])
    for (const { metadata, spec } of items) {
      const seen = this.#seen.get(metadata.uid)
      if (seen?.version !== metadata.resourceVersion)
        this.#seen.set(metadata.uid, { version: metadata.resourceVersion, at: now })
      const silence = seen?.version === metadata.resourceVersion ? now - seen.at : 0
      if (silence < leaseDurationMs) members.add(spec?.holderIdentity ?? '')
      else if (metadata.uid !== this.#own?.metadata.uid) await this.#removeExpired(metadata)
    }
    const there = new Set(items.map(({ metadata }) => metadata.uid))
    for (const uid of this.#seen.keys()) if (!there.has(uid)) this.#seen.delete(uid)
    return [...members]
  }

  /** Deletes the lease of a replica that died, unless it has come back. */
  async #removeExpired({ name, namespace, uid, resourceVersion }: LeaseObject['metadata']): Promise<void> {
    try {
      await this.#client.delete(
        Lease,
        { namespace, name },
        { uid, resourceVersion, timeoutMs: this.#options.callTimeoutMs },
      )
    } catch (error) {
      if (!isNotFound(error) && !isConflict(error)) throw error
    }
  }
}
