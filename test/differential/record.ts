/** Sends the cases to a real server and records its responses, in the form that `test/conformance` replays. */
import { setTimeout as sleep } from 'node:timers/promises'
import { isObject } from '../../src/api/json.ts'
import type { Json, JsonObject } from '../../src/api/json.ts'
import type { Answer, LiveRequest, Stream, Target } from '../conformance/target.ts'
import { answeredOf, fill, namespaceOf } from './case.ts'
import type { Answered, Case, Known, Step, Topic } from './case.ts'
import { withoutProse } from './compact.ts'

/** The recorded answers of one case, as lines of a fixture file. */
export interface RecordedCase {
  readonly topic: string
  readonly name: string
  readonly records: readonly JsonObject[]
  /** The step at which the real server panicked; there are no records from this step on. */
  readonly panicked?: number
}

/** How long a write takes to reach the caches of a real server, in milliseconds. */
const cachePause = 400
/** Policies are read once a second. */
const policyPause = 2500
/** How long a real server may take to serve a CRD or to send events, in milliseconds. */
const patience = 15_000
/** How long to wait for unexpected events after the last expected one, in milliseconds. */
const quietPause = 250

const comparedHeaders = [
  'content-type',
  'cache-control',
  'vary',
  'warning',
  'retry-after',
  'etag',
  'sec-websocket-accept',
  'sec-websocket-protocol',
]

/** `prefix` separates the namespaces of several runs on one server. */
export async function recordCase(target: Target, topic: Topic, each: Case, prefix = ''): Promise<RecordedCase> {
  const namespace = prefix + namespaceOf(topic, each)
  const answers: Answered[] = []
  const known: Known = { namespace, answers }
  const records: JsonObject[] = []
  const makeNamespace: Step = {
    method: 'POST',
    path: '/api/v1/namespaces',
    setup: true,
    body: { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } },
  }
  const first = await exchange(target, makeNamespace, known)
  if (first['status'] !== 201)
    throw new Error(`${topic.name}: ${each.name}: no namespace ${namespace}: ${JSON.stringify(first['res'])}`)
  records.push({ n: 0, case: each.name, ...first })
  for (const [i, step] of each.steps.entries()) {
    await settleDown(target, step)
    const record = await exchangeOrPanic(target, step, known)
    if (record === undefined) {
      for (const rest of each.steps.slice(i + 1))
        if (rest.givesBack === true) await exchangeOrPanic(target, rest, known)
      return { topic: topic.name, name: each.name, records, panicked: i }
    }
    answers.push(answeredOf(record))
    records.push(withoutProse({ n: i + 1, case: each.name, ...record }))
    await settle(target, step, record)
  }
  return { topic: topic.name, name: each.name, records }
}

/** Undefined if the real server panics: it closes the connection, and the case cannot continue. */
function exchangeOrPanic(target: Target, step: Step, known: Known): Promise<JsonObject | undefined> {
  return exchange(target, step, known).catch((error: unknown) => {
    if (error instanceof Error && (error as NodeJS.ErrnoException).code === 'ECONNRESET') return undefined
    throw error
  })
}

/** The step with its values filled in. */
export function liveRequest(step: Step, known: Known): LiveRequest {
  return {
    method: step.method,
    path: fill(step.path, known),
    token: step.token ?? 'admintoken',
    headers: fill({ ...step.headers }, known),
    body: step.body === undefined ? undefined : fill(step.body, known),
  }
}

async function exchange(target: Target, step: Step, known: Known): Promise<JsonObject> {
  const request = liveRequest(step, known)
  const asked: JsonObject = {
    ...(step.setup === true ? { setup: 'for the steps that follow' } : {}),
    method: request.method,
    tok: request.token,
    headers: { ...request.headers },
    ...(request.body === undefined ? {} : { body: request.body }),
  }
  if (step.watch !== undefined) return { ...asked, ...(await watch(target, request, step.watch.events)) }
  const answer = await sendPatiently(target, request)
  return {
    ...asked,
    path: request.path,
    status: answer.status,
    resHeaders: headersOf(answer.headers),
    res: valueOf(answer),
  }
}

/** Repeats a request while a real server is recreating the storage of a changed CRD. */
async function sendPatiently(target: Target, request: LiveRequest): Promise<Answer> {
  for (let waited = 0; ; waited += 250) {
    const answer = await target.send(request)
    const starting = answer.status === 429 && JSON.stringify(valueOf(answer)).includes('initializing')
    if (!starting || waited >= patience) return answer
    await sleep(250)
  }
}

async function watch(target: Target, request: LiveRequest, count: number | undefined): Promise<JsonObject> {
  const stream = await target.watch(request)
  try {
    await until(() => stream.ended || (count !== undefined && stream.events.length >= count))
    if (!stream.ended) await sleep(quietPause)
    return {
      watch: request.path,
      status: stream.status,
      resHeaders: headersOf(stream.headers),
      events: withoutLateBookmarks(stream.events, count),
      ended: stream.ended ? 'server' : 'client',
      rest: stream.rest === '' ? null : stream.rest,
    }
  } finally {
    stream.stop()
  }
}

/** Removes bookmarks after the last expected event: a real server sends them at any time. */
function withoutLateBookmarks(events: readonly Json[], count: number | undefined): Json[] {
  return events.filter((event, i) => {
    return count === undefined || i < count || !isObject(event) || event['type'] !== 'BOOKMARK'
  })
}

async function until(done: () => boolean): Promise<void> {
  for (let waited = 0; !done() && waited < patience; waited += 10) await sleep(10)
}

function headersOf(headers: Stream['headers']): JsonObject {
  return Object.fromEntries(
    comparedHeaders.flatMap((name) => (headers[name] === undefined ? [] : [[name, headers[name]]])),
  )
}

/** JSON as a value, other text as text, bytes in base64. */
function valueOf({ headers, body }: Answer): Json {
  if ('value' in body) return body.value
  const type = headers['content-type'] ?? ''
  if (type.includes('protobuf') && body.bytes.length > 0) return { base64: body.bytes.toString('base64') }
  const text = body.bytes.toString('utf8')
  if (type.includes('yaml') || !/^[{[]/.test(text)) return text
  try {
    return JSON.parse(text) as Json
  } catch {
    return text
  }
}

/**
 * Waits for the start of a second before a CRD is created, so that it is established in the same second:
 * `managedFields` are sorted by time, in seconds.
 */
async function settleDown(target: Target, step: Step): Promise<void> {
  const early = 300
  if (step.settle !== 'established' || !target.remote) return
  const into = Date.now() % 1000
  if (into > early) await sleep(1000 - into)
}

async function settle(target: Target, step: Step, record: JsonObject): Promise<void> {
  if (step.settle === undefined || !target.remote || (record['status'] as number) >= 400) return
  if (step.settle === 'enforced') {
    await sleep(policyPause)
    return
  }
  if (step.settle === 'informed') {
    await sleep(cachePause)
    await untilListed(target, record['res'])
    return
  }
  const definition = record['res']
  if (!isObject(definition) || !isObject(definition['metadata'])) return
  const path = `/apis/apiextensions.k8s.io/v1/customresourcedefinitions/${String(definition['metadata']['name'])}`
  const spec = definition['spec'] as JsonObject
  for (let waited = 0; waited < patience; waited += 50) {
    if (isEstablished(await ask(target, path))) break
    await sleep(50)
  }
  const served = (spec['versions'] as JsonObject[]).find((version) => version['served'] === true)
  const list =
    `/apis/${String(spec['group'])}/${String(served?.['name'])}/` + String((spec['names'] as JsonObject)['plural'])
  for (let waited = 0; waited < patience; waited += 50) {
    if ((await target.send(plainGet(list))).status !== 404) return
    await sleep(50)
  }
}

/** How long a real server may take to reread the objects of a changed CRD, in milliseconds. Some it can never read. */
const rereading = 2000

/** After a change of a CRD, lists fail with 429 until its objects have been reread. */
async function untilListed(target: Target, crd: Json | undefined): Promise<void> {
  if (crd === undefined || !isObject(crd) || crd['kind'] !== 'CustomResourceDefinition' || !isEstablished(crd)) return
  const spec = crd['spec'] as JsonObject
  const served = (spec['versions'] as JsonObject[]).filter((version) => version['served'] === true)
  for (const version of served) {
    const list =
      `/apis/${String(spec['group'])}/${String(version['name'])}/` +
      `${String((spec['names'] as JsonObject)['plural'])}?resourceVersion=0`
    for (let waited = 0; waited < rereading && (await target.send(plainGet(list))).status === 429; waited += 100)
      await sleep(100)
  }
}

const plainGet = (path: string): LiveRequest => ({
  method: 'GET',
  path,
  token: 'admintoken',
  headers: {},
  body: undefined,
})

async function ask(target: Target, path: string): Promise<Json> {
  return valueOf(await target.send(plainGet(path)))
}

function isEstablished(definition: Json): boolean {
  const status = isObject(definition) ? definition['status'] : undefined
  const conditions = isObject(status) && Array.isArray(status['conditions']) ? status['conditions'] : []
  // A CRD whose names are taken is never established, so there is nothing to wait for.
  return conditions.some((each) => {
    return (
      isObject(each) &&
      ((each['type'] === 'Established' && each['status'] === 'True') ||
        (each['type'] === 'NamesAccepted' && each['status'] === 'False'))
    )
  })
}

export interface RecordOptions {
  /** Concurrent cases: a real server waits two seconds before it accepts the first object of a new CRD. */
  readonly atOnce: number
  readonly prefix?: string
  readonly done?: (topic: Topic, each: Case) => void
}

/** Records all cases, topic by topic. */
export async function recordTopics(
  target: Target,
  topics: readonly Topic[],
  { atOnce, prefix, done }: RecordOptions,
): Promise<RecordedCase[][]> {
  const results: RecordedCase[][] = topics.map(() => [])
  const waiting = topics.flatMap((topic, i) => topic.cases.map((each, j) => ({ topic, each, i, j })))
  async function work(): Promise<void> {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const { topic, each, i, j } = next
      ;(results[i] as RecordedCase[])[j] = await recordCase(target, topic, each, prefix)
      done?.(topic, each)
    }
  }
  const together = waiting.filter(({ topic }) => topic.alone !== true)
  waiting.splice(0, waiting.length, ...waiting.filter(({ topic }) => topic.alone === true))
  await work()
  waiting.push(...together)
  await Promise.all(Array.from({ length: atOnce }, work))
  return results
}
