/**
 * Runs the real kubectl against a control plane of the test's own, or, to check the test itself, against the cluster of
 * the kubeconfig in COXSWAIN_TEST_KUBECONFIG.
 */
import { execFile, execFileSync, spawn, type ChildProcess } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { kubeconfigText } from '../../src/cli/kubeconfig.ts'
import { createControlPlane, type ControlPlane } from '../../src/controlplane/index.ts'

export interface Result {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

export interface Kubectl {
  /** Runs one command; `input` goes to its standard input. */
  run(args: string, input?: string): Promise<Result>
  /** Like run, but fails the test when kubectl does; gives standard output. */
  ok(args: string, input?: string): Promise<string>
  /** A command that goes on, such as `get -w`. */
  start(args: string): ChildProcess
  close(): Promise<void>
}

/** The version of the kubectl on the PATH; undefined when there is none. */
export function kubectlVersion(): string | undefined {
  try {
    const text = execFileSync('kubectl', ['version', '--client', '-o', 'json'], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] })
    return (JSON.parse(text) as { clientVersion: { gitVersion: string } }).clientVersion.gitVersion
  } catch {
    return undefined
  }
}

/** With RBAC the kubeconfig has a context of alice, in the group dev, too, who logs in by certificate. */
export async function startKubectl(authorization: 'AlwaysAllow' | 'RBAC' = 'AlwaysAllow'): Promise<Kubectl> {
  const folder = mkdtempSync(join(tmpdir(), 'coxswain-kubectl-'))
  const other = process.env['COXSWAIN_TEST_KUBECONFIG']
  const plane = other === undefined ? await startPlane(folder, authorization) : undefined
  const kubeconfig = other ?? join(folder, 'kubeconfig')
  const editor = join(folder, 'editor.sh')
  writeFileSync(editor, '#!/bin/sh\nsed -i s/blue/green/ "$1"\n', { mode: 0o755 })
  const env = { PATH: process.env['PATH'], HOME: folder, KUBECONFIG: kubeconfig, KUBE_EDITOR: editor }
  const words = (args: string) => [...args.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? '')
  const run: Kubectl['run'] = (args, input) =>
    new Promise((resolve) => {
      const child = execFile('kubectl', words(args), { env, cwd: folder, timeout: 60_000, maxBuffer: 64 * 1024 * 1024 }, (error, stdout, stderr) => {
        const code = error === null ? 0 : typeof error.code === 'number' ? error.code : 1
        resolve({ code, stdout, stderr })
      })
      child.stdin?.end(input ?? '')
    })
  const children: ChildProcess[] = []
  return {
    run,
    async ok(args, input) {
      const { code, stdout, stderr } = await run(args, input)
      if (code !== 0) throw new Error(`kubectl ${args} ended with ${code}: ${stderr}`)
      return stdout
    },
    start(args) {
      const child = spawn('kubectl', words(args), { env, cwd: folder })
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

async function startPlane(folder: string, authorization: 'AlwaysAllow' | 'RBAC'): Promise<ControlPlane> {
  const token = 'kubectl-test'
  const tokens = [{ token, user: { name: 'admin', uid: '', groups: ['system:masters'] } }]
  const plane = createControlPlane({ tokens, authorization })
  const { url, caCert, issueClientCertificate } = await plane.listen()
  const certificates = authorization === 'RBAC' ? [{ user: 'alice', ...issueClientCertificate('alice', ['dev']) }] : []
  writeFileSync(join(folder, 'kubeconfig'), kubeconfigText({ url, caCert, token, certificates }), { mode: 0o600 })
  return plane
}
