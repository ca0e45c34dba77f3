/** The second server of a run: a real kube-apiserver with etcd that this file starts, or any server by its URL. */
import { ensurePrograms, startCluster } from '../test/cluster/index.ts'
import type { Target } from './connection.ts'
import type { Options } from './options.ts'
import { target } from './server-process.ts'

export interface Peer {
  readonly target: Target
  /** Empty for a server by URL. */
  readonly pids: readonly number[]
  /** Milliseconds from the start of the first process to the first 200 of /readyz; NaN for a server by URL. */
  readonly readyAfter: number
  stop(): Promise<void>
}

/** Undefined if none is requested. */
export async function openPeer(asked: Options['peer']): Promise<Peer | undefined> {
  if (asked === undefined) return undefined
  if (asked !== 'real') return { target: asked, pids: [], readyAfter: Number.NaN, stop: async () => {} }
  await ensurePrograms(['etcd', 'kube-apiserver'])
  const started = performance.now()
  const cluster = await startCluster()
  return {
    target: target('kube-apiserver', cluster.url, cluster.token, cluster.ca),
    pids: Object.values(cluster.pids),
    readyAfter: performance.now() - started,
    stop: () => cluster.stop(),
  }
}
