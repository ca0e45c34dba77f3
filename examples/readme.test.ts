/** What examples/README.md says of the examples is true of all of them. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'

const read = (name: string): string => readFileSync(new URL(name, import.meta.url), 'utf8')
const byText = (a: string, b: string): number => a.localeCompare(b)
const readme = read('README.md')
const examples = readdirSync(new URL('.', import.meta.url)).filter((name) => /^[a-z-]+\.ts$/.test(name))

it('examples/README.md lists ten examples beside the first one', () => {
  expect([...readme.matchAll(/\]\(([a-z-]+\.ts)\)/g)].map(([, name = '']) => name).sort(byText)).toEqual(
    [...examples].sort(byText),
  )
  expect(examples).toHaveLength(11)
})

describe.each(examples)('examples/%s', (name) => {
  it('has a test beside it', () => {
    expect(existsSync(new URL(name.replace(/ts$/, 'test.ts'), import.meta.url))).toBe(true)
  })

  it('imports only the package and modules of Node', () => {
    const imported = [...read(name).matchAll(/ from '([^']+)'/g)].map(([, from]) => from)
    expect(imported.filter((from) => !/^(coxswain(\/[a-z]+)?|node:[a-z]+)$/.test(from ?? ''))).toEqual([])
  })

  it.skipIf(name === 'greeting.ts')('says what it shows and how to run it', () => {
    expect(read(name)).toMatch(/^\/\*\*\n \* Shows [\s\S]*? \* Run it[\s\S]*?npm run -s coxswain -- [\s\S]*?\*\/\n/)
  })
})
