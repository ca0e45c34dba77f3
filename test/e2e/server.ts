/** Our server as users start it: the built CLI in a process of its own. */
import { existsSync, mkdtempSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { startSupervisor } from '../cluster/supervisor.ts'

export interface Server {
  readonly kubeconfig: string
  /** A folder that exists as long as the server. */
  readonly folder: string
  /** How it ended, with its last output; undefined while it runs. */
  failure(): string | undefined
  stop(): Promise<void>
}

const cli = fileURLToPath(new URL('../../dist/coxswain.cjs', import.meta.url))

/** The maximum time until the server is ready. */
const readyMs = 60_000

/** It ends with this process, even if this is killed. `log` gets its output. */
export async function startServer(nodes: number, log: string): Promise<Server> {
  const folder = mkdtempSync(join(tmpdir(), 'coxswain-server-'))
  const kubeconfig = join(folder, 'kubeconfig')
  const supervisor = await startSupervisor(folder, join(folder, 'state'))
  const failure = (): string | undefined => {
    const how = supervisor.exit('server')
    return how === undefined ? undefined : `the server ended with ${how}:\n${lastLines(log)}`
  }
  const args = [cli, 'server', '--controllers', 'all', '--nodes', String(nodes), '--kubeconfig', kubeconfig]
  try {
    await supervisor.start({ name: 'server', command: process.execPath, args, log })
    // The server writes the kubeconfig when it is ready.
    for (const end = performance.now() + readyMs; !existsSync(kubeconfig); await sleep(20)) {
      const reason = failure() ?? (performance.now() > end ? `no server within ${readyMs / 1_000} s` : undefined)
      if (reason !== undefined) throw new Error(reason)
    }
  } catch (error) {
    await supervisor.stop()
    throw error
  }
  return { kubeconfig, folder, failure, stop: () => supervisor.stop() }
}

function lastLines(file: string): string {
  return readFileSync(file, 'utf8').trimEnd().split('\n').slice(-20).join('\n')
}
