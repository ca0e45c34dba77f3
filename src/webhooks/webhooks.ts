/**
 * The webhooks of a program: certificates, then the server, then the registration in the cluster; after that,
 * certificates are renewed when due. Runs in every replica, before the caches: they may need a conversion.
 */
import { errorText } from '../api/error-text.ts'
import type { Client } from '../client/client.ts'
import type { Env } from '../env/env.ts'
import { pause } from '../env/pause.ts'
import type { ExternalServices } from '../external/external-handle.ts'
import type { Logger } from '../telemetry/logger.ts'
import type { Metrics } from '../telemetry/metrics.ts'
import { webhookMetrics } from '../telemetry/webhook-metrics.ts'
import { memoryCertificates, secretCertificates, type CertificateSource } from './certificates.ts'
import { conversionsOf, webhooksName } from './configurations.ts'
import { checkConversions } from './conversion-webhook.ts'
import { localRegistration } from './local-registration.ts'
import { clusterRegistration, type Registration } from './registration.ts'
import { WebhookServer, type Webhook } from './webhook-server.ts'

export interface WebhooksOptions {
  readonly env: Env
  readonly client: Client
  readonly log: Logger
  readonly metrics: Metrics
  /** The name of the operator, from which those of its configurations, Service and Secret are derived. */
  readonly name: string
  /** The namespace of the operator. */
  readonly namespace: string
  readonly webhooks: readonly Webhook[]
  /** As for the server of webhooks. */
  readonly externals?: ExternalServices | undefined
  readonly host?: string | undefined
  readonly port: number
  /**
   * For local runs: the URL under which the API server reaches this process, as `https://172.17.0.1:9443`; `local` for
   * 127.0.0.1. Default: through its Service.
   */
  readonly url?: string | undefined
  /** Certificates to use instead of generated ones; their owner distributes the CA. */
  readonly certificates?: CertificateSource | undefined
}

/** The interval of checks for renewals, and until the cluster has the registration. */
const periodMs = 60_000
const retryPeriodMs = 5_000

export class Webhooks {
  readonly #options: WebhooksOptions
  readonly #server: WebhookServer
  readonly #end = new AbortController()
  #registration: Registration | undefined
  #renewing: Promise<void> = Promise.resolve()
  #reported = ''
  #problem: string | undefined = 'not installed yet'

  /** Throws for webhooks that cannot be combined, and for versions of a kind without a conversion. */
  constructor(options: WebhooksOptions) {
    this.#options = options
    for (const conversion of conversionsOf(options.webhooks)) checkConversions(conversion)
    this.#server = new WebhookServer({ ...options, metrics: webhookMetrics(options.metrics) })
  }

  get isListening(): boolean {
    return this.#server.isListening
  }

  get port(): number {
    return this.#server.port
  }

  /** Why the API server does not call the webhooks; undefined if it does, as far as is known. */
  get problem(): string | undefined {
    return this.isListening ? this.#problem : 'not listening'
  }

  /** Resolves when the server listens. Logs whether the cluster has the registration. */
  async start(signal?: AbortSignal): Promise<void> {
    const { certificates = this.#ownCertificates() } = this.#options
    await this.#server.start(await certificates.current(signal))
    this.#registration = this.#options.certificates === undefined ? this.#register() : undefined
    await this.#renew(certificates)
    this.#renewing = this.#keepRenewing(certificates)
  }

  async stop(): Promise<void> {
    this.#end.abort()
    await this.#renewing
    await this.#registration
      ?.end()
      .catch((error: unknown) =>
        this.#options.log.warn('webhooks could not be taken away; writes may be refused', { error }),
      )
    await this.#server.stop()
  }

  #ownCertificates(): CertificateSource {
    const { env, client, namespace, name, url } = this.#options
    if (url !== undefined)
      return memoryCertificates(env, [
        url === 'local' ? '127.0.0.1' : new URL(url).hostname.replace(/^\[(.*)\]$/, '$1'),
      ])
    const service = `${webhooksName(name)}.${namespace}.svc`
    return secretCertificates({
      env,
      client,
      namespace,
      name: webhooksName(name),
      hosts: [service, `${service}.cluster.local`],
    })
  }

  #register(): Registration {
    const { env, client, name, webhooks, url } = this.#options
    if (url === undefined) return clusterRegistration(client, name, webhooks)
    const reached = url === 'local' ? `https://127.0.0.1:${this.port}` : url.replace(/\/$/, '')
    return localRegistration(client, { id: env.uuid(), operator: name, webhooks, url: reached })
  }

  async #keepRenewing(certificates: CertificateSource): Promise<void> {
    const { env } = this.#options
    const { signal } = this.#end
    for (;;) {
      await pause(env, this.#problem === undefined ? periodMs : retryPeriodMs, signal)
      if (signal.aborted) return
      await this.#renew(certificates)
    }
  }

  /** Callers must trust a CA before the server presents its certificates. */
  async #renew(certificates: CertificateSource): Promise<void> {
    const { log } = this.#options
    const { signal } = this.#end
    try {
      const { ca, ...pair } = await certificates.current(signal)
      const missing = (await this.#registration?.trust(ca, signal)) ?? []
      this.#server.use(pair)
      this.#report(missing)
    } catch (error) {
      this.#problem = `not installed: ${errorText(error)}`
      if (!signal.aborted) log.warn('webhooks: what is due could not be done; trying again', { error })
    }
  }

  /** Logs each change once. */
  #report(missing: readonly string[]): void {
    const text = missing.join('; ')
    this.#problem = text === '' ? undefined : `not installed: ${text}`
    if (text !== this.#reported && text !== '')
      this.#options.log.warn(
        missing.every((each) => each.startsWith('there is no '))
          ? "webhooks are not asked: apply the operator's manifests"
          : 'webhooks are not asked',
        { missing },
      )
    this.#reported = text
  }
}
