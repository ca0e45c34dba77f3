/**
 * Everything that is needed to reach one cluster as one user. Made from a kubeconfig, or of what a pod finds in itself.
 */
import type { Env } from '../env/env.ts'
import type { ServerTrust } from './connection-pool.ts'
import type { Credentials } from './credentials.ts'
import { HttpTransport, type HttpTransportOptions } from './http-transport.ts'
import { readTextOrFile, type TextOrFile } from './user-credentials.ts'
import type { Headers } from './transport.ts'

/** Does not change: another context is another value, so server and user never mix. */
export interface ClusterAccess {
  /** Where it comes from, for people: `context "dev" of /home/dev/.kube/config`. */
  readonly source: string
  readonly server: string
  /** The context's; `default` when it has none. In a pod: the pod's own. */
  readonly namespace: string
  readonly trust: () => Promise<ServerTrust>
  readonly credentials: Credentials
  readonly proxy: URL | undefined
  /** Impersonation. */
  readonly headers: Headers
  /** Undefined: as the transport likes. */
  readonly compression: boolean | undefined
}

/** Connections to the cluster. `options` go before what the access says. */
export function clusterTransport(
  env: Env,
  access: ClusterAccess,
  options: Partial<HttpTransportOptions> = {},
): HttpTransport {
  const { server, trust, credentials, proxy, headers, compression } = access
  return new HttpTransport({ env, server, trust, credentials, proxy, headers, compression, ...options })
}

export interface Impersonation {
  readonly user: string
  readonly uid?: string | undefined
  readonly groups?: readonly string[] | undefined
  readonly extra?: Readonly<Record<string, readonly string[]>> | undefined
}

/** One header for each group: servers do not split them. */
export function impersonationHeaders({ user, uid, groups, extra = {} }: Impersonation): Headers {
  const headers: Record<string, string | readonly string[]> = { 'impersonate-user': user }
  if (uid !== undefined) headers['impersonate-uid'] = uid
  if (groups !== undefined && groups.length > 0) headers['impersonate-group'] = groups
  for (const [key, values] of Object.entries(extra))
    headers[`impersonate-extra-${encodeURIComponent(key).toLowerCase()}`] = values
  return headers
}

/** Trust in an authority that may be in a file that changes. The same value as long as it does not. */
export function trustIn(
  ca: TextOrFile | undefined,
  rest: Omit<ServerTrust, 'ca'>,
  owner: string,
): () => Promise<ServerTrust> {
  let last: ServerTrust | undefined
  return async () => {
    const text = ca === undefined ? undefined : await readTextOrFile(ca, 'the certificate authority', owner)
    if (last === undefined || last.ca !== text) last = { ...rest, ca: text }
    return last
  }
}
