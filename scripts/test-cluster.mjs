/**
 * `npm run test:cluster`: runs the tests that need a real kube-apiserver. Builds one on the first run, with Go; without
 * Go it says so and succeeds. With arguments (`npm run test:cluster -- --update`) only the differential suite runs.
 */
import { ensureInstalled, main, run, tools } from './ensure.mjs'

const typescript = (file, ...args) => [process.execPath, ['scripts/run-ts.mjs', file, ...args]]

const parts = [
  ['the reference cluster', process.execPath, [tools.vitest, 'run', '--mode', 'cluster']],
  ['the differential suite', ...typescript('test/differential/main.ts')],
  ['scenarios', ...typescript('test/scenarios/main.ts', '--ours-on-real', '--attempts', '5')],
  ['differential fuzzing', ...typescript('test/differential/fuzz/main.ts')],
  ['mutants', ...typescript('test/differential/mutants/main.ts')],
]

/** The exit code of `npm run cluster` if Go or its modules are missing. */
const unavailable = 3

await main(async () => {
  await ensureInstalled()
  const args = process.argv.slice(2).filter((arg) => arg !== '--')
  const build = await run(...typescript('test/cluster/main.ts', 'build'))
  if (build.code === unavailable) {
    console.log(
      'test:cluster: skipped, since there is no real kube-apiserver to compare with (the line above says why)',
    )
    return 0
  }
  if (build.code !== 0) return build.code
  if (args.length > 0) return (await run(...typescript('test/differential/main.ts', ...args))).code
  const failed = []
  for (const [name, command, commandArgs] of parts) {
    const started = Date.now()
    console.log(`== ${name}`)
    const { code } = await run(command, commandArgs)
    console.log(`${code === 0 ? 'ok' : 'FAILED'} ${name} (${((Date.now() - started) / 1000).toFixed(0)} s)`)
    if (code !== 0) failed.push(name)
  }
  if (failed.length === 0) return 0
  console.log(`test:cluster failed: ${failed.join(', ')}`)
  return 1
})
