/** Tests client-go with `tools/clients/go/informer`. */
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { describeClient } from './session.ts'

await describeClient('client-go', (session) => {
  it('client-go reads, writes, watches', async () => {
    const { home, steps } = session()
    expect(await steps(join(home, 'informer'))).toEqual([
      'create, read, update, list, refusals',
      'patches, apply and scale',
      'informer',
      'dynamic informer of a custom resource',
      'metadata informer',
      'protobuf on the wire',
    ])
  })
})
