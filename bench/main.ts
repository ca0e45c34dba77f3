/**
 * `npm run bench`: measures our server over HTTP with TLS, alternating with a peer if requested, and in process.
 * Server, load client (this process) and echo server are separate processes.
 */
import type { ChildProcess } from 'node:child_process'
import { clear, prepare, sendAll } from './api.ts'
import { ask, end, forkTypeScript, message, path } from './child.ts'
import type { Target } from './connection.ts'
import { definitionCount, installDefinitions } from './definitions.ts'
import type { InProcessFigures, InProcessRequest } from './in-process.ts'
import { configMap, manifest } from './manifests.ts'
import { listCount, measureCeiling, measureList, measureRate, type Latency } from './measure.ts'
import { operations, type Operation } from './operations.ts'
import { parseOptions, usage, type Options } from './options.ts'
import { httpTable, inProcessTable, row, type Row } from './report.ts'
import { openPeer, type Peer } from './peer.ts'
import { processorTime, residentMemory } from './process-figures.ts'
import { startServer, target } from './server-process.ts'
import { Template, requestBytes } from './template.ts'
import { measureWatch } from './watch-latency.ts'

const writesForMemory = 10_000

const say = (text: string): void => {
  process.stderr.write(`${text}\n`)
}

/** The settings that all measurements of a run share. */
interface Run {
  readonly options: Options
  readonly wanted: (name: string) => boolean
  /** Ours first. */
  readonly targets: readonly Target[]
  readonly peer: Target | undefined
  /** Our server's process ID; undefined if only the peer is measured. */
  readonly pid: number | undefined
}

type Wanted = Run['wanted']

async function overHttp(options: Options, chosen: readonly Operation[], wanted: Wanted): Promise<Row[]> {
  const peer = await openPeer(options.peer)
  const server = options.onlyPeer ? undefined : await startServer('coxswain')
  const echo = forkTypeScript('./echo.ts')
  const targets = [server?.target, peer?.target].filter((each) => each !== undefined)
  const rows: Row[] = []
  try {
    const { ready } = await message<{ ready: number }>(echo)
    const echoTarget = target('echo', `https://127.0.0.1:${ready}`, 'bench-administrator', undefined)
    const kinds = [options.kind, ...chosen.map((operation) => operation.kind)]
    for (const each of targets) await prepare(each, kinds)
    const run = { options, wanted, targets, peer: peer?.target, pid: server?.pid }
    for (const operation of chosen) rows.push(await rateRow(run, operation, echo, echoTarget))
    rows.push(...(await latencyRows(run)))
  } finally {
    if (peer !== undefined && options.peer !== 'real') await clear(peer.target, options.kind)
    await server?.stop()
    await peer?.stop()
    await end(echo)
  }
  return [...rows, ...(await processRows(options, wanted))]
}

/** The list for the results of a target. */
const results = (each: Row, of: Target, { peer }: Run): number[] => (of === peer ? each.peer : each.ours)

async function rateRow(run: Run, operation: Operation, echo: ChildProcess, echoTarget: Target): Promise<Row> {
  const { options, targets, pid } = run
  const { clients, seconds } = options
  const each = row(operation.name, operation.title, '/s', operation.reference)
  let answerBytes = 0
  for (let round = 0; round < options.rounds; round++) {
    const warmup = round === 0 ? options.warmup : seconds / 4
    for (const target of targets) {
      const result = await measureRate(target, operation, { clients, seconds, warmup, pid })
      say(`${operation.title}: ${target.name} ${Math.round(result.rate)}/s`)
      results(each, target, run).push(result.rate)
      if (target === targets[0]) {
        each.p50.push(result.p50)
        each.p99.push(result.p99)
        each.cpu.push(result.cpu)
        answerBytes = result.answerBytes
      }
    }
  }
  echo.send({ bytes: answerBytes })
  await message(echo)
  each.ceiling = (await measureCeiling(echoTarget, operation, { clients, seconds: 1, warmup: 0.5 })).rate
  return each
}

/** List and watch, which are measured as latencies. */
async function latencyRows(run: Run): Promise<Row[]> {
  const { options, targets, wanted } = run
  const rows: Row[] = []
  const add = async (each: Row, measure: (target: Target) => Promise<Latency>): Promise<void> => {
    for (let round = 0; round < options.rounds; round++) {
      for (const target of targets) {
        const { p50, p99 } = await measure(target)
        say(`${each.title}: ${target.name} ${p50.toFixed(2)} ms`)
        results(each, target, run).push(p50)
        if (target !== targets[0]) continue
        each.p50.push(p50)
        each.p99.push(p99)
      }
    }
    rows.push(each)
  }
  if (wanted('list')) {
    const title = `list ${listCount.toLocaleString('en')} ${options.kind.kind}s`
    await add(row('list', title, 'ms', 266), (target) => measureList(target, options.kind, 10))
  }
  if (wanted('watch')) {
    await add(row('watch', 'write to watch event', 'ms', 2.9), (target) => measureWatch(target, 300))
  }
  return rows
}

const processMeasurements = ['start', 'memory', 'definitions']

/** Start, memory and many definitions, which need fresh processes. Not available for a peer by URL. */
async function processRows(options: Options, wanted: Wanted): Promise<Row[]> {
  const start = row('start', 'start to ready', 'ms', 3000)
  const startCpu = row('start-cpu', 'start to ready, processor time', 'ms')
  const atStart = row('memory', 'memory at start', 'MiB', 300)
  const after = row('memory-writes', `memory after ${writesForMemory.toLocaleString('en')} writes`, 'MiB', 770)
  const defined = row('definitions', `${definitionCount} CRDs installed`, 'ms')
  const definedMemory = row('definitions-memory', `memory with ${definitionCount} CRDs`, 'MiB')
  const measure = async (open: () => Promise<Peer | undefined>, who: 'ours' | 'peer'): Promise<void> => {
    if (wanted('start') || wanted('memory'))
      await withServer(open, async (server) => {
        say(`start to ready: ${server.target.name} ${Math.round(server.readyAfter)} ms`)
        start[who].push(server.readyAfter)
        startCpu[who].push(sum(server.pids.map(processorTime)))
        if (!wanted('memory')) return
        atStart[who].push(residentMemory(server.pids) ?? Number.NaN)
        await fillMemory(server.target)
        after[who].push(residentMemory(server.pids) ?? Number.NaN)
      })
    if (!wanted('definitions')) return
    await withServer(open, async (server) => {
      const took = await installDefinitions(server.target)
      say(`${defined.title}: ${server.target.name} ${Math.round(took)} ms`)
      defined[who].push(took)
      definedMemory[who].push(residentMemory(server.pids) ?? Number.NaN)
    })
  }
  for (let round = 0; round < options.rounds && processMeasurements.some(wanted); round++) {
    if (!options.onlyPeer) await measure(ownServer, 'ours')
    if (options.peer === 'real') await measure(() => openPeer(options.peer), 'peer')
  }
  return [
    ...(wanted('start') ? [start, startCpu] : []),
    ...(wanted('memory') ? [atStart, after] : []),
    ...(wanted('definitions') ? [defined, definedMemory] : []),
  ]
}

async function withServer(open: () => Promise<Peer | undefined>, work: (server: Peer) => Promise<void>): Promise<void> {
  const server = await open()
  if (server === undefined) return
  try {
    await work(server)
  } finally {
    await server.stop()
  }
}

const sum = (values: readonly number[]): number => values.reduce((all, value) => all + value, 0)

async function ownServer(): Promise<Peer> {
  const server = await startServer('coxswain')
  return { ...server, pids: [server.pid] }
}

async function fillMemory(target: Target): Promise<void> {
  await prepare(target, [])
  const request = { method: 'POST', path: configMap.collection, body: manifest(configMap, 'memory') }
  await sendAll(target, new Template(requestBytes(target, request), 16), writesForMemory)
}

async function inProcess(options: Options, chosen: readonly Operation[], wanted: Wanted): Promise<Row[]> {
  const { kind, rounds, seconds, warmup } = options
  const rows = chosen.map(({ name, title }) => row(name, title, '/s'))
  if (wanted('list')) rows.push(row('list', `list ${listCount.toLocaleString('en')} ${kind.kind}s`, 'ms'))
  if (wanted('watch')) rows.push(row('watch', 'write to watch event', 'ms'))
  if (rows.length === 0) return []
  const child = forkTypeScript('./in-process.ts', [path('..'), kind.kind, rows.map(({ name }) => name).join(',')])
  try {
    await message(child)
    for (const each of rows) {
      for (let round = 0; round < rounds; round++) {
        const request = { name: each.name, seconds, warmup: round === 0 ? warmup : seconds / 4 }
        const { rate, p50, p99, cpu } = await ask<InProcessFigures>(child, request satisfies InProcessRequest)
        each.ours.push(each.unit === '/s' ? rate : p50)
        each.p50.push(p50)
        each.p99.push(p99)
        each.cpu.push(cpu)
      }
    }
    return rows
  } finally {
    await end(child)
  }
}

async function main(options: Options): Promise<void> {
  const all = operations(options.kind)
  const names = new Set([...all.map((each) => each.name), 'list', 'watch', ...processMeasurements])
  const unknown = [...(options.only ?? [])].filter((name) => !names.has(name))
  if (unknown.length > 0) throw new Error(`--only: unknown measurement ${unknown.join(', ')}`)
  const wanted = (name: string): boolean => options.only?.has(name) ?? true
  const chosen = all.filter((each) => wanted(each.name))
  const { rounds, seconds, clients, json, kind, transports } = options
  const http = transports.has('http') ? await overHttp(options, chosen, wanted) : []
  if (http.length > 0 && !json) console.log(httpTable(http, options.peer !== undefined))
  const own = transports.has('in-process') && !options.onlyPeer ? await inProcess(options, chosen, wanted) : []
  if (own.length > 0 && !json) console.log(`\n${inProcessTable(own, http)}`)
  if (!json) return
  const settings = { node: process.version, rounds, seconds, clients, kind: kind.kind }
  console.log(JSON.stringify({ ...settings, http, inProcess: own }, null, 2))
}

try {
  const options = parseOptions(process.argv.slice(2))
  if (options === undefined) console.log(usage)
  else await main(options)
} catch (error) {
  say(`bench: ${error instanceof Error ? error.message : String(error)}`)
  process.exitCode = 1
}
