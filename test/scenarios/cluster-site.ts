/**
 * The reference cluster as a site for scenarios: completely real, or with our controllers instead of
 * kube-controller-manager.
 */
import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Json } from '../../src/api/json.ts'
import { clusterTransport } from '../../src/client/cluster-access.ts'
import { loadAccess } from '../../src/client/load-access.ts'
import { builtinControllers } from '../../src/controllers/index.ts'
import { policyWarnings, quotaCount } from '../../src/controlplane/index.ts'
import { realEnv } from '../../src/env/real.ts'
import { Manager } from '../../src/manager/manager.ts'
import { createLogger } from '../../src/telemetry/log-writer.ts'
import { requestSigner } from '../../src/x509/request-signing.ts'
import { fakeNode, filesIn } from '../cluster/commands.ts'
import { startCluster, type Cluster } from '../cluster/index.ts'
import { httpTarget } from '../conformance/http-target.ts'
import { expectDone } from './embedded-site.ts'
import { fleet, fleetNode, heartbeat, leaseRequests, longestWait, nodeRequest, quietTime, type Site } from './site.ts'
import type { Step as Request } from '../differential/case.ts'

const pollEvery = 250

export interface ClusterSiteOptions {
  /** Our controllers instead of kube-controller-manager. */
  readonly ourControllers: boolean
  /** Receives the log of our controllers. Default: dropped. */
  readonly log?: (line: string) => void
}

/** One cluster for all scenarios, which run concurrently in separate namespaces. */
export async function clusterSite({ ourControllers, log }: ClusterSiteOptions): Promise<Site> {
  const cluster = await startCluster({ controllers: !ourControllers, serviceAccounts: true, scheduler: true, nodes: 1 })
  const target = httpTarget({ url: cluster.url, tokens: new Map([['admintoken', cluster.token]]), sockets: 24 })
  const ours = ourControllers ? await startOurs(cluster, log) : undefined
  const send: Site['send'] = async ({ method, path, body, headers = {} }: Request) => {
    const answer = await target.send({ method, path, token: 'admintoken', headers, body })
    return { status: answer.status, body: 'value' in answer.body ? answer.body.value : parsed(answer.body.bytes) }
  }
  const beat = new AbortController()
  const stop = async (): Promise<void> => {
    beat.abort()
    await ours?.()
    await target.close()
    await cluster.stop()
  }
  try {
    await prepare(send)
  } catch (error) {
    await stop()
    throw error
  }
  void keepAlive(send, beat.signal)
  return {
    send,
    now: () => Date.now(),
    async until(says, holds) {
      const end = Date.now() + longestWait
      for (; !(await holds()); await sleep(pollEvery)) {
        if (Date.now() > end) throw new Error(`after ${longestWait / 1000} s still not: ${says}`)
      }
    },
    async rest(versions) {
      const end = Date.now() + longestWait
      let before = await versions()
      for (let since = Date.now(); Date.now() - since < quietTime;) {
        await sleep(pollEvery)
        const now = await versions()
        if (now !== before) since = Date.now()
        before = now
        if (Date.now() > end) throw new Error(`after ${longestWait / 1000} s still not at rest`)
      }
    },
    stop,
  }
}

/** Replaces the cluster's default node by the fleet. */
async function prepare(send: Site['send']): Promise<void> {
  await expectDone(send({ method: 'DELETE', path: '/api/v1/nodes/node-0' }))
  for (const node of fleet) {
    await expectDone(send(nodeRequest(fleetNode(node, Date.now(), { annotations: fakeNode }))))
    if (node.isSilent === true) await expectDone(send(leaseRequests(node.name, Date.now()).create))
  }
}

async function keepAlive(send: Site['send'], signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    for (const { name } of fleet.filter(({ isSilent }) => isSilent === true))
      await send(leaseRequests(name, Date.now()).renew).catch(() => undefined)
    await sleep(heartbeat, undefined, { signal }).catch(() => undefined)
  }
}

async function startOurs(cluster: Cluster, log: ClusterSiteOptions['log']): Promise<() => Promise<void>> {
  const env = realEnv()
  const transport = clusterTransport(env, await loadAccess({ env, kubeconfig: cluster.kubeconfig }))
  const { signerCert, signerKey } = filesIn(cluster.folder)
  const signer = { caCert: readFileSync(signerCert, 'utf8'), caKey: readFileSync(signerKey, 'utf8') }
  const sign = requestSigner(env, () => signer)
  const chosen = builtinControllers(['all'], { ca: cluster.ca, quota: quotaCount, sign, typeCheck: policyWarnings })
  const manager = new Manager({
    env,
    transport,
    gracePeriodMs: 1000,
    controllers: chosen.controllers,
    tasks: chosen.tasks,
    log: createLogger({ env, write: (line) => log?.(line), level: 'debug' }),
  })
  const end = new AbortController()
  const ended = manager.run(end.signal)
  ended.catch(() => undefined)
  await Promise.race([manager.whenWorking(), ended])
  return async () => {
    end.abort()
    await ended
    await transport.close()
  }
}

function parsed(bytes: Buffer): Json {
  const text = bytes.toString('utf8')
  try {
    return JSON.parse(text) as Json
  } catch {
    return text
  }
}
