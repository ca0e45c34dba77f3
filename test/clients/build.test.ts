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
import { ensureBuild, failure, Unavailable } from './build.ts'
import { build, buildNames } from './builds.ts'
import type { Build } from './builds.ts'

let root: string
let lines: string[]

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'coxswain-clients-'))
  lines = []
  mkdirSync(join(root, 'bin'))
  mkdirSync(join(root, 'source'))
  writeFileSync(join(root, 'source', 'lock'), 'one')
  vi.stubEnv('PATH', join(root, 'bin'))
})

afterEach(() => {
  vi.unstubAllEnvs()
  rmSync(root, { recursive: true, force: true })
})

/** Puts a tool on the PATH that prints a version, and otherwise runs `body` with its argument, a folder. */
function fakeTool(body: string, version = '2.10.0'): void {
  const text = `#!/bin/sh
if [ "$1" = --version ]; then echo 'tool ${version} (of today)'; exit; fi
printf x >> '${join(root, 'calls')}'
${body}
`
  writeFileSync(join(root, 'bin', 'tool'), text)
  chmodSync(join(root, 'bin', 'tool'), 0o755)
}

const makes = 'printf program > "$1/program"; printf rest > "$1/rest"'
const calls = (): number => readFileSync(join(root, 'calls'), 'utf8').length
const cache = (): string => join(root, 'cache')

const what = (change: Partial<Build> = {}): Build => ({
  name: 'rust',
  source: join(root, 'source'),
  tools: [{ command: 'tool', args: ['--version'], least: '2.9' }],
  inputs: /^lock$/,
  bound: false,
  commands: (target) => [{ command: 'tool', args: [target] }],
  ...change,
})
const ensure = (change?: Partial<Build>): Promise<string> =>
  ensureBuild(what(change), { cache: cache(), log: (line) => lines.push(line) })

describe('a build', () => {
  it('a build of a client is made once, and told', async () => {
    fakeTool(makes)
    const home = await ensure()
    expect(readFileSync(join(home, 'program'), 'utf8')).toBe('program')
    expect(lines).toEqual(['building the rust clients', expect.stringMatching(/^built the rust clients in \d+ s$/)])
    expect(await ensure()).toBe(home)
    expect(calls()).toBe(1)
    expect(readdirSync(cache())).toHaveLength(1)
  })

  it('a build of a client keeps only what is needed', async () => {
    fakeTool(makes)
    expect(readdirSync(await ensure({ keep: ['program'] }))).toEqual(['program'])
  })

  it('a build of a client is made again when what decides it has changed', async () => {
    fakeTool(makes)
    const first = await ensure()
    writeFileSync(join(root, 'source', 'program.rs'), 'other')
    expect(await ensure()).toBe(first)
    writeFileSync(join(root, 'source', 'lock'), 'two')
    expect(await ensure()).not.toBe(first)
  })

  it('a build of a client is made again for another version of its tool only where it is bound to that', async () => {
    fakeTool(makes)
    const [free, bound] = [await ensure(), await ensure({ bound: true })]
    fakeTool(makes, '2.11.0')
    expect(await ensure()).toBe(free)
    expect(await ensure({ bound: true })).not.toBe(bound)
  })

  it('a build of a client is made by one of two that need it at the same moment', async () => {
    fakeTool(makes)
    const [one, other] = await Promise.all([ensure(), ensure()])
    expect(one).toBe(other)
    expect(calls()).toBe(1)
  })

  it('a build of a client says in one line which tool is missing or too old', async () => {
    await expect(ensure()).rejects.toThrow(new Unavailable('there is no tool on the PATH'))
    fakeTool(makes, '2.8.7')
    await expect(ensure()).rejects.toThrow(new Unavailable('tool is 2.8.7, and 2.9 or later is needed'))
    expect(existsSync(cache())).toBe(false)
  })

  it.each(['2.9', '3', '\u001B[1mof 2.10.4'])('a build of a client takes %j for new enough', async (version) => {
    fakeTool(makes, version)
    await expect(ensure()).resolves.toContain('rust-')
  })

  it('a build of a client leaves nothing of a failure, and says what its tool said', async () => {
    fakeTool(`${makes}; echo 'error: it does not compile' >&2; exit 7`)
    const failed = ensure()
    await expect(failed).rejects.toThrow(/cannot build the rust clients:\nerror: it does not compile$/)
    await expect(failed).rejects.not.toBeInstanceOf(Unavailable)
    expect(readdirSync(cache())).toEqual([])
  })
})

it.each([
  ['python', "WARNING: Retrying after connection broken by 'NewConnectionError(…)'"],
  ['node', 'npm error network request to … failed, reason: getaddrinfo ENOTFOUND'],
  ['java', '[ERROR] Could not transfer artifact a:b:pom:1 from/to central: Unknown host'],
  ['go', 'go: a@v1: Get "x": dial tcp: lookup x: no such host'],
  ['rust', '  [6] Could not resolve hostname (Could not resolve host: x)'],
] as const)('a client: %s without its registry is unavailable', (name, said) => {
  const error = failure(build(name), { command: 'tool', args: [] }, `start\n${said}\nend`)
  expect(error).toBeInstanceOf(Unavailable)
  expect(error.message).toContain(said.trim())
})

it('a client has a source for each language', () => {
  for (const name of buildNames) {
    const { source, inputs } = build(name)
    expect(
      readdirSync(source).some((file) => inputs.test(file)),
      name,
    ).toBe(true)
  }
})
