/** `npm run build`: builds `dist/` even if nothing has changed. */
import { ensureBuilt, ensureInstalled, main } from './ensure.mjs'

await main(async () => {
  await ensureInstalled()
  await ensureBuilt({ force: true })
})
