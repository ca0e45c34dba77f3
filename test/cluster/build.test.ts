import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { ensurePrograms } from './build.ts'
import { BuildFailed, GoMissing, isUnavailable, ModulesUnavailable } from './errors.ts'
import { goFailure, isBelow } from './go.ts'
import { withLock } from './lock.ts'
import { cacheFolder, program, programNames } from './programs.ts'
import { duration } from './progress.ts'

let root: string
let lines: string[]

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'coxswain-build-'))
  lines = []
})

afterEach(() => {
  vi.unstubAllEnvs()
  rmSync(root, { recursive: true, force: true })
})

/** Sets the PATH to a folder with a fake `go` that runs `body`; its arguments are in `args`. */
function fakeGo(body: string, version = 'go1.99.0'): void {
  const text = `#!${process.execPath}
const { appendFileSync, writeFileSync } = require('node:fs')
const args = process.argv.slice(2)
appendFileSync(${JSON.stringify(join(root, 'calls'))}, args.join(' ') + '\\n')
if (args[0] === 'version') console.log('go version ${version} linux/amd64')
else { ${body} }
`
  mkdirSync(join(root, 'bin'), { recursive: true })
  writeFileSync(join(root, 'bin', 'go'), text)
  chmodSync(join(root, 'bin', 'go'), 0o755)
  vi.stubEnv('PATH', join(root, 'bin'))
}

const calls = (): string[] => readFileSync(join(root, 'calls'), 'utf8').trim().split('\n')
const cache = (): string => join(root, 'cache')
const build = (...names: Parameters<typeof ensurePrograms>[0]) => {
  return ensurePrograms(names, { cache: cache(), log: (line) => lines.push(line) })
}
const makes = `writeFileSync(args[args.indexOf('-o') + 1], 'program')`

describe('a build', () => {
  it('a build of the reference cluster says what is missing without Go', async () => {
    vi.stubEnv('PATH', join(root, 'bin'))
    const error = await build('etcd').catch((error: unknown) => error)
    expect(error).toBeInstanceOf(GoMissing)
    expect(isUnavailable(error)).toBe(true)
    expect((error as Error).message).toMatch(/^Go is missing: .* `go` command on the PATH$/)
  })

  it('a build of the reference cluster says so when Go is too old', async () => {
    fakeGo(makes, 'go1.21.3')
    await expect(build('etcd')).rejects.toThrow(
      /^Go is too old: .* needs Go 1\.24 or later, and this machine has 1\.21\.3$/,
    )
    expect(calls()).toEqual(['version'])
  })

  it('a build of the reference cluster builds once what is asked for, and reports', async () => {
    fakeGo(makes)
    const { etcd, 'kube-apiserver': server } = await build('etcd', 'kube-apiserver')
    expect(readFileSync(etcd?.path ?? '', 'utf8')).toBe('program')
    expect(server?.path.startsWith(cache())).toBe(true)
    expect(lines[0]).toMatch(/^building etcd v3\.\d+\.\d+ \(1 of 2\)$/)
    expect(lines.at(-1)).toMatch(/^built kube-apiserver v1\.\d+\.\d+ in \d+ s \(0 MB\)$/)
    const made = calls()
    const command = made.find((call) => call.includes('kube-apiserver'))
    const flags = ['-mod=readonly', '-trimpath', `gitVersion=${server?.version ?? ''}`, 'gitMinor=35']
    for (const flag of flags) expect(command).toContain(flag)
    await build('etcd')
    expect(calls()).toEqual(made)
    expect(readdirSync(cache()).sort()).toEqual(['programs'])
  })

  it('a build of the reference cluster includes the official tests, as a test binary', async () => {
    fakeGo(makes)
    const { 'e2e.test': tests } = await build('e2e.test')
    expect(readFileSync(tests?.path ?? '', 'utf8')).toBe('program')
    const command = calls().at(-1)
    expect(command).toMatch(/^test -c /)
    for (const flag of ['-mod=readonly', '-trimpath', `gitVersion=${tests?.version ?? ''}`]) {
      expect(command).toContain(flag)
    }
    expect(command).toMatch(/ k8s\.io\/kubernetes\/test\/e2e$/)
  })

  it('a build of the reference cluster leaves nothing half done', async () => {
    fakeGo(`${makes}; console.error('# some/package'); console.error('x.go:1: broken'); process.exitCode = 1`)
    const failed = build('etcd')
    await expect(failed).rejects.toThrow(BuildFailed)
    await expect(failed).rejects.toThrow(/x\.go:1: broken$/)
    const { home, path } = program('etcd', cache())
    expect(existsSync(path)).toBe(false)
    expect(readdirSync(home)).toEqual([])
  })

  it('a build of the reference cluster has a name for modules that cannot be had', async () => {
    const said = ['go: downloading a v1', 'go: a@v1: Get "x": dial tcp: lookup x: no such host']
    fakeGo(`for (const line of ${JSON.stringify(said)}) console.error(line); process.exitCode = 1`)
    const error = await build('etcd').catch((error: unknown) => error)
    expect(error).toBeInstanceOf(ModulesUnavailable)
    expect(isUnavailable(error)).toBe(true)
    expect((error as Error).message).toMatch(/^the Go modules of etcd cannot be downloaded .*no such host$/)
  })

  it('a build of the reference cluster keeps the files that a program needs beside it', async () => {
    const module = join(root, 'module')
    const { files } = program('kwok', cache())
    for (const file of files) {
      mkdirSync(join(module, file, '..'), { recursive: true })
      writeFileSync(join(module, file), file)
    }
    fakeGo(`if (args[0] === 'list') console.log(${JSON.stringify(module)}); else ${makes}`)
    const { kwok } = await build('kwok')
    expect(readFileSync(join(kwok?.home ?? '', 'pod-ready.yaml'), 'utf8')).toBe(
      'kustomize/stage/pod/fast/pod-ready.yaml',
    )
    expect(readdirSync(kwok?.home ?? '')).toHaveLength(files.length + 1)
  })
})

describe("go's words", () => {
  it.each([
    'go: x@v1: Get "https://h/x": dial tcp 192.0.2.1:443: connect: connection refused',
    'go: x@v1: module lookup disabled by GOPROXY=off',
    'go: x@v1: reading https://h/x: 404 Not Found',
    'x: Get "https://h": tls: failed to verify certificate: x509: certificate signed by unknown authority',
  ])('the output of go mean that modules are unavailable: %s', (line) => {
    expect(goFailure('etcd', `noise\n${line}`)).toBeInstanceOf(ModulesUnavailable)
  })

  it.each([
    'x.go:3:1: syntax error',
    'verifying x@v1: checksum mismatch\n\nSECURITY ERROR\nreading https://h: 404 Not',
  ])('the output of go mean a failure: %s', (text) => {
    expect(goFailure('etcd', text)).toBeInstanceOf(BuildFailed)
  })

  it('the output of go compare by number', () => {
    expect(isBelow('1.9', '1.24.0')).toBe(true)
    expect(isBelow('1.24', '1.24.0')).toBe(false)
    expect(isBelow('1.26.8', '1.26.9')).toBe(true)
    expect(isBelow('2.0', '1.26.0')).toBe(false)
  })
})

describe('programs', () => {
  it('programs of the reference cluster have the versions of the module files', () => {
    const versions = programNames.map((name) => `${name} ${program(name).version}`)
    expect(versions).toEqual([
      'etcd v3.6.5',
      'kube-apiserver v1.35.8',
      'kube-controller-manager v1.35.8',
      'kube-scheduler v1.35.8',
      'kubectl v1.35.8',
      'kwok v0.8.0',
      'e2e.test v1.35.8',
    ])
  })

  it('programs of the reference cluster lie outside the repository', () => {
    expect(cacheFolder({ COXSWAIN_CACHE: '/c', XDG_CACHE_HOME: '/x' })).toBe('/c/cluster')
    expect(cacheFolder({ COXSWAIN_CACHE: '', XDG_CACHE_HOME: '/x' })).toBe('/x/coxswain/cluster')
    expect(cacheFolder({})).toMatch(/\/\.cache\/coxswain\/cluster$/)
    expect(program('kubectl', '/c').path).toMatch(/^\/c\/programs\/kubernetes-v1\.35\.8-[0-9a-f]{12}\/kubectl$/)
  })

  it('programs of the reference cluster take a time that people can read', () => {
    expect([400, 59_400, 275_000].map(duration)).toEqual(['0 s', '59 s', '4 min 35 s'])
  })
})

describe('a lock', () => {
  it('a build lock lets one in at a time', async () => {
    const path = join(root, 'lock')
    const order: string[] = []
    let leave = (): void => {}
    const first = withLock(
      path,
      () => new Promise<void>((resolve) => (leave = resolve)),
      () => order.push('never'),
    )
    const second = withLock(
      path,
      async () => void order.push('second'),
      (owner) => {
        order.push(`waits for ${owner}`)
        leave()
      },
    )
    await Promise.all([first, second])
    expect(order).toEqual([`waits for ${process.pid}`, 'second'])
    expect(readdirSync(root)).toEqual([])
  })

  it.each(['{"pid":1073741824,"started":"never"}', 'nonsense'])(
    'a build lock is taken over from an owner that has ended: %s',
    async (owner) => {
      const path = join(root, 'lock')
      writeFileSync(path, owner)
      expect(
        await withLock(
          path,
          async () => 'in',
          () => expect.unreachable(),
        ),
      ).toBe('in')
    },
  )

  it('a build lock is given back after a failure', async () => {
    const path = join(root, 'lock')
    await expect(
      withLock(
        path,
        () => Promise.reject(new Error('no')),
        () => {},
      ),
    ).rejects.toThrow('no')
    expect(existsSync(path)).toBe(false)
  })
})
