/** Checks that every mutant still applies: its text occurs once in its file. */
import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { mutants } from './mutants.ts'

it.each(mutants)('$name', ({ file, text, instead }) => {
  const source = readFileSync(new URL(`../../../${file}`, import.meta.url), 'utf8')
  expect(source.split(text).length - 1).toBe(1)
  expect(text).not.toBe(instead)
})
