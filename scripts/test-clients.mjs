/**
 * `npm run test:clients`: tests helm and the clients of five languages against our server. Builds them once; clients
 * whose toolchain is not installed are skipped. Arguments (`npm run test:clients -- kopf`) select test files by name.
 * With `COXSWAIN_STORE=round-trip` the servers serialize every object that they store.
 */
import { ensureInstalled, main, run, tools } from './ensure.mjs'

await main(async () => {
  const only = process.argv.slice(2).filter((arg) => arg !== '--')
  await ensureInstalled()
  if (only.length === 0) {
    const { code } = await run(process.execPath, ['scripts/run-ts.mjs', 'test/clients/main.ts'])
    if (code !== 0) return code
  }
  return (await run(process.execPath, [tools.vitest, 'run', '--mode', 'clients', ...only])).code
})
