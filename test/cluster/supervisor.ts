/**
 * The client of a supervisor process (see `supervisor.mjs`): starts programs, learns when they exit, stops or detaches
 * them all.
 */
import { spawn } from 'node:child_process'
import type { ChildProcess, ChildProcessByStdio } from 'node:child_process'
import { closeSync, openSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Readable, Writable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { StartFailed } from './errors.ts'

const script = fileURLToPath(new URL('supervisor.mjs', import.meta.url))

export interface Command {
  readonly name: string
  readonly command: string
  readonly args: readonly string[]
  /** The file that its output is appended to. */
  readonly log: string
}

interface Message {
  readonly started?: string
  readonly pid?: number
  readonly exited?: string
  readonly message?: string
  readonly detached?: boolean
  readonly stopped?: boolean
}

export interface Supervisor {
  readonly pid: number
  /** The process ID of the program. Throws StartFailed if it cannot be run. */
  start(command: Command): Promise<number>
  /** How the program exited; undefined while it runs. */
  exit(name: string): string | undefined
  /** Resolves when the program has exited. */
  exited(name: string): Promise<void>
  /** Ends all programs and the supervisor. Works also if they have exited already. */
  stop(): Promise<void>
  /** Lets the programs outlive this process. */
  detach(): Promise<void>
}

/** The programs get only the basic variables of our environment. */
function environment(folder: string): NodeJS.ProcessEnv {
  const { PATH, TMPDIR, LANG } = process.env
  return { PATH, TMPDIR, LANG, HOME: folder }
}

export async function startSupervisor(folder: string, stateFile: string): Promise<Supervisor> {
  const log = openSync(join(folder, 'supervisor.log'), 'a')
  // In its own session, so that a Ctrl-C in the terminal does not reach it. It notices when we exit.
  const child = spawn(process.execPath, [script, folder, stateFile], {
    cwd: folder,
    detached: true,
    env: environment(folder),
    stdio: ['pipe', 'pipe', log],
  }) as ChildProcessByStdio<Writable, Readable, null>
  closeSync(log)
  await new Promise((resolve, reject) => child.once('spawn', resolve).once('error', reject))
  const gone = new Promise((resolve) => child.once('exit', resolve))
  const exits = new Map<string, string>()
  const listeners = new Set<(message: Message) => void>()
  let stopped = false
  const hear = (message: Message): void => {
    if (message.exited !== undefined) exits.set(message.exited, message.message ?? '')
    stopped ||= message.stopped === true
    for (const listener of listeners) listener(message)
  }
  createInterface({ input: child.stdout })
    .on('line', (line) => hear(JSON.parse(line) as Message))
    .on('close', () => hear({ stopped: true }))
  child.stdin.on('error', () => {})

  /** The next matching message, or the supervisor's last one. */
  const next = (isMeant: (message: Message) => boolean): Promise<Message> =>
    new Promise((resolve) => {
      if (stopped) return resolve({ stopped })
      const listener = (message: Message): void => {
        if (!isMeant(message) && message.stopped !== true) return
        listeners.delete(listener)
        resolve(message)
      }
      listeners.add(listener)
    })

  /** Sends a command and waits for its response. Only during that time the supervisor keeps this process alive. */
  let asking = 0
  const ask = async (order: unknown, answer: Promise<unknown>): Promise<void> => {
    if (asking++ === 0) keepAlive(child, true)
    if (!stopped) child.stdin.write(`${JSON.stringify(order)}\n`)
    await answer
    if (--asking === 0) keepAlive(child, false)
  }
  keepAlive(child, false)

  return {
    pid: child.pid ?? 0,
    async start(command) {
      const { name } = command
      exits.delete(name)
      const answer = next((message) => message.started === name || message.exited === name)
      await ask({ start: { ...command, env: environment(folder) } }, answer)
      const { pid, message = 'its supervisor ended' } = await answer
      if (pid === undefined) throw new StartFailed(`${name} cannot be run: ${message}`)
      return pid
    },
    exit: (name) => exits.get(name) ?? (stopped ? 'its supervisor' : undefined),
    async exited(name) {
      if (!exits.has(name)) await next((message) => message.exited === name)
    },
    async stop() {
      await ask({ stop: true }, gone)
    },
    async detach() {
      await ask(
        { detach: true },
        next((message) => message.detached === true),
      )
      child.stdin.end()
      child.stdout.destroy()
    },
  }
}

function keepAlive(child: ChildProcess, alive: boolean): void {
  const streams = [child.stdin, child.stdout] as unknown as readonly { ref?(): void; unref?(): void }[]
  for (const each of [child, ...streams]) {
    if (alive) each.ref?.()
    else each.unref?.()
  }
}
