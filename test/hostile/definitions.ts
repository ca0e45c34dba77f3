/** Shared by the tests of hostile custom resources: a control plane, short definitions, and the heap size. */
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { afterEach, beforeEach, expect } from 'vitest'
import type { Json, JsonObject } from '../../src/api/json.ts'
import { createControlPlane, type ControlPlane } from '../../src/controlplane/index.ts'

const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'

export interface Answer {
  readonly status: number
  /** The message of a Status, otherwise empty. */
  readonly message: string
  readonly body: unknown
}

export interface HostileCluster {
  /** Patches are JSON patches. */
  send(method: string, path: string, body?: Json): Promise<Answer>
  /** Installs a definition of kind Hostile with this schema for `spec`. */
  define(spec: JsonObject, name?: string): Promise<Answer>
  /** Creates an object of that kind. */
  create(spec: Json, name?: string): Promise<Answer>
}

/** A fresh cluster for each test. After each test there must be no internal errors, and the server must be ready. */
export function hostileCluster(): HostileCluster {
  let plane: ControlPlane
  const internal: unknown[] = []
  beforeEach(() => {
    plane = createControlPlane({ onInternalError: (error) => internal.push(error) })
  })
  afterEach(async () => {
    const alive = await send('GET', '/readyz')
    await plane.close()
    expect(internal.splice(0)).toEqual([])
    expect(alive.status).toBe(200)
  })
  const send: HostileCluster['send'] = async (method, path, body) => {
    const type = method === 'PATCH' ? 'application/json-patch+json' : 'application/json'
    const headers = { accept: 'application/json', 'content-type': type }
    const answer = await plane.transport()({ method, path, headers, ...(body !== undefined && { body }) })
    const { message } = (answer.body ?? {}) as { message?: unknown }
    return { status: answer.status, message: typeof message === 'string' ? message : '', body: answer.body }
  }
  return {
    send,
    define: (spec, name = 'hostile') => send('POST', definitions, definition(spec, name)),
    create: (spec, name = 'hostile') =>
      send('POST', `/apis/${name}.example.org/v1/namespaces/default/${name}s`, {
        apiVersion: `${name}.example.org/v1`,
        kind: kindOf(name),
        metadata: { name: 'a' },
        spec,
      }),
  }
}

const kindOf = (name: string): string => name.charAt(0).toUpperCase() + name.slice(1)

function definition(spec: JsonObject, name: string): Json {
  const group = `${name}.example.org`
  const schema = { openAPIV3Schema: { type: 'object', properties: { spec } } }
  return {
    metadata: { name: `${name}s.${group}` },
    spec: {
      group,
      scope: 'Namespaced',
      names: { plural: `${name}s`, singular: name, kind: kindOf(name), listKind: `${kindOf(name)}List` },
      versions: [{ name: 'v1', served: true, storage: true, schema }],
    },
  }
}

let collect: (() => void) | undefined

/** Bytes of live objects. */
export function liveBytes(): number {
  if (collect === undefined) {
    setFlagsFromString('--expose-gc')
    collect = runInNewContext('gc') as () => void
  }
  collect()
  collect()
  return process.memoryUsage().heapUsed
}
