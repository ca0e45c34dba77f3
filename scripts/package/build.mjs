/**
 * Writes `dist/`, the published package: the library and its declarations, the included operators, the fact tables and
 * the command line. Checks types in the process.
 */
import { rmSync, writeFileSync } from 'node:fs'
import { run, SetupError, tools } from '../ensure.mjs'
import { bundleCommandLine } from './command-line.mjs'
import { bundleDeclarations } from './declarations.mjs'
import { bundleLibrary, bundleOperators } from './library.mjs'
import { sbomText } from './sbom.mjs'
import { copyTables } from './tables.mjs'

/** `outDir` of tsconfig.build.json. */
const emitted = '.cache/declarations'

export async function build(root) {
  const dist = `${root}/dist`
  rmSync(dist, { recursive: true, force: true })
  copyTables(root, dist)
  writeFileSync(`${dist}/sbom.cdx.json`, sbomText(root))
  await Promise.all([declarations(root, dist), bundleLibrary(root, dist), bundleOperators(root, dist)])
  // Last and not in parallel: it starts the server from `dist`.
  await bundleCommandLine(root, dist)
}

async function declarations(root, dist) {
  const { code, output } = await run(process.execPath, [tools.tsc, '-p', 'tsconfig.build.json'], { quiet: true })
  if (code !== 0) throw new SetupError(`The build failed:\n${output.trim()}`)
  await bundleDeclarations(root, `${root}/${emitted}`, dist)
}
