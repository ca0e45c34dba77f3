/** Tests the reference cluster: it starts, its components work, and it leaves nothing behind. */
import { existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { createServer } from 'node:net'
import type { AddressInfo, Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { ensurePrograms } from './build.ts'
import { freePort, startCluster } from './cluster.ts'
import type { Cluster } from './cluster.ts'
import { StartFailed } from './errors.ts'
import { endOrphans } from './orphans.ts'
import { endProcess, findProcesses, isRunning } from './process-id.ts'
import { cacheFolder } from './programs.ts'
import { request } from './request.ts'
import { readStates } from './state.ts'
import { startHolder } from './testdata/holder.ts'

const eventually = (check: () => void | Promise<void>): Promise<void> =>
  vi.waitFor(check, { timeout: 60_000, interval: 50 })

describe('a server and its store', () => {
  let cluster: Cluster
  beforeAll(async () => {
    cluster = await startCluster()
  })
  afterAll(() => cluster.stop())

  it('a real server and its store answer on loopback, with a certificate that can be checked', async () => {
    expect(cluster.url).toMatch(/^https:\/\/127\.0\.0\.1:\d+$/)
    expect(await cluster.request('GET', '/version')).toMatchObject({ status: 200, body: { gitVersion: 'v1.35.8' } })
    expect(Object.keys(cluster.pids)).toEqual(['etcd', 'kube-apiserver'])
    expect(JSON.parse(readFileSync(cluster.kubeconfig, 'utf8'))).toMatchObject({ 'current-context': 'admin' })
  })

  it('a real server and its store know their users', async () => {
    for (const { name, groups, token } of Object.values(cluster.users)) {
      const review = { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' }
      const answer = await request(
        { ...cluster, token },
        'POST',
        '/apis/authentication.k8s.io/v1/selfsubjectreviews',
        review,
      )
      expect(answer).toMatchObject({ status: 201, body: { status: { userInfo: { username: name } } } })
      expect(answer.body).toHaveProperty('status.userInfo.groups', expect.arrayContaining([...groups]))
    }
    const list = (token: string) => request({ ...cluster, token }, 'GET', '/api/v1/secrets')
    expect((await list(cluster.users.admin.token)).status).toBe(200)
    expect((await list(cluster.users.alice.token)).status).toBe(403)
    expect((await list('nobody')).status).toBe(401)
  })

  it('a real server and its store admit pods without a service account', async () => {
    const pod = { metadata: { name: 'alone' }, spec: { containers: [{ name: 'a', image: 'a' }] } }
    expect(await cluster.request('POST', '/api/v1/namespaces/default/pods', pod)).toMatchObject({ status: 201 })
  })
})

describe('with controllers, scheduler and nodes', () => {
  let cluster: Cluster
  beforeAll(async () => {
    cluster = await startCluster({ controllers: true, scheduler: true, nodes: 3 })
  })
  afterAll(() => cluster.stop())

  it('nodes hold leases, without which they would not stay ready', async () => {
    const path = '/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases'
    await eventually(async () => {
      const { body } = await cluster.request('GET', path)
      const { items } = body as { items: { metadata: { name: string } }[] }
      expect(items.map(({ metadata }) => metadata.name)).toEqual(['node-0', 'node-1', 'node-2'])
    })
  })

  it('a Deployment of 3 becomes ready, at addresses that are nowhere', async () => {
    const labels = { app: 'web' }
    const template = { metadata: { labels }, spec: { containers: [{ name: 'web', image: 'web' }] } }
    const deployment = { metadata: { name: 'web' }, spec: { replicas: 3, selector: { matchLabels: labels }, template } }
    const path = '/apis/apps/v1/namespaces/default/deployments'
    expect(await cluster.request('POST', path, deployment)).toMatchObject({ status: 201 })
    await eventually(async () => {
      expect(await cluster.request('GET', `${path}/web`)).toMatchObject({ body: { status: { readyReplicas: 3 } } })
    })
    const { body } = await cluster.request('GET', '/api/v1/namespaces/default/pods')
    const { items } = body as { items: { status: { podIP: string; hostIP: string } }[] }
    expect(items.map(({ status }) => status.podIP)).toEqual(Array(3).fill(expect.stringMatching(/^198\.51\.100\.\d+$/)))
    expect(items.map(({ status }) => status.hostIP)).toEqual(Array(3).fill(expect.stringMatching(/^192\.0\.2\.[123]$/)))
    expect((await cluster.request('DELETE', `${path}/web?propagationPolicy=Foreground`)).status).toBe(200)
    await eventually(async () => {
      expect(await cluster.request('GET', '/api/v1/namespaces/default/pods')).toMatchObject({ body: { items: [] } })
    })
  })
})

describe('a start', () => {
  let cache: string
  let taken: Server | undefined

  /** A cache with the built programs, but with separate state files. */
  beforeEach(async () => {
    await ensurePrograms(['etcd', 'kube-apiserver'])
    cache = mkdtempSync(join(tmpdir(), 'coxswain-start-'))
    symlinkSync(join(cacheFolder(), 'programs'), join(cache, 'programs'))
  })

  afterEach(async () => {
    taken?.close()
    taken = undefined
    await endOrphans(cache)
    rmSync(cache, { recursive: true, force: true })
  })

  const running = (folder: string) => findProcesses((args) => args.some((arg) => arg.includes(folder)))

  it('a start of the reference cluster takes another port when the one it chose is taken', async () => {
    taken = createServer().listen(0, '127.0.0.1')
    await new Promise((resolve) => taken?.once('listening', resolve))
    const busy = (taken.address() as AddressInfo).port
    const ports = [busy]
    const cluster = await startCluster({ cache, choosePort: async () => ports.shift() ?? freePort() })
    expect(cluster.url).not.toBe(`https://127.0.0.1:${busy}`)
    expect(cluster.logs('kube-apiserver', 1_000)).toContain('address already in use')
    expect((await cluster.request('GET', '/readyz')).status).toBe(200)
    await cluster.stop()
    expect(existsSync(cluster.folder)).toBe(false)
  })

  it('a start of the reference cluster that fails reports why and leaves nothing', async () => {
    const failed = startCluster({ cache, apiserverArgs: ['--no-such-flag'] })
    await expect(failed).rejects.toThrow(StartFailed)
    await expect(failed).rejects.toThrow(
      /kube-apiserver ended with code 1; its last lines:[^]*unknown flag: --no-such-flag/,
    )
    expect(readStates(cache)).toEqual([])
    expect(running(cache)).toEqual([])
  })

  it('a start of the reference cluster that takes too long is given up', async () => {
    const failed = startCluster({ cache, timeout: 1 })
    await expect(failed).rejects.toThrow(/(etcd|kube-apiserver) was not ready within 0.001 s/)
    expect(readStates(cache)).toEqual([])
    expect(running(cache)).toEqual([])
  })

  it('a start of the reference cluster leaves nothing when its process is killed in the middle', async () => {
    const holder = startHolder(cache)
    const etcd = await vi.waitUntil(() => readStates(cache)[0]?.processes['etcd'], { timeout: 60_000, interval: 1 })
    await holder.kill()
    await eventually(() => expect(isRunning(etcd)).toBe(false))
    await eventually(() => expect(readStates(cache)).toEqual([]))
    await eventually(() => expect(running(cache)).toEqual([]))
  })

  it('a start of the reference cluster leaves nothing when its process is killed afterwards', async () => {
    const holder = startHolder(cache)
    const { folder, processes } = await holder.held()
    expect(processes.map(isRunning)).toEqual([true, true])
    await holder.kill()
    await eventually(() => expect(running(folder)).toEqual([]))
    await eventually(() => expect(existsSync(folder)).toBe(false))
  })

  it('a start ends what a process left that was killed together with its supervisor', async () => {
    const holder = startHolder(cache)
    const { folder, processes } = await holder.held()
    const supervisor = readStates(cache)[0]?.supervisor
    expect(supervisor !== undefined && endProcess(supervisor)).toBe(true)
    await holder.kill()
    expect(processes.map(isRunning)).toEqual([true, true])
    const cluster = await startCluster({ cache })
    expect(processes.map(isRunning)).toEqual([false, false])
    expect(existsSync(folder)).toBe(false)
    await cluster.stop()
    expect(running(cache)).toEqual([])
  })
})
