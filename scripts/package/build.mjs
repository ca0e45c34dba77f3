/**
 * Writes `dist/`, the package as it is published: the library and its declarations, the operators that come along, the
 * fact tables and the command line. Types are checked on the way.
 */
import { rmSync } from 'node:fs'
import { run, SetupError, tools } from '../ensure.mjs'
import { bundleCommandLine } from './command-line.mjs'
import { bundleDeclarations } from './declarations.mjs'
import { bundleLibrary, bundleOperators } from './library.mjs'
import { copyTables } from './tables.mjs'

/** `outDir` of tsconfig.build.json. */
const emitted = '.cache/declarations'

export async function build(root) {
  const dist = `${root}/dist`
  rmSync(dist, { recursive: true, force: true })
  copyTables(root, dist)
  await Promise.all([declarations(root, dist), bundleLibrary(root, dist), bundleOperators(root, dist)])
  // Last, and alone: it starts the server.
  await bundleCommandLine(root, dist)
}

async function declarations(root, dist) {
  const { code, output } = await run(process.execPath, [tools.tsc, '-p', 'tsconfig.build.json'], { quiet: true })
  if (code !== 0) throw new SetupError(`The build failed:\n${output.trim()}`)
  await bundleDeclarations(root, `${root}/${emitted}`, dist)
}
