/** Checks that every mutant still applies: its text occurs once in its file, and the result is still TypeScript. */
import { readFileSync } from 'node:fs'
import { transformSync } from 'rolldown/utils'
import { expect, it } from 'vitest'
import { mutants } from './corpus/index.ts'
import { survivors } from './survivors.ts'

it.each(mutants)('$id applies', ({ file, find, replace, why }) => {
  const source = readFileSync(new URL(`../../../${file}`, import.meta.url), 'utf8')
  const parts = source.split(find)
  expect(parts.length - 1).toBe(1)
  expect(replace).not.toBe(find)
  expect(why).not.toBe('')
  expect(transformSync(file, parts.join(replace)).errors).toEqual([])
})

it('the corpus has enough of each part', () => {
  const count = (start: string): number => mutants.filter(({ id }) => id.startsWith(start)).length
  expect(new Set(mutants.map(({ id }) => id)).size).toBe(mutants.length)
  expect(new Set(mutants.map(({ file, find, replace }) => [file, find, replace].join('\n'))).size).toBe(mutants.length)
  expect(count('webapp/')).toBeGreaterThanOrEqual(36)
  expect(count('runtime/')).toBeGreaterThanOrEqual(26)
  for (const { id, file } of mutants)
    expect(file.startsWith(id.startsWith('webapp/') ? 'operators/webapp/' : 'src/'), id).toBe(true)
})

it('every explained survivor is a mutant, once', () => {
  const ids = survivors.map(({ id }) => id)
  expect(new Set(ids).size).toBe(ids.length)
  for (const id of ids) expect(mutants.map((mutant) => mutant.id)).toContain(id)
})
