/**
 * `npm run test:clients`: helm and the clients of five languages against our server. Builds them once; those whose
 * toolchain is not on the machine are skipped. With arguments (`npm run test:clients -- kopf`) only the tests of files
 * so named run. With `COXSWAIN_STORE=round-trip` the servers serialise every object that they keep.
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
