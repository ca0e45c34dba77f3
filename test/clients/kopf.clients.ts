/**
 * Tests kopf: an operator in a separate process, and `tools/clients/python/kopf_client.py`, which creates its objects.
 */
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { describeClient } from './session.ts'

await describeClient('kopf', (session) => {
  it('kopf runs an operator', async () => {
    const { home, source, steps } = session()
    const env = { PYTHONPATH: home, PYTHONDONTWRITEBYTECODE: '1' }
    const done = await steps('python3', [join(source, 'kopf_client.py')], env)
    expect(done).toEqual(['creation', 'update and event', 'a built-in kind', 'deletion', 'end'])
  })
})
