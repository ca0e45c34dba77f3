/**
 * The entry points of the package. `exports` of package.json is the only list of them: the build, the API report and
 * the tests follow it. The source of `coxswain` is `src/index.ts`, that of `coxswain/NAME` is `src/NAME/index.ts`.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/**
 * @param {string} root the folder of package.json
 * @returns {{ specifier: string, name: string, source: string, types: string, file: string }[]} paths are relative to
 *   `root`, and `name` is the name of the entry in `dist/`
 */
export function entryPoints(root) {
  const { name: packageName, exports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  return Object.entries(exports)
    .filter(([, target]) => typeof target === 'object')
    .map(([path, target]) => {
      const name = path === '.' ? 'index' : path.slice('./'.length)
      return {
        specifier: path.replace('.', packageName),
        name,
        source: name === 'index' ? 'src/index.ts' : `src/${name}/index.ts`,
        types: target.types,
        file: target.default,
      }
    })
}
