/**
 * `npm test`: checks types, lint, format, width, boundaries and names in parallel with the build, then runs all tests.
 * With arguments (`npm test -- src/api`) only vitest runs. Every check runs even if another one failed, so that one run
 * reports all failures. Vitest's summary comes last.
 */
import { ensureBuilt, ensureInstalled, main, run, tools } from './ensure.mjs'

/** Long checks first, so that the short ones fill the gaps. */
const checks = [
  ['types', [tools.tsc, '-p', '.', '--noEmit']],
  ['lint', [tools.oxlint, '--type-aware', '--deny-warnings']],
  ['format', [tools.oxfmt, '--check']],
  ['width', ['scripts/check-width.mjs']],
  ['boundaries', ['scripts/check-boundaries.mjs']],
  ['names', ['scripts/check-names.mjs']],
]

// Colours only on a terminal: programs read logs, too.
const env = { ...process.env, ...(process.stdout.isTTY || process.env.FORCE_COLOR ? {} : { NO_COLOR: '1' }) }

/** Runs a check. Returns its name if it failed. */
async function failedCheck([name, args]) {
  const started = Date.now()
  const { code, output } = await run(process.execPath, args, { quiet: true, env })
  console.log(`${code === 0 ? 'ok' : 'FAILED'} ${name} (${((Date.now() - started) / 1000).toFixed(1)} s)`)
  if (code === 0) return undefined
  console.log(output.trimEnd())
  return name
}

/** Some tests start the CLI from `dist/`. */
async function failedBuild() {
  try {
    await ensureBuilt()
    return undefined
  } catch (error) {
    console.log(error.message)
    return 'build'
  }
}

/** Runs the tasks one after the other. */
async function inTurn(tasks) {
  const results = []
  for (const task of tasks) results.push(await task())
  return results
}

await main(async () => {
  const only = process.argv.slice(2).filter((arg) => arg !== '--')
  await ensureInstalled()
  const tasks = (only.length === 0 ? checks : []).map((check) => () => failedCheck(check))
  // Two at a time: the type checker and the linter use several cores themselves.
  const results = await Promise.all([inTurn(tasks.slice(0, 1)), inTurn([failedBuild, ...tasks.slice(1)])])
  const failed = results.flat().filter((name) => name !== undefined)
  const tests = await run(process.execPath, [tools.vitest, 'run', ...only], { env })
  if (tests.code !== 0) failed.push('tests')
  if (failed.length === 0) return 0
  console.log(`npm test failed: ${failed.join(', ')}`)
  return 1
})
