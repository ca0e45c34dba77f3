/**
 * Makes the command line quick to start: one file instead of hundreds of modules, and a code cache beside it
 * (docs/adr/0006-bundled-command-line.md). Writes `command-line.cjs`, its cache, and `coxswain.cjs`, which runs them.
 */
import { spawn } from 'node:child_process'
import { copyFileSync, rmSync } from 'node:fs'
import { rolldown } from 'rolldown'

/** What is made here, by name; the rest of `dist/` comes from sources one by one. */
export const bundled = ['command-line.cjs', 'command-line.cache', 'coxswain.cjs']

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
  await build.write({
    file: `${dist}/command-line.cjs`,
    format: 'cjs',
    // White space only: names stay, for the sake of stack traces.
    minify: { compress: false, mangle: false, codegen: { removeWhitespace: true } },
  })
  await build.close()
  copyFileSync(new URL('./launcher.cjs', import.meta.url), `${dist}/coxswain.cjs`)
  rmSync(`${dist}/command-line.cache`, { force: true })
  await fillCache(dist)
}

/** Starts the server and stops it once it is ready. Without a cache everything works too, so a failure is no error. */
function fillCache(dist) {
  return new Promise((resolve) => {
    const server = spawn(process.execPath, [`${dist}/coxswain.cjs`, 'server'], {
      env: { ...process.env, COXSWAIN_WRITE_CODE_CACHE: '1' },
      stdio: ['ignore', 'pipe', 'ignore'],
      timeout: 30_000,
    })
    server.stdout.once('data', () => server.kill('SIGTERM'))
    server.on('error', resolve)
    server.on('close', resolve)
  })
}
