/**
 * `npm run bench [-- --part server|runtime|cluster|webapp] [OPTIONS]`: see bench/main.ts and the folders beside it.
 * Without a part, all parts run. `npm run bench -- --baseline COMMIT [OPTIONS]` compares with another commit: see
 * bench/baseline.
 */
import { ensureBuilt, ensureInstalled, main, run } from './ensure.mjs'

const parts = {
  server: 'bench/main.ts',
  runtime: 'bench/runtime/main.ts',
  cluster: 'bench/cluster/main.ts',
  webapp: 'bench/webapp/main.ts',
}

await main(async () => {
  await ensureInstalled()
  const args = process.argv.slice(2)
  if (args.some((arg) => arg === '--baseline' || arg.startsWith('--baseline='))) {
    await ensureBuilt()
    return (await run(process.execPath, ['scripts/run-ts.mjs', 'bench/baseline/main.ts', ...args])).code
  }
  const at = args.indexOf('--part')
  const part = at < 0 ? undefined : args.splice(at, 2)[1]
  if (part !== undefined && parts[part] === undefined) {
    console.error(`--part is server, runtime, cluster or webapp, not ${part}`)
    return 2
  }
  // All parts import the package, even for their help, except for the measurement of another server.
  if (!args.includes('--only-peer')) await ensureBuilt()
  // Each part has its own options, so options without a part belong to the server part. Without both, all parts run.
  const files =
    part !== undefined
      ? [parts[part]]
      : args.length > 0 && !args.includes('--help')
        ? [parts.server]
        : Object.values(parts)
  for (const file of files) {
    const { code } = await run(process.execPath, ['scripts/run-ts.mjs', file, ...args])
    if (code !== 0) return code
  }
  return 0
})
