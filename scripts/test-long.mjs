/**
 * `npm run test:long`: the tests that check only a sample in `npm test`, in their long form. Arguments
 * (`npm run test:long -- test/invariants`) select test files by name.
 */
import { ensureBuilt, ensureInstalled, main, run, tools } from './ensure.mjs'

await main(async () => {
  const only = process.argv.slice(2).filter((arg) => arg !== '--')
  await ensureInstalled()
  await ensureBuilt()
  return (await run(process.execPath, [tools.vitest, 'run', '--mode', 'long', ...only])).code
})
