import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { transportErrorCodes } from './transport.ts'

it('docs/reference/client.md tells of every code, once', () => {
  const page = readFileSync(new URL('../../docs/reference/client.md', import.meta.url), 'utf8')
  const rows = [...page.matchAll(/^\| `([A-Z_]+)` \| \S.* \| \S.* \|$/gm)].map(([, code]) => code)
  expect(rows).toEqual([...transportErrorCodes])
})
