/** The real kubectl on a cluster with controllers and simulated nodes. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { kubectlVersion, startKubectl, type Kubectl } from './kubectl.ts'
import { living, simulated } from './living.ts'
import { complaint, play } from './script.ts'

const version = kubectlVersion()

describe.skipIf(version === undefined)(`kubectl ${version ?? ''} and a living cluster`, { timeout: 240_000 }, () => {
  let kubectl: Kubectl
  beforeAll(async () => {
    kubectl = await startKubectl({ nodes: 3 })
  })
  afterAll(() => kubectl.close())

  it.concurrent.each([...living, ...simulated])('$name', async (script) => {
    const played = await play(kubectl, script)
    expect(played.flatMap((each) => complaint(each) ?? []).join('\n\n')).toBe('')
  })
})
