/** A client for the cluster to plan for. */
import { clusterTransport } from '../client/cluster-access.ts'
import type { Client } from '../client/client.ts'
import { loadAccess } from '../client/load-access.ts'
import { RestClient } from '../client/rest-client.ts'
import { readOnlyTransport } from './read-only-transport.ts'
import { realEnv } from '../env/real.ts'

export interface ClusterToRead {
  readonly client: Client
  /** A description: `context "dev" of /home/dev/.kube/config`. */
  readonly source: string
  /** The namespace of the context; `default` if it has none. */
  readonly namespace: string
  /** Milliseconds since the epoch. */
  readonly now: number
  close(): Promise<void>
}

export interface ClusterChoice {
  /** Default: as kubectl finds it. */
  readonly kubeconfig?: string | undefined
  /** Default: the current context. */
  readonly context?: string | undefined
}

/** Rejects with a KubeconfigError. */
export async function clusterToRead(choice: ClusterChoice): Promise<ClusterToRead> {
  const env = realEnv()
  const access = await loadAccess({ env, ...choice })
  const transport = readOnlyTransport(clusterTransport(env, access))
  const { source, namespace } = access
  return {
    client: new RestClient({ env, transport }),
    source,
    namespace,
    now: env.now(),
    close: () => transport.close(),
  }
}
