/**
 * Other Node versions. The npm registry has Node's binary as a package for each platform (the package `node` only
 * fetches that one in an install script). It is fetched once per version into the user's cache folder, outside of the
 * project.
 */
import { existsSync, mkdirSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { SetupError, npm } from './ensure.mjs'

/** Such as 22 or 24.21.0. */
export function isNodeVersion(text) {
  return text !== undefined && /^\d+(\.\d+){0,2}$/.test(text)
}

/** The path of the binary. */
export async function nodeBinary(version) {
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
