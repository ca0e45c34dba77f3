/** The requests that prepare and clean up a server; none of them is measured. */
import type { Json } from '../src/api/json.ts'
import { Connection, type Answer, type Target } from './connection.ts'
import { load } from './load.ts'
import { manifest, namespace, type Kind } from './manifests.ts'
import { objectCount, objectPrefix } from './operations.ts'
import { Template, digits, fillText, requestBytes, type RequestText } from './template.ts'

const clients = 16

/** Sends one request on a new connection. */
export async function call(target: Target, request: RequestText): Promise<Answer> {
  const connection = await Connection.open(target)
  try {
    return await connection.exchange(requestBytes(target, request))
  } finally {
    connection.close()
  }
}

export async function create(target: Target, path: string, object: Json): Promise<void> {
  const request = { method: 'POST', path, body: JSON.stringify(object) }
  const answer = await call(target, request)
  if (answer.status !== 201 && answer.status !== 409) throw refused(target, request, answer)
}

function refused(target: Target, { method, path }: RequestText, { status, text }: Answer): Error {
  return new Error(`${target.name}: ${method} ${path} answered ${status}: ${text}`)
}

export const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'

/** Creates the namespace, the service account that admission looks for, and the CRDs of custom kinds. */
export async function prepare(target: Target, kinds: Iterable<Kind>): Promise<void> {
  await create(target, '/api/v1/namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } })
  await create(target, `/api/v1/namespaces/${namespace}/serviceaccounts`, {
    apiVersion: 'v1',
    kind: 'ServiceAccount',
    metadata: { name: 'default' },
  })
  for (const kind of new Set(kinds)) {
    if (kind.definition === undefined) continue
    await create(target, definitions, kind.definition)
    await served(target, kind)
  }
}

/** Waits until a new definition is served. */
async function served(target: Target, kind: Kind): Promise<void> {
  const body = fillText(manifest(kind, 'probe'), 0, 0)
  const probe = { method: 'POST', path: `${kind.collection}?dryRun=All`, body }
  const deadline = performance.now() + 10_000
  for (;;) {
    const answer = await call(target, probe)
    if (answer.status === 201) return
    if (performance.now() > deadline) throw refused(target, probe, answer)
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}

/** Creates objects 0 to `count` - 1 of a kind. */
export async function fillCollection(target: Target, kind: Kind, prefix: string, count: number): Promise<void> {
  const body = manifest(kind, prefix)
  const template = new Template(requestBytes(target, { method: 'POST', path: kind.collection, body }), clients)
  await sendAll(target, template, count)
}

/** Sends `template` for each of the objects once. */
export async function sendAll(target: Target, template: Template, count: number): Promise<void> {
  let next = 0
  const request = (connection: number): Buffer | undefined => {
    if (next === count) return undefined
    next += 1
    return template.fill(connection, next, next - 1)
  }
  await load(target, request, { clients, seconds: 600, warmup: 0 })
}

/** Creates the objects that `operations.ts` needs, unless they exist. */
export async function ensureObjects(target: Target, kind: Kind): Promise<void> {
  const last = `${kind.collection}/${objectPrefix}-${digits(objectCount - 1)}`
  const present = await call(target, { method: 'GET', path: last })
  if (present.status === 404) await fillCollection(target, kind, objectPrefix, objectCount)
}

/** Deletes all objects of a kind, a thousand per request: a real server ends a request after 34 seconds. */
export async function clear(target: Target, kind: Kind): Promise<void> {
  const path = `${kind.collection}?limit=1000&gracePeriodSeconds=0&propagationPolicy=Background`
  const request = { method: 'DELETE', path }
  for (;;) {
    const answer = await call(target, request)
    if (answer.status === 404) return
    if (answer.status !== 200) throw refused(target, request, answer)
    const rest = await call(target, { method: 'GET', path: `${kind.collection}?limit=1` })
    if ((JSON.parse(rest.text) as { items: unknown[] }).items.length === 0) return
  }
}
