/** `npm run build`: compiles `src/` to `dist/` whether or not anything changed. */
import { ensureBuilt, ensureInstalled, main } from './ensure.mjs'

await main(async () => {
  await ensureInstalled()
  await ensureBuilt({ force: true })
})
