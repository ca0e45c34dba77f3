/**
 * The embedded control plane: storage, registry, built-in resources, CRDs and discovery, wired together.
 * Everything that it does with time and chance goes through its Env, so the same requests on the same seed give the
 * same answers to the byte.
 */
import type { Env } from '../env/env.ts'
import { realEnv } from '../env/real.ts'
import { alwaysAllow, RbacAuthorizer } from './auth/authorizer.ts'
import { mastersGroup, TokenAuthenticator, type Token } from './auth/tokens.ts'
import { bootstrap } from './bootstrap.ts'
import { CustomResources } from './custom-resources.ts'
import { ApiDocuments } from './discovery/api-documents.ts'
import { crdRules } from './extensions/definition/crd-rules.ts'
import { issueServerCertificate } from './http/certificate.ts'
import { Handler } from './http/handler.ts'
import { listen, type Listener } from './http/listener.ts'
import { reviewHandler } from './http/reviews.ts'
import { inProcess, type InProcessTransport } from './in-process.ts'
import { builtinResources } from './registry/builtin-resources.ts'
import type { Backend } from './registry/call.ts'
import { Catalog } from './registry/catalog.ts'
import type { ApiRequest, ApiResponse } from './registry/request.ts'
import type { UserInfo } from './registry/resource.ts'
import { rulesFor, scaleOf } from './resources/index.ts'
import { MemoryStore } from './storage/memory-store.ts'
import type { Store } from './storage/store.ts'

export interface ControlPlaneOptions {
  /** Default: the machine's clock and randomness. */
  readonly env?: Env
  /** Default: in memory, five minutes of history. */
  readonly store?: Store
  /** Who may log in by bearer token. Default: nobody, which leaves the in-process transport. */
  readonly tokens?: readonly Token[]
  /** Default AlwaysAllow: whoever logs in may do everything. RBAC also lets anonymous requests in, with few rights. */
  readonly authorization?: 'AlwaysAllow' | 'RBAC'
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
  /** Stops listeners, watches and timers. */
  close(): Promise<void>
}

export function createControlPlane(options: ControlPlaneOptions = {}): ControlPlane {
  const env = options.env ?? realEnv()
  const store = options.store ?? new MemoryStore({ env })
  const catalog = new Catalog()
  const backend: Backend = { env, store, catalog }
  const isRbac = options.authorization === 'RBAC'
  const authorizer = isRbac ? new RbacAuthorizer(store) : alwaysAllow
  const authenticator = new TokenAuthenticator(options.tokens ?? [], isRbac)
  for (const resource of builtinResources({ rulesFor: (group, plural) => (plural === 'customresourcedefinitions' ? crdRules : rulesFor(group, plural)), scaleOf })) catalog.add(resource)

  const handle = (request: ApiRequest): ApiResponse | Promise<ApiResponse> => handler.handle(request)
  const custom = new CustomResources(backend, handle)
  const documents = new ApiDocuments({
    serverAddress: options.serverAddress ?? '127.0.0.1:6443',
    resources: () => catalog.all(),
    definitionOf: (resource) => custom.definitionOf(resource),
    now: () => env.now(),
  })
  catalog.onChange = () => documents.invalidate()
  const handler: Handler = new Handler({
    backend, authorizer, documents,
    reviews: reviewHandler(authorizer),
    onInternalError: options.onInternalError ?? ((error) => process.emitWarning(error instanceof Error ? error : String(error))),
  })
  custom.start()
  bootstrap(handle, env, isRbac)

  const listeners = new Set<Listener>()
  return {
    handle,
    authenticate: (headers) => authenticator.authenticate(headers['authorization']),
    transport: (user = administrator) => inProcess(handle, user),
    store,
    async listen({ host = '127.0.0.1', port = 0, tls = true } = {}) {
      const certificate = tls ? issueServerCertificate({ env, hosts: servedHosts(host) }) : undefined
      const listener = await listen(
        { handle, authenticate: (authorization) => authenticator.authenticate(authorization) },
        { host, port, tls: certificate },
      )
      listeners.add(listener)
      return { ...listener, caCert: certificate?.caCert ?? '' }
    },
    async close() {
      custom.stop()
      await Promise.all([...listeners].map((listener) => listener.close()))
      store.close()
    },
  }
}

/** The names under which clients may reach the server, as upstream's certificate has them. */
function servedHosts(host: string): string[] {
  const names = ['localhost', 'kubernetes', 'kubernetes.default', 'kubernetes.default.svc', '127.0.0.1', '::1', '10.0.0.1']
  return names.includes(host) || host === '0.0.0.0' || host === '::' ? names : [...names, host]
}

