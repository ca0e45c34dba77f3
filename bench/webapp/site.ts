/**
 * The environment of the operators: a server with the definition of WebApps, a controller that makes Deployments
 * available, and a counter of the operator's API calls. The server is a real kube-apiserver with an audit log, or our
 * own behind a counting proxy.
 */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { WebApp } from '../../operators/webapp/schema/webapp.ts'
import { clusterTransport, loadAccess, RestClient } from '../../src/client/index.ts'
import { realEnv } from '../../src/env/index.ts'
import { CustomResourceDefinition } from '../../src/index.ts'
import { areBuilt, ensurePrograms, startCluster } from '../../test/cluster/index.ts'
import { end, forkTypeScript, message } from '../child.ts'
import type { Target } from '../connection.ts'
import { writeKubeconfig } from '../kubeconfig.ts'
import { startServer, target } from '../server-process.ts'
import { auditArgs, AuditLog, type Call } from './audit-log.ts'
import { CallProxy } from './call-proxy.ts'

export interface Site {
  /** For the apps and for the controller of Deployments: its calls are not counted. */
  readonly client: RestClient
  /** For the operator. */
  readonly kubeconfig: string
  /** The processes of the server. */
  readonly pids: readonly number[]
  /** The operator's calls since the last call. */
  readonly calls: { next(): readonly Call[] }
  stop(): Promise<void>
}

export type SiteName = 'real' | 'ours'

/** The user whose calls are in the audit log. */
const user = 'carol'

const programs = ['etcd', 'kube-apiserver'] as const

/** Whether a real server has been built already. */
export const hasRealServer = (): boolean => areBuilt(programs)

/** `folder` is temporary; the caller removes it. */
export async function openSite(name: SiteName, folder: string): Promise<Site> {
  const server = await (name === 'real' ? realServer(folder) : ownServer())
  try {
    const kubeconfigOf = (user: 'admin' | 'operator'): string => {
      mkdirSync(join(folder, user))
      return writeKubeconfig(join(folder, user), server[user])
    }
    const admin = kubeconfigOf('admin')
    const client = await clientFor(admin)
    await prepare(client)
    const deployments = forkTypeScript('./webapp/deployments-child.ts', [admin], [])
    await message(deployments)
    const stop = async (): Promise<void> => {
      await end(deployments)
      await server.stop()
    }
    return { client, kubeconfig: kubeconfigOf('operator'), pids: server.pids, calls: server.calls, stop }
  } catch (error) {
    await server.stop()
    throw error
  }
}

interface Server extends Pick<Site, 'pids' | 'calls' | 'stop'> {
  readonly admin: Target
  readonly operator: Target
}

async function realServer(folder: string): Promise<Server> {
  await ensurePrograms(programs)
  const audit = join(folder, 'audit')
  mkdirSync(audit)
  const cluster = await startCluster({
    apiserverArgs: ['--service-cluster-ip-range=10.0.0.0/16', ...auditArgs(audit, user)],
  })
  // The operators may do everything: permissions are not measured.
  await cluster.request('POST', '/apis/rbac.authorization.k8s.io/v1/clusterrolebindings', {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRoleBinding',
    metadata: { name: 'bench' },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cluster-admin' },
    subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: user }],
  })
  return {
    admin: target('kube-apiserver', cluster.url, cluster.token, cluster.ca),
    operator: target('kube-apiserver', cluster.url, cluster.users[user].token, cluster.ca),
    pids: Object.values(cluster.pids),
    calls: new AuditLog(audit),
    stop: () => cluster.stop(),
  }
}

async function ownServer(): Promise<Server> {
  const server = await startServer('coxswain', ['--no-tls'])
  const proxy = await CallProxy.start(server.target.port)
  return {
    admin: server.target,
    operator: { ...server.target, port: proxy.port },
    pids: [server.pid],
    calls: proxy,
    stop: async () => {
      await proxy.stop()
      await server.stop()
    },
  }
}

async function clientFor(kubeconfig: string): Promise<RestClient> {
  const env = realEnv()
  const transport = clusterTransport(env, await loadAccess({ env, kubeconfig }))
  return new RestClient({ env, transport, fieldManager: 'bench' })
}

async function prepare(client: RestClient): Promise<void> {
  await client.create(CustomResourceDefinition, WebApp.crd)
  for (;;) {
    const { status } = await client.get(CustomResourceDefinition, { name: WebApp.crd.metadata.name ?? '' })
    if (status?.conditions?.some(({ type, status: is }) => type === 'Established' && is === 'True') === true) return
    await sleep(100)
  }
}
