/** A program as a child process: its log lines, its exit, its signals. */
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

const runner = fileURLToPath(new URL('../../scripts/run-ts.mjs', import.meta.url))

export interface LogLine {
  readonly level: string
  readonly msg: string
  readonly [field: string]: unknown
}

export interface ChildOptions {
  readonly args?: readonly string[]
  readonly variables?: Readonly<Record<string, string>>
  /** A TypeScript file, or one that Node can run directly. */
  readonly program: string
  /** Arguments before all others: a command of the program. */
  readonly command?: readonly string[]
  /** Arguments of Node itself. */
  readonly nodeArgs?: readonly string[]
}

/** Free ports, unless a test sets them. */
const anyPorts = ['--metrics-bind-address', '127.0.0.1:0', '--health-probe-bind-address', '127.0.0.1:0']

export class Child {
  readonly #process: ChildProcess
  readonly #ended: Promise<unknown[]>
  readonly lines: LogLine[] = []
  /** Lines of stdout that are not JSON, and all of stderr. */
  text = ''
  readonly #news: (() => void)[] = []

  constructor({ args = [], variables = {}, program, command = [], nodeArgs = [] }: ChildOptions) {
    const { PATH = '', HOME = '' } = process.env
    const file = program.endsWith('.ts') ? [runner, program] : [program]
    this.#process = spawn(process.execPath, [...nodeArgs, ...file, ...command, ...anyPorts, ...args], {
      env: { PATH, HOME, ...variables },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    // Resolves when the streams have been read, too.
    this.#ended = once(this.#process, 'close')
    createInterface({ input: this.#process.stdout as NodeJS.ReadableStream }).on('line', (line) => this.#read(line))
    this.#process.stderr?.on('data', (chunk) => {
      this.text += String(chunk)
      this.#tell()
    })
    void this.#ended.then(() => this.#tell())
  }

  get isRunning(): boolean {
    return this.#process.exitCode === null && this.#process.signalCode === null
  }

  /** Its exit code, or the signal that ended it. */
  async end(): Promise<number | string> {
    const [code, signal] = (await this.#ended) as [number | null, string | null]
    return code ?? signal ?? 'unknown'
  }

  kill(signal: NodeJS.Signals): void {
    this.#process.kill(signal)
  }

  /** The first matching line with this message, past or future. Rejects if the program ends without it. */
  async line(message: string, fits: (line: LogLine) => boolean = () => true): Promise<LogLine> {
    for (let seen = 0; ;) {
      for (; seen < this.lines.length; seen++) {
        const line = this.lines[seen] as LogLine
        if (line.msg === message && fits(line)) return line
      }
      if (!this.isRunning) {
        await this.#ended
        if (seen === this.lines.length)
          throw new Error(`the program ended without saying ${JSON.stringify(message)}:\n${this.story()}`)
      } else await new Promise<void>((resolve) => this.#news.push(resolve))
    }
  }

  /** Resolves when the text contains this. Rejects if the program ends without it. */
  async says(part: string): Promise<void> {
    while (!this.text.includes(part)) {
      if (!this.isRunning) {
        await this.#ended
        if (!this.text.includes(part)) throw new Error(`the program ended without saying ${part}:\n${this.story()}`)
      } else await new Promise<void>((resolve) => this.#news.push(resolve))
    }
    // The lines of one error are written together.
    await new Promise((resolve) => setImmediate(resolve))
  }

  /** The complete output so far. */
  story(): string {
    return `${this.lines.map((line) => JSON.stringify(line)).join('\n')}\n${this.text}`
  }

  /** Kills it. */
  async destroy(): Promise<void> {
    if (this.isRunning) this.#process.kill('SIGKILL')
    await this.#ended
  }

  #read(line: string): void {
    try {
      this.lines.push(JSON.parse(line) as LogLine)
    } catch {
      this.text += `${line}\n`
    }
    this.#tell()
  }

  #tell(): void {
    for (const resolve of this.#news.splice(0)) resolve()
  }
}
