/** The same command lines on the embedded control plane and on a real one: exit codes and output must be equal. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startCluster, type Cluster } from '../cluster/index.ts'
import { kubectlVersion, startKubectl, type Kubectl } from './kubectl.ts'
import { complaint, play } from './script.ts'
import { scripts } from './scripts.ts'
import { words } from './words.ts'

/** The kubectl of the server's release, and that of the machine if there is one. */
const programs = ['pinned', ...(kubectlVersion() === undefined ? [] : ['kubectl'])]

describe.each(programs)('%s', { timeout: 600_000 }, (name) => {
  let cluster: Cluster
  let real: Kubectl
  let ours: Kubectl
  beforeAll(async () => {
    cluster = await startCluster({ kubectl: true })
    const program = name === 'pinned' ? (cluster.kubectl ?? '') : name
    real = await startKubectl({ program, kubeconfig: cluster.kubeconfig })
    ours = await startKubectl({ program, authorization: 'RBAC' })
  })
  afterAll(async () => {
    await Promise.all([real.close(), ours.close()])
    await cluster.stop()
  })

  it.each(scripts)('says the same: $name', async (script) => {
    const [expected, got] = await Promise.all([play(real, script, true), play(ours, script, true)])
    expect(words(got)).toBe(words(expected))
    expect(expected.flatMap((each) => complaint(each) ?? []).join('\n\n')).toBe('')
  })
})
