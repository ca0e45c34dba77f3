/** Tests controller-runtime with `tools/clients/go/manager`. */
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { describeClient } from './session.ts'

await describeClient('controller-runtime', (session) => {
  it('controller-runtime runs a manager, then another', async () => {
    const { home, steps } = session()
    expect(await steps(join(home, 'manager'))).toEqual([
      'leader election',
      'reconciliation',
      'repair of what was changed or deleted',
      'events',
      'hand-over to another manager',
      'deletion by a finalizer',
      'protobuf on the wire',
    ])
  })
})
