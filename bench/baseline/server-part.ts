/**
 * Compares the servers of both trees, over HTTP with TLS and in process: processor time per operation, start and
 * memory.
 */
import type { ChildProcess } from 'node:child_process'
import { prepare, sendAll } from '../api.ts'
import { ask, end, forkTypeScript, message } from '../child.ts'
import type { Target } from '../connection.ts'
import { definitionCount, installDefinitions } from '../definitions.ts'
import type { InProcessFigures, InProcessRequest } from '../in-process.ts'
import { configMap, manifest, widget } from '../manifests.ts'
import { listCount, measureList, measureRate } from '../measure.ts'
import { operations, type Operation } from '../operations.ts'
import { peakMemory, processorTime, residentMemory } from '../process-figures.ts'
import { startServer, type ServerProcess } from '../server-process.ts'
import { requestBytes, Template } from '../template.ts'
import { measureWatch } from '../watch-latency.ts'
import { alternate, Comparison } from './comparison.ts'
import type { Options } from './options.ts'
import type { Side, Tree, Trees } from './tree.ts'

const clients = 32
const writesForMemory = 10_000
/** Seconds of processor time before the first round of an operation; before each round, a quarter of a round. */
const warmupSeconds = 1
/**
 * How many processes of each tree share the rounds. Decisions of the JIT compiler and of the garbage collector last for
 * the life of a process, and make processes differ by more than 5 %.
 */
const processes = 3

const chosenOperations = ({ wanted }: Options) => operations(widget).filter(({ name }) => wanted(name))

const listTitle = `list ${listCount.toLocaleString('en')} Widgets`

export async function compareHttp(trees: Trees, options: Options): Promise<Comparison> {
  const comparison = new Comparison()
  if (chosenOperations(options).length > 0 || ['list', 'watch'].some(options.wanted))
    await onProcesses(options.rounds, (rounds) => compareRequests(trees, { ...options, rounds }, comparison))
  if (['start', 'memory', 'definitions'].some(options.wanted)) await compareProcesses(trees, options, comparison)
  return comparison
}

/** Calls `work` for each process, with its number of rounds. */
async function onProcesses(rounds: number, work: (rounds: number) => Promise<void>): Promise<void> {
  const share = Math.ceil(rounds / processes)
  for (let left = rounds; left > 0; left -= share) await work(Math.min(share, left))
}

/** Measures requests on one server of each tree; the servers stay warm. */
async function compareRequests(trees: Trees, options: Options, comparison: Comparison): Promise<void> {
  const { rounds, seconds, wanted } = options
  const chosen = chosenOperations(options)
  const running: ServerProcess[] = []
  try {
    const start = async (side: Side): Promise<ServerProcess> => {
      const server = await startServer(side, [], trees[side].root)
      running.push(server)
      await prepare(server.target, [widget, ...chosen.map(({ kind }) => kind)])
      return server
    }
    const servers = { baseline: await start('baseline'), current: await start('current') }
    for (const operation of chosen) {
      const line = comparison.line(operation.title, 'time', 'µs')
      await alternate(rounds, async (side, round) => {
        const { target, pid } = servers[side]
        if (round === 0) await warmUp(servers[side], operation)
        line.values[side].push(
          (await measureRate(target, operation, { clients, seconds, warmup: seconds / 4, pid })).cpu,
        )
      })
    }
    if (wanted('list')) {
      const line = comparison.line(listTitle, 'time', 'µs')
      await alternate(rounds, async (side) => {
        const { target, pid } = servers[side]
        line.values[side].push((await measureList(target, widget, 10, pid)).cpu)
      })
    }
    if (wanted('watch')) {
      const line = comparison.line('write with one watcher', 'time', 'µs')
      await alternate(rounds, async (side) => {
        const { target, pid } = servers[side]
        line.values[side].push((await measureWatch(target, 500, pid)).cpu)
      })
    }
  } finally {
    for (const server of running) await server.stop()
  }
}

/** Runs until the server has spent the processor time of the warm-up, which takes longer on a busy machine. */
async function warmUp({ target, pid }: ServerProcess, operation: Operation): Promise<void> {
  const started = processorTime(pid)
  const most = 20
  for (let i = 0; i < most && !(processorTime(pid) - started >= warmupSeconds * 1000); i++)
    await measureRate(target, operation, { clients, seconds: 0.5, warmup: 0.01, pid })
}

/** Measures start, memory and definitions, on fresh processes. */
async function compareProcesses(trees: Trees, options: Options, comparison: Comparison): Promise<void> {
  const withServer = async (side: Side, work: (server: ServerProcess) => Promise<void>): Promise<void> => {
    const server = await startServer(side, [], trees[side].root)
    try {
      await work(server)
    } finally {
      await server.stop()
    }
  }
  const { rounds, wanted } = options
  if (wanted('start') || wanted('memory')) {
    const start = comparison.line('start to ready', 'time', 'ms')
    const atStart = comparison.line('memory at start', 'memory', 'MiB')
    await alternate(rounds, (side) =>
      withServer(side, async ({ pid, target }) => {
        start.values[side].push(processorTime(pid))
        atStart.values[side].push(residentMemory([pid]) ?? Number.NaN)
        if (!wanted('memory')) return
        await writeMany(target)
        const after = comparison.line(`peak memory of ${writesForMemory.toLocaleString('en')} writes`, 'memory', 'MiB')
        after.values[side].push(peakMemory([pid]) ?? Number.NaN)
      }),
    )
  }
  if (wanted('definitions')) {
    const time = comparison.line(`install ${definitionCount} CRDs, each`, 'time', 'µs')
    const memory = comparison.line(`memory with ${definitionCount} CRDs`, 'memory', 'MiB')
    await alternate(rounds, (side) =>
      withServer(side, async ({ pid, target }) => {
        const before = processorTime(pid)
        await installDefinitions(target)
        time.values[side].push(((processorTime(pid) - before) * 1000) / definitionCount)
        memory.values[side].push(residentMemory([pid]) ?? Number.NaN)
      }),
    )
  }
}

async function writeMany(target: Target): Promise<void> {
  await prepare(target, [])
  const request = { method: 'POST', path: configMap.collection, body: manifest(configMap, 'memory') }
  await sendAll(target, new Template(requestBytes(target, request), 16), writesForMemory)
}

export async function compareInProcess(trees: Trees, options: Options): Promise<Comparison> {
  const comparison = new Comparison()
  const { rounds, wanted } = options
  const titles = new Map(chosenOperations(options).map(({ name, title }) => [name, title] as const))
  if (wanted('list')) titles.set('list', listTitle)
  if (wanted('watch')) titles.set('watch', 'write with one watcher')
  if (titles.size > 0)
    await onProcesses(rounds, (share) => compareCalls(trees, { ...options, rounds: share }, titles, comparison))
  if (wanted('heap')) {
    const line = comparison.line('heap of a stored Widget', 'memory', 'B')
    await alternate(rounds, async (side) => {
      const child = openInProcess(trees[side], ['heap'])
      try {
        await message(child)
        const { heapBytes } = await measureInProcess(child, { name: 'heap', seconds: 0, warmup: 0 })
        line.values[side].push(heapBytes ?? Number.NaN)
      } finally {
        await end(child)
      }
    })
  }
  return comparison
}

/** `titles` by the name of the measurement. */
async function compareCalls(
  trees: Trees,
  { rounds, seconds }: Options,
  titles: ReadonlyMap<string, string>,
  comparison: Comparison,
): Promise<void> {
  const names = [...titles.keys()]
  const children = { baseline: openInProcess(trees.baseline, names), current: openInProcess(trees.current, names) }
  try {
    await Promise.all([message(children.baseline), message(children.current)])
    for (const [name, title] of titles) {
      const line = comparison.line(title, 'time', 'µs')
      await alternate(rounds, async (side, round) => {
        const warmup = round === 0 ? warmupSeconds : seconds / 4
        line.values[side].push((await measureInProcess(children[side], { name, seconds, warmup })).cpu)
      })
    }
  } finally {
    await Promise.all([end(children.baseline), end(children.current)])
  }
}

const openInProcess = ({ root }: Tree, names: readonly string[]): ChildProcess =>
  forkTypeScript('./in-process.ts', [root, 'Widget', names.join(',')])

const measureInProcess = (child: ChildProcess, request: InProcessRequest): Promise<InProcessFigures> =>
  ask(child, request)
