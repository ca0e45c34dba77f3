/**
 * The environment of one client's tests: our server, started with the CLI, and the client's programs, which have only
 * its kubeconfig.
 */
import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe } from 'vitest'
import { parse } from 'yaml'
import { request } from '../cluster/request.ts'
import type { Access, Answer } from '../cluster/request.ts'
import { startSupervisor } from '../cluster/supervisor.ts'
import type { Supervisor } from '../cluster/supervisor.ts'
import { ensureBuild, Unavailable } from './build.ts'
import { build } from './builds.ts'
import { client } from './clients.ts'
import type { ClientName } from './clients.ts'

export interface Run {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

export interface Session {
  /** The folder of the build. */
  readonly home: string
  /** The folder of its source. */
  readonly source: string
  /** One request as the administrator. */
  readonly request: (method: string, path: string, body?: unknown) => Promise<Answer>
  /** Runs a program until it exits, at most two and a half minutes. */
  readonly run: (command: string, args: readonly string[], env?: NodeJS.ProcessEnv) => Promise<Run>
  /** The steps that one of our client programs reports. Throws with its last output if it fails. */
  readonly steps: (command: string, args?: readonly string[], env?: NodeJS.ProcessEnv) => Promise<string[]>
}

export interface SessionOptions {
  /** Of `coxswain server`. Default: none, so that no controllers run. */
  readonly flags?: readonly string[]
}

const path = (relative: string): string => fileURLToPath(new URL(relative, import.meta.url))

/** The maximum time until the server is ready, in milliseconds. */
const patience = 60_000

/**
 * The maximum run time of a program, in milliseconds: less than the timeout of a test, so that the failure shows the
 * completed steps.
 */
const longest = 150_000

/**
 * A group of tests for one client, with its own server. Skipped, with the reason in its name, if the client cannot be
 * built. With COXSWAIN_TEST_KUBECONFIG the client uses that cluster instead, to validate the test itself.
 */
export async function describeClient(
  name: ClientName,
  tests: (session: () => Session) => void,
  { flags = [] }: SessionOptions = {},
): Promise<void> {
  const { version, build: language } = client(name)
  const what = build(language)
  const built = await ensureBuild(what).catch((error: unknown) => {
    if (error instanceof Unavailable) return error
    throw error
  })
  if (built instanceof Unavailable) {
    describe.skip(`${name} ${version}: ${built.message}`, () => tests(noSession))
    return
  }
  describe(`${name} ${version}`, () => {
    let started: StartedSession | undefined
    beforeAll(async () => {
      started = await start(built, what.source, flags)
    })
    afterAll(() => started?.stop())
    tests(() => started ?? noSession())
  })
}

function noSession(): never {
  throw new Error('a session exists only while its tests run')
}

interface StartedSession extends Session {
  stop(): Promise<void>
}

async function start(home: string, source: string, flags: readonly string[]): Promise<StartedSession> {
  const folder = mkdtempSync(join(tmpdir(), 'coxswain-client-'))
  const given = process.env['COXSWAIN_TEST_KUBECONFIG']
  const kubeconfig = given ?? join(folder, 'kubeconfig')
  const supervisor = await startSupervisor(folder, join(folder, 'state'))
  const children = new Set<ChildProcess>()
  const stop = async (): Promise<void> => {
    for (const child of children) endGroup(child)
    await supervisor.stop()
    rmSync(folder, { recursive: true, force: true })
  }
  try {
    if (given === undefined) await serve(supervisor, folder, ['--kubeconfig', kubeconfig, ...flags], kubeconfig)
  } catch (error) {
    await stop()
    throw error
  }
  const access = accessOf(readFileSync(kubeconfig, 'utf8'))
  const { PATH, LANG } = process.env
  const basis = { PATH, LANG, HOME: folder, TMPDIR: folder, KUBECONFIG: kubeconfig }

  const run: Session['run'] = (command, args, env = {}) =>
    new Promise((resolve, reject) => {
      // In its own process group, so that its child processes can be ended with it.
      const options = {
        cwd: folder,
        env: { ...basis, ...env },
        detached: true,
        stdio: ['ignore', 'pipe', 'pipe'],
      } as const
      const child = spawn(command, args, { ...options, stdio: [...options.stdio] })
      children.add(child)
      let [stdout, stderr] = ['', '']
      child.stdout?.setEncoding('utf8').on('data', (chunk: string) => (stdout += chunk))
      child.stderr?.setEncoding('utf8').on('data', (chunk: string) => (stderr += chunk))
      child.on('error', reject)
      const timer = setTimeout(() => {
        stderr += `\nit did not end within ${longest / 1_000} s`
        endGroup(child)
      }, longest)
      child.on('close', (code) => {
        clearTimeout(timer)
        children.delete(child)
        resolve({ code: code ?? 1, stdout, stderr })
      })
    })

  return {
    home,
    source,
    request: (method, path, body) => request(access, method, path, body),
    run,
    async steps(command, args = [], env = {}) {
      const { code, stdout, stderr } = await run(command, args, env)
      const steps = [...stdout.matchAll(/^ok (.+)$/gm)].map(([, name = '']) => name)
      if (code === 0) return steps
      throw new Error(`it ended with ${code} after the steps ${JSON.stringify(steps)}:\n${excerpt(stderr)}`)
    },
    stop,
  }
}

async function serve(
  supervisor: Supervisor,
  folder: string,
  flags: readonly string[],
  kubeconfig: string,
): Promise<void> {
  const log = join(folder, 'server.log')
  const args = [path('../../scripts/run-ts.mjs'), path('../../src/cli/main.ts'), 'server', ...flags]
  await supervisor.start({ name: 'server', command: process.execPath, args, log })
  // The server writes the kubeconfig when it is ready.
  for (const end = performance.now() + patience; !existsSync(kubeconfig); await sleep(20)) {
    const how = supervisor.exit('server')
    if (how !== undefined) throw new Error(`the server ended with ${how}:\n${excerpt(readFileSync(log, 'utf8'))}`)
    if (performance.now() > end) throw new Error(`the server was not ready within ${patience / 1_000} s`)
  }
}

interface Kubeconfig {
  readonly 'current-context': string
  readonly clusters: readonly { cluster: { server: string; 'certificate-authority-data': string } }[]
  readonly contexts: readonly { name: string; context: { user: string } }[]
  readonly users: readonly { name: string; user: { token?: string } }[]
}

function accessOf(text: string): Access {
  const config = parse(text) as Kubeconfig
  const context = config.contexts.find(({ name }) => name === config['current-context'])
  const token = config.users.find(({ name }) => name === context?.context.user)?.user.token
  const cluster = config.clusters[0]?.cluster
  if (cluster === undefined || token === undefined) throw new Error('the kubeconfig names no cluster or no token')
  return { url: cluster.server, ca: Buffer.from(cluster['certificate-authority-data'], 'base64').toString(), token }
}

function endGroup({ pid }: ChildProcess): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL')
  } catch {
    // It has exited already.
  }
}

/** The first and the last lines: some languages print the reason before a long stack trace, others after it. */
function excerpt(text: string): string {
  const lines = text.trim().split('\n')
  return (lines.length <= 50 ? lines : [...lines.slice(0, 25), '…', ...lines.slice(-25)]).join('\n')
}
