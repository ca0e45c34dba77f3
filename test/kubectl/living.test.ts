/**
 * The real kubectl on clusters with controllers and simulated nodes. Each script has its own cluster, since a drain
 * evicts pods of all namespaces.
 */
import { describe, expect, it } from 'vitest'
import { kubectlVersion, startKubectl } from './kubectl.ts'
import { living, simulated } from './living.ts'
import { complaint, play } from './script.ts'

const version = kubectlVersion()

describe.skipIf(version === undefined)(`kubectl ${version ?? ''} and a living cluster`, { timeout: 240_000 }, () => {
  it.concurrent.each([...living, ...simulated])('$name', async (script) => {
    const kubectl = await startKubectl({ nodes: 3 })
    try {
      const played = await play(kubectl, script)
      expect(played.flatMap((each) => complaint(each) ?? []).join('\n\n')).toBe('')
    } finally {
      await kubectl.close()
    }
  })
})
