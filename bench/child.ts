/** Child processes of a run, started from a TypeScript file or a script. They end with the run. */
import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

export const path = (relative: string): string => fileURLToPath(new URL(relative, import.meta.url))

/** Starts a TypeScript file of this folder in a separate process, with a message channel. `node`: options of Node. */
export function forkTypeScript(
  file: string,
  args: readonly string[] = [],
  node: readonly string[] = ['--expose-gc'],
): ChildProcess {
  return fork(path('../scripts/run-ts.mjs'), [path(file), ...args], {
    execArgv: [...node],
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  })
}

/** The next message of a child. Rejects if the child ends first. */
export function message<T>(child: ChildProcess): Promise<T> {
  return new Promise((resolve, reject) => {
    const onExit = (code: number | null): void => reject(new Error(`a child process ended with code ${code}`))
    child.once('exit', onExit)
    child.once('message', (value) => {
      child.removeListener('exit', onExit)
      resolve(value as T)
    })
  })
}

/** Sends a request to a child and waits for its answer. */
export function ask<T>(child: ChildProcess, request: object): Promise<T> {
  const answer = message<T>(child)
  child.send(request)
  return answer
}

/** Asks a child to end, and waits for it. */
export async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const exited = once(child, 'exit')
  child.kill('SIGTERM')
  const timer = setTimeout(() => child.kill('SIGKILL'), 5_000)
  await exited
  clearTimeout(timer)
}
