// Loader hooks that strip the types of `.ts` modules, for Node versions that cannot do so themselves. The transform is
// rolldown's.
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { transformSync } from 'rolldown/utils'

export async function load(url, context, next) {
  if (!url.startsWith('file:') || !url.endsWith('.ts')) return next(url, context)
  const path = fileURLToPath(url)
  return withoutTypes(path, await readFile(path, 'utf8'))
}

/** What `load` answers for the text of a file. */
export function withoutTypes(path, text) {
  const result = transformSync(path, text, { sourcemap: true, tsconfig: false })
  if (result.errors.length > 0) throw new SyntaxError(`${path}: ${result.errors[0].message}`)
  const map = Buffer.from(JSON.stringify(result.map)).toString('base64')
  const source = `${result.code}\n//# sourceMappingURL=data:application/json;base64,${map}`
  return { format: 'module', source, shortCircuit: true }
}
