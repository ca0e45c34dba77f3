/** `npm run -s coxswain -- COMMAND`: the CLI of this clone, built first where needed. Runs it in this very process. */
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { ensureBuilt, ensureInstalled, main, root } from './ensure.mjs'

await main(async () => {
  await ensureInstalled()
  await ensureBuilt()
  const cli = join(root, 'dist', 'cli', 'main.js')
  process.argv[1] = cli
  await import(pathToFileURL(cli).href)
})
