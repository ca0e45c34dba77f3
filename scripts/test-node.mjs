/**
 * `npm run test:node -- VERSION [vitest arguments]`: runs the tests with another Node version, such as 22, 24.21.0 or
 * 26. The npm registry has Node's binary as a package for each platform (the package `node` only fetches that one in an
 * install script). It is fetched once per VERSION into the user's cache folder, outside of the project.
 */
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync } from 'node:fs'
import { homedir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { SetupError, main, npm, run } from './ensure.mjs'

await main(async () => {
  const [version, ...rest] = process.argv.slice(2).filter((arg) => arg !== '--')
  if (version === undefined || !/^\d+(\.\d+){0,2}$/.test(version)) {
    throw new SetupError('usage: npm run test:node -- VERSION [vitest arguments], with a VERSION like 22 or 24.21.0')
  }
  const node = await install(version)
  const { stdout } = spawnSync(node, ['--version'], { encoding: 'utf8' })
  console.log(`Node ${stdout.trim()}`)
  const env = { ...process.env, PATH: `${dirname(node)}${delimiter}${process.env.PATH}` }
  return (await run(node, ['scripts/test.mjs', ...rest], { env })).code
})

async function install(version) {
  const platform = process.platform === 'win32' ? 'win' : process.platform
  const prefix = platform === 'darwin' && process.arch === 'arm64' ? 'node-bin' : 'node'
  const name = `${prefix}-${platform}-${process.arch}`
  const folder = join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'coxswain', 'node', version)
  const binary = join(folder, 'node_modules', name, 'bin', platform === 'win' ? 'node.exe' : 'node')
  if (existsSync(binary)) return binary
  process.stderr.write(`Fetching ${name}@${version} …\n`)
  mkdirSync(folder, { recursive: true })
  const options = ['--prefix', folder, '--ignore-scripts', '--no-save', '--no-audit', '--no-fund']
  const { code, output } = await npm(['install', ...options, `${name}@${version}`], { quiet: true })
  if (code !== 0) throw new SetupError(`cannot install ${name}@${version}:\n${output.trim()}`)
  return binary
}
