/**
 * A manager with its ports: a program without the process around it. Start: servers → dependencies (`wait-for`) → the
 * manager. Stop: in reverse order.
 */
import { RestClient, type RestClientOptions } from '../client/rest-client.ts'
import type { Transport } from '../client/transport.ts'
import type { ControllerDefinition } from '../controller/definition.ts'
import type { Env } from '../env/env.ts'
import { TraceRing } from '../flow/trace-ring.ts'
import type { TraceSink } from '../flow/trace.ts'
import type { LeveledLogger } from '../telemetry/log-writer.ts'
import type { Tracer } from '../telemetry/tracer.ts'
import { fileCertificates } from '../webhooks/certificates.ts'
import { Webhooks } from '../webhooks/webhooks.ts'
import type { Webhook } from '../webhooks/webhook-server.ts'
import { ConfigurationError, type Configuration } from './configuration.ts'
import { dryRunCalls, dryRunLimits, dryRunTransport, reportTo } from './dry-run.ts'
import { debugRoutes, metricsRoutes, probeRoutes } from './endpoints.ts'
import type { Check } from './health.ts'
import { HttpServer, parseBindAddress, type HttpServerOptions } from './http-server.ts'
import { isBindAddress, metricsEndpoint, secureMetrics } from './metrics-endpoint.ts'
import { Manager, type ManagerOptions, type Task } from './manager.ts'
import { processMetrics } from './process-metrics.ts'
import { checkWaitFor, waitFor } from './wait-for.ts'

export interface OperatorRuntimeOptions {
  /** Used in the lease and the user agent. */
  readonly name: string
  readonly controllers: readonly ControllerDefinition[]
  readonly tasks?: readonly Task[] | undefined
  readonly webhooks?: readonly Webhook[] | undefined
  readonly tracer?: Tracer | undefined
  /** Default: a ring if the debug page shows it, otherwise none. */
  readonly traces?: TraceSink | undefined
  /** More checks, by name. */
  readonly healthChecks?: Readonly<Record<string, Check>> | undefined
  readonly readyChecks?: Readonly<Record<string, Check>> | undefined
  readonly configuration: Configuration
  readonly env: Env
  readonly log: LeveledLogger
  readonly transport: Transport
  /** The namespace of the program and of its lease, unless the configuration sets another. */
  readonly namespace: string
  /** The reporting instance in events. */
  readonly instance?: string | undefined
}

/** How long the API server has for the review of a caller of /metrics. */
const reviewTimeoutMs = 10_000

export class OperatorRuntime {
  readonly manager: Manager
  readonly #options: OperatorRuntimeOptions
  readonly #servers: ReadonlyMap<string, HttpServer>
  readonly #webhooks: Webhooks | undefined

  /** Throws a {@link ConfigurationError} for settings that cannot be combined. */
  constructor(given: OperatorRuntimeOptions) {
    const options = given.configuration['dry-run'] ? asDryRun(given) : given
    this.#options = options
    const ring = isBindAddress(options.configuration['profiling-address']) ? new TraceRing() : undefined
    const traces = options.traces ?? ring
    this.manager = asConfigured(
      () => new Manager({ ...managerOptions(options), traces }),
      (error) => error instanceof RangeError,
    )
    const { manager } = this
    processMetrics(manager.metrics, options.env)
    for (const [name, check] of Object.entries(options.healthChecks ?? {})) manager.healthz.add(name, check)
    for (const [name, check] of Object.entries(options.readyChecks ?? {})) manager.readyz.add(name, check)
    this.#servers = asConfigured(() => servers(manager, options, traces instanceof TraceRing ? traces : undefined))
    this.#webhooks = webhooksOf(options, manager)
    asConfigured(() => checkWaitFor(options.configuration['wait-for']))
    const { shards, 'leader-elect': elects } = options.configuration
    if (shards > 0 && !elects)
      throw new ConfigurationError('--shards needs --leader-elect: copies share the work by leases')
  }

  /** By name: `metrics`, `probes`, `debug`. Available while it runs. */
  get urls(): Readonly<Record<string, string>> {
    const webhooks =
      this.#webhooks?.isListening === true ? { webhooks: `https://127.0.0.1:${this.#webhooks.port}` } : {}
    return { ...Object.fromEntries([...this.#servers].map(([what, server]) => [what, server.url])), ...webhooks }
  }

  /** Runs until the signal aborts. Rejects as {@link Manager.run} does, or if a port cannot be opened. */
  async run(signal: AbortSignal): Promise<void> {
    const { log, configuration } = this.#options
    if (configuration['dry-run']) log.warn('a dry run: nothing is stored', { notShown: dryRunLimits })
    const started = new Set<HttpServer>()
    try {
      for (const server of new Set(this.#servers.values())) {
        await server.start()
        started.add(server)
      }
      await this.#webhooks?.start(signal)
      log.info('listening', this.urls)
      const client = new RestClient(clientOptions(this.#options))
      await waitFor({ env: this.#options.env, client, log }, configuration['wait-for'], signal)
      await this.manager.run(signal)
    } finally {
      if (this.#webhooks?.isListening === true) await this.#webhooks.stop()
      for (const server of started) await server.stop()
    }
  }
}

/** Nothing calls the webhooks: registering them is a write. */
function asDryRun(options: OperatorRuntimeOptions): OperatorRuntimeOptions {
  return { ...options, transport: dryRunTransport(options.transport), webhooks: [] }
}

function dryRunOptions({ configuration, log }: OperatorRuntimeOptions): Pick<ManagerOptions, 'dryRun' | 'carryOut'> {
  if (!configuration['dry-run']) return {}
  const report = reportTo(log)
  return { dryRun: report, carryOut: dryRunCalls(report) }
}

/** Routes with the same address share a server, but probes are never behind the authorization of metrics. */
function servers(
  manager: Manager,
  options: OperatorRuntimeOptions,
  traces: TraceRing | undefined,
): ReadonlyMap<string, HttpServer> {
  const { configuration, log } = options
  const metricsAddress = configuration['metrics-bind-address']
  const probesAddress = configuration['health-probe-bind-address']
  const isSecure = metricsEndpoint(configuration)?.isSecure === true
  if (isSecure && metricsAddress === probesAddress && !metricsAddress.endsWith(':0'))
    throw new Error(
      `--metrics-bind-address and --health-probe-bind-address are both ${metricsAddress}: give metrics a port of ` +
        'their own, or set --metrics-secure=false',
    )
  const wanted = (
    [
      {
        what: 'metrics',
        setting: 'metrics-bind-address',
        address: metricsAddress,
        routes: metricsRoutes(manager),
      },
      {
        what: 'probes',
        setting: 'health-probe-bind-address',
        address: probesAddress,
        routes: probeRoutes(manager),
      },
    ] as const
  ).filter(({ address }) => isBindAddress(address))
  const ports = new Map<string, HttpServerOptions>()
  // Port 0 is a different port each time.
  const portOf = (what: string, address: string): string => (address.endsWith(':0') ? what : address)
  for (const { what, setting, address, routes } of wanted) {
    const port = portOf(what, address)
    const secure = isSecure && what === 'metrics' ? secureMetrics(metricsOptions(options)) : {}
    ports.set(port, { ...secure, address, setting, routes: { ...ports.get(port)?.routes, ...routes } })
  }
  const made = new Map([...ports].map(([port, options]) => [port, new HttpServer(options)]))
  const found = new Map<string, HttpServer>(
    wanted.map(({ what, address }) => [what, made.get(portOf(what, address)) as HttpServer]),
  )
  const address = configuration['profiling-address']
  if (isBindAddress(address))
    found.set(
      'debug',
      new HttpServer({
        address,
        setting: 'profiling-address',
        routes: debugRoutes(manager, log, traces),
        loopbackOnly: true,
      }),
    )
  return found
}

function metricsOptions(options: OperatorRuntimeOptions): Parameters<typeof secureMetrics>[0] {
  const { env, log, name, namespace, configuration } = options
  const client = new RestClient({ ...clientOptions(options), timeoutMs: reviewTimeoutMs })
  return { env, log, name, namespace, client, folder: configuration['metrics-cert-dir'] }
}

/** Undefined if there are none. */
function webhooksOf(options: OperatorRuntimeOptions, manager: Manager): Webhooks | undefined {
  const { env, log, webhooks = [], name, namespace, configuration } = options
  if (webhooks.length === 0) return undefined
  const url = configuration['webhook-url']
  const folder = configuration['webhook-cert-dir']
  if (url !== '' && url !== 'local' && !/^https:\/\/[^/]+\/?$/.test(url))
    throw new ConfigurationError(`--webhook-url is "${url}": write https://HOST:PORT, or local`)
  const made = new Webhooks({
    env,
    log,
    name,
    namespace,
    webhooks,
    metrics: manager.metrics,
    externals: manager.externals,
    client: new RestClient(clientOptions(options)),
    ...asConfigured(() => parseBindAddress(configuration['webhook-bind-address'])),
    url: url === '' ? undefined : url,
    certificates: folder === '' ? undefined : fileCertificates(env, folder),
  })
  manager.readyz.add('webhooks', () => made.problem)
  return made
}

function managerOptions(options: OperatorRuntimeOptions): ManagerOptions {
  const { configuration, controllers, tasks, tracer, instance, env, log, transport, name } = options
  return {
    env,
    log,
    transport,
    controllers,
    tasks,
    tracer,
    instance,
    program: name,
    namespaces: configuration['namespaces'].length === 0 ? undefined : configuration['namespaces'],
    leaderElection: configuration['leader-elect'] && !configuration['dry-run'] ? leaseOptions(options) : undefined,
    ...dryRunOptions(options),
    cache: {
      resyncPeriodMs: configuration['resync-period'],
      pageSize: configuration['list-page-size'],
      listTimeoutMs: configuration['list-timeout'],
      watchList: configuration['enable-incremental-sync'],
    },
    cacheSize: orNone(configuration['informer-cache-size']),
    concurrency: orNone(configuration['concurrency']),
    rateLimit: clientOptions(options).rateLimit,
    cacheSyncTimeoutMs: configuration['cache-sync-timeout'],
    gracePeriodMs: configuration['graceful-shutdown-timeout'],
  }
}

function leaseOptions({ configuration, name, namespace }: OperatorRuntimeOptions): ManagerOptions['leaderElection'] {
  return {
    name: configuration['leader-election-id'] || name,
    namespace: configuration['leader-election-namespace'] || namespace,
    leaseDurationMs: configuration['leader-elect-lease-duration'],
    renewDeadlineMs: configuration['leader-elect-renew-deadline'],
    retryPeriodMs: configuration['leader-elect-retry-period'],
    shards: configuration['shards'],
  }
}

function clientOptions({ configuration, env, transport, name }: OperatorRuntimeOptions): RestClientOptions {
  const { qps, burst } = configuration
  return { env, transport, userAgentSuffix: name, rateLimit: qps === 0 ? undefined : { qps, burst: orNone(burst) } }
}

function orNone(count: number): number | undefined {
  return count === 0 ? undefined : count
}

/** Errors that a setting causes are reported as such. */
function asConfigured<T>(make: () => T, isSetting: (error: unknown) => boolean = () => true): T {
  try {
    return make()
  } catch (error) {
    if (!isSetting(error)) throw error
    throw new ConfigurationError(error instanceof Error ? error.message : String(error))
  }
}
