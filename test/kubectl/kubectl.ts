/** Runs the real kubectl against a server: one that the test starts, or any other by its kubeconfig. */
import { execFile, execFileSync, spawn, type ChildProcess } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { kubeconfigText } from '../../src/cli/kubeconfig.ts'
import { clusterAdmission, startLiveCluster } from '../../src/cluster/live-cluster.ts'
import { createControlPlane } from '../../src/controlplane/index.ts'
import { silentLogger } from '../../src/telemetry/logger.ts'

export interface Result {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

export interface Command {
  /** Standard input. */
  readonly input?: string
  readonly env?: Readonly<Record<string, string>>
}

export interface Kubectl {
  /** Runs one command line; single quotes group words. */
  run(args: string, command?: Command): Promise<Result>
  /** Like `run`, but fails the test if kubectl fails. Returns standard output. */
  ok(args: string): Promise<string>
  /** Starts a command that does not end, such as `get -w`. */
  start(args: string): ChildProcess
  close(): Promise<void>
}

/** The version of a kubectl, by default of the one on the PATH; undefined if there is none. */
export function kubectlVersion(program = 'kubectl'): string | undefined {
  try {
    const text = execFileSync(program, ['version', '--client', '-o', 'json'], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    return (JSON.parse(text) as { clientVersion: { gitVersion: string } }).clientVersion.gitVersion
  } catch {
    return undefined
  }
}

export interface KubectlOptions {
  /** Default: the one on the PATH. */
  readonly program?: string
  /** Default: a control plane is started, and stopped by `close`. */
  readonly kubeconfig?: string
  /**
   * The authorization of the started control plane; default AlwaysAllow. With RBAC the kubeconfig also has a context
   * for alice, in the group dev, with a client certificate.
   */
  readonly authorization?: 'AlwaysAllow' | 'RBAC'
  /** The number of nodes of the started control plane, with controllers and a scheduler. Default 0: none of these. */
  readonly nodes?: number
}

/** The editor of `kubectl edit`: replaces blue by green. */
const editor = '#!/bin/sh\nsed -i s/blue/green/ "$1"\n'

export async function startKubectl({
  program = 'kubectl',
  kubeconfig,
  authorization = 'AlwaysAllow',
  nodes = 0,
}: KubectlOptions = {}): Promise<Kubectl> {
  const folder = mkdtempSync(join(tmpdir(), 'coxswain-kubectl-'))
  const own = join(folder, 'kubeconfig')
  const plane = kubeconfig === undefined ? await startPlane(own, authorization, nodes) : undefined
  const editorFile = join(folder, 'editor.sh')
  writeFileSync(editorFile, editor, { mode: 0o755 })
  // GOGC: garbage collection would take a sixth of the time of such short commands.
  const env = {
    PATH: process.env['PATH'],
    HOME: folder,
    TMPDIR: folder,
    GOGC: '400',
    KUBECONFIG: kubeconfig ?? own,
    KUBE_EDITOR: editorFile,
  }
  const words = (args: string) =>
    [...args.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? '')
  const options = { env, cwd: folder, timeout: 60_000, maxBuffer: 64 * 1024 * 1024 }
  const run: Kubectl['run'] = (args, { input = '', env: more = {} } = {}) =>
    new Promise((resolve) => {
      const child = execFile(
        program,
        words(args),
        { ...options, env: { ...env, ...more } },
        (error, stdout, stderr) => {
          const code = error === null ? 0 : typeof error.code === 'number' ? error.code : 1
          resolve({ code, stdout, stderr })
        },
      )
      child.stdin?.end(input)
    })
  const children: ChildProcess[] = []
  return {
    run,
    async ok(args) {
      const { code, stdout, stderr } = await run(args)
      if (code !== 0) throw new Error(`kubectl ${args} ended with ${code}: ${stderr}`)
      return stdout
    },
    start(args) {
      const child = spawn(program, words(args), { env, cwd: folder })
      children.push(child)
      return child
    },
    async close() {
      for (const child of children) child.kill('SIGKILL')
      await plane?.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** Pods start and stop fast. */
const quick = [{ behaviour: { startAfterMs: 50, stopTakesMs: 50 } }]

async function startPlane(
  file: string,
  authorization: 'AlwaysAllow' | 'RBAC',
  nodes: number,
): Promise<{ close(): Promise<void> }> {
  const token = 'kubectl-test'
  const tokens = [{ token, user: { name: 'admin', uid: 'admin', groups: ['system:masters'] } }]
  const controllers = nodes === 0 ? [] : ['all']
  const plane = createControlPlane({ tokens, authorization, admission: clusterAdmission(controllers) })
  const { url, caCert, issueClientCertificate } = await plane.listen()
  const certificates = authorization === 'RBAC' ? [{ user: 'alice', ...issueClientCertificate('alice', ['dev']) }] : []
  const live =
    nodes === 0
      ? undefined
      : await startLiveCluster(plane, { controllers, nodes, behaviours: quick, ca: caCert, log: silentLogger })
  writeFileSync(file, kubeconfigText({ url, caCert, token, certificates }), { mode: 0o600 })
  return {
    async close() {
      await live?.stop()
      await plane.close()
    },
  }
}
