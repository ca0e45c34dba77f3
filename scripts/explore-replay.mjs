/**
 * `npm run -s explore:replay -- [SEEDS] [VERSION…]`: replays the failing random schedules of so many seeds (default
 * 100), each in a process of its own with this Node and with other versions of it, and compares them to the byte.
 */
import { SetupError, ensureBuilt, ensureInstalled, main, run } from './ensure.mjs'
import { isNodeVersion, nodeBinary } from './node-binary.mjs'

await main(async () => {
  const [seeds = '100', ...versions] = process.argv.slice(2).filter((arg) => arg !== '--')
  if (!/^[1-9]\d*$/.test(seeds) || !versions.every(isNodeVersion))
    throw new SetupError('usage: npm run -s explore:replay -- [SEEDS] [VERSION…], with a VERSION like 22 or 24.21.0')
  await ensureInstalled()
  await ensureBuilt()
  const nodes = [process.execPath]
  for (const version of versions) nodes.push(await nodeBinary(version))
  return (await run(process.execPath, ['scripts/run-ts.mjs', 'test/explore/replay/main.ts', seeds, ...nodes])).code
})
