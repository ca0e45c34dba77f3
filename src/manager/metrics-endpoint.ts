/**
 * How /metrics is served. On loopback: plain HTTP. Beyond it: HTTPS, to callers that the API server allows to get
 * /metrics, unless `metrics-secure` is off.
 */
import type { Client } from '../client/client.ts'
import type { Env } from '../env/env.ts'
import type { Logger } from '../telemetry/logger.ts'
import { fileCertificates, memoryCertificates } from '../webhooks/certificates.ts'
import { AccessReviews } from './access-reviews.ts'
import { isLoopback, parseBindAddress, type HttpServerOptions } from './http-server.ts'

/** The settings that decide it, as parsed. */
export interface MetricsSettings {
  readonly 'metrics-bind-address': string
  readonly 'metrics-secure': boolean
}

export interface MetricsEndpoint {
  readonly port: number
  readonly isSecure: boolean
}

/** The endpoint that other pods can reach. Undefined: there is none. Throws for an invalid address. */
export function metricsEndpoint(settings: MetricsSettings): MetricsEndpoint | undefined {
  const address = settings['metrics-bind-address']
  if (!isBindAddress(address)) return undefined
  const { host, port } = parseBindAddress(address)
  return isLoopback(host) ? undefined : { port, isSecure: settings['metrics-secure'] }
}

export function isBindAddress(address: string): boolean {
  return address !== '' && address !== '0'
}

/** The Service through which metrics of all replicas are scraped. */
export function metricsName(operator: string): string {
  return `${operator}-metrics`
}

export interface SecureMetricsOptions {
  readonly env: Env
  readonly log: Logger
  readonly client: Client
  /** The operator's name and namespace, for the names in the certificate. */
  readonly name: string
  readonly namespace: string
  /** A folder with `tls.crt` and `tls.key`. '': a self-signed certificate. */
  readonly folder: string
}

export function secureMetrics(options: SecureMetricsOptions): Pick<HttpServerOptions, 'tls' | 'authorize'> {
  const { env, log, client, name, namespace, folder } = options
  const service = `${metricsName(name)}.${namespace}.svc`
  const reviews = new AccessReviews({ env, log, client })
  return {
    tls: {
      env,
      log,
      certificates:
        folder === ''
          ? memoryCertificates(env, [service, `${service}.cluster.local`, 'localhost', '127.0.0.1', '::1'])
          : fileCertificates(env, folder),
    },
    authorize: (caller) => reviews.decide(caller),
  }
}
