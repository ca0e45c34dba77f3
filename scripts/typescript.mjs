/** Runs a command of ours from its TypeScript source, once the dependencies are there: nothing to build. */
import { ensureInstalled, main, run } from './ensure.mjs'

await main(async () => {
  await ensureInstalled()
  return (await run(process.execPath, ['scripts/run-ts.mjs', ...process.argv.slice(2)])).code
})
