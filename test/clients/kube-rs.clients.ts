/** Tests kube-rs with `tools/clients/rust`. */
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { describeClient } from './session.ts'

await describeClient('kube-rs', (session) => {
  it('kube-rs reads, writes, watches, and runs a controller', async () => {
    const { home, steps } = session()
    expect(await steps(join(home, 'coxswain-clients'))).toEqual([
      'create, read, replace, list, refusals',
      'JSON, strategic and merge patches, apply',
      'watch',
      'reflector by list and by stream',
      'controller',
    ])
  })
})
