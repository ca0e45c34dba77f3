/**
 * `npm run test:conformance`: runs the official conformance tests of Kubernetes against the CLI of this clone. Builds
 * them on the first run, with Go; without Go it says so and succeeds. `--help` lists the options.
 */
import { ensureBuilt, ensureInstalled, main, run } from './ensure.mjs'

await main(async () => {
  const args = process.argv.slice(2)
  await ensureInstalled()
  if (!args.includes('--help')) await ensureBuilt()
  return (await run(process.execPath, ['scripts/run-ts.mjs', 'test/e2e/main.ts', ...args])).code
})
