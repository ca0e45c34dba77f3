/**
 * The embedded control plane: storage, registry, built-in resources, CRDs and discovery, wired together.
 * Everything that it does with time and chance goes through its Env, so the same requests on the same seed give the
 * same answers to the byte.
 */
import type { Env } from '../env/env.ts'
import { realEnv } from '../env/real.ts'
import type { CallWebhook } from './admission/plugin.ts'
import { createChain, type PluginChoice } from './admission/plugins.ts'
import { admissionServices } from './followers/admission-services.ts'
import { Authenticator } from './auth/authenticator.ts'
import { alwaysAllow } from './auth/authorizer.ts'
import { RbacAuthorizer } from './auth/rbac-authorizer.ts'
import { ServiceAccountTokens } from './auth/service-account-tokens.ts'
import { SigningKey } from './auth/signing-key.ts'
import type { Token } from './auth/tokens.ts'
import { mastersGroup } from './auth/user-names.ts'
import { bootstrap } from './bootstrap.ts'
import { DefinitionFollower } from './followers/definition-follower.ts'
import { ApiDocuments } from './discovery/api-documents.ts'
import { crdStrategy } from './extensions/definition/crd-strategy.ts'
import { issueClientCertificate, issueServerCertificate, type IssuedCertificate } from '../x509/certificate.ts'
import { ApiHandler } from './api/handler.ts'
import { startListener, type Listener } from './http/listener.ts'
import { PodConnections } from './api/pod-connections.ts'
import type { PodLogSource } from './api/pod-log.ts'
import { openIdDocuments } from './api/openid.ts'
import { reviewHandler } from './api/reviews.ts'
import { webhookCaller } from './http/webhook-caller.ts'
import { ServerManagedStatus } from './followers/server-managed-status.ts'
import { followServiceAddresses } from './followers/service-addresses.ts'
import { followServiceEndpoints } from './followers/service-endpoints.ts'
import { inProcess, type InProcessTransport } from './api/in-process.ts'
import { builtinResources } from './registry/builtin-resources.ts'
import type { Backend } from './registry/call.ts'
import { Catalog } from './registry/catalog.ts'
import type { ApiRequest, ApiResponse } from './contract/request.ts'
import type { UserInfo } from './contract/resource.ts'
import { strategyFor, scaleOf, sharedKind } from './resources/index.ts'
import { defaultStore } from './storage/default-store.ts'
import type { Store } from './storage/store.ts'
import { WebhookConfigurations } from './followers/webhook-configurations.ts'

export interface ControlPlaneOptions {
  /** Default: the machine's clock and randomness. */
  readonly env?: Env
  /** Default: in memory, five minutes of history; see `storage/default-store.ts`. */
  readonly store?: Store
  /** Who may log in by bearer token. Default: nobody, which leaves the in-process transport. */
  readonly tokens?: readonly Token[]
  /** Default AlwaysAllow: whoever logs in may do everything. RBAC also lets anonymous requests in, with few rights. */
  readonly authorization?: 'AlwaysAllow' | 'RBAC'
  /** Which admission plugins run. Default: see `docs/reference/admission.md`. Unknown names throw. */
  readonly admission?: PluginChoice
  /** How admission and conversion webhooks are called. Default: over HTTPS, those that a configuration names by URL. */
  readonly callWebhook?: CallWebhook | undefined
  /** Signs service account tokens: PEM of an RSA or EC private key. Default: one made on first use. */
  readonly serviceAccountKey?: string | undefined
  /** The `iss` and default audience of service account tokens. Default `https://kubernetes.default.svc`. */
  readonly serviceAccountIssuer?: string | undefined
  /** What `/api` says clients should connect to. Default `127.0.0.1:6443`. */
  readonly serverAddress?: string
  /** Told of failures that are the server's own. Default: a process warning. */
  readonly onInternalError?: (error: unknown, request: ApiRequest) => void
}

export interface PlaneListenOptions {
  /** Default 127.0.0.1. */
  readonly host?: string
  /** Default 0: any free port. */
  readonly port?: number
  /** Default true: HTTPS with a certificate of an authority made for this listener. */
  readonly tls?: boolean
}

export interface PlaneListener extends Listener {
  /** PEM of the authority that signed the serving certificate; '' without TLS. */
  readonly caCert: string
  /** A certificate by which a client logs in as this user. Throws without TLS. */
  readonly issueClientCertificate: (user: string, groups: readonly string[]) => IssuedCertificate
}

/** The user behind in-process requests that name no other. */
export const administrator: UserInfo = { name: 'admin', uid: 'admin', groups: [mastersGroup, 'system:authenticated'] }

export interface ControlPlane {
  /** Never throws: failures are Status answers. */
  handle(request: ApiRequest): ApiResponse | Promise<ApiResponse>
  /** The user behind an Authorization header. Throws an ApiError 401. */
  authenticate(headers: Readonly<Record<string, string | undefined>>): UserInfo
  /** Requests as values, in this process, as `user` (default: an administrator). */
  transport(user?: UserInfo): InProcessTransport
  listen(options?: PlaneListenOptions): Promise<PlaneListener>
  readonly store: Store
  /** From now on logs of pods are read from here. Before, none can be read. */
  serveLogs(source: PodLogSource): void
  /** Stops listeners, watches and timers. */
  close(): Promise<void>
}

export function createControlPlane(options: ControlPlaneOptions = {}): ControlPlane {
  const env = options.env ?? realEnv()
  const store = options.store ?? defaultStore({ env })
  const catalog = new Catalog()
  const isRbac = options.authorization === 'RBAC'
  const authorizer = isRbac ? new RbacAuthorizer(store) : alwaysAllow
  const webhooks = new WebhookConfigurations(env, store, options.callWebhook ?? webhookCaller(env))
  const admission = createChain(
    options.admission,
    admissionServices((request) => handler.handle(request), authorizer, webhooks),
  )
  webhooks.onChange = () => admission.forget()
  const backend: Backend = { env, store, catalog, admission, grants: (call) => authorizer.grants(call) }
  const serverAddress = options.serverAddress ?? '127.0.0.1:6443'
  const issuer = options.serviceAccountIssuer ?? 'https://kubernetes.default.svc'
  const key = new SigningKey(options.serviceAccountKey)
  const accounts = new ServiceAccountTokens({ env, store, key, issuer })
  const authenticator = new Authenticator({
    tokens: options.tokens ?? [],
    accounts,
    allowAnonymous: isRbac,
    now: () => env.now(),
  })
  for (const resource of builtinResources({
    strategyFor: (group, plural) => (plural === 'customresourcedefinitions' ? crdStrategy : strategyFor(group, plural)),
    scaleOf,
    sharedKind,
  }))
    catalog.add(resource)

  const handle = (request: ApiRequest): ApiResponse | Promise<ApiResponse> => handler.handle(request)
  const custom = new DefinitionFollower(backend, handle, { call: webhooks.call, newId: webhooks.newId })
  const documents = new ApiDocuments({
    serverAddress,
    resources: () => catalog.all(),
    definitionOf: (resource) => custom.definitionOf(resource),
    now: () => env.now(),
  })
  catalog.onChange = () => {
    documents.invalidate()
    admission.forget()
  }
  const connections = new PodConnections()
  const handler: ApiHandler = new ApiHandler({
    backend,
    authorizer,
    documents,
    connections,
    reviews: reviewHandler({ authorizer, authenticator, accounts }),
    openId: openIdDocuments({
      key,
      issuer,
      serverAddress: () => options.serverAddress ?? listeningAt ?? serverAddress,
    }),
    onInternalError:
      options.onInternalError ?? ((error) => process.emitWarning(error instanceof Error ? error : String(error))),
  })
  custom.start()
  bootstrap(backend, isRbac)
  const ownStatus = new ServerManagedStatus(backend, handle)
  ownStatus.start()
  const serviceAddresses = followServiceAddresses(backend)
  const serviceEndpoints = followServiceEndpoints(backend)

  const listeners = new Set<Listener>()
  let listeningAt: string | undefined
  return {
    handle,
    authenticate: (headers) => authenticator.authenticate(headers['authorization']),
    transport: (user = administrator) => inProcess(handle, user),
    store,
    serveLogs(source) {
      connections.logs = source
    },
    async listen({ host = '127.0.0.1', port = 0, tls = true } = {}) {
      const certificate = tls ? issueServerCertificate({ env, hosts: servedHosts(host) }) : undefined
      const listener = await startListener(
        { handle, authenticate: (authorization, shown) => authenticator.authenticate(authorization, shown) },
        {
          host,
          port,
          tls: certificate && { cert: certificate.cert, key: certificate.key, clientCa: certificate.caCert },
        },
      )
      listeners.add(listener)
      listeningAt ??= new URL(listener.url).host
      return {
        ...listener,
        caCert: certificate?.caCert ?? '',
        issueClientCertificate(user, groups) {
          if (certificate === undefined) throw new Error('client certificates need TLS')
          return issueClientCertificate(certificate, { env, commonName: user, organizations: groups })
        },
      }
    },
    async close() {
      custom.stop()
      ownStatus.stop()
      serviceAddresses.stop()
      serviceEndpoints.stop()
      await Promise.all([...listeners].map((listener) => listener.close()))
      store.close()
    },
  }
}

/** The names under which clients may reach the server, as upstream's certificate has them. */
function servedHosts(host: string): string[] {
  const names = [
    'localhost',
    'kubernetes',
    'kubernetes.default',
    'kubernetes.default.svc',
    'kubernetes.default.svc.cluster.local',
    '127.0.0.1',
    '::1',
    '10.0.0.1',
  ]
  return names.includes(host) || host === '0.0.0.0' || host === '::' ? names : [...names, host]
}
