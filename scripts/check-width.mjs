/**
 * Checks that no line of code is longer than 120 columns. The formatter breaks most lines; this finds those that it
 * cannot break: strings, regular expressions, comments and titles of tests.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { files, root } from './ensure.mjs'

const maxColumns = 120
const folders = ['src', 'operators', 'examples', 'test', 'bench', 'scripts']

const isCode = (path) => /\.(ts|mjs|cjs)$/.test(path)
const isGenerated = (path) => path.startsWith('src/schema/builtin/') || path.includes('/testdata/')

/** One message for each line of `text` that is too long. */
export function longLines(path, text) {
  return text.split('\n').flatMap((line, index) => {
    const columns = Array.from(line).length
    return columns > maxColumns ? [`${path}:${index + 1}: ${columns} columns, ${maxColumns} at most`] : []
  })
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const paths = folders.flatMap(files).filter((path) => isCode(path) && !isGenerated(path))
  const found = paths.flatMap((path) => longLines(path, readFileSync(join(root, path), 'utf8')))
  for (const message of found) console.error(message)
  if (found.length > 0) process.exitCode = 1
}
