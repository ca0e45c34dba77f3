/** `npm run conformance [-- OPTIONS]`: see test/conformance/options.ts. Runs from the sources; nothing to build. */
import { ensureInstalled, main, run } from './ensure.mjs'

await main(async () => {
  await ensureInstalled()
  return (await run(process.execPath, ['scripts/run-ts.mjs', 'test/conformance/main.ts', ...process.argv.slice(2)])).code
})
