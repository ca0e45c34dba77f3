/**
 * Installs the dependencies and builds `dist/` if they are missing or outdated, so that every command works in a fresh
 * clone. Concurrent runs wait for each other. Progress goes to stderr, so that the output of a command stays clean.
 */
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const root = dirname(dirname(fileURLToPath(import.meta.url)))

const at = (...parts) => join(root, ...parts)

/** An error that the user can fix; printed without a stack trace. */
export class SetupError extends Error {}

/** Runs a program until it exits. `quiet` captures its output for error messages; otherwise it goes to the terminal. */
export function run(command, args, { quiet = false, env = process.env, shell = false } = {}) {
  return new Promise((resolve, reject) => {
    const output = quiet ? 'pipe' : 'inherit'
    const child = spawn(command, args, { cwd: root, env, shell, stdio: ['ignore', output, output] })
    let text = ''
    child.stdout?.on('data', (chunk) => (text += chunk))
    child.stderr?.on('data', (chunk) => (text += chunk))
    child.on('error', (error) => reject(new SetupError(`cannot run ${command}: ${error.message}`)))
    child.on('close', (code, signal) => resolve({ code: code ?? (signal === 'SIGINT' ? 130 : 1), output: text }))
  })
}

/** Runs npm: if npm started this script, the same npm with the same Node. */
export function npm(args, options) {
  const cli = process.env.npm_execpath
  if (cli?.endsWith('.js')) return run(process.execPath, [cli, ...args], options)
  return run('npm', args, { ...options, shell: process.platform === 'win32' })
}

/** The scripts behind the commands of the development dependencies. */
export const tools = {
  tsc: at('node_modules', 'typescript', 'bin', 'tsc'),
  oxlint: at('node_modules', 'oxlint', 'bin', 'oxlint'),
  oxfmt: at('node_modules', 'oxfmt', 'bin', 'oxfmt'),
  vitest: at('node_modules', 'vitest', 'vitest.mjs'),
}

/**
 * Whether node_modules matches the lock file. npm writes `node_modules/.package-lock.json` at the end of an install.
 */
export function isInstalled(folder = root) {
  let wanted
  let present
  try {
    wanted = JSON.parse(readFileSync(join(folder, 'package-lock.json'), 'utf8')).packages
    present = JSON.parse(readFileSync(join(folder, 'node_modules/.package-lock.json'), 'utf8')).packages
  } catch {
    return false
  }
  const same = (a, b) => a.version === b.version && a.integrity === b.integrity
  for (const [path, entry] of Object.entries(wanted)) {
    if (path === '' || entry.link) continue
    const found = present[path]
    if (found === undefined ? !entry.optional : !same(entry, found)) return false
  }
  return Object.keys(present).every((path) => path in wanted)
}

export async function ensureInstalled() {
  if (isInstalled()) return
  await alone(async () => {
    if (isInstalled()) return
    say('Installing dependencies (npm ci)')
    const { code, output } = await npm(['ci', '--ignore-scripts', '--include=dev', '--no-audit', '--no-fund'], {
      quiet: true,
    })
    if (code !== 0) throw new SetupError(`npm ci failed with code ${code}:\n${output.trim()}`)
  })
}

/** Tests and their data: not part of the build, and not subject to its boundaries. */
export const isForTests = (path) => path.endsWith('.test.ts') || path.includes('/testdata/')

/** A hash of the build's inputs: names, sizes and modification times of all sources. */
function fingerprint() {
  const hash = createHash('sha256')
  const sources = [...files('src'), ...files('operators')].filter((path) => !isForTests(path))
  const settings = ['tsconfig.json', 'tsconfig.build.json', 'package.json', 'package-lock.json']
  for (const path of [...sources, ...files('scripts/package'), ...settings]) {
    const { size, mtimeMs } = statSync(at(path))
    hash.update(`${path}\0${size}\0${mtimeMs}\n`)
  }
  return hash.digest('hex')
}

const stampFile = at('dist', '.stamp')

/** Whether `dist/` was built from the sources as they are. */
export function isBuilt() {
  try {
    return readFileSync(stampFile, 'utf8') === fingerprint()
  } catch {
    return false
  }
}

/** `force` builds even if nothing has changed. */
export async function ensureBuilt({ force = false } = {}) {
  if (!force && isBuilt()) return
  await alone(async () => {
    if (!force && isBuilt()) return
    say('Building')
    const before = fingerprint()
    const { build } = await import('./package/build.mjs')
    await build(root)
    writeFileSync(stampFile, before)
  })
}

/** All files below a folder of the project, sorted, with forward slashes. */
export function files(folder) {
  const found = []
  const walk = (path) => {
    for (const entry of readdirSync(at(path), { withFileTypes: true })) {
      const child = `${path}/${entry.name}`
      if (entry.isDirectory()) walk(child)
      else found.push(child)
    }
  }
  walk(folder)
  return found.sort()
}

/** Runs `work` while holding the lock of this clone. A lock whose owner is dead is taken over. */
async function alone(work) {
  const lock = at('.cache', 'ensure.lock')
  const owner = join(lock, 'pid')
  mkdirSync(dirname(lock), { recursive: true })
  const started = Date.now()
  let told = false
  for (;;) {
    try {
      mkdirSync(lock)
      writeFileSync(owner, String(process.pid))
      break
    } catch (error) {
      if (error.code !== 'EEXIST') throw error
    }
    if (isAbandoned(lock, owner)) {
      rmSync(lock, { recursive: true, force: true })
      continue
    }
    if (Date.now() - started > 10 * 60_000) {
      throw new SetupError(`another run has held ${lock} for 10 minutes; remove it if no run is active`)
    }
    if (!told) say('Waiting for another run')
    told = true
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  try {
    return await work()
  } finally {
    rmSync(lock, { recursive: true, force: true })
  }
}

function isAbandoned(lock, owner) {
  try {
    process.kill(Number(readFileSync(owner, 'utf8')), 0)
    return false
  } catch (error) {
    if (error.code === 'EPERM') return false
    if (error.code === 'ESRCH') return true
  }
  try {
    // The owner has not written its process ID yet: wait five seconds for it.
    return Date.now() - statSync(lock).mtimeMs > 5_000
  } catch {
    return false
  }
}

function say(text) {
  process.stderr.write(`${text} …\n`)
}

/** Runs the main function of a script. A SetupError prints its message, any other error its stack trace. */
export async function main(work) {
  try {
    process.exitCode = (await work()) ?? process.exitCode ?? 0
  } catch (error) {
    process.stderr.write(`${error instanceof SetupError ? error.message : error.stack}\n`)
    process.exitCode = 1
  }
}
