/**
 * The same operations without sockets and without JSON text: requests and responses as values, in a separate process.
 * Arguments: the folder of the tree whose built control plane is measured, kind, names of the operations. Sends
 * 'ready', then answers each {@link InProcessRequest} of the parent with {@link InProcessFigures}.
 */
import type { Json } from '../src/api/json.ts'
import type { ApiRequest, ApiResponse } from '../src/controlplane/index.ts'
import { definitions } from './api.ts'
import { importNames } from './baseline/entry-points.ts'
import { configMap, deployment, manifest, namespace, widget, type Kind } from './manifests.ts'
import { listCount } from './measure.ts'
import { memoTable } from './memos.ts'
import { objectCount, objectPrefix, operations, type Operation } from './operations.ts'
import { percentile } from './statistics.ts'
import { digits, fillText, type RequestText } from './template.ts'

/** One round of a measurement: the name of an operation, `list`, `watch` or `heap`. */
export interface InProcessRequest {
  readonly name: string
  /** Seconds of processor time, so that a busy machine does not shorten the warm-up. */
  readonly seconds: number
  readonly warmup: number
}

export interface InProcessFigures {
  /** Requests per second. */
  readonly rate: number
  /** Milliseconds. */
  readonly p50: number
  readonly p99: number
  /** Microseconds of processor time per request. */
  readonly cpu: number
  /** For `heap`: bytes per stored object. */
  readonly heapBytes?: number
}

const [root = '', kindName, names = ''] = process.argv.slice(2)
const kind = kindName === 'Deployment' ? deployment : widget

const user = { name: 'bench', uid: 'bench', groups: ['system:masters', 'system:authenticated'] }
const { createControlPlane, realEnv } = await importNames(root, ['createControlPlane', 'realEnv'])
const plane = createControlPlane({ env: realEnv(), authorization: 'AlwaysAllow', tokens: [] })

function asValue(request: RequestText, sequence = 0, object = 0): ApiRequest {
  const [path = '', query] = fillText(request.path, sequence, object).split('?')
  const { contentType = 'application/json' } = request
  const headers = { accept: 'application/json', 'user-agent': 'coxswain-bench', 'content-type': contentType }
  const body = request.body === undefined ? undefined : (JSON.parse(fillText(request.body, sequence, object)) as Json)
  // One object literal, as in the transport: a single object shape keeps property access fast.
  return { method: request.method, path, query: new URLSearchParams(query), headers, user, body }
}

function check({ method, path }: ApiRequest, response: ApiResponse): void {
  if (response.status < 300) return
  throw new Error(`in process: ${method} ${path} answered ${response.status}: ${JSON.stringify(response)}`)
}

/** Awaits only promises: most responses are available synchronously. */
async function send(request: ApiRequest): Promise<void> {
  const response = plane.handle(request)
  check(request, response instanceof Promise ? await response : response)
}

const post = (path: string, object: Json): Promise<void> =>
  send(asValue({ method: 'POST', path, body: JSON.stringify(object) }))

async function prepare(kinds: Iterable<Kind>): Promise<void> {
  await post('/api/v1/namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } })
  for (const { definition } of new Set(kinds)) if (definition !== undefined) await post(definitions, definition)
}

async function fill(of: Kind, prefix: string, count: number): Promise<void> {
  const body = manifest(of, prefix)
  for (let i = 0; i < count; i++) await send(asValue({ method: 'POST', path: of.collection, body }, i, i))
}

/** Measurements of the same kind delete these objects when they clean up. */
async function ensureObjects(of: Kind): Promise<void> {
  const last = asValue({ method: 'GET', path: `${of.collection}/${objectPrefix}-${digits(objectCount - 1)}` })
  if ((await plane.handle(last)).status === 404) await fill(of, objectPrefix, objectCount)
}

const clear = (of: Kind): Promise<void> => send(asValue({ method: 'DELETE', path: of.collection }))

const batch = 20
let sequence = 0

/**
 * Requests are created in batches outside of the measured time, since in-process clients have their objects already.
 */
async function measureRate(operation: Operation, wantedMs: number, warmupMs: number): Promise<InProcessFigures> {
  const makesNew = operation.needs === 'nothing'
  if (!makesNew) await ensureObjects(operation.kind)
  if (operation.needs === 'applied') {
    for (let i = 0; i < objectCount; i++) await send(asValue(operation.request, i, i))
  }
  const times: number[] = []
  let spent = -warmupMs
  let cpu = 0
  while (spent < wantedMs) {
    const requests = Array.from({ length: batch }, () => {
      sequence += 1
      return asValue(operation.request, sequence, makesNew ? sequence : sequence % objectCount)
    })
    const isCounted = spent >= 0
    const cpuBefore = process.cpuUsage()
    let before = performance.now()
    for (const request of requests) {
      const response = plane.handle(request)
      check(request, response instanceof Promise ? await response : response)
      const now = performance.now()
      if (isCounted) times.push(now - before)
      before = now
    }
    const batchCpu = used(cpuBefore)
    spent += batchCpu / 1000
    if (isCounted) cpu += batchCpu
    // Lets timers and the garbage collector run, as between requests of a real program.
    await new Promise((resolve) => setImmediate(resolve))
  }
  if (makesNew) await clear(operation.kind)
  return figures(times, cpu)
}

let isListFilled = false

async function measureList(): Promise<InProcessFigures> {
  if (!isListFilled) {
    await clear(kind)
    await fill(kind, 'listed', listCount)
    isListFilled = true
  }
  const request = asValue({ method: 'GET', path: kind.collection })
  const times: number[] = []
  const cpuBefore = process.cpuUsage()
  for (let i = 0; i < 50; i++) {
    const started = performance.now()
    await send(request)
    times.push(performance.now() - started)
  }
  return figures(times, used(cpuBefore))
}

/** Measures from the call of a write to the call of the watcher with its event. */
async function measureWatch(): Promise<InProcessFigures> {
  await fill(configMap, 'watched', 1)
  const response = await plane.handle(asValue({ method: 'GET', path: `${configMap.collection}?watch=true` }))
  if (response.type !== 'watch') throw new Error(`in process: a watch answered ${response.status}`)
  let seen: () => void = () => {}
  const running = response.start({ event: () => seen(), room: () => true, end: () => {} })
  const times: number[] = []
  const cpuBefore = process.cpuUsage()
  for (let i = 0; i < 2000; i++) {
    sequence += 1
    const body = JSON.stringify({ data: { value: `v-${sequence}` } })
    const path = `${configMap.collection}/watched-00000000`
    const request = asValue({ method: 'PATCH', path, contentType: 'application/merge-patch+json', body })
    const started = performance.now()
    const event = new Promise<void>((resolve) => {
      seen = () => {
        times.push(performance.now() - started)
        resolve()
      }
    })
    await send(request)
    await event
  }
  const cpu = used(cpuBefore)
  running.stop()
  await clear(configMap)
  return figures(times, cpu)
}

const heapCount = 10_000

/** The heap size of stored objects after a garbage collection. Needs `--expose-gc`. */
async function measureHeap(): Promise<InProcessFigures> {
  const collect = (globalThis as { gc?: () => void }).gc ?? (() => undefined)
  const heap = (): number => {
    for (let i = 0; i < 3; i++) collect()
    return process.memoryUsage().heapUsed
  }
  const before = heap()
  const cpuBefore = process.cpuUsage()
  await fill(kind, 'heap', heapCount)
  const cpu = used(cpuBefore)
  const heapBytes = (heap() - before) / heapCount
  await clear(kind)
  return { ...figures([], Number.NaN), cpu: cpu / heapCount, heapBytes }
}

function used(before: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(before)
  return user + system
}

/** `cpu`: the total, in microseconds. */
function figures(times: number[], cpu: number): InProcessFigures {
  const seconds = times.reduce((sum, ms) => sum + ms, 0) / 1000
  const [p50, p99] = [percentile(times, 0.5), percentile(times, 0.99)]
  return { rate: times.length / seconds, p50, p99, cpu: cpu / times.length }
}

const wanted = new Set(names.split(','))
const chosen = operations(kind).filter((operation) => wanted.has(operation.name))

function measure({ name, seconds, warmup }: InProcessRequest): Promise<InProcessFigures> {
  if (name === 'list') return measureList()
  if (name === 'watch') return measureWatch()
  if (name === 'heap') return measureHeap()
  const operation = chosen.find((each) => each.name === name)
  if (operation === undefined) throw new Error(`in process: unknown operation ${name}`)
  return measureRate(operation, seconds * 1000, warmup * 1000)
}

await prepare([kind, ...chosen.map((operation) => operation.kind)])
process.on('message', (request: InProcessRequest) => {
  measure(request).then(
    (result) => process.send?.(result),
    (error: unknown) => {
      console.error(error)
      process.exitCode = 1
      process.disconnect()
    },
  )
})
process.once('disconnect', () => void finish())

/** Prints the memo counters. Older trees export none. */
async function finish(): Promise<void> {
  await plane.close()
  const found = await importNames(root, ['memoCounters']).catch(() => undefined)
  if (found !== undefined) process.stderr.write(`\n${memoTable(found.memoCounters())}\n`)
}

process.send?.('ready')
