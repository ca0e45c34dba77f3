/** Our embedded cluster as the site of a scenario: in this process, with a simulated clock. */
import type { Json } from '../../src/api/json.ts'
import { afterMicrotasks } from '../../src/env/real.ts'
import { embedded, type Embedded } from '../../src/testing/index.ts'
import type { Step as Request } from '../differential/case.ts'
import type { Scenario } from './scenario.ts'
import {
  fleet,
  fleetNode,
  heartbeat,
  leaseRequests,
  longestWait,
  nodeRequest,
  quietTime,
  type Reply,
  type Site,
} from './site.ts'

/** Milliseconds: a key that is requeued for longer than this counts as settled. */
const patience = 3000

export async function embeddedSite({ rights = false }: Pick<Scenario, 'rights'>): Promise<Site> {
  const cluster = await embedded({
    nodes: 3,
    // The reference cluster has no metrics server.
    metricsApi: false,
    controlPlane: { serviceClusterIpRange: '10.0.0.0/24', ...(rights ? { authorization: 'RBAC' } : {}) },
  })
  const { env } = cluster
  const send = (request: Request): Promise<Reply> => sendTo(cluster, request)
  for (const node of fleet) {
    const { name, labels } = node
    if (name.startsWith('node-')) {
      await expectDone(
        send({
          method: 'PATCH',
          path: `/api/v1/nodes/${name}`,
          body: { metadata: { labels } },
          headers: { 'content-type': 'application/merge-patch+json' },
        }),
      )
      continue
    }
    await expectDone(send(nodeRequest(fleetNode(node, env.now(), { runtime: 'simulated://1' }))))
    await expectDone(send(leaseRequests(name, env.now()).create))
    const renew = (): void => {
      void send(leaseRequests(name, env.now()).renew)
      env.after(heartbeat, renew)
    }
    env.after(heartbeat, renew)
  }
  return {
    send,
    now: () => env.now(),
    async until(says, holds) {
      const end = env.now() + longestWait
      for (;;) {
        for (let turn = 0; turn < 5; turn++) await afterMicrotasks()
        if (await holds()) return
        const next = env.nextDue ?? Infinity
        if (next > end) throw new Error(`after ${longestWait / 1000} s still not: ${says}`)
        await env.advanceAsync(Math.max(0, next - env.now()))
      }
    },
    async rest() {
      await cluster.settle({ patienceMs: patience })
      await cluster.advance(quietTime)
      await cluster.settle({ patienceMs: patience })
    },
    stop: () => cluster.stop(),
  }
}

async function sendTo({ plane }: Embedded, { method, path, body, headers = {} }: Request): Promise<Reply> {
  const answer = await plane.transport()({
    method,
    path,
    headers: {
      'user-agent': 'scenario/1.0',
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: JSON.parse(JSON.stringify(body)) as Json }),
  })
  return { status: answer.status, body: JSON.parse(JSON.stringify(answer.body ?? null)) as Json }
}

export async function expectDone(reply: Promise<Reply>): Promise<Json> {
  const { status, body } = await reply
  if (status >= 300) throw new Error(`rejected with ${status}: ${JSON.stringify(body)}`)
  return body
}
