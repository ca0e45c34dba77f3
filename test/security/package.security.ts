/**
 * The built package and what it is made of: no fault injection in an operator (item 27), hashes and no install scripts
 * (31), no secrets in the tree (33), and promises of SECURITY.md that name what exists (34).
 */
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, normalize } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createControlPlane } from '../../src/controlplane/index.ts'
import { maxDepth } from '../../src/codec/json-text.ts'
import { maxPatternInstructions } from '../../src/api/pattern-size.ts'
import { maxBodyBytes } from '../../src/controlplane/registry/size.ts'
import { defaultLimits } from '../../src/controlplane/http/listener.ts'
import { advisory, advisoryProblems } from './advisory.ts'
import { secretsIn } from './secret-scan.ts'

const root = join(import.meta.dirname, '../..')
const read = (path: string): string => readFileSync(join(root, path), 'utf8')
const git = (...args: string[]): string =>
  execFileSync('git', args, { cwd: root, encoding: 'utf8', maxBuffer: 64 * 2 ** 20 })

describe('the package of an operator', () => {
  /** All modules that an import of this one loads. */
  function loaded(entry: string): Map<string, string> {
    const modules = new Map<string, string>()
    const waiting = [entry]
    for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
      if (modules.has(path)) continue
      const text = read(path)
      modules.set(path, text)
      for (const [, target = ''] of text.matchAll(/(?:from|import)\s*\(?\s*["'](\.[^"']+)["']/g))
        waiting.push(normalize(join(dirname(path), target)))
    }
    return modules
  }
  const marks = ['injected fault', 'drop-after', 'hold-watches']

  it.each(['index', 'manager', 'controller', 'client', 'operator', 'webhooks', 'telemetry', 'flow', 'queue', 'cache'])(
    'dist/%s.js has no fault injection and no embedded server',
    (name) => {
      const modules = loaded(`dist/${name}.js`)
      for (const [path, text] of modules)
        for (const mark of [...marks, 'createControlPlane'])
          expect(text.includes(mark), `${mark} in ${path}`).toBe(false)
    },
  )

  it('the check finds them where they are', () => {
    const texts = [...loaded('dist/testing.js').values()].join('\n')
    for (const mark of marks) expect(texts).toContain(mark)
  })

  it('the server has no paths for faults, whoever asks', async () => {
    const plane = createControlPlane()
    for (const path of [
      '/debug',
      '/debug/faults',
      '/faults',
      '/inject',
      '/crash',
      '/debug/pprof',
      '/admin',
      '/shutdown',
    ])
      for (const method of ['GET', 'POST']) expect((await plane.transport()({ method, path })).status, path).toBe(404)
    await plane.close()
  })
})

describe('dependencies', () => {
  interface Locked {
    readonly version?: string
    readonly integrity?: string
    readonly optional?: boolean
    readonly os?: readonly string[]
    readonly cpu?: readonly string[]
    readonly hasInstallScript?: boolean
    readonly dev?: boolean
  }
  const { packages } = JSON.parse(read('package-lock.json')) as { packages: Readonly<Record<string, Locked>> }
  const all = Object.entries(packages).filter(([path]) => path !== '')

  it('at most five at run time, none of them with dependencies or install scripts', () => {
    const { dependencies } = JSON.parse(read('package.json')) as { dependencies: Record<string, string> }
    expect(Object.keys(dependencies).length).toBeLessThanOrEqual(5)
    expect(
      all
        .filter(([, { dev, optional }]) => dev !== true && optional !== true)
        .map(([path]) => path)
        .sort(),
    ).toEqual(
      Object.keys(dependencies)
        .map((name) => `node_modules/${name}`)
        .sort(),
    )
    expect(all.filter(([, { hasInstallScript }]) => hasInstallScript === true)).toEqual([])
  })

  it('every package has an exact version, and a hash unless it is a binary of a tool for another platform', () => {
    for (const [path, { version, integrity, optional, os, cpu }] of all) {
      expect(version, path).toMatch(/^\d+\.\d+\.\d+/)
      if (integrity === undefined)
        expect({ path, optional, isForSomeMachines: (os ?? cpu) !== undefined }).toEqual({
          path,
          optional: true,
          isForSomeMachines: true,
        })
      else expect(integrity, path).toMatch(/^sha512-/)
    }
    const isForThis = ({ os, cpu }: Locked): boolean =>
      (os === undefined || os.includes(process.platform)) && (cpu === undefined || cpu.includes(process.arch))
    const installed = all.filter(([path, each]) => isForThis(each) && existsSync(join(root, path)))
    expect(installed.filter(([, { integrity }]) => integrity === undefined)).toEqual([])
  })

  it('npm takes no version that is younger than three days', () => {
    const text = execFileSync('npm', ['config', 'get', 'min-release-age'], {
      cwd: root,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    expect(Number(text.trim())).toBeGreaterThanOrEqual(3)
  })

  it('an installation as npm scripts do it runs no script of a package', () => {
    const folder = mkdtempSync(join(tmpdir(), 'coxswain-install-'))
    try {
      const evil = join(folder, 'evil')
      mkdirSync(evil)
      const manifest = {
        name: 'evil',
        version: '1.0.0',
        scripts: { install: 'touch ../../ran', postinstall: 'touch ../../ran' },
      }
      writeFileSync(join(evil, 'package.json'), JSON.stringify(manifest))
      writeFileSync(
        join(folder, 'package.json'),
        JSON.stringify({ name: 'x', version: '1.0.0', dependencies: { evil: 'file:evil' } }),
      )
      const options = /npm\(\['ci', ([^\]]*)\]/.exec(read('scripts/ensure.mjs'))?.[1]?.match(/--[\w-=]+/g) ?? []
      expect(options).toContain('--ignore-scripts')
      execFileSync('npm', ['install', '--offline', '--install-links', ...options], { cwd: folder, stdio: 'ignore' })
      expect(existsSync(join(folder, 'node_modules/evil/package.json'))).toBe(true)
      expect(existsSync(join(folder, 'ran'))).toBe(false)
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  })
})

describe('the tree', () => {
  it('has no secrets', () => {
    const found: string[] = []
    let count = 0
    for (const path of git('ls-files', '-z').split('\0').filter(Boolean)) {
      if (/\.(gz|png|ico|jar)$/.test(path) || !existsSync(join(root, path))) continue
      count++
      for (const what of secretsIn(read(path))) found.push(`${path}: ${what}`)
    }
    expect(count).toBeGreaterThan(1_000)
    expect(found).toEqual([])
  })

  it('the scan finds secrets', () => {
    const key = ['-----BEGIN RSA PRIVATE', ' KEY-----\n', 'MIIEpAIBAAKCAQEA'.repeat(20)].join('')
    const random = 'a1B2c3D4e5F6g7H8i9J0'.repeat(2).slice(0, 36)
    // In two parts, so that scans do not find them here.
    const secrets = [
      key,
      ['ghp', random].join('_'),
      ['AKIA', 'IOSFODNN7ABCDEFG'].join(''),
      ['npm', random].join('_'),
      ['xoxb', '123456789012', '123456789012', 'abcdefABCDEF'].join('-'),
      ['https://user', 's3cretPassw0rd@registry.example.net/x'].join(':'),
    ]
    for (const secret of secrets) expect(secretsIn(`a = "${secret}"`), secret.slice(0, 10)).toHaveLength(1)
  })
})

describe('SECURITY.md', () => {
  const page = read('SECURITY.md')

  it('has a private channel and times', () => {
    expect(page).toContain('Report a vulnerability')
    expect(page).toMatch(/response within a week/)
    expect(page).toMatch(/within a month/)
  })

  it('says limits that the code has', () => {
    const number = (value: number): string => value.toLocaleString('en')
    expect(page).toContain(`| body | ${maxBodyBytes / 2 ** 20} MiB | 413 |`)
    expect(page).toContain(`${number(maxDepth)} levels`)
    expect(page).toContain(`${number(maxPatternInstructions)} instructions`)
    expect(page).toContain(`16 KiB, within ${defaultLimits.headersTimeout / 1000} s`)
    expect(page).toContain(`within ${defaultLimits.requestTimeout / 1000} s`)
  })

  it('names options that the server has', async () => {
    const { serverCommand } = await import('../../src/cli/server-command.ts')
    const named = [...page.matchAll(/`--([a-z-]+)/g)].map(([, name = '']) => name)
    const others = ['namespaces', 'metrics-secure', 'ignore-scripts', 'dry-run']
    const known = new Set([...Object.keys(serverCommand.options), ...others])
    expect(named.filter((name) => !known.has(name))).toEqual([])
  })

  it('names npm run -s security, whose items all have tests', () => {
    expect(page).toContain('npm run -s security')
  })

  it('an advisory can be written in the form of OSV', () => {
    const { name, version } = JSON.parse(read('package.json')) as { name: string; version: string }
    const made = advisory({
      id: 'COXSWAIN-2026-0001',
      summary: 'A dry run',
      details: 'Nothing is wrong.',
      introduced: '0.1.0',
      fixed: version === '0.1.0' ? '0.1.1' : version,
      published: '2026-11-18T00:00:00Z',
    })
    expect(advisoryProblems(made)).toEqual([])
    expect(made.affected[0]?.package).toEqual({ ecosystem: 'npm', name })
    expect(advisoryProblems({ ...made, id: '', published: 'today' })).toEqual(['id is empty', 'published is no time'])
    expect(advisoryProblems({ ...made, affected: [] })).toEqual(['affected is empty'])
  })
})
