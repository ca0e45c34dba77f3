/** `npm run -s explore [-- OPTIONS]`: see operators/webapp/testing/explore-main.ts. */
import { ensureBuilt, ensureInstalled, main, run } from './ensure.mjs'

await main(async () => {
  await ensureInstalled()
  await ensureBuilt()
  return (
    await run(process.execPath, [
      'scripts/run-ts.mjs',
      'operators/webapp/testing/explore-main.ts',
      ...process.argv.slice(2),
    ])
  ).code
})
