/**
 * Recorded answers of a real kube-apiserver v1.35.8, replayed in process:
 * `builtins.jsonl` has a small object of each kind with its defaults, its Table row, and the errors of an invalid one.
 * The other files have creates (mostly dry runs) and updates, valid and invalid, in the order of the recording.
 */
import { readFileSync } from 'node:fs'
import { afterAll, describe, expect, it } from 'vitest'
import type { Json, JsonObject } from '../../api/json.ts'
import { simulatedEnv } from '../../env/simulated.ts'
import { createControlPlane } from '../index.ts'

function load<T>(name: string): T[] {
  const text = readFileSync(new URL(`testdata/${name}.jsonl`, import.meta.url), 'utf8')
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as T)
}

const uuid = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g
const unstable = new Set([
  'managedFields',
  'uid',
  'resourceVersion',
  'creationTimestamp',
  'lastPhaseTransitionTime',
  'apiVersion',
  'kind',
])

/** Without what differs between servers: allocated values are replaced by fixed ones; uids and times are removed. */
function plain(value: unknown): unknown {
  const text = JSON.stringify(value)
    .replace(uuid, 'UID')
    .replace(/"10\.0\.0\.\d+"/g, '"ADDRESS"')
    .replace(/"nodePort":\d+/g, '"nodePort":0')
    .replace(/:3\d{4}\//g, ':PORT/')
    .replace(/"2026-11-1\dT[^"]*"/g, '"NOW"')
  const parsed = JSON.parse(text) as JsonObject
  for (const field of ['apiVersion', 'kind']) delete parsed[field]
  const metadata = parsed.metadata as JsonObject | undefined
  for (const field of Object.keys(metadata ?? {})) if (unstable.has(field)) delete metadata?.[field]
  const status = parsed.status as JsonObject | undefined
  if (typeof status === 'object' && status !== null) delete status.lastPhaseTransitionTime
  return parsed
}

interface Answer {
  readonly status: number
  readonly body: JsonObject
  readonly warnings: string[]
}

/** A new control plane with the namespace of the recording. */
function server() {
  const env = simulatedEnv({ seed: 1, start: Date.parse('2026-11-15T00:00:00Z') })
  const plane = createControlPlane({ env })
  const api = plane.transport()
  afterAll(() => plane.close())
  return async (method: string, path: string, body?: Json, headers: Record<string, string> = {}): Promise<Answer> => {
    const answer = await api({ method, path, headers, ...(body === undefined ? {} : { body }) })
    const warning = answer.headers['warning'] ?? ''
    const warnings = [...String(warning).matchAll(/299 - ("(?:[^"\\]|\\.)*")/g)].map(
      (found) => JSON.parse(found[1] ?? '""') as string,
    )
    return { status: answer.status, body: answer.body as JsonObject, warnings }
  }
}

interface Builtin {
  readonly path: string
  readonly body: JsonObject
  readonly answer: JsonObject
  readonly cells: Json[]
  readonly bad?: { readonly body: JsonObject; readonly message: string; readonly causes: [string, string][] }
}

const table = { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' }
const isAge = (cell: unknown) => typeof cell === 'string' && /^(?:\d+[smhdy])+$/.test(cell)
const isTime = (cell: unknown) => typeof cell === 'string' && /^\d{4}-\d\d-\d\dT/.test(cell)

/** Ages and times depend on when a test runs. */
function withoutTimes(cells: unknown): unknown[] {
  return (plain({ cells }) as { cells: unknown[] }).cells.map((cell) => (isAge(cell) || isTime(cell) ? 'TIME' : cell))
}

describe('kinds', () => {
  const send = server()
  it.each(load<Builtin>('builtins').map((test) => [test.path, test] as const))('kinds: %s', async (path, test) => {
    const created = await send('POST', path, test.body)
    expect(plain(created.body)).toEqual(plain(test.answer))
    const name = (test.answer.metadata as JsonObject).name as string
    const { rows } = (await send('GET', `${path}/${name}`, undefined, table)).body as unknown as {
      rows: { cells: unknown }[]
    }
    expect(withoutTimes(rows[0]?.cells)).toEqual(withoutTimes(test.cells))
    if (test.bad === undefined) return
    const refused = await send('POST', `${path}?dryRun=All`, test.bad.body)
    expect(refused.body.message).toBe(test.bad.message)
    const { causes = [] } = (refused.body.details ?? {}) as { causes?: { reason: string; field: string }[] }
    expect(causes.map(({ reason, field }) => [reason, field])).toEqual(test.bad.causes)
  })
})

interface Exchange {
  readonly method?: string
  readonly path: string
  readonly type?: 'merge' | 'strategic'
  readonly body: JsonObject
  readonly status: number
  readonly message?: string
  readonly answer?: JsonObject
  readonly warnings?: string[]
}

describe.each(['pods', 'services', 'changes', 'kinds'])('%s', (file) => {
  const send = server()
  it('has its namespace', async () => {
    expect((await send('POST', '/api/v1/namespaces', { metadata: { name: 'ns' } })).status).toBe(201)
  })

  const exchanges = load<Exchange>(file).map((exchange, i) => [i + 1, exchange] as const)
  it.each(exchanges)('line %i', async (_, exchange) => {
    const { method = 'POST', path, type, body, status, message, answer, warnings = [] } = exchange
    const headers =
      type === undefined
        ? {}
        : {
            'content-type': `application/${type === 'merge' ? 'merge' : 'strategic-merge'}-patch+json`,
          }
    const ours = await send(method, path, body, headers)
    const said = ours.status >= 400 ? String(ours.body.message).replace(uuid, 'UID') : undefined
    expect({ status: ours.status, message: said, warnings: ours.warnings }).toEqual({
      status,
      message,
      warnings,
    })
    if (answer !== undefined) expect(plain(ours.body)).toEqual(plain(answer))
  })
})
