/**
 * The same operations without sockets and without JSON: requests and answers as values, in a process of its own.
 * Arguments: kind, names of the measurements, rounds, seconds, warm-up. Sends the parent its rows.
 */
import type { Json } from '../src/api/json.ts'
import { createControlPlane } from '../src/controlplane/index.ts'
import type { ApiRequest, ApiResponse } from '../src/controlplane/contract/request.ts'
import { realEnv } from '../src/env/real.ts'
import { definitions } from './api.ts'
import { configMap, deployment, manifest, namespace, widget, type Kind } from './manifests.ts'
import { listCount } from './measure.ts'
import { objectCount, objectPrefix, operations, type Operation } from './operations.ts'
import { row, type Row } from './report.ts'
import { percentile } from './statistics.ts'
import { digits, fillText, type RequestText } from './template.ts'

const [kindName, names = '', rounds = '1', seconds = '1', warmup = '1'] = process.argv.slice(2)
const kind = kindName === 'Deployment' ? deployment : widget

const user = { name: 'bench', uid: 'bench', groups: ['system:masters', 'system:authenticated'] }
const plane = createControlPlane({ env: realEnv(), authorization: 'AlwaysAllow', tokens: [] })

function asValue(request: RequestText, sequence = 0, object = 0): ApiRequest {
  const [path = '', query] = fillText(request.path, sequence, object).split('?')
  const { contentType = 'application/json' } = request
  const headers = { accept: 'application/json', 'user-agent': 'coxswain-bench', 'content-type': contentType }
  const body = request.body === undefined ? undefined : (JSON.parse(fillText(request.body, sequence, object)) as Json)
  // One literal, as the transport has it: reading from what was put together takes longer.
  return { method: request.method, path, query: new URLSearchParams(query), headers, user, body }
}

function check({ method, path }: ApiRequest, response: ApiResponse): void {
  if (response.status < 300) return
  throw new Error(`in process: ${method} ${path} answered ${response.status}: ${JSON.stringify(response)}`)
}

/** Without a turn of the event loop where the answer is there at once. */
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

/** Clearing up after a measurement of the same kind takes these along. */
async function ensureObjects(of: Kind): Promise<void> {
  const last = asValue({ method: 'GET', path: `${of.collection}/${objectPrefix}-${digits(objectCount - 1)}` })
  if ((await plane.handle(last)).status === 404) await fill(of, objectPrefix, objectCount)
}

const clear = (of: Kind): Promise<void> => send(asValue({ method: 'DELETE', path: of.collection }))

const batch = 20
let sequence = 0

/** Requests are made in batches between the measured parts: a caller in process has its objects already. */
async function measureRate(operation: Operation, each: Row): Promise<void> {
  const makesNew = operation.needs === 'nothing'
  if (!makesNew) await ensureObjects(operation.kind)
  if (operation.needs === 'applied') {
    for (let i = 0; i < objectCount; i++) await send(asValue(operation.request, i, i))
  }
  const wanted = Number(seconds) * 1000
  const latencies: number[] = []
  let spent = each.ours.length === 0 ? Number(warmup) * -1000 : -wanted / 4
  let cpu = 0
  while (spent < wanted) {
    const requests = Array.from({ length: batch }, () => {
      sequence += 1
      return asValue(operation.request, sequence, makesNew ? sequence : sequence % objectCount)
    })
    const isCounted = spent >= 0
    const cpuBefore = process.cpuUsage()
    const started = performance.now()
    let before = started
    for (const request of requests) {
      const response = plane.handle(request)
      check(request, response instanceof Promise ? await response : response)
      const now = performance.now()
      if (isCounted) latencies.push(now - before)
      before = now
    }
    spent += before - started
    const used = process.cpuUsage(cpuBefore)
    if (isCounted) cpu += used.user + used.system
    // Lets timers and the garbage collector have their turn, as between requests of a real program.
    await new Promise((resolve) => setImmediate(resolve))
  }
  if (makesNew) await clear(operation.kind)
  each.ours.push(latencies.length / (latencies.reduce((sum, ms) => sum + ms, 0) / 1000))
  each.p50.push(percentile(latencies, 0.5))
  each.p99.push(percentile(latencies, 0.99))
  each.cpu.push(cpu / latencies.length)
}

async function measureList(each: Row): Promise<void> {
  const request = asValue({ method: 'GET', path: kind.collection })
  const times: number[] = []
  for (let i = 0; i < 50; i++) {
    const started = performance.now()
    await send(request)
    times.push(performance.now() - started)
  }
  addTimes(each, times)
}

/** From calling with a write to the watcher's being called with its event. */
async function measureWatch(each: Row): Promise<void> {
  await fill(configMap, 'watched', 1)
  const response = await plane.handle(asValue({ method: 'GET', path: `${configMap.collection}?watch=true` }))
  if (response.type !== 'watch') throw new Error(`in process: a watch answered ${response.status}`)
  let seen: () => void = () => {}
  const running = response.start({ event: () => seen(), room: () => true, end: () => {} })
  const times: number[] = []
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
  running.stop()
  await clear(configMap)
  addTimes(each, times)
}

function addTimes(each: Row, times: number[]): void {
  each.p50.push(percentile(times, 0.5))
  each.p99.push(percentile(times, 0.99))
  each.ours.push(percentile(times, 0.5))
}

const wanted = new Set(names.split(','))
const chosen = operations(kind).filter((operation) => wanted.has(operation.name))
const rows: Row[] = []

await prepare([kind, ...chosen.map((operation) => operation.kind)])
for (const operation of chosen) {
  const each = row(operation.name, operation.title, '/s')
  for (let round = 0; round < Number(rounds); round++) await measureRate(operation, each)
  rows.push(each)
}
if (wanted.has('list')) {
  await clear(kind)
  await fill(kind, 'listed', listCount)
  const each = row('list', `list ${listCount.toLocaleString('en')} ${kind.kind}s`, 'ms')
  for (let round = 0; round < Number(rounds); round++) await measureList(each)
  rows.push(each)
}
if (wanted.has('watch')) {
  const each = row('watch', 'write to watch event', 'ms')
  for (let round = 0; round < Number(rounds); round++) await measureWatch(each)
  rows.push(each)
}
await plane.close()
process.send?.(rows)
