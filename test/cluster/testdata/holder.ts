/** Starts `hold.ts` for a test, which then kills it. */
import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import type { Held } from './hold.ts'

const runner = fileURLToPath(new URL('../../../scripts/run-ts.mjs', import.meta.url))
const script = fileURLToPath(new URL('hold.ts', import.meta.url))

export interface Holder {
  readonly process: ChildProcess
  /** Resolves with its output, when everything is started. */
  held(): Promise<Held>
  /** Sends SIGKILL and waits for the exit. */
  kill(): Promise<void>
}

export function startHolder(...args: readonly string[]): Holder {
  const child = spawn(process.execPath, [runner, script, ...args], { stdio: ['ignore', 'pipe', 'inherit'] })
  const line = once(createInterface({ input: child.stdout }), 'line')
  const exit = once(child, 'exit')
  return {
    process: child,
    held: async () => JSON.parse(String((await line)[0])) as Held,
    async kill() {
      child.kill('SIGKILL')
      await exit
    },
  }
}
