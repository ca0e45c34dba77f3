/**
 * Makes the command line quick to start: one file instead of hundreds of modules, and a code cache beside it
 * (docs/adr/0006-bundled-command-line.md). Writes `command-line.cjs`, its cache, and `coxswain.cjs`, which runs them.
 */
import { spawn } from 'node:child_process'
import { copyFileSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { rolldown } from 'rolldown'

/** What is made here, by name; the rest of `dist/` comes from sources one by one. */
export const bundled = ['command-line.cjs', 'command-line.cache', 'coxswain.cjs']

/** The tables stay where they are; the code that reads them has moved. */
const tables = {
  name: 'tables',
  transform(code, id) {
    if (!id.endsWith('/facts/facts.js')) return null
    return code.replace('new URL(file, import.meta.url)', '`${__dirname}/controlplane/facts/${file}`')
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
  asFunction(`${dist}/command-line.cjs`)
  copyFileSync(new URL('./launcher.cjs', import.meta.url), `${dist}/coxswain.cjs`)
  rmSync(`${dist}/command-line.cache`, { force: true })
  await fillCache(dist)
}

/**
 * Makes the file what the launcher needs: an expression for a function, all in ASCII, which is read without decoding and
 * takes half the memory.
 */
function asFunction(file) {
  // Whatever is not ASCII stands in a string, a template or a regular expression, where an escape means the same.
  const escape = (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`
  const code = readFileSync(file, 'utf8').replaceAll(/[^\0-\x7f]/g, escape)
  writeFileSync(file, `(function (require, __filename, __dirname) {${code}\n})`)
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
