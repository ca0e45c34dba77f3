import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { microTime } from '../api/micro-time.ts'
import { inProcessTransport } from '../client/in-process-transport.ts'
import { RestClient } from '../client/rest-client.ts'
import guestbook, { Guestbook } from '../manifests/testdata/guestbook.ts'
import { ClusterRole, ClusterRoleBinding, Deployment, Lease } from '../schema/builtin/kinds.ts'
import { embedded, type ApplyObject, type Embedded } from '../testing/index.ts'
import { examineObject } from './examine-object.ts'
import type { Finding } from './finding.ts'

const namespace = 'guestbook-system'
const deployment = { namespace, name: 'guestbook-operator' }
const request = { kind: 'guestbook', name: 'one', namespace: 'default' }

/** A cluster with the manifests of an operator that does nothing there: its containers are simulated. */
let cluster: Embedded
beforeEach(async () => {
  const failPull = { image: 'broken:1', behaviour: { failPull: true } }
  cluster = await embedded({ nodes: 1, behaviours: [failPull], controlPlane: { authorization: 'RBAC' } })
  for (const object of (await guestbook.manifests()).objects) {
    await cluster.apply(object as ApplyObject)
    await cluster.settle()
  }
  const metadata = { name: 'one', namespace: 'default' }
  await cluster.client.create(Guestbook, { metadata, spec: { image: 'web:1' } })
})
afterEach(() => cluster.stop())

async function findings(): Promise<readonly Finding[]> {
  return (await examineObject(cluster.client, request, cluster.env.now())).findings
}

describe('the controller of an object', () => {
  it('runs, and has not observed the object: its log', async () => {
    expect(await findings()).toEqual([
      {
        type: 'not-observed',
        summary: 'No controller has observed the current spec of Guestbook default/one.',
        evidence: ['it has no status', 'Deployment guestbook-system/guestbook-operator runs and may write it'],
        command: 'kubectl logs deployment/guestbook-operator -n guestbook-system --tail=50',
      },
    ])
  })

  it('is scaled to 0, and the generation is not observed', async () => {
    const key = { namespace: 'default', name: 'one' }
    const status = { observedGeneration: 1 }
    await cluster.client.patch(Guestbook, key, { type: 'merge', patch: { status } }, { subresource: 'status' })
    expect(await findings()).toEqual([])
    await cluster.client.patch(Guestbook, key, { type: 'merge', patch: { spec: { port: 81 } } })
    await cluster.client.patch(Deployment, deployment, { type: 'merge', patch: { spec: { replicas: 0 } } })
    const [finding] = await findings()
    expect(finding).toMatchObject({
      type: 'controller-not-running',
      summary: 'Deployment guestbook-system/guestbook-operator, which may write these objects, is scaled to 0.',
      command: 'kubectl scale deployment/guestbook-operator -n guestbook-system --replicas=1',
    })
    expect(finding?.evidence).toContain('its status is of generation 1, and its spec of 2')
  })

  it('has no ready pod', async () => {
    const template = { spec: { containers: [{ name: 'operator', image: 'broken:1' }] } }
    const patch = { spec: { template, strategy: { type: 'Recreate', rollingUpdate: null } } }
    await cluster.client.patch(Deployment, deployment, { type: 'strategic', patch })
    await cluster.advance(60_000)
    const [finding] = await findings()
    expect(finding?.summary).toContain('has no ready pod')
    expect(finding?.evidence[0]).toBe('0 of 2 replicas are ready')
    expect(finding?.command).toBe('kubectl describe deployment/guestbook-operator -n guestbook-system')
  })

  it('lets its lease expire; another one does not count', async () => {
    const lease = (name: string, holderIdentity: string) => ({
      metadata: { namespace, name },
      spec: { holderIdentity, leaseDurationSeconds: 15, renewTime: microTime(cluster.env.now()) },
    })
    await cluster.client.create(Lease, lease('guestbook', 'guestbook-operator-5d4-x_1'))
    await cluster.client.create(Lease, lease('other', 'other-5d4-x_1'))
    expect((await findings()).map(({ type }) => type)).toEqual(['not-observed'])
    await cluster.advance(75_000)
    const all = await findings()
    expect(all).toHaveLength(1)
    expect(all[0]).toMatchObject({
      type: 'controller-not-running',
      summary:
        'Nobody renews the lease guestbook-system/guestbook of Deployment guestbook-system/guestbook-operator: ' +
        'no replica leads.',
    })
    expect(all[0]?.evidence[0]).toContain('it expired 60s ago')
  })

  it('is not known to users who may not read roles: the report says so, and goes on', async () => {
    const rules = [{ apiGroups: ['example.dev', ''], resources: ['guestbooks', 'events'], verbs: ['get', 'list'] }]
    await cluster.client.create(ClusterRole, { metadata: { name: 'reader' }, rules })
    await cluster.client.create(ClusterRoleBinding, {
      metadata: { name: 'reader' },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'reader' },
      subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'reader' }],
    })
    const user = { name: 'reader', uid: '', groups: ['system:authenticated'] }
    const transport = inProcessTransport(cluster.plane.transport(user))
    const client = new RestClient({ env: cluster.env, transport, timeoutMs: 0 })
    const { findings: found, unread } = await examineObject(client, request, cluster.env.now())
    expect(found.map(({ type, evidence }) => [type, evidence])).toEqual([['not-observed', ['it has no status']]])
    const roles = unread.find(({ what }) => what === 'clusterroles.rbac.authorization.k8s.io')
    expect(roles?.why).toContain('User "reader" cannot list resource "clusterroles"')
    expect(unread.map(({ what }) => what)).toContain('pods in default')
    expect(unread.map(({ what }) => what)).not.toContain('events in default')
  })
})
