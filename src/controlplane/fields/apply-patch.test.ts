/** Expected values are recorded answers of a real kube-apiserver, v1.35.8. */
import { describe, expect, it } from 'vitest'
import { deepFreeze, type Json, type JsonObject } from '../../api/json.ts'
import type { KubeObject, ManagedFieldsEntry } from '../../api/object.ts'
import { ApiError } from '../../api/status.ts'
import { builtinShape } from '../../shape/builtin-shapes.ts'
import { decodeTyped } from '../../shape/decode.ts'
import type { StructShape } from '../../shape/shape.ts'
import { decodeFailure, finishApply, mergeApply } from './apply-patch.ts'
import type { TrackContext } from './context.ts'
import { trackUpdate } from './track-update.ts'

const start = Date.parse('2026-11-15T23:16:50Z')

interface ApplyOptions {
  force?: boolean
  defaults?: (object: KubeObject) => void
}

/** A server with one object and a clock that the test sets. */
class Bench {
  live: KubeObject | undefined
  now = start
  readonly context: Omit<TrackContext, 'now'>
  readonly #shape: StructShape

  constructor(group: string, version: string, kind: string, shape: string, resetPaths: string[][] = []) {
    this.#shape = builtinShape(shape) as StructShape
    const apiVersion = group === '' ? version : `${group}/${version}`
    this.context = { shape: this.#shape, group, version, apiVersion, kind, subresource: '', resetPaths }
  }

  /** Applies and stores; returns the stored object. */
  apply(manager: string, body: JsonObject, options: ApplyOptions = {}): KubeObject {
    const { apiVersion, kind } = this.context
    const normalise = (object: KubeObject): KubeObject => {
      const decoded = decodeTyped(object, this.#shape).object as KubeObject
      options.defaults?.(decoded)
      return decoded
    }
    const patch = { apiVersion, kind, ...body }
    const text = JSON.stringify(patch)
    const context = { ...this.context, now: this.now }
    const merge = mergeApply(this.live, patch, manager, options.force ?? false, context)
    const result = finishApply(merge, merge.merged && normalise(merge.merged))
    expect(JSON.stringify(patch)).toBe(text)
    return (this.live = deepFreeze(result))
  }

  update(manager: string, change: (object: KubeObject) => void, subresource = ''): KubeObject {
    const { apiVersion, kind } = this.context
    const next = structuredClone(this.live ?? { apiVersion, kind, metadata: {} })
    change(next)
    trackUpdate(this.live, next, manager, { ...this.context, subresource, now: this.now })
    return (this.live = deepFreeze(next))
  }

  entries(): ManagedFieldsEntry[] {
    return this.live?.metadata.managedFields ?? []
  }

  /** `m1 Apply 23:16:50 {"f:data":…}` for each entry. */
  owners(): string[] {
    return this.entries().map((entry) => {
      const where = entry.subresource === undefined ? '' : `/${entry.subresource}`
      const time = entry.time === undefined ? '-' : entry.time.slice(11, 19)
      return `${entry.manager ?? ''} ${entry.operation ?? ''}${where} ${time} ${JSON.stringify(entry.fieldsV1)}`
    })
  }
}

const configMaps = (): Bench => new Bench('', 'v1', 'ConfigMap', 'io.k8s.api.core.v1.ConfigMap')
const deployments = (): Bench => new Bench('apps', 'v1', 'Deployment', 'io.k8s.api.apps.v1.Deployment', [['status']])
const services = (): Bench => new Bench('', 'v1', 'Service', 'io.k8s.api.core.v1.Service', [['status']])

function failure(run: () => unknown): ApiError {
  try {
    run()
  } catch (error) {
    if (error instanceof ApiError) return error
    throw error
  }
  throw new Error('it did not fail')
}

describe('the recorded life of a ConfigMap', () => {
  const name = { name: 'ssa' }

  it('apply to a ConfigMap goes as recorded', () => {
    const bench = configMaps()
    const first = bench.apply('m1', { metadata: { name: 'ssa', labels: { l1: 'a' } }, data: { a: '1', b: '2' } })
    expect(first.metadata.managedFields).toEqual([
      {
        manager: 'm1',
        operation: 'Apply',
        apiVersion: 'v1',
        time: '2026-11-15T23:16:50Z',
        fieldsType: 'FieldsV1',
        fieldsV1: { 'f:data': { 'f:a': {}, 'f:b': {} }, 'f:metadata': { 'f:labels': { 'f:l1': {} } } },
      },
    ])
    expect(first).toMatchObject({ kind: 'ConfigMap', apiVersion: 'v1', data: { a: '1', b: '2' } })

    bench.now += 1000
    expect(bench.apply('m1', { metadata: { name: 'ssa', labels: { l1: 'a' } }, data: { b: '2', a: '1' } })).toBe(first)

    expect(failure(() => bench.apply('m2', { metadata: name, data: { a: 'x' } })).status).toEqual({
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      reason: 'Conflict',
      code: 409,
      message: 'Apply failed with 1 conflict: conflict with "m1": .data.a',
      details: { causes: [{ reason: 'FieldManagerConflict', message: 'conflict with "m1"', field: '.data.a' }] },
    })
    const two = failure(() => bench.apply('m2', { metadata: name, data: { b: 'y', a: 'x' } }))
    expect(two.message).toBe('Apply failed with 2 conflicts: conflicts with "m1":\n- .data.a\n- .data.b')
    expect(two.status.details?.causes?.map((cause) => cause.field)).toEqual(['.data.a', '.data.b'])

    // Shared: nothing in the object changes, so the new applier has no time, and comes first.
    bench.apply('m2', { metadata: name, data: { a: '1' } })
    expect(bench.owners()).toEqual([
      'm2 Apply - {"f:data":{"f:a":{}}}',
      'm1 Apply 23:16:50 {"f:data":{"f:a":{},"f:b":{}},"f:metadata":{"f:labels":{"f:l1":{}}}}',
    ])

    // The label is removed, the shared value stays.
    bench.apply('m1', { metadata: name, data: { b: '2' } })
    expect(bench.owners()).toEqual(['m2 Apply - {"f:data":{"f:a":{}}}', 'm1 Apply 23:16:51 {"f:data":{"f:b":{}}}'])
    expect(bench.live?.metadata.labels).toBeUndefined()
    expect(bench.live?.['data']).toEqual({ a: '1', b: '2' })

    bench.apply('m3', { metadata: name, data: { a: 'f' } }, { force: true })
    expect(bench.owners()).toEqual([
      'm1 Apply 23:16:51 {"f:data":{"f:b":{}}}',
      'm3 Apply 23:16:51 {"f:data":{"f:a":{}}}',
    ])

    bench.update('upd', (object) => {
      object['data'] = { a: 'f', b: 'u' }
    })
    expect(bench.owners()).toEqual([
      'm3 Apply 23:16:51 {"f:data":{"f:a":{}}}',
      'upd Update 23:16:51 {"f:data":{"f:b":{}}}',
    ])
    expect(failure(() => bench.apply('m1', { metadata: name, data: { b: '2' } })).message).toBe(
      'Apply failed with 1 conflict: conflict with "upd" using v1: .data.b',
    )

    // After a reset nothing is tracked until the next apply, which assigns existing fields to `before-first-apply`.
    bench.update('upd', (object) => {
      object.metadata.managedFields = [{}]
    })
    expect(bench.owners()).toEqual([])
    bench.update('upd', (object) => {
      object['data'] = { a: 'f', b: 'u', n: '1' }
    })
    expect(bench.owners()).toEqual([])
    bench.apply('m9', { metadata: name, data: { false: '1' } })
    expect(bench.owners()).toEqual([
      'm9 Apply 23:16:51 {"f:data":{"f:false":{}}}',
      'before-first-apply Update 23:16:51 {"f:data":{".":{},"f:a":{},"f:b":{},"f:n":{}}}',
    ])
  })

  it('apply to a ConfigMap refuses what is not an apply of this type', () => {
    const bench = configMaps()
    const bad = (body: JsonObject): [number, string] => {
      const { code, message } = failure(() => mergeApply(undefined, body, 'm', false, { ...bench.context, now: start }))
      return [code, message]
    }
    const metadata = { name: 'ssa' }
    expect(bad({ metadata })).toEqual([400, 'invalid object type: /, Kind='])
    expect(bad({ apiVersion: 'a/b/c', kind: 'ConfigMap', metadata })).toEqual([400, 'invalid object type: /, Kind='])
    expect(bad({ apiVersion: 1, kind: 'ConfigMap' })).toEqual([400, 'invalid object type: /, Kind=ConfigMap'])
    expect(bad({ apiVersion: 'apps/v1', kind: 'X' })).toEqual([400, 'invalid object type: apps/v1, Kind=X'])
    const type = { apiVersion: 'v1', kind: 'ConfigMap' }
    const managed = { name: 'ssa', managedFields: [] }
    expect(bad({ ...type, metadata: managed })).toEqual([400, 'metadata.managedFields must be nil'])
    const preface = 'failed to create typed patch object (/ssa; /v1, Kind=ConfigMap): '
    expect(bad({ ...type, metadata, foo: 1 })).toEqual([500, `${preface}.foo: field not declared in schema`])
    expect(bad({ ...type, metadata, data: [1] })).toEqual([500, `${preface}.data: expected map, got &{[1]}`])
    expect(bad({ ...type, metadata: { name: 'ssa', namespace: 'n', managedFields: 'x' } })[1]).toBe(
      'failed to create typed patch object (n/ssa; /v1, Kind=ConfigMap): .metadata.managedFields: expected ' +
        'list, got &{x}',
    )
  })

  it('apply to a ConfigMap owns what it names with null, and an object that is only named is owned by nobody', () => {
    const bench = configMaps()
    bench.apply('m', { metadata: { name: 'e', labels: null, managedFields: null }, data: null })
    expect(bench.owners()).toEqual(['m Apply 23:16:50 {"f:data":{},"f:metadata":{"f:labels":{}}}'])
    const other = configMaps()
    other.apply('m', { metadata: { name: 'e' } })
    expect(other.live?.metadata).toEqual({ name: 'e' })
  })

  it('apply to a ConfigMap says which object does not decode, and lets an ApiError of the decoder through', () => {
    const { context } = configMaps()
    const body = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'x' }, data: { a: '1' } }
    const run = (error: Error): ApiError =>
      decodeFailure(mergeApply(undefined, body, 'm', false, { ...context, now: start }), error) as ApiError
    expect(run(new Error('cannot convert float64 to int32')).status).toMatchObject({
      code: 500,
      message:
        'failed to convert new object (/x; /v1, Kind=ConfigMap) to proper version: cannot convert float64 to int32',
    })
    const own = new ApiError({ kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', code: 418 })
    expect(run(own)).toBe(own)
  })

  it('apply to a ConfigMap treats __proto__ and constructor as data', () => {
    const bench = configMaps()
    const data = JSON.parse('{"__proto__":"1","constructor":"2","toString":"3"}') as JsonObject
    bench.apply('m', { metadata: { name: 'p' }, data })
    expect(Object.keys(bench.live?.['data'] as JsonObject).sort()).toEqual(['__proto__', 'constructor', 'toString'])
    expect(bench.owners()).toEqual([
      'm Apply 23:16:50 {"f:data":{"f:__proto__":{},"f:constructor":{},"f:toString":{}}}',
    ])
    const other = JSON.parse('{"__proto__":"x"}') as Json
    expect(failure(() => bench.apply('n', { metadata: { name: 'p' }, data: other })).message).toBe(
      'Apply failed with 1 conflict: conflict with "m": .data.__proto__',
    )
    bench.apply('m', { metadata: { name: 'p' }, data: { a: '1' } })
    expect(bench.live?.['data']).toEqual({ a: '1' })
    expect(Object.keys(Object.prototype)).toEqual([])
  })
})

describe('the recorded life of a Deployment', () => {
  const defaults = (object: KubeObject): void => {
    ;(object['spec'] as JsonObject)['replicas'] ??= 1
  }
  const template = (...containers: JsonObject[]): JsonObject => ({
    metadata: { labels: { app: 'a' } },
    spec: { containers },
  })
  const selector = { matchLabels: { app: 'a' } }
  const env = (...names: string[]): Json => names.map((name, i) => ({ name, value: String(i) }))

  it('apply to a Deployment merges lists by key, prunes, and falls back to defaults', () => {
    const bench = deployments()
    const metadata = { name: 'sd' }
    const ports = [{ containerPort: 80 }]
    const full = template({ name: 'c', image: 'i', env: env('A', 'B'), ports })
    bench.apply('u', { metadata, spec: { replicas: 3, selector, template: full } }, { defaults })
    expect(bench.owners()).toEqual([
      'u Apply 23:16:50 {"f:spec":{"f:replicas":{},"f:selector":{},' +
        '"f:template":{"f:metadata":{"f:labels":{"f:app":{}}},' +
        ('"f:spec":{"f:containers":{"k:{\\"name\\":\\"c\\"}":{".":{},' +
          '"f:env":{"k:{\\"name\\":\\"A\\"}":{".":{},"f:name":{},') +
        '"f:value":{}},"k:{\\"name\\":\\"B\\"}":{".":{},"f:name":{},"f:value":{}}},"f:image":{},"f:name":{},' +
        '"f:ports":{"k:{\\"containerPort\\":80,\\"protocol\\":\\"TCP\\"}":{".":{},"f:containerPort":{}}}}}}}}}',
    ])

    const more = {
      spec: {
        containers: [
          { name: 'c', env: [{ name: 'C', value: '3' }] },
          { name: 'side', image: 's' },
        ],
      },
    }
    bench.apply('v', { metadata, spec: { template: more } }, { defaults })
    const less = template({ name: 'c', image: 'i', env: [{ name: 'B', value: '1' }] })
    bench.apply('u', { metadata, spec: { selector, template: less } }, { defaults })
    const spec = bench.live?.['spec'] as JsonObject
    expect(spec['replicas']).toBe(1)
    expect((spec['template'] as JsonObject)['spec']).toMatchObject({
      containers: [
        {
          name: 'c',
          image: 'i',
          env: [
            { name: 'B', value: '1' },
            { name: 'C', value: '3' },
          ],
        },
        { name: 'side', image: 's' },
      ],
    })
    expect(JSON.stringify(spec)).not.toContain('containerPort')
    expect(bench.entries().map((entry) => entry.manager)).toEqual(['u', 'v'])

    // Nobody owns the default.
    bench.apply('w', { metadata, spec: { replicas: 9 } }, { defaults })
    expect(bench.owners()[2]).toBe('w Apply 23:16:50 {"f:spec":{"f:replicas":{}}}')
  })

  it('apply to a Deployment does not count another way to write a quantity as a change', () => {
    const bench = deployments()
    const limits = (cpu: string): JsonObject => ({
      metadata: { name: 'q' },
      spec: { selector, template: template({ name: 'c', image: 'i', resources: { limits: { cpu } } }) },
    })
    const first = bench.apply('m', limits('1'))
    bench.now += 5000
    expect(bench.apply('m', limits('1000m'))).toBe(first)
    expect(bench.apply('n', limits('1'))).not.toBe(first)
    expect(failure(() => bench.apply('n', limits('2000m'))).message).toContain('.resources.limits.cpu')
  })

  it('apply to a Deployment leaves an item in which others own fields, not one they only changed', () => {
    const bench = deployments()
    const body = (...containers: JsonObject[]): JsonObject => ({
      metadata: { name: 'x' },
      spec: { template: template(...containers) },
    })
    bench.apply('a', body({ name: 'c', image: 'i' }, { name: 'd', image: 'i' }))
    bench.apply('b', body({ name: 'c', imagePullPolicy: 'Never' }))
    bench.update('u', (object) => {
      const { spec } = (object['spec'] as { template: { spec: { containers: JsonObject[] } } }).template
      ;(spec.containers[1] as JsonObject)['image'] = 'j'
    })
    bench.apply('a', body())
    expect(bench.live?.['spec']).toMatchObject({
      template: { spec: { containers: [{ name: 'c', imagePullPolicy: 'Never' }] } },
    })
    expect(JSON.stringify(bench.live?.['spec'])).not.toContain('"i"')
    expect(bench.entries().map((entry) => entry.manager)).toEqual(['a', 'b'])
  })
})

describe('conflicts', () => {
  it('a conflicting apply names managers in a fixed order, with version and subresource of updaters', () => {
    const bench = services()
    const spec = { ports: [{ port: 80, name: 'x' }], sessionAffinity: 'None', selector: { a: 'b' } }
    bench.apply('zed', { metadata: { name: 's', finalizers: ['a.io/x'] }, spec })
    bench.apply('amy', { metadata: { name: 's' }, spec: { ports: [{ port: 80, name: 'x' }] } })
    bench.update('upd', (object) => {
      object['spec'] = { ...(object['spec'] as JsonObject), sessionAffinity: 'ClientIP' }
    })
    const ports = [{ port: 80, name: 'y' }]
    const { message, status } = failure(() =>
      bench.apply('new', { metadata: { name: 's' }, spec: { ...spec, ports, selector: { c: 'd' } } }),
    )
    expect(message).toBe(
      'Apply failed with 4 conflicts: conflicts with "amy":\n- .spec.ports[port=80,protocol="TCP"].name\n' +
        'conflicts with "upd" using v1:\n- .spec.sessionAffinity\n' +
        'conflicts with "zed":\n- .spec.selector\n- .spec.ports[port=80,protocol="TCP"].name',
    )
    expect(status.details?.causes?.map((cause) => cause.message)).toEqual([
      'conflict with "amy"',
      'conflict with "upd" using v1',
      'conflict with "zed"',
      'conflict with "zed"',
    ])
    bench.apply('new', { metadata: { name: 's' }, spec: { ports } }, { force: true })
    expect(bench.owners().map((text) => text.split(' ')[0])).toEqual(['amy', 'new', 'zed', 'upd'])
  })

  it('a conflicting apply keeps live items in place and takes the order of the others from the configuration', () => {
    const order = (live: string[], config: string[]): string[] => {
      const bench = configMaps()
      bench.apply('a', { metadata: { name: 'o', finalizers: live } })
      return bench.apply('b', { metadata: { name: 'o', finalizers: config } }).metadata.finalizers ?? []
    }
    expect(order(['a', 'b', 'c'], ['d'])).toEqual(['a', 'b', 'c', 'd'])
    expect(order(['a', 'b', 'c'], ['c', 'a'])).toEqual(['b', 'c', 'a'])
    expect(order(['a', 'b', 'c'], ['d', 'a'])).toEqual(['d', 'a', 'b', 'c'])
    expect(order(['a', 'b', 'x'], ['b', 'a', 'n'])).toEqual(['b', 'x', 'a', 'n'])
    expect(order(['a', 'b'], ['b', 'z', 'a', 'y'])).toEqual(['b', 'z', 'a', 'y'])
  })
})

describe('moving from client-side apply', () => {
  const annotation = 'kubectl.kubernetes.io/last-applied-configuration'
  const body = (data: JsonObject): JsonObject => ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'c' },
    data,
  })

  function clientSide(data: JsonObject, lastApplied: string): Bench {
    const bench = configMaps()
    bench.update('kubectl-client-side-apply', (object) => {
      Object.assign(object, body(data))
      object.metadata.annotations = { [annotation]: lastApplied }
    })
    return bench
  }

  it('moving from client-side apply, kubectl takes the fields of its annotation and keeps that up to date', () => {
    const bench = clientSide({ a: '1', b: '2' }, `${JSON.stringify(body({ a: '1', b: '2' }))}\n`)
    expect(failure(() => bench.apply('other', body({ a: 'x' }))).code).toBe(409)
    bench.apply('kubectl', body({ b: '2', a: '<x>' }))
    expect(bench.live?.['data']).toEqual({ a: '<x>', b: '2' })
    expect(bench.live?.metadata.annotations?.[annotation]).toBe(
      '{"apiVersion":"v1","data":{"a":"\\u003cx\\u003e","b":"2"},"kind":"ConfigMap","metadata":{"name":"c"}}\n',
    )
  })

  it('moving from client-side apply names only the conflicts that it does not vouch for', () => {
    const bench = clientSide({ a: 'changed since', b: '2' }, JSON.stringify(body({ a: '1', b: '2' })))
    const { message } = failure(() => bench.apply('kubectl', body({ a: 'x', b: 'x' })))
    expect(message).toBe('Apply failed with 1 conflict: conflict with "kubectl-client-side-apply" using v1: .data.a')
  })

  it.each([
    '',
    'x',
    '[]',
    '{"apiVersion":"v1"}',
    '{"apiVersion":"v2","kind":"ConfigMap","data":{"a":"1"}}',
    '{"apiVersion":"v1","kind":"ConfigMap","data":{"a":"1"},"unknown":1}',
  ])('moving from client-side apply does not trust %s', (text) => {
    const bench = clientSide({ a: '1' }, text)
    expect(failure(() => bench.apply('kubectl', body({ a: 'x' }))).code).toBe(409)
  })

  it('moving from client-side apply drops the annotation when annotations would grow too large', () => {
    const bench = clientSide({ a: '1' }, JSON.stringify(body({ a: '1' })))
    bench.apply('kubectl', body({ a: 'x'.repeat(256 * 1024) }))
    expect(bench.live?.metadata.annotations).toBeUndefined()
  })
})
