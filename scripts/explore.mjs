/**
 * `npm run -s explore [-- OPTIONS]`: `coxswain explore` with the WebApp operator, over the whole life of an app.
 * `npm run -s explore:spec`: see operators/webapp/testing/explore-spec-main.ts.
 */
import { ensureBuilt, ensureInstalled, main, run } from './ensure.mjs'

const [first, ...others] = process.argv.slice(2)
if (first === '--spec') {
  await main(async () => {
    await ensureInstalled()
    await ensureBuilt()
    const program = 'operators/webapp/testing/explore-spec-main.ts'
    return (await run(process.execPath, ['scripts/run-ts.mjs', program, ...others])).code
  })
} else {
  process.argv.splice(2, 0, 'explore', 'operators/webapp/testing/exploration.ts')
  await import('./coxswain.mjs')
}
