/** Tests the official Python client with `tools/clients/python/client.py`. */
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { describeClient } from './session.ts'

await describeClient('kubernetes (Python)', (session) => {
  it('the Python client reads, writes, watches', async () => {
    const { home, source, steps } = session()
    const env = { PYTHONPATH: home, PYTHONDONTWRITEBYTECODE: '1' }
    expect(await steps('python3', [join(source, 'client.py')], env)).toEqual([
      'discovery',
      'create, read, replace, list, refusals',
      'pages and deletion of a collection',
      'strategic, JSON and merge patches',
      'server-side apply',
      'subresources',
      'watch',
      'dynamic client',
      'manifests',
    ])
  })
})
