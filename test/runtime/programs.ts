/**
 * Bundles each program of `testdata` into one file. Tests start them many times, and loading the modules one by one
 * takes five times as long.
 */
import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs'
import { basename, join } from 'node:path'
import { rolldown } from 'rolldown'

const testdata = join(import.meta.dirname, 'testdata')
/** A bundled server reads them beside itself. */
const facts = join(import.meta.dirname, '../../src/facts')
/** Inside of the project, so that dependencies are found. */
const cache = join(import.meta.dirname, '../../.cache')

export interface Programs {
  /** The bundled file of a program, by the last part of its name. */
  file(name: string): string
  remove(): void
}

/** Names are relative to `testdata`: `operator`, `../../../src/cli/main`. */
export async function bundlePrograms(...names: readonly string[]): Promise<Programs> {
  mkdirSync(cache, { recursive: true })
  const dir = mkdtempSync(join(cache, 'programs-'))
  const build = await rolldown({
    input: Object.fromEntries(names.map((name) => [basename(name), join(testdata, `${name}.ts`)])),
    platform: 'node',
    external: [/^node:/, 'yaml', 're2js'],
    tsconfig: false,
  })
  await build.write({ dir, format: 'esm', entryFileNames: '[name].mjs', chunkFileNames: '[name].mjs' })
  await build.close()
  for (const name of readdirSync(facts)) if (name.endsWith('.json')) symlinkSync(join(facts, name), join(dir, name))
  return {
    file: (name) => join(dir, `${name}.mjs`),
    remove: () => rmSync(dir, { recursive: true, force: true }),
  }
}
