import { afterEach, describe, expect, it } from 'vitest'
import { createControlPlane, type ControlPlane } from '../controlplane/index.ts'
import { Deployment, keyOf, Pod, type Client } from '../index.ts'
import { inProcessTransport, RestClient } from '../client/index.ts'
import { realEnv } from '../env/index.ts'
import { silentLogger } from '../telemetry/logger.ts'
import { clusterAdmission, controllerNames, startLiveCluster, type LiveCluster } from './live-cluster.ts'

let plane: ControlPlane | undefined
let live: LiveCluster | undefined
afterEach(async () => {
  await live?.stop()
  await plane?.close()
})

/** Resolves as soon as an object meets the condition. */
async function until(
  client: Client,
  name: string,
  wanted: (object: { readonly status?: { readonly availableReplicas?: number } | undefined }) => boolean,
): Promise<void> {
  const events = await client.watch<Deployment>(Deployment, {
    namespace: 'default',
    fieldSelector: `metadata.name=${name}`,
    sendInitialEvents: true,
    resourceVersionMatch: 'NotOlderThan',
    allowWatchBookmarks: true,
  })
  for await (const batch of events) if (batch.some((event) => event.type !== 'BOOKMARK' && wanted(event.object))) return
}

describe('a live cluster', () => {
  it('a live cluster rolls a Deployment out on its nodes, and collects it', async () => {
    plane = createControlPlane()
    live = await startLiveCluster(plane, { controllers: ['all'], nodes: 2, log: silentLogger })
    const client = new RestClient({ env: realEnv(), transport: inProcessTransport(plane.transport()) })
    const labels = { app: 'web' }
    await client.create(Deployment, {
      metadata: { name: 'web', namespace: 'default' },
      spec: {
        replicas: 2,
        selector: { matchLabels: labels },
        template: { metadata: { labels }, spec: { containers: [{ name: 'web', image: 'web' }] } },
      },
    })
    await until(client, 'web', ({ status }) => status?.availableReplicas === 2)
    const { items, metadata } = await client.list(Pod, { namespace: 'default' })
    expect(items.map(({ status }) => status?.phase)).toEqual(['Running', 'Running'])

    const gone = await client.watch(Pod, { namespace: 'default', resourceVersion: metadata.resourceVersion })
    await client.delete(Deployment, { namespace: 'default', name: 'web' })
    const left = new Set(items.map((pod) => keyOf(pod).name))
    for await (const batch of gone) {
      for (const event of batch) if (event.type === 'DELETED') left.delete(event.object.metadata.name)
      if (left.size === 0) break
    }
    expect(left.size).toBe(0)
  })

  it('a live cluster takes names as kube-controller-manager does', () => {
    expect(controllerNames('all,-endpoints-controller')).toEqual(['all', '-endpoints-controller'])
    expect(controllerNames(undefined)).toEqual(['none'])
    expect(() => controllerNames('deployments')).toThrow(
      'there is no controller called "deployments": give all, none or some of deployment-controller,',
    )
  })

  it('a live cluster has ServiceAccount admission if accounts are created, unless it is disabled', () => {
    expect(clusterAdmission(['none'])).toEqual({})
    expect(clusterAdmission(['all', '-serviceaccount-controller'], { enable: ['AlwaysAdmit'] })).toEqual({
      enable: ['AlwaysAdmit'],
    })
    expect(clusterAdmission(['all'], { disable: ['PodSecurity'] })).toEqual({
      enable: ['ServiceAccount'],
      disable: ['PodSecurity'],
    })
    expect(clusterAdmission(['all'], { disable: ['ServiceAccount'] })).toEqual({ disable: ['ServiceAccount'] })
  })
})
