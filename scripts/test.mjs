/**
 * `npm test`: lint, boundaries, names, types, then all tests. With arguments (`npm test -- src/api`) vitest runs alone.
 * Every check runs even when an earlier one failed, so that one run tells all. Vitest's summary comes last.
 */
import { ensureBuilt, ensureInstalled, main, run, tools } from './ensure.mjs'

const checks = [
  ['lint', [tools.oxlint, '--type-aware', '--deny-warnings']],
  ['boundaries', ['scripts/check-boundaries.mjs']],
  ['names', ['scripts/check-names.mjs']],
  ['types', [tools.tsc, '-p', '.', '--noEmit']],
]

// A log is read by people and programs: colours only on a terminal.
const env = { ...process.env, ...(process.stdout.isTTY || process.env.FORCE_COLOR ? {} : { NO_COLOR: '1' }) }

await main(async () => {
  const only = process.argv.slice(2).filter((arg) => arg !== '--')
  await ensureInstalled()
  const failed = []
  if (only.length === 0) {
    for (const [name, args] of checks) {
      const started = Date.now()
      const { code, output } = await run(process.execPath, args, { quiet: true, env })
      console.log(`${code === 0 ? 'ok' : 'FAILED'} ${name} (${((Date.now() - started) / 1000).toFixed(1)} s)`)
      if (code === 0) continue
      failed.push(name)
      console.log(output.trimEnd())
    }
  }
  // Some tests start the CLI, which is what `dist/` holds.
  await ensureBuilt().catch((error) => {
    failed.push('build')
    console.log(error.message)
  })
  const tests = await run(process.execPath, [tools.vitest, 'run', ...only], { env })
  if (tests.code !== 0) failed.push('tests')
  if (failed.length === 0) return 0
  console.log(`npm test failed: ${failed.join(', ')}`)
  return 1
})
