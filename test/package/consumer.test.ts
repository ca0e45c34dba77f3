/**
 * A project of a user, outside of the repository: installs the package from its tarball without running scripts,
 * compiles against it without `skipLibCheck`, with both module resolutions and both compilers that users have, and runs
 * it.
 */
import { execFile } from 'node:child_process'
import {
  copyFileSync,
  existsSync,
  lstatSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { isLong } from '../long.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const packageJson = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
  readonly version: string
  readonly dependencies: Readonly<Record<string, string>>
  readonly exports: Readonly<Record<string, unknown>>
}
const entryPoints = Object.keys(packageJson.exports)
  .filter((path) => path !== './package.json')
  .map((path) => path.replace('.', 'coxswain'))

const compilers = {
  'TypeScript 7': join(root, 'node_modules/typescript/bin/tsc'),
  'TypeScript 6': join(root, 'node_modules/@typescript/typescript6/bin/tsc6'),
}

/**
 * TypeScript 6 is not native and takes 6 s, so it compiles once, and only in the long form. Most users have `strict`
 * and nothing beyond it.
 */
const projects = [
  { name: 'nodenext', compiler: 'TypeScript 7', module: 'nodenext', isBeyondStrict: true },
  { name: 'bundler', compiler: 'TypeScript 7', module: 'esnext', isBeyondStrict: false },
  { name: 'nodenext', compiler: 'TypeScript 6', module: 'nodenext', isBeyondStrict: true },
] as const
const compiled = projects.filter(({ compiler }) => isLong || compiler !== 'TypeScript 6')

describe.skipIf(!existsSync(join(root, 'dist')))('a project outside the repository', () => {
  const folder = mkdtempSync(join(tmpdir(), 'coxswain-consumer-'))
  const installed = join(folder, 'node_modules')

  /** The output of a program. Throws with its output if it fails. */
  async function run(program: string, ...args: string[]): Promise<string> {
    try {
      return (await promisify(execFile)(program, args, { cwd: folder, encoding: 'utf8' })).stdout
    } catch (error) {
      const { stdout, stderr } = error as { readonly stdout: string; readonly stderr: string }
      throw new Error(`${program} ${args.join(' ')} failed:\n${stdout}${stderr}`, { cause: error })
    }
  }

  beforeAll(async () => {
    await run('npm', 'pack', root, '--ignore-scripts')
    writeFileSync(join(folder, 'package.json'), JSON.stringify({ private: true, type: 'module' }))
    // The dependencies come from the repository's node_modules, so that no network is needed.
    const others = [...Object.keys(packageJson.dependencies), '@types/node', 'undici-types']
    const quick = ['--offline', '--install-links', '--no-audit', '--no-fund', '--no-package-lock', '--ignore-scripts']
    const packages = others.map((name) => `file:${join(root, 'node_modules', name)}`)
    await run('npm', 'install', ...quick, `./coxswain-${packageJson.version}.tgz`, ...packages)
    const imports = entryPoints.map((specifier, index) => `import * as entry${index} from '${specifier}'\n`)
    const values = entryPoints.map((specifier, index) => `  '${specifier}': Object.keys(entry${index}).length,\n`)
    writeFileSync(
      join(folder, 'entries.ts'),
      `${imports.join('')}console.log(JSON.stringify({\n${values.join('')}}))\n`,
    )
    copyFileSync(join(root, 'test/package/consumer/main.ts'), join(folder, 'main.ts'))
  }, 120_000)

  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  it.concurrent.each(compiled)(
    'a project outside the repository compiles with $compiler, moduleResolution $name and without skipLibCheck',
    async ({ name, compiler, module, isBeyondStrict }) => {
      const project = `${name}-${compiler.at(-1)}`
      const compilerOptions = {
        module,
        moduleResolution: name,
        target: 'es2022',
        lib: ['es2023'],
        types: ['node'],
        strict: true,
        exactOptionalPropertyTypes: isBeyondStrict,
        noUncheckedIndexedAccess: isBeyondStrict,
        skipLibCheck: false,
        // With `declaration`, inferred types must have names that users can import.
        declaration: true,
        outDir: `out/${project}`,
      }
      const file = `tsconfig.${project}.json`
      writeFileSync(join(folder, file), JSON.stringify({ compilerOptions, files: ['main.ts', 'entries.ts'] }))
      expect(await run(process.execPath, compilers[compiler], '-p', file)).toBe('')
    },
    60_000,
  )

  it('a project outside the repository runs, and classes are the same in all entry points', async () => {
    const counts = JSON.parse(await run(process.execPath, 'out/nodenext-7/entries.js')) as Record<string, number>
    expect(Object.keys(counts)).toEqual(entryPoints)
    expect(Object.values(counts).every((count) => count > 0)).toBe(true)
    expect(JSON.parse(await run(process.execPath, 'out/nodenext-7/main.js'))).toEqual({
      text: 'Hello, world!',
      manager: true,
      errors: ['NotFound', 'NotFound'],
      schemaError: 'function',
    })
  })

  it('a project outside the repository has the command line', async () => {
    const coxswain = (...args: string[]): Promise<string> => run(join(installed, '.bin/coxswain'), ...args)
    expect(await coxswain('--version')).toBe(`${packageJson.version}\n`)
    expect(await coxswain('run', 'out/nodenext-7/main.js', '--version')).toContain('greetings 1.0.0, coxswain ')
  })

  it('a project outside the repository cannot import internals', async () => {
    const script = "import('coxswain/dist/shared/status.js').catch((error) => console.log(error.code))"
    expect(await run(process.execPath, '-e', script)).toBe('ERR_PACKAGE_PATH_NOT_EXPORTED\n')
  })

  it('a project outside the repository reads package.json of the package', async () => {
    const script = "console.log(require('coxswain/package.json').version)"
    expect(await run(process.execPath, '-e', script)).toBe(`${packageJson.version}\n`)
  })

  it('a project outside the repository installs at most 10 MiB, and 13 MiB on disk, dependencies included', () => {
    const sizes = ['coxswain', ...Object.keys(packageJson.dependencies)].map((name) => sizeOf(join(installed, name)))
    const sum = (key: 'apparent' | 'onDisk'): number => sizes.reduce((total, size) => total + size[key], 0) / 2 ** 20
    expect(sum('apparent')).toBeLessThan(10)
    expect(sum('onDisk')).toBeLessThan(13)
  })
})

function sizeOf(path: string): { readonly apparent: number; readonly onDisk: number } {
  const stats = lstatSync(path)
  let [apparent, onDisk] = [stats.size, stats.blocks * 512]
  if (stats.isDirectory())
    for (const name of readdirSync(path)) {
      const inside = sizeOf(join(path, name))
      apparent += inside.apparent
      onDisk += inside.onDisk
    }
  return { apparent, onDisk }
}
