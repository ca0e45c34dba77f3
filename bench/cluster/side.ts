/**
 * The clusters that are measured: our server with everything in one process, or a real control plane with kwok's nodes
 * in five processes.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { clusterTransport, loadAccess, RestClient } from '../../src/client/index.ts'
import { Node, type Client } from '../../src/index.ts'
import { realEnv } from '../../src/env/index.ts'
import { startCluster } from '../../test/cluster/index.ts'
import { path } from '../child.ts'
import type { Target } from '../connection.ts'
import { writeKubeconfig } from '../kubeconfig.ts'
import { startServer, target } from '../server-process.ts'
import { awaitAll } from './workloads.ts'

export interface Side {
  readonly name: string
  readonly client: Client
  readonly pids: readonly number[]
  stop(): Promise<void>
}

export type SideName = 'ours' | 'real' | 'real, raised limits'

/** QPS and burst of kube-controller-manager and kube-scheduler: the defaults, and values that are never reached. */
const limits = {
  real: { manager: [20, 30], scheduler: [50, 100] },
  'real, raised limits': { manager: [5000, 10_000], scheduler: [5000, 10_000] },
} as const

export async function openSide(name: SideName, nodes: number): Promise<Side> {
  if (name === 'ours') return openOurs(nodes, path('..'))
  const { manager, scheduler } = limits[name]
  const flags = ([qps, burst]: readonly [number, number]): string[] => [
    `--kube-api-qps=${qps}`,
    `--kube-api-burst=${burst}`,
  ]
  const cluster = await startCluster({
    controllers: true,
    scheduler: true,
    nodes,
    // Every pod has an address, so the default range of 254 is too small.
    more: {
      'kube-controller-manager': flags(manager),
      'kube-scheduler': flags(scheduler),
      kwok: ['--cidr=198.18.0.0/15'],
    },
  })
  return connected(name, target(name, cluster.url, cluster.token, cluster.ca), Object.values(cluster.pids), () =>
    cluster.stop(),
  )
}

/** `root`: the tree whose build is started. */
export async function openOurs(nodes: number, root: string): Promise<Side> {
  const server = await startServer('coxswain', ['--controllers', 'all', '--nodes', String(nodes)], root)
  const side = await connected('ours', server.target, [server.pid], () => server.stop())
  // A real cluster is started with Ready nodes, too.
  const isReady = ({ status }: Node): boolean =>
    status?.conditions?.some(({ type, status: is }) => type === 'Ready' && is === 'True') === true
  await awaitAll(side.client, Node, undefined, nodes, isReady)
  return side
}

async function connected(name: string, to: Target, pids: readonly number[], end: () => Promise<void>): Promise<Side> {
  const env = realEnv()
  const folder = mkdtempSync(join(tmpdir(), 'coxswain-bench-'))
  const kubeconfig = writeKubeconfig(folder, to)
  const transport = clusterTransport(env, await loadAccess({ env, kubeconfig }))
  rmSync(folder, { recursive: true, force: true })
  return {
    name,
    pids,
    client: new RestClient({ env, transport, fieldManager: 'bench', timeoutMs: 0 }),
    stop: async () => {
      await transport.close()
      await end()
    },
  }
}
