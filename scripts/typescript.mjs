/**
 * Runs a command of this repository from its TypeScript source, after installing the dependencies. It needs no build.
 */
import { ensureInstalled, main, run } from './ensure.mjs'

await main(async () => {
  await ensureInstalled()
  return (await run(process.execPath, ['scripts/run-ts.mjs', ...process.argv.slice(2)])).code
})
