/** What a demo prints: traces, changes of the operator's objects, and on a terminal a table of these objects. */
import { appendFileSync } from 'node:fs'
import { keyOf, type ApiObject, type LiveObject } from '../api/live-object.ts'
import type { Client } from '../client/client.ts'
import { formatTraces } from '../flow/trace-file.ts'
import { linesOfTrace, type TraceTone } from '../flow/trace-lines.ts'
import type { Trace, TraceEntry, TraceSink } from '../flow/trace.ts'
import type { Kind } from '../schema/kind.ts'
import type { Io } from './command.ts'
import { readTable, type KindTable } from './kind-table.ts'
import type { CompleteDemo } from '../operator/operator-demo.ts'
import type { Operator } from '../operator/operator.ts'
import { truncateText, wrapText, Screen, type Style, type StyledLine } from './screen.ts'

export interface DemoShowOptions {
  readonly io: Io
  readonly client: Client
  readonly operator: Operator
  readonly demo: CompleteDemo
  readonly kubeconfig: string
  /** Start of the command, in milliseconds since the epoch. */
  readonly started: number
  /** Append traces to this file. */
  readonly traces: string | undefined
}

const styles: Readonly<Record<TraceTone, Style>> = {
  run: 'bold',
  step: 'plain',
  transition: 'cyan',
  change: 'green',
  quiet: 'dim',
  event: 'plain',
  warning: 'yellow',
  error: 'red',
}

/** A line of a code frame: `> 12 | code`. */
const isCode = /^ {4}[> ] *\d* \| /

/** How much later than its last write the trace of a run may arrive. */
const traceDelayMs = 500
/** When to print the commands although the sample is not settled; without nodes it may never be. */
const maxWaitMs = 15_000
/** How often to refresh the table, which shows ages. */
const pollPeriodMs = 1000

export class DemoShow implements TraceSink {
  readonly #options: DemoShowOptions
  readonly #screen: Screen
  readonly #kinds: readonly Kind[]
  readonly #rows = new Map<string, string>()
  #patience: NodeJS.Timeout | undefined
  /** The state of the first sample. */
  #settled: { readonly text: string; isReported: boolean } | undefined

  constructor(options: DemoShowOptions) {
    this.#options = options
    this.#screen = new Screen(options.io)
    this.#kinds = [...new Set(options.operator.controllers.map(({ kind }) => kind))]
  }

  begin(url: string, nodes: number): void {
    const { operator } = this.#options
    this.#screen.print(
      {
        text:
          `coxswain: a Kubernetes cluster of ${nodes} ${nodes === 1 ? 'node' : 'nodes'} and the operator ` +
          `${operator.name}, in this process`,
        style: 'bold',
      },
      { text: `serving the Kubernetes API at ${url}` },
    )
    const [sample] = this.#options.demo.samples
    if (sample === undefined) this.#report()
    else
      this.#patience = setTimeout(
        () => this.#settle(`${sample.kind} ${sample.metadata.name ?? ''} is not yet as it should be.`),
        maxWaitMs,
      )
  }

  add(trace: Trace): void {
    const { traces } = this.#options
    if (traces !== undefined) appendFileSync(traces, formatTraces([trace]))
    if (trace.error === undefined && !trace.entries.some(isRelevant)) return
    const { width } = this.#screen
    const lines = linesOfTrace(trace).map(({ depth, text, tone }) => ({
      text: truncateText(`${'  '.repeat(depth)}${text}`, width),
      style: styles[tone],
    }))
    this.#screen.print({ text: '' }, ...lines)
    this.#announce()
  }

  log(line: string): void {
    const { width } = this.#screen
    const lines = isCode.test(line) ? [truncateText(line, width)] : wrapText(line, width)
    this.#screen.print(...lines.map((text) => ({ text, style: 'red' }) as const))
  }

  end(): void {
    clearTimeout(this.#patience)
    this.#screen.end()
  }

  /** Refreshes the table on every change, until the signal aborts. */
  async follow(signal: AbortSignal): Promise<void> {
    let pending: Promise<void> | undefined
    const look = (): void => void (pending ??= this.#look(signal).finally(() => (pending = undefined)))
    const timer = this.#screen.isLive ? setInterval(look, pollPeriodMs) : undefined
    try {
      await Promise.all(this.#kinds.map((kind) => this.#watch(kind, look, signal)))
    } finally {
      clearInterval(timer)
      await pending
    }
  }

  async #watch(kind: Kind, look: () => void, signal: AbortSignal): Promise<void> {
    const { client } = this.#options
    while (!signal.aborted) {
      const events = await client.watch<ApiObject>(kind, { signal })
      for await (const batch of events) {
        for (const event of batch) if (event.type !== 'BOOKMARK') this.#noteSettled(kind, event.object)
        look()
      }
    }
  }

  async #look(signal: AbortSignal): Promise<void> {
    const tables = await Promise.all(this.#kinds.map((kind) => readTable(this.#options.client, kind, signal))).catch(
      () => [],
    )
    if (!this.#screen.isLive) return this.#printChanges(tables)
    const lines = tables.flatMap((table) => ['', ...table.lines]).map((text): StyledLine => ({ text }))
    this.#screen.footer([
      ...lines,
      { text: '' },
      { text: `KUBECONFIG=${this.#options.kubeconfig}   Ctrl-C stops it`, style: 'dim' },
    ])
  }

  #printChanges(tables: readonly KindTable[]): void {
    for (const { kind, name, cells } of tables.flatMap(({ rows }) => rows)) {
      const text = `${kind} ${name}: ${cells
        .filter(([, value]) => value !== '')
        .map(([column, value]) => `${column} ${value}`)
        .join(', ')}`
      if (this.#rows.get(`${kind} ${name}`) === text) continue
      this.#rows.set(`${kind} ${name}`, text)
      this.#screen.print({ text })
    }
  }

  #noteSettled(kind: Kind, object: LiveObject): void {
    const {
      demo: { samples, settled },
    } = this.#options
    const [sample] = samples
    if (this.#settled !== undefined || sample?.kind !== kind.kind || sample.metadata.name !== keyOf(object).name) return
    const word = settled(object)
    if (word === undefined) return
    this.#settle(
      `${kind.kind} ${keyOf(object).name} is ${word} after ` +
        `${((Date.now() - this.#options.started) / 1000).toFixed(1)} s.`,
    )
  }

  #settle(text: string): void {
    if (this.#settled !== undefined) return
    clearTimeout(this.#patience)
    this.#settled = { text, isReported: false }
    setTimeout(() => this.#announce(), traceDelayMs)
  }

  /** Prints the trace of the run before the result: the write is observed before the run ends and its trace arrives. */
  #announce(): void {
    if (this.#settled === undefined || this.#settled.isReported) return
    this.#settled.isReported = true
    this.#screen.print({ text: '' }, { text: this.#settled.text, style: 'bold' })
    this.#report()
  }

  #report(): void {
    const {
      kubeconfig,
      demo: { tries },
    } = this.#options
    const longest = Math.max(0, ...tries.map(([, command]) => command.length))
    const lines = tries.map(([what, command]) => `  ${command.padEnd(longest)}  # ${what}`)
    const fits = lines.every(({ length }) => length <= this.#screen.width)
    const shown = fits ? lines : tries.flatMap(([what, command]) => [`  # ${what}`, `  ${command}`])
    const all = [
      'In another terminal:',
      `  export KUBECONFIG=${kubeconfig}`,
      ...shown,
      ...(this.#screen.isLive ? [] : ['Ctrl-C stops it.']),
    ]
    this.#screen.print(...all.map((text) => ({ text })))
  }
}

/** The run sent, reported or changed something. */
function isRelevant(entry: TraceEntry): boolean {
  if (entry.type === 'step') return entry.outcome === 'error' || entry.entries.some(isRelevant)
  return entry.type !== 'call' || (entry.sent && entry.outcome !== 'read' && entry.outcome !== 'unchanged')
}
