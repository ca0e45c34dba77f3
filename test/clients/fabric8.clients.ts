/** Tests fabric8, the Java client, with `tools/clients/java/Client.java`. */
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { describeClient } from './session.ts'

await describeClient('fabric8', (session) => {
  it('fabric8 reads, writes, watches over WebSocket', async () => {
    const { home, source, steps } = session()
    // `java` compiles single-file programs itself.
    expect(await steps('java', ['-cp', join(home, '*'), join(source, 'Client.java')])).toEqual([
      'create, read, replace, list, refusals',
      'JSON, strategic and merge patches, apply',
      'watch',
      'informer',
      'custom resources',
    ])
  })
})
