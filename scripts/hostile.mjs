/** `npm run -s hostile [-- --baseline COMMIT] [--only TEXT]`: see bench/hostile/main.ts. */
import { ensureBuilt, ensureInstalled, main, run } from './ensure.mjs'

await main(async () => {
  await ensureInstalled()
  await ensureBuilt()
  return (await run(process.execPath, ['scripts/run-ts.mjs', 'bench/hostile/main.ts', ...process.argv.slice(2)])).code
})
