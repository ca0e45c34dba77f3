/** Starts our own server in a separate process, with the CLI, as users do. */
import { spawn, type ChildProcess } from 'node:child_process'
import { readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parse } from 'yaml'
import { call } from './api.ts'
import { end, path } from './child.ts'
import type { Target } from './connection.ts'

export interface ServerProcess {
  readonly target: Target
  readonly pid: number
  readonly child: ChildProcess
  /** Milliseconds from the start of the process to the first 200 of /readyz. */
  readonly readyAfter: number
  stop(): Promise<void>
}

/**
 * `more`: further options of `coxswain server`. `root`: the tree whose build is started; default: this one.
 * `preload`: a module that is loaded into its process first, with a message channel.
 */
export async function startServer(
  name: string,
  more: readonly string[] = [],
  root: string = path('..'),
  preload?: string,
): Promise<ServerProcess> {
  const kubeconfig = join(tmpdir(), `coxswain-bench-${process.pid}-${Date.now()}.yaml`)
  const token = 'bench-administrator'
  const args = [
    join(root, 'dist/coxswain.cjs'),
    'server',
    '--port',
    '0',
    '--token',
    token,
    '--kubeconfig',
    kubeconfig,
    ...more,
  ]
  // With this variable, each Node process reads a file of further authorities at its start, which takes 50 ms. The
  // server does not need them.
  const { NODE_EXTRA_CA_CERTS: _, ...env } = process.env
  const started = performance.now()
  const child =
    preload === undefined
      ? spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'inherit'] })
      : spawn(process.execPath, ['--import', preload, ...args], { env, stdio: ['ignore', 'pipe', 'inherit', 'ipc'] })
  // Ends the server whenever this process exits.
  const kill = (): boolean => child.kill('SIGKILL')
  process.once('exit', kill)
  child.once('exit', () => process.off('exit', kill))
  try {
    await firstLine(child)
    const target = targetOf(name, readFileSync(kubeconfig, 'utf8'), token)
    await ready(target)
    const readyAfter = performance.now() - started
    return { target, pid: child.pid as number, child, readyAfter, stop: () => end(child) }
  } catch (error) {
    await end(child)
    throw error
  } finally {
    rmSync(kubeconfig, { force: true })
  }
}

/** Waits for the line that the server prints when it is ready. */
function firstLine(child: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    child.stdout?.once('data', () => resolve())
    child.once('error', reject)
    child.once('exit', (code) => reject(new Error(`the server ended with code ${code} before it was ready`)))
  })
}

async function ready(target: Target): Promise<void> {
  for (let i = 0; i < 1000; i++) {
    if ((await call(target, { method: 'GET', path: '/readyz' })).status === 200) return
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
  throw new Error(`${target.name} is not ready`)
}

interface Cluster {
  server: string
  'certificate-authority-data'?: string
}

/** Reads the target from a kubeconfig. */
function targetOf(name: string, kubeconfig: string, token: string): Target {
  const config = parse(kubeconfig) as { clusters: { cluster: Cluster }[] }
  const cluster = config.clusters[0]?.cluster
  if (cluster === undefined) throw new Error('the kubeconfig has no cluster')
  const ca = cluster['certificate-authority-data']
  return target(name, cluster.server, token, ca === undefined ? undefined : Buffer.from(ca, 'base64').toString())
}

export function target(name: string, url: string, token: string, ca: string | undefined): Target {
  const { protocol, hostname, port } = new URL(url)
  const tls = protocol === 'https:'
  return { name, host: hostname, port: Number(port === '' ? (tls ? 443 : 80) : port), tls, ca, token }
}
