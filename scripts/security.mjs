/** `npm run -s security [-- OPTIONS]`: see test/security/main.ts. Some of its tests use the built package. */
import { ensureBuilt, ensureInstalled, main, run } from './ensure.mjs'

await main(async () => {
  await ensureInstalled()
  await ensureBuilt()
  return (await run(process.execPath, ['scripts/run-ts.mjs', 'test/security/main.ts', ...process.argv.slice(2)])).code
})
