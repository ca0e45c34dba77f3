/**
 * The same command lines on an embedded cluster with controllers and on a real one, with kube-controller-manager,
 * kube-scheduler and kwok.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startCluster, type Cluster } from '../cluster/index.ts'
import { startKubectl, type Kubectl } from './kubectl.ts'
import { living } from './living.ts'
import { complaint, play } from './script.ts'
import { words } from './words.ts'

describe('a living cluster', { timeout: 600_000 }, () => {
  let cluster: Cluster
  let real: Kubectl
  let ours: Kubectl
  beforeAll(async () => {
    cluster = await startCluster({ kubectl: true, controllers: true, scheduler: true, nodes: 3 })
    const program = cluster.kubectl ?? ''
    real = await startKubectl({ program, kubeconfig: cluster.kubeconfig })
    ours = await startKubectl({ program, nodes: 3 })
  }, 300_000)
  afterAll(async () => {
    await Promise.all([real.close(), ours.close()])
    await cluster.stop()
  })

  it.each(living)('a living cluster says the same: $name', async (script) => {
    const [expected, got] = await Promise.all([play(real, script, true), play(ours, script, true)])
    expect(expected.flatMap((each) => complaint(each) ?? []).join('\n\n')).toBe('')
    expect(got.flatMap((each) => complaint(each) ?? []).join('\n\n')).toBe('')
    expect(words(got)).toBe(words(expected))
  })
})
