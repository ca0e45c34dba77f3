/** Every decision record has a status, a date and the same three sections, and is listed in the index. */
import { readdirSync, readFileSync } from 'node:fs'
import { expect, it } from 'vitest'

const folder = new URL('../../docs/internals/adr/', import.meta.url)
const read = (name: string): string => readFileSync(new URL(name, folder), 'utf8')
const records = readdirSync(folder).filter((name) => /^\d{4}-/.test(name))

it.each(records)('docs/internals/adr/%s has the form of a decision record', (name) => {
  const text = read(name)
  const number = name.slice(0, 4)
  const [, title = ''] = new RegExp(`^# ${number} (.+)\n\nStatus: .+ Date: \\d{4}-\\d{2}\\.\n`).exec(text) ?? []
  expect(title, 'a title with the number, then "Status: ... Date: YYYY-MM."').not.toBe('')
  expect([...text.matchAll(/^## (.+)$/gm)].map(([, heading]) => heading)).toEqual([
    'Context',
    'Decision',
    'Consequences',
  ])
  expect(read('README.md')).toContain(`| [${number}](${name}) | ${title} |`)
})
