/** `npm run bench [-- OPTIONS]`: see bench/main.ts. */
import { ensureBuilt, ensureInstalled, main, run } from './ensure.mjs'

await main(async () => {
  await ensureInstalled()
  const args = process.argv.slice(2)
  // Without our own server there is nothing to build.
  if (!args.includes('--only-peer') && !args.includes('--help')) await ensureBuilt()
  return (await run(process.execPath, ['scripts/run-ts.mjs', 'bench/main.ts', ...args])).code
})
