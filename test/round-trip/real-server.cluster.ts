/**
 * Exchanges protobuf with a real server: it must decode what we encode, and we must decode and encode its objects byte
 * for byte.
 */
import { Agent } from 'node:https'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startCluster, type Cluster } from '../cluster/index.ts'
import { trips } from './manifest-trip.ts'

describe('a real kube-apiserver', () => {
  const agent = new Agent({ keepAlive: true })
  let cluster: Cluster
  beforeAll(async () => {
    cluster = await startCluster()
  })
  afterAll(async () => {
    agent.destroy()
    await cluster.stop()
  })

  it.each(trips)('a real kube-apiserver takes and gives a full $name', async ({ run }) => {
    const { created, read, written } = await run({ url: cluster.url, ca: cluster.ca, token: cluster.token, agent })
    expect(created.got).toEqual(created.expected)
    expect(read?.got).toEqual(read?.expected)
    expect(written.got).toBe(written.expected)
  })
})
