/**
 * Makes `dist/coxswain.js`, the command line as one file. Node 20 takes about a millisecond to load a module, and there
 * are hundreds: as one file the server is ready in less than half the time (docs/adr/0006-bundled-command-line.md).
 */
import { rolldown } from 'rolldown'

/** The tables stay where they are; the code that reads them has moved. */
const tables = {
  name: 'tables',
  transform(code, id) {
    if (!id.endsWith('/facts/facts.js')) return null
    return code.replaceAll('import.meta.url', "new URL('./controlplane/facts/facts.js', import.meta.url)")
  },
}

export async function bundle(dist) {
  const build = await rolldown({
    input: `${dist}/cli/main.js`,
    platform: 'node',
    external: [/^node:/, 'yaml', 're2js'],
    plugins: [tables],
  })
  await build.write({ file: `${dist}/coxswain.js`, format: 'esm', minify: { compress: false, mangle: false, codegen: { removeWhitespace: true } } })
  await build.close()
}
