/**
 * The embedded control plane: storage, registry, built-in resources, CRDs and discovery, wired together. All time and
 * randomness come from its Env, so that the same requests with the same seed give byte-identical responses.
 */
import type { Env } from '../env/env.ts'
import { realEnv } from '../env/real.ts'
import type { CallWebhook } from './admission/plugin.ts'
import type { CreationWarnings } from './admission/creation-warnings.ts'
import { createChain, type PluginChoice } from './admission/plugins.ts'
import { AuditedHandler, type AuditOptions } from './audit/audited-handler.ts'
import { AdmissionPolicies } from './followers/admission-policies.ts'
import { admissionServices } from './followers/admission-services.ts'
import { Authenticator } from './auth/authenticator.ts'
import { alwaysAllow } from './auth/authorizer.ts'
import { RbacAuthorizer } from './auth/rbac-authorizer.ts'
import { ServiceAccountTokens } from './auth/service-account-tokens.ts'
import { SigningKey } from './auth/signing-key.ts'
import type { Token } from './auth/tokens.ts'
import { mastersGroup } from './auth/user-names.ts'
import { bootstrap, keepServiceObjects, serviceRange } from './bootstrap.ts'
import { DefinitionFollower } from './followers/definition-follower.ts'
import { ApiDocuments } from './discovery/api-documents.ts'
import { crdStrategy } from './extensions/definition/crd-strategy.ts'
import {
  issueCertificateAuthority,
  issueClientCertificate,
  issueServerCertificate,
  type CertificateAuthority,
  type IssuedCertificate,
} from '../x509/certificate.ts'
import { requestSigner, type SignRequest } from '../x509/request-signing.ts'
import { ApiHandler } from './api/handler.ts'
import type { ClientLimits } from './http/client-limits.ts'
import { startListener, type Listener, type MeasuredListener } from './http/listener.ts'
import { metricsResponse } from './http/listener-metrics.ts'
import { PodConnections } from './api/pod-connections.ts'
import type { PodLogSource } from './api/pod-log.ts'
import { openIdDocuments } from './api/openid.ts'
import { reviewHandler } from './api/reviews.ts'
import { webhookCaller } from './http/webhook-caller.ts'
import { repairEvents } from './followers/repair-events.ts'
import { metricsResources, type UsageSource } from './followers/resource-metrics.ts'
import { ServerManagedStatus } from './followers/server-managed-status.ts'
import { followServiceAddresses } from './followers/service-addresses.ts'
import { followServiceEndpoints } from './followers/service-endpoints.ts'
import { inProcess, type InProcessTransport } from './api/in-process.ts'
import { builtinResources, checkOptionalVersions, type BuiltinBehaviour } from './registry/builtin-resources.ts'
import type { Backend } from './registry/call.ts'
import { Catalog } from './registry/catalog.ts'
import type { ApiRequest, ApiResponse } from './contract/request.ts'
import type { UserInfo } from './contract/resource.ts'
import { strategyFor, scaleOf, sharedKind } from './resources/index.ts'
import { defaultStore } from './storage/default-store.ts'
import type { Store } from './storage/store.ts'
import { WebhookConfigurations } from './followers/webhook-configurations.ts'

export interface ControlPlaneOptions {
  /** Default: the system clock and system randomness. */
  readonly env?: Env
  /**
   * Default: in memory, five minutes of history; see `storage/default-store.ts`. On the machine's clock it starts at a
   * revision that is the time, so that clients of a restarted server notice that their versions are too old.
   */
  readonly store?: Store
  /** The static bearer tokens. Default: none, so that only the in-process transport can be used. */
  readonly tokens?: readonly Token[]
  /**
   * Default AlwaysAllow: every authenticated user may do everything. RBAC also admits anonymous requests, with few
   * rights.
   */
  readonly authorization?: 'AlwaysAllow' | 'RBAC'
  /**
   * Built-in versions that are served in addition, and are not by default: `admissionregistration.k8s.io/v1beta1`
   * (MutatingAdmissionPolicies, which then take effect). Others throw.
   */
  readonly runtimeConfig?: readonly string[] | undefined
  /** Which admission plugins run. Default: see `docs/reference/admission.md`. Unknown names throw. */
  readonly admission?: PluginChoice
  /** Warnings for clients that create objects, by plural and group: `statefulsets.apps`, `pods`. Default: none. */
  readonly creationWarnings?: CreationWarnings | undefined
  /** How admission and conversion webhooks are called. Default: over HTTPS, and only if they are configured by URL. */
  readonly callWebhook?: CallWebhook | undefined
  /** Signs service account tokens: an RSA or EC private key in PEM. Default: generated on first use. */
  readonly serviceAccountKey?: string | undefined
  /** The `iss` and default audience of service account tokens. Default `https://kubernetes.default.svc`. */
  readonly serviceAccountIssuer?: string | undefined
  /** Records requests over HTTP and of in-process transports. Default: nothing is recorded. */
  readonly audit?: AuditOptions | undefined
  /**
   * The range of cluster IPs, an IPv4 network of 8 to 2^20 addresses; anything else throws a RangeError. ServiceCIDRs
   * add others. Default `10.0.0.0/24`, for 253 Services, as kube-apiserver.
   */
  readonly serviceClusterIpRange?: string | undefined
  /** The server address in `/api`. Default `127.0.0.1:6443`. */
  readonly serverAddress?: string
  /** Called for unexpected errors of the server. Default: a process warning. */
  readonly onInternalError?: (error: unknown, request: ApiRequest) => void
}

export interface PlaneListenOptions {
  /** Default 127.0.0.1. */
  readonly host?: string
  /** Default 0: any free port. */
  readonly port?: number
  /** Default true: HTTPS with a certificate of the control plane's CA, which is made on first use. */
  readonly tls?: boolean
  /** What clients may use. Absent limits have their defaults. */
  readonly limits?: Partial<ClientLimits> | undefined
}

export interface PlaneListener extends Listener {
  /** The CA of the serving certificate in PEM; '' without TLS. */
  readonly caCert: string
  /** Issues a client certificate for this user. Throws without TLS. */
  readonly issueClientCertificate: (user: string, groups: readonly string[]) => IssuedCertificate
}

/** The default user of in-process requests. */
export const administrator: UserInfo = { name: 'admin', uid: 'admin', groups: [mastersGroup, 'system:authenticated'] }

export interface ControlPlane {
  /** Never throws: failures are Status responses. */
  handle(request: ApiRequest): ApiResponse | Promise<ApiResponse>
  /** The user of an Authorization header. Throws an ApiError 401. */
  authenticate(headers: Readonly<Record<string, string | undefined>>): UserInfo
  /** Requests as values, in this process, as `user` (default: {@link administrator}). */
  transport(user?: UserInfo): InProcessTransport
  listen(options?: PlaneListenOptions): Promise<PlaneListener>
  readonly store: Store
  /** Sets the source of pod logs. Without one, no log can be read. */
  serveLogs(source: PodLogSource): void
  /** Signs a certificate request with the CA of the listeners, so that it can be used as a client certificate. */
  readonly signRequest: SignRequest
  /** Serves metrics.k8s.io/v1beta1, for `kubectl top` and autoscalers. Without a source there is no such API. */
  serveUsage(source: UsageSource): void
  /** Stops listeners, watches and timers. */
  close(): Promise<void>
}

export function createControlPlane(options: ControlPlaneOptions = {}): ControlPlane {
  const env = options.env ?? realEnv()
  const store = options.store ?? defaultStore({ env, initialRevision: options.env === undefined ? env.now() : 1 })
  const catalog = new Catalog()
  const range = serviceRange(options.serviceClusterIpRange)
  const optional = checkOptionalVersions(options.runtimeConfig ?? [])
  const isRbac = options.authorization === 'RBAC'
  const authorizer = isRbac ? new RbacAuthorizer(store) : alwaysAllow
  const webhooks = new WebhookConfigurations(env, store, options.callWebhook ?? webhookCaller(env))
  const policies = new AdmissionPolicies(store, catalog, optional.includes('admissionregistration.k8s.io/v1beta1'))
  const admission = createChain(
    options.admission,
    admissionServices(env, store, (request) => handler.handle(request), authorizer, webhooks, policies),
    options.creationWarnings,
  )
  webhooks.onChange = () => admission.forget()
  policies.onChange = () => admission.forget()
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
  const behaviour: BuiltinBehaviour = {
    strategyFor: (group, plural) => (plural === 'customresourcedefinitions' ? crdStrategy : strategyFor(group, plural)),
    scaleOf,
    sharedKind,
  }
  for (const resource of builtinResources(behaviour, optional)) catalog.add(resource)

  const handle = (request: ApiRequest): ApiResponse | Promise<ApiResponse> => handler.handle(request)
  const custom = new DefinitionFollower(backend, handle, { call: webhooks.call, newId: webhooks.newId })
  const documents = new ApiDocuments({
    serverAddress,
    resources: () => catalog.all(),
    definitionOf: (resource) => custom.definitionOf(resource),
    optional,
    now: () => env.now(),
  })
  catalog.onChange = () => {
    documents.invalidate()
    policies.forgetKinds()
    admission.forget()
  }
  const connections = new PodConnections()
  const listeners = new Set<MeasuredListener>()
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
    metrics: (request) => metricsResponse(request, listeners),
    onInternalError:
      options.onInternalError ?? ((error) => process.emitWarning(error instanceof Error ? error : String(error))),
  })
  custom.start()
  bootstrap(backend, isRbac, range, optional)
  const ownStatus = new ServerManagedStatus(backend, handle)
  ownStatus.start()
  const serviceAddresses = followServiceAddresses(backend, repairEvents(env, handle))
  const serviceObjects = keepServiceObjects(backend, range)
  const serviceEndpoints = followServiceEndpoints(backend)

  const audited =
    options.audit &&
    new AuditedHandler(handle, {
      ...options.audit,
      env,
      authorizer,
    })
  const served = audited?.handle ?? handle
  let listeningAt: string | undefined
  let authority: CertificateAuthority | undefined
  const certificateAuthority = (): CertificateAuthority => (authority ??= issueCertificateAuthority(env))
  return {
    handle: served,
    authenticate: (headers) => authenticator.authenticate(headers['authorization']),
    transport: (user = administrator) => inProcess(served, user),
    store,
    serveLogs(source) {
      connections.logs = source
    },
    signRequest: requestSigner(env, certificateAuthority),
    serveUsage(source) {
      for (const resource of metricsResources(env, source)) catalog.add(resource)
    },
    async listen({ host = '127.0.0.1', port = 0, tls = true, limits } = {}) {
      const certificate = tls
        ? issueServerCertificate({ env, hosts: servedHosts(host, range.firstIp), ca: certificateAuthority() })
        : undefined
      const listener = await startListener(
        {
          handle: served,
          authenticate: (authorization, shown) => authenticator.authenticate(authorization, shown),
          onUnauthenticated: audited && ((request) => audited.unauthenticated(request)),
          onRejected: audited && ((request, response) => audited.rejected(request, response)),
        },
        {
          host,
          port,
          clientLimits: limits,
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
      serviceObjects.stop()
      serviceEndpoints.stop()
      await Promise.all([...listeners].map((listener) => listener.close()))
      store.close()
    },
  }
}

/** The DNS names and addresses of the server, as in upstream's certificate. */
function servedHosts(host: string, serviceIp: string): string[] {
  const names = [
    'localhost',
    'kubernetes',
    'kubernetes.default',
    'kubernetes.default.svc',
    'kubernetes.default.svc.cluster.local',
    '127.0.0.1',
    '::1',
    serviceIp,
  ]
  return names.includes(host) || host === '0.0.0.0' || host === '::' ? names : [...names, host]
}
