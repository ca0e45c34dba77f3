/** The access to one cluster as one user: from a kubeconfig, or from the files and variables of a pod. */
import type { Env } from '../env/env.ts'
import type { ServerTrust } from './connection-pool.ts'
import type { Credentials } from './credentials.ts'
import { HttpTransport, type HttpTransportOptions } from './http-transport.ts'
import { readTextOrFile, type TextOrFile } from './user-credentials.ts'
import type { Headers } from './transport.ts'

/** Immutable: another context is another value, so that server and user are never mixed. */
export interface ClusterAccess {
  /** A description: `context "dev" of /home/dev/.kube/config`. */
  readonly source: string
  readonly server: string
  /** That of the context; `default` if it has none. In a pod: that of the pod. */
  readonly namespace: string
  readonly trust: () => Promise<ServerTrust>
  readonly credentials: Credentials
  readonly proxy: URL | undefined
  /** Impersonation. */
  readonly headers: Headers
  /** Undefined: the default of the transport. */
  readonly compression: boolean | undefined
}

/** A transport to the cluster. `options` take precedence over the access. */
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

/** One header for each group: servers do not split values. */
export function impersonationHeaders({ user, uid, groups, extra = {} }: Impersonation): Headers {
  const headers: Record<string, string | readonly string[]> = { 'impersonate-user': user }
  if (uid !== undefined) headers['impersonate-uid'] = uid
  if (groups !== undefined && groups.length > 0) headers['impersonate-group'] = groups
  for (const [key, values] of Object.entries(extra))
    headers[`impersonate-extra-${encodeURIComponent(key).toLowerCase()}`] = values
  return headers
}

/** The trusted CA, which may be in a file that changes. Returns the same value as long as it does not change. */
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
