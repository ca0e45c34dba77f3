/** The real kubectl on the embedded control plane: its output for every verb and kind, and for other commands. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { kubectlVersion, startKubectl, type Kubectl } from './kubectl.ts'
import { complaint, play } from './script.ts'
import { scripts } from './scripts.ts'

const version = kubectlVersion()
if (version === undefined) console.log('kubectl is not on this machine: its tests are skipped')

describe.skipIf(version === undefined)(`kubectl ${version ?? ''}`, { timeout: 240_000 }, () => {
  let kubectl: Kubectl
  beforeAll(async () => {
    kubectl = await startKubectl()
  })
  afterAll(() => kubectl.close())

  it.concurrent.each(scripts)('$name', async (script) => {
    const played = await play(kubectl, script)
    expect(played.flatMap((each) => complaint(each) ?? []).join('\n\n')).toBe('')
  })
})
