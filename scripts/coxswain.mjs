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

/** Here, and in processes that this one forks. */
function stripTypes() {
  const hooks = JSON.stringify(new URL('./ts-hooks.mjs', import.meta.url))
  process.execArgv.push('--import', `data:text/javascript,import { register } from 'node:module'; register(${hooks})`)
  register('./ts-hooks.mjs', import.meta.url)
}

await main(async () => {
  await ensureInstalled()
  await ensureBuilt()
  const isTypeScript = (arg) => /\.[mc]?ts$/.test(arg) || existsSync(join(arg, 'operator.ts'))
  if (process.argv.slice(2).some(isTypeScript)) {
    process.setSourceMapsEnabled(true)
    if (!process.features.typescript) stripTypes()
  }
  if (process.env.npm_lifecycle_event !== undefined) endWithParent()
  const cli = join(root, 'dist', 'coxswain.cjs')
  process.argv[1] = cli
  await import(pathToFileURL(cli).href)
})
