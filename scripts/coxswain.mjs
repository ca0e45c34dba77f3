/** `npm run -s coxswain -- COMMAND`: runs the CLI of this clone, after building it if needed, in the same process. */
import { existsSync } from 'node:fs'
import { register } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { ensureBuilt, ensureInstalled, main, root } from './ensure.mjs'

/** npm sends a SIGTERM to its shell, which exits without passing it on. So this process ends when the shell is gone. */
function endWithParent() {
  const parent = process.ppid
  const timer = setInterval(() => {
    if (process.ppid === parent) return
    clearInterval(timer)
    process.kill(process.pid, 'SIGTERM')
  }, 200)
  timer.unref()
}

await main(async () => {
  await ensureInstalled()
  await ensureBuilt()
  const isTypeScript = (arg) => /\.[mc]?ts$/.test(arg) || existsSync(join(arg, 'operator.ts'))
  if (!process.features.typescript && process.argv.slice(2).some(isTypeScript))
    register('./ts-hooks.mjs', import.meta.url)
  if (process.env.npm_lifecycle_event !== undefined) endWithParent()
  const cli = join(root, 'dist', 'coxswain.cjs')
  process.argv[1] = cli
  await import(pathToFileURL(cli).href)
})
