/**
 * An operator as a process on a real kube-apiserver whose etcd is restored from a backup: the API server is stopped
 * first, as upstream says. Its revisions are still behind, or have overtaken the old ones, when the operator connects.
 */
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { clusterTransport } from '../../src/client/cluster-access.ts'
import type { HttpTransport } from '../../src/client/http-transport.ts'
import { loadAccess } from '../../src/client/load-access.ts'
import { RestClient } from '../../src/client/rest-client.ts'
import { realEnv } from '../../src/env/real.ts'
import { ConfigMap, Secret } from '../../src/index.ts'
import { apiserverArgs, etcdArgs, filesIn } from '../cluster/commands.ts'
import { ensurePrograms, startCluster, type Cluster } from '../cluster/index.ts'
import { endProcess, identify, isRunning, type ProcessId } from '../cluster/process-id.ts'
import { Child } from './child.ts'
import { bundlePrograms, type Programs } from './programs.ts'
import { copied, create, maxRecoveryMs } from './rollback-run.ts'

const env = realEnv()
let cluster: Cluster
let programs: Programs
let transport: HttpTransport
let client: RestClient
let operator: Child
let backup: string
/** etcd and kube-apiserver: those of the cluster, and those since the last restart. */
const firstServers: ProcessId[] = []
const servers: ChildProcess[] = []

beforeAll(async () => {
  cluster = await startCluster()
  for (const pid of [cluster.pids['kube-apiserver'], cluster.pids.etcd])
    firstServers.push(identify(pid as number) as ProcessId)
  programs = await bundlePrograms('copier')
  transport = clusterTransport(env, await loadAccess({ env, kubeconfig: cluster.kubeconfig }))
  client = new RestClient({ env, transport, fieldManager: 'user' })
  operator = new Child({
    program: programs.file('copier'),
    args: ['--namespaces', 'default'],
    variables: { KUBECONFIG: cluster.kubeconfig },
  })
  for (const name of ['kept0', 'kept1']) await create(client, name)
  await copied(client)
  await stopServers()
  backup = join(cluster.folder, 'backup')
  cpSync(filesIn(cluster.folder).etcdData, backup, { recursive: true })
  await startServers()
  await copied(client)
})
afterAll(async () => {
  await operator.destroy()
  await transport.close()
  await stopServers()
  programs.remove()
  await cluster.stop()
})

async function stopServers(): Promise<void> {
  for (const server of servers.splice(0).reverse()) {
    const ended = once(server, 'exit')
    server.kill('SIGKILL')
    await ended
  }
  for (const first of firstServers.splice(0)) {
    endProcess(first)
    while (isRunning(first)) await sleep(20)
  }
}

async function startServers(): Promise<void> {
  const { folder, url } = cluster
  const files = filesIn(folder)
  const built = await ensurePrograms(['etcd', 'kube-apiserver'])
  const start = (name: 'etcd' | 'kube-apiserver', args: readonly string[]): number =>
    servers.push(spawn(built[name]?.path as string, args, options))
  const options = { cwd: folder, env: { PATH: process.env['PATH'], HOME: folder }, stdio: 'ignore' } as const
  const settings = { port: Number(new URL(url).port), serviceAccounts: false, more: [] }
  rmSync(files.etcdSocket, { force: true })
  start('etcd', etcdArgs(folder))
  start('kube-apiserver', apiserverArgs(folder, settings))
  while ((await cluster.request('GET', '/readyz').catch(() => undefined))?.status !== 200) await sleep(100)
}

async function restore(): Promise<void> {
  await stopServers()
  const { etcdData } = filesIn(cluster.folder)
  rmSync(etcdData, { recursive: true })
  cpSync(backup, etcdData, { recursive: true })
  await startServers()
}

async function revision(): Promise<number> {
  return Number((await client.list(Secret, { limit: 1 })).metadata.resourceVersion)
}

async function recoveryMs(): Promise<number> {
  const startedAt = performance.now()
  await copied(client)
  return performance.now() - startedAt
}

describe('an operator on a real server whose etcd is restored', () => {
  it('an operator recovers after a restore of etcd, while revisions are behind', async () => {
    for (const name of ['lost0', 'lost1', 'lost2']) await create(client, name)
    await copied(client)
    const lost = await revision()
    await restore()
    for (const name of ['new', 'lost0']) await create(client, name)
    expect(await revision()).toBeLessThan(lost)
    const ms = await recoveryMs()
    console.log(`etcd restored, behind: recovered in ${Math.round(ms)} ms`)
    expect(ms).toBeLessThan(maxRecoveryMs)
    await create(client, 'newer')
    await copied(client)
  })

  it('an operator recovers after a restore of etcd, though revisions have overtaken', async () => {
    for (const name of ['lost3', 'lost4', 'lost5']) await create(client, name)
    await copied(client)
    const lost = await revision()
    // It connects when the server has overtaken. The server's own history begins before that.
    operator.kill('SIGSTOP')
    await restore()
    for (const name of ['newest', 'lost3']) await create(client, name)
    for (let i = 0; (await revision()) <= lost; i++)
      await client.create(ConfigMap, { metadata: { namespace: 'kube-public', name: `other-${i}` } })
    operator.kill('SIGCONT')
    const ms = await recoveryMs()
    console.log(`etcd restored, overtaken: recovered in ${Math.round(ms)} ms`)
    expect(ms).toBeLessThan(maxRecoveryMs)
    operator.kill('SIGTERM')
    expect(await operator.end()).toBe(0)
  })
})
