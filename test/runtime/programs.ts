/**
 * The programs of `testdata`, each bundled into one file. Tests start them many times, and loading them module by
 * module takes five times as long as the bundle.
 */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { rolldown } from 'rolldown'

const testdata = join(import.meta.dirname, 'testdata')
/** Inside the project, so that dependencies are found from there. */
const cache = join(import.meta.dirname, '../../.cache')

export interface Programs {
  /** The file of a program, which Node runs as it is. */
  file(name: string): string
  remove(): void
}

export async function bundlePrograms(...names: readonly string[]): Promise<Programs> {
  mkdirSync(cache, { recursive: true })
  const dir = mkdtempSync(join(cache, 'programs-'))
  const build = await rolldown({
    input: Object.fromEntries(names.map((name) => [name, join(testdata, `${name}.ts`)])),
    platform: 'node',
    external: [/^node:/, 'yaml', 're2js'],
    tsconfig: false,
  })
  await build.write({ dir, format: 'esm', entryFileNames: '[name].mjs', chunkFileNames: '[name].mjs' })
  await build.close()
  return {
    file: (name) => join(dir, `${name}.mjs`),
    remove: () => rmSync(dir, { recursive: true, force: true }),
  }
}
