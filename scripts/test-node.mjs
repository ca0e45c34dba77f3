/**
 * `npm run test:node -- VERSION [vitest arguments]`: runs the tests with another Node version, such as 22, 24.21.0 or
 * 26.
 */
import { spawnSync } from 'node:child_process'
import { delimiter, dirname } from 'node:path'
import { SetupError, main, run } from './ensure.mjs'
import { isNodeVersion, nodeBinary } from './node-binary.mjs'

await main(async () => {
  const [version, ...rest] = process.argv.slice(2).filter((arg) => arg !== '--')
  if (!isNodeVersion(version))
    throw new SetupError('usage: npm run test:node -- VERSION [vitest arguments], with a VERSION like 22 or 24.21.0')
  const node = await nodeBinary(version)
  const { stdout } = spawnSync(node, ['--version'], { encoding: 'utf8' })
  console.log(`Node ${stdout.trim()}`)
  const env = { ...process.env, PATH: `${dirname(node)}${delimiter}${process.env.PATH}` }
  return (await run(node, ['scripts/test.mjs', ...rest], { env })).code
})
