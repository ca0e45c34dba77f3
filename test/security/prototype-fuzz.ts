/**
 * Sends objects and patches whose keys, paths and values aim at prototypes, as text, to a control plane, and looks
 * whether any prototype changed. Also a program, for options of Node: `node prototype-fuzz.mjs COUNT`.
 */
import type { Json, JsonObject } from '../../src/api/json.ts'
import { parseYaml } from '../../src/codec/yaml-text.ts'
import { createControlPlane } from '../../src/controlplane/index.ts'
import { simulatedEnv } from '../../src/env/simulated.ts'

export interface FuzzResult {
  readonly sent: number
  /** Responses by status. */
  readonly statuses: Readonly<Record<string, number>>
  /** What changed, and unexpected errors. Empty: nothing. Some errors of applies and patches are 500, as upstream. */
  readonly problems: readonly string[]
}

const hostileKeys = [
  '__proto__',
  'constructor',
  'prototype',
  'toString',
  'valueOf',
  'hasOwnProperty',
  '__defineGetter__',
  '__lookupSetter__',
  'then',
  'toJSON',
  'length',
  '0',
  '-1',
  '1000000000',
  '$patch',
  '$setElementOrder/ports',
]
const plainKeys = ['metadata', 'name', 'labels', 'annotations', 'spec', 'data', 'ports', 'list', 'a', 'b', 'polluted']
const watched = { Object, Array, Function, String, Number, Map, Set, Promise, RegExp, Error }

type Snapshot = ReadonlyMap<string, string>

function prototypes(): Snapshot {
  const found = new Map<string, string>()
  for (const [name, constructor] of Object.entries(watched))
    found.set(
      name,
      Reflect.ownKeys(constructor.prototype as object)
        .map(String)
        .sort()
        .join(),
    )
  return found
}

export async function fuzzPrototypes(count: number, seed = 9): Promise<FuzzResult> {
  const env = simulatedEnv({ seed })
  const problems: string[] = []
  const plane = createControlPlane({
    env,
    onInternalError: (error, { method, path, body }) =>
      problems.push(`${method} ${path} ${JSON.stringify(body)}: ${String(error)}`.slice(0, 500)),
  })
  const before = prototypes()
  const send = plane.transport()
  const pick = <T>(list: readonly T[]): T => list[Math.floor(env.random() * list.length)] as T
  const key = (): string => (env.random() < 0.5 ? pick(hostileKeys) : pick(plainKeys))
  const value = (depth: number): string => {
    const kind = env.random()
    if (depth === 0 || kind < 0.3)
      return pick(['"x"', '1', 'null', 'true', '{}', '[]', '"__proto__"', '{"polluted":1}'])
    const items = Array.from({ length: Math.floor(env.random() * 3) + 1 }, () =>
      kind < 0.45 ? value(depth - 1) : `${JSON.stringify(key())}:${value(depth - 1)}`,
    )
    return kind < 0.45 ? `[${items.join()}]` : `{${items.join()}}`
  }
  const pointer = (): string => Array.from({ length: Math.floor(env.random() * 4) + 1 }, () => `/${key()}`).join('')
  const operation = (): string => {
    const op = pick(['add', 'replace', 'remove', 'copy', 'move', 'test'])
    return `{"op":"${op}","path":${JSON.stringify(pointer())},"from":${JSON.stringify(pointer())},"value":${value(2)}}`
  }

  const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'
  await send({ method: 'POST', path: definitions, body: definition() })
  const things = '/apis/fuzz.example.org/v1/namespaces/default/things'
  const configMaps = '/api/v1/namespaces/default/configmaps'
  const services = '/api/v1/namespaces/default/services'
  await send({ method: 'POST', path: things, body: object('fuzz.example.org/v1', 'Thing', {}) })
  await send({ method: 'POST', path: configMaps, body: object('v1', 'ConfigMap', { data: { a: 'b' } }) })
  await send({ method: 'POST', path: services, body: object('v1', 'Service', { spec: { ports: [{ port: 80 }] } }) })
  const bodies: readonly (() => readonly [method: string, path: string, type: string, body: string])[] = [
    () => ['POST', `${things}?dryRun=All`, 'application/json', thing('x', value(4))],
    () => ['POST', `${configMaps}?dryRun=All`, 'application/json', value(4)],
    () => ['PUT', `${things}/live`, 'application/json', thing('live', value(3))],
    () => ['PATCH', `${things}/live`, 'application/merge-patch+json', `{"spec":${value(3)}}`],
    () => ['PATCH', `${configMaps}/live`, 'application/merge-patch+json', value(3)],
    () => ['PATCH', `${things}/live`, 'application/json-patch+json', `[${operation()},${operation()}]`],
    () => ['PATCH', `${services}/live`, 'application/strategic-merge-patch+json', `{"spec":${value(3)}}`],
    () => ['PATCH', `${services}/live`, 'application/strategic-merge-patch+json', value(3)],
    () => [
      'PATCH',
      `${things}/live?fieldManager=${key()}&force=true`,
      'application/apply-patch+yaml',
      thing('live', value(3)),
    ],
    () => ['GET', `${things}?labelSelector=${key()}%3D${key()}&fieldSelector=metadata.${key()}%3D1`, '', ''],
    () => ['GET', `/apis/${key()}/v1/${key()}`, '', ''],
  ]
  const statuses: Record<string, number> = {}
  for (let sent = 0; sent < count; sent++) {
    const [method, path, type, body] = pick(bodies)()
    const headers = type === '' ? {} : { 'content-type': type }
    const { status } = await send({ method, path, headers, ...(body === '' ? {} : { body }) })
    statuses[status] = (statuses[status] ?? 0) + 1
    if (sent % 10 === 0) parsedAsYaml(value(3))
  }
  const after = prototypes()
  for (const [name, keys] of before) if (after.get(name) !== keys) problems.push(`${name}.prototype has other keys`)
  if (({} as { polluted?: unknown }).polluted !== undefined) problems.push('{}.polluted is set')
  if (([] as unknown as { polluted?: unknown }).polluted !== undefined) problems.push('[].polluted is set')
  await plane.close()
  return { sent: count, statuses, problems: problems.slice(0, 20) }
}

function parsedAsYaml(text: string): void {
  try {
    parseYaml(`<<: ${text}\na: &a ${text}\nb: *a`)
  } catch {
    // Refused.
  }
}

function thing(name: string, spec: string): string {
  return `{"apiVersion":"fuzz.example.org/v1","kind":"Thing","metadata":{"name":"${name}"},"spec":${spec}}`
}

function object(apiVersion: string, kind: string, fields: JsonObject): Json {
  return { apiVersion, kind, metadata: { name: 'live' }, ...fields }
}

function definition(): Json {
  const schema = {
    type: 'object',
    properties: {
      spec: {
        type: 'object',
        'x-kubernetes-preserve-unknown-fields': true,
        properties: { list: { type: 'array', items: { type: 'string' } } },
      },
    },
  }
  return {
    metadata: { name: 'things.fuzz.example.org' },
    spec: {
      group: 'fuzz.example.org',
      scope: 'Namespaced',
      names: { plural: 'things', singular: 'thing', kind: 'Thing', listKind: 'ThingList' },
      versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: schema } }],
    },
  }
}

const [, program = '', count = ''] = process.argv
if (program.endsWith('prototype-fuzz.mjs')) console.log(JSON.stringify(await fuzzPrototypes(Number(count))))
