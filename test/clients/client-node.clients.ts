/** Tests the official JavaScript client with `tools/clients/node/client.mjs`. */
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { describeClient } from './session.ts'

await describeClient('@kubernetes/client-node', (session) => {
  it('the JavaScript client reads, writes, watches', async () => {
    const { home, steps } = session()
    expect(await steps(process.execPath, [join(home, 'client.mjs')])).toEqual([
      'create, read, replace, list, refusals',
      'JSON, strategic and merge patches',
      'generic objects and server-side apply',
      'watch',
      'informer',
    ])
  })
})
