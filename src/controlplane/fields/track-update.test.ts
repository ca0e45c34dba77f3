/** Expected values are recorded answers of a real kube-apiserver, v1.35.8. */
import { describe, expect, it } from 'vitest'
import { deepFreeze, type JsonObject } from '../../api/json.ts'
import type { KubeObject, ManagedFieldsEntry } from '../../api/object.ts'
import { builtinShape } from '../../shape/builtin-shapes.ts'
import { decodeTyped } from '../../shape/decode.ts'
import { any, type FieldShape, type Shape, type StructShape } from '../../shape/shape.ts'
import type { TrackContext } from './context.ts'
import { keepTimes, trackUpdate } from './track-update.ts'

const start = Date.parse('2026-11-15T23:16:50Z')

function contextOf(shape: Shape, kind: string, more: Partial<TrackContext> = {}): TrackContext {
  return {
    shape,
    group: '',
    version: 'v1',
    apiVersion: 'v1',
    kind,
    subresource: '',
    resetPaths: [],
    now: start,
    ...more,
  }
}

const configMap = contextOf(builtinShape('io.k8s.api.core.v1.ConfigMap'), 'ConfigMap')

/** Decodes, tracks and freezes. */
function write(live: KubeObject | undefined, body: JsonObject, manager: string, context: TrackContext): KubeObject {
  const next = decodeTyped(body, context.shape as StructShape).object as KubeObject
  const given = (body['metadata'] as JsonObject | undefined)?.['managedFields']
  if (given !== undefined) next.metadata.managedFields = structuredClone(given) as unknown as ManagedFieldsEntry[]
  trackUpdate(live, next, manager, context)
  return deepFreeze(next)
}

const owners = (object: KubeObject): Record<string, string> =>
  Object.fromEntries(
    (object.metadata.managedFields ?? []).map((entry) => [
      `${entry.manager ?? ''}${entry.subresource === undefined ? '' : '/'}${entry.subresource ?? ''} ` +
        (entry.time?.slice(17, 19) ?? '-'),
      JSON.stringify(entry.fieldsV1).replaceAll('\\"', "'").replaceAll('"', ''),
    ]),
  )

describe('creation', () => {
  it('a creation gives all fields to the creator, but not the containers that the type always has', () => {
    const pod = contextOf(builtinShape('io.k8s.api.core.v1.Pod'), 'Pod', { resetPaths: [['status']] })
    const container = {
      name: 'c',
      image: 'img',
      ports: [{ containerPort: 80, protocol: 'TCP' }],
      resources: {},
      env: [{ name: 'X', valueFrom: { fieldRef: { apiVersion: 'v1', fieldPath: 'metadata.name' } } }],
    }
    const created = write(
      undefined,
      {
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: { name: 'pod', namespace: 'default', labels: { a: 'b' } },
        spec: { containers: [container], securityContext: {}, restartPolicy: 'Always' },
        status: { phase: 'Pending' },
      },
      'probe',
      pod,
    )
    expect(created.metadata.managedFields).toEqual([
      {
        manager: 'probe',
        operation: 'Update',
        apiVersion: 'v1',
        time: '2026-11-15T23:16:50Z',
        fieldsType: 'FieldsV1',
        fieldsV1: {
          'f:metadata': { 'f:labels': { '.': {}, 'f:a': {} } },
          'f:spec': {
            'f:containers': {
              'k:{"name":"c"}': {
                '.': {},
                'f:env': {
                  '.': {},
                  'k:{"name":"X"}': { '.': {}, 'f:name': {}, 'f:valueFrom': { '.': {}, 'f:fieldRef': {} } },
                },
                'f:image': {},
                'f:name': {},
                'f:ports': {
                  '.': {},
                  'k:{"containerPort":80,"protocol":"TCP"}': { '.': {}, 'f:containerPort': {}, 'f:protocol': {} },
                },
                'f:resources': {},
              },
            },
            'f:restartPolicy': {},
            'f:securityContext': {},
          },
        },
      },
    ])
    const fields = created.metadata.managedFields?.[0]?.fieldsV1 as JsonObject
    expect(Object.keys((fields['f:spec'] as JsonObject)['f:containers'] as JsonObject)).toEqual(['k:{"name":"c"}'])
  })

  it('tracks nothing for an object with nothing to track, ever after', () => {
    const created = write(undefined, { metadata: { name: 'x', namespace: 'n', uid: 'u' } }, 'm', configMap)
    expect(created.metadata.managedFields).toBeUndefined()
    const updated = write(created, { metadata: { name: 'x' }, data: { a: '1' } }, 'm', configMap)
    expect(updated.metadata.managedFields).toBeUndefined()
  })

  it('field tracking of a creation calls a manager without a name unknown', () => {
    const created = write(undefined, { metadata: {}, data: { a: '1' } }, '', configMap)
    expect(owners(created)).toEqual({ 'unknown 50': '{f:data:{.:{},f:a:{}}}' })
  })
})

describe('updates', () => {
  const metadata = { name: 'x' }
  const first = write(undefined, { metadata, data: { a: '1', b: '1' } }, 'm1', configMap)
  const at = (seconds: number): TrackContext => ({ ...configMap, now: start + seconds * 1000 })

  it('tracked updates move what changes, forget what goes, and leave times alone where nothing is taken', () => {
    const second = write(first, { metadata, data: { a: '2', b: '1', c: '1' } }, 'm2', at(1))
    expect(owners(second)).toEqual({ 'm1 50': '{f:data:{.:{},f:b:{}}}', 'm2 51': '{f:data:{f:a:{},f:c:{}}}' })
    const third = write(second, { metadata, data: { a: '2' } }, 'm3', at(2))
    expect(owners(third)).toEqual({ 'm1 50': '{f:data:{}}', 'm2 51': '{f:data:{f:a:{}}}' })
    const fourth = write(third, { metadata }, 'm3', at(3))
    expect(fourth.metadata.managedFields).toBeUndefined()
  })

  it('tracked updates leave unchanged entries as the very same values', () => {
    const second = write(first, { metadata: { name: 'x', labels: { l: '1' } }, data: { a: '1', b: '1' } }, 'm2', at(1))
    expect(second.metadata.managedFields?.[0]).toBe(first.metadata.managedFields?.[0])
    const body = { metadata: structuredClone(first.metadata), data: { a: '1', b: '1', c: '1' } }
    const put = write(first, body, 'm2', at(1))
    expect(put.metadata.managedFields?.[0]).toBe(first.metadata.managedFields?.[0])
  })

  it('tracked updates never change frozen inputs, and do nothing for a write that changes nothing', () => {
    const same = write(first, { metadata, data: { b: '1', a: '1' } }, 'm9', at(9))
    expect(same.metadata.managedFields).toEqual(first.metadata.managedFields)
  })

  it.each([[[]], [[{}]]])('tracked updates reset by %j, until the next apply', (managedFields) => {
    const reset = write(first, { metadata: { name: 'x', managedFields }, data: { a: '2' } }, 'm', configMap)
    expect(reset.metadata.managedFields).toBeUndefined()
  })

  it('tracked updates take entries from the request, if they are valid', () => {
    const entry = (more: JsonObject): JsonObject => ({
      manager: 'm7',
      operation: 'Update',
      apiVersion: 'v1',
      fieldsType: 'FieldsV1',
      fieldsV1: { 'f:data': { 'f:a': {} } },
      ...more,
    })
    const put = (...managedFields: JsonObject[]): Record<string, string> =>
      owners(write(first, { metadata: { name: 'x', managedFields }, data: { a: '1', b: '1' } }, 'm2', configMap))
    expect(put(entry({}))).toEqual({ 'm7 -': '{f:data:{f:a:{}}}' })
    const kept = owners(first)
    expect(put(entry({ operation: 'Patch' }))).toEqual(kept)
    expect(put(entry({ apiVersion: '' }))).toEqual(kept)
    expect(put(entry({ fieldsType: 'FieldsV2' }))).toEqual(kept)
    expect(put(entry({ fieldsV1: { data: {} } }))).toEqual(kept)
    expect(put(entry({}), entry({ operation: 'Patch' }))).toEqual(kept)
    expect(put(entry({ apiVersion: 'v0' }))).toEqual({})
    expect(put(entry({ time: '2026-11-16T01:00:00.5+02:00' }))).toEqual({ 'm7 00': '{f:data:{f:a:{}}}' })
    const next = { metadata: { name: 'x', managedFields: [null] }, data: { a: '1' } } as unknown as KubeObject
    trackUpdate(first, next, 'm2', configMap)
    expect(owners(next)).toEqual({ 'm1 50': '{f:data:{.:{},f:a:{}}}' })
  })

  it('tracked updates through a subresource ignore the entries of the request and what they do not store', () => {
    const status = { ...configMap, subresource: 'status', resetPaths: [['data']] }
    const labelled = { name: 'x', labels: { a: 'b' }, managedFields: [{}] }
    const next = write(first, { metadata: labelled, data: { z: '1' } }, 'm2', status)
    expect(owners(next)).toEqual({
      'm1 50': '{f:data:{.:{},f:a:{},f:b:{}}}',
      'm2/status 50': '{f:metadata:{f:labels:{.:{},f:a:{}}}}',
    })
  })

  it('tracked updates merge the oldest of more than ten updaters', () => {
    let live = write(undefined, { metadata, data: { k0: '1' } }, 'm0', at(0))
    const data: JsonObject = { k0: '1' }
    for (let i = 1; i <= 12; i++) {
      data[`k${i}`] = '1'
      live = write(live, { metadata, data }, `m${i}`, at(i))
    }
    const found = Object.entries(owners(live))
    expect(found.map(([name]) => name.split(' ')[0])).toEqual([
      'ancient-changes',
      'm4',
      'm5',
      'm6',
      'm7',
      'm8',
      'm9',
      'm10',
      'm11',
      'm12',
    ])
    expect(found[0]).toEqual(['ancient-changes 53', '{f:data:{.:{},f:k0:{},f:k1:{},f:k2:{},f:k3:{}}}'])
  })
})

describe('custom resources', () => {
  const field = (shape: Shape, fallback?: string): Omit<FieldShape, 'name'> => ({
    shape,
    required: false,
    emit: 'set',
    patchStrategy: [],
    ...(fallback === undefined ? {} : { default: fallback }),
  })
  const struct = (fields: Record<string, Omit<FieldShape, 'name'>>, atomic = false): StructShape => ({
    type: 'struct',
    name: '',
    atomic,
    preserveUnknown: false,
    fields: new Map(Object.entries(fields).map(([name, rest]) => [name, { name, ...rest }])),
  })
  const text: Shape = { type: 'scalar', scalar: 'string' }
  const shapeOf = (atomic: boolean): Shape =>
    struct({
      metadata: field(builtinShape('io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta')),
      spec: field(
        struct({
          free: field(any),
          tags: field({ type: 'list', items: text, ownership: atomic ? 'atomic' : 'set', keys: [] }),
          ports: field({
            type: 'list',
            ownership: 'map',
            keys: ['port', 'protocol'],
            items: struct({
              port: field({ type: 'scalar', scalar: 'integer' }),
              protocol: field(text, 'TCP'),
              name: field(text),
            }),
          }),
          part: field(struct({ p: field(text), q: field(text) }, atomic)),
        }),
      ),
    })
  const granular = contextOf(shapeOf(false), 'Widget')
  const put = (live: KubeObject | undefined, spec: JsonObject, manager: string, context = granular): KubeObject => {
    const next = { metadata: { name: 'w' }, spec: structuredClone(spec) } as KubeObject
    trackUpdate(live, next, manager, context)
    return deepFreeze(next)
  }

  it('custom resources own the containers that they create', () => {
    const spec = { tags: ['b', 'a'], ports: [{ port: 80 }], free: { x: { y: [1] }, z: {} } }
    expect(owners(put(undefined, spec, 'm'))).toEqual({
      'm 50':
        '{f:spec:{.:{},f:free:{.:{},f:x:{.:{},f:y:{}},f:z:{}},' +
        "f:ports:{.:{},k:{'port':80,'protocol':'TCP'}:{.:{},f:port:{}}},f:tags:{.:{},v:'a':{},v:'b':{}}}}",
    })
  })

  it('custom resources treat a change of kind where there is no schema as one of the value and of what it held', () => {
    const live = put(undefined, { free: { x: { y: 1 }, s: 'text' } }, 'm')
    const next = put(live, { free: { x: 'text', s: { t: 1 } } }, 'n')
    expect(owners(next)).toEqual({
      'm 50': '{f:spec:{.:{},f:free:{}}}',
      'n 50': '{f:spec:{f:free:{f:s:{.:{},f:t:{}},f:x:{}}}}',
    })
  })

  it('custom resources own a repeated key as a whole', () => {
    const live = put(undefined, { ports: [{ port: 80, name: 'x' }] }, 'm')
    const twice = put(
      live,
      {
        ports: [
          { port: 80, name: 'x' },
          { port: 80, protocol: 'TCP' },
        ],
      },
      'n',
    )
    expect(owners(twice)).toEqual({
      'm 50': '{f:spec:{.:{},f:ports:{}}}',
      'n 50': "{f:spec:{f:ports:{k:{'port':80,'protocol':'TCP'}:{}}}}",
    })
    const once = put(twice, { ports: [{ port: 80, name: 'y' }] }, 'o')
    expect(owners(once)['o 50']).toBe("{f:spec:{f:ports:{k:{'port':80,'protocol':'TCP'}:{.:{},f:name:{},f:port:{}}}}}")
  })

  it('custom resources lose their entries, and nothing else, when a list does not fit its keys', () => {
    const next = { metadata: { name: 'w' }, spec: { ports: [1] } }
    trackUpdate(put(undefined, { tags: ['a'] }, 'm'), next, 'n', granular)
    expect(next).toEqual({ metadata: { name: 'w' }, spec: { ports: [1] } })
  })

  it('custom resources fit entries to a schema that became atomic', () => {
    const live = put(undefined, { tags: ['a'], part: { p: '1' } }, 'm')
    const both = put(live, { tags: ['a', 'b'], part: { p: '1', q: '1' } }, 'n')
    const atomic = contextOf(shapeOf(true), 'Widget')
    const next = put(both, { tags: ['a', 'b'], part: { p: '1', q: '1' }, free: 1 }, 'o', atomic)
    expect(owners(next)).toEqual({
      'm 50': '{f:spec:{.:{},f:part:{},f:tags:{}}}',
      'n 50': '{f:spec:{f:part:{},f:tags:{}}}',
      'o 50': '{f:spec:{f:free:{}}}',
    })
    const back = put(next, { tags: ['a', 'b'], part: { p: '1', q: '1' } }, 'o', granular)
    expect(owners(back)).toEqual({
      'm 50': '{f:spec:{.:{},f:part:{},f:tags:{}}}',
      'n 50': '{f:spec:{f:part:{},f:tags:{}}}',
    })
  })

  it('custom resources are read through the version of each entry, which may be gone', () => {
    const fieldsV1 = { 'f:spec': { 'f:free': {} } }
    const managedFields = ['v1', 'v2', 'v3'].map((apiVersion): ManagedFieldsEntry => ({
      manager: apiVersion,
      operation: 'Update',
      apiVersion,
      fieldsType: 'FieldsV1',
      fieldsV1,
    }))
    const live: KubeObject = deepFreeze({ metadata: { name: 'w', managedFields }, spec: { free: 'x', tags: ['a'] } })
    const convert: TrackContext['convert'] = (object, apiVersion) =>
      apiVersion === 'v2' ? { object, shape: granular.shape } : undefined
    expect(owners(put(live, { free: 'x' }, 'm', { ...granular, convert }))).toEqual({
      'v1 -': '{f:spec:{f:free:{}}}',
      'v2 -': '{f:spec:{f:free:{}}}',
    })
    const changed = put(live, { free: 'y', tags: ['a'] }, 'm', { ...granular, convert })
    expect(owners(changed)).toEqual({ 'm 50': '{f:spec:{f:free:{}}}' })
  })
})

describe('keepTimes', () => {
  const first = write(undefined, { metadata: { name: 'x' }, data: { a: '1' } }, 'm', configMap)

  it('keepTimes takes new times back when nothing else changed', () => {
    const later = structuredClone(first)
    ;(later.metadata.managedFields as ManagedFieldsEntry[])[0]!.time = '2026-11-15T23:59:59Z'
    expect(keepTimes(first, later)).toBe(true)
    expect(later).toEqual(first)
  })

  it('keepTimes keeps them when anything else did', () => {
    const change = (edit: (object: KubeObject) => void): KubeObject => {
      const later = structuredClone(first)
      for (const entry of later.metadata.managedFields ?? []) entry.time = '2026-11-15T23:59:59Z'
      edit(later)
      expect(keepTimes(first, later)).toBe(false)
      return later
    }
    const later = change((object) => Object.assign(object, { data: { a: '2' } }))
    expect(later.metadata.managedFields?.[0]?.time).toContain('59:59')
    change((object) => Object.assign(object.metadata, { labels: {} }))
    change((object) => object.metadata.managedFields?.push({ manager: 'n' }))
    change((object) => Object.assign(object.metadata.managedFields?.[0] ?? {}, { manager: 'n' }))
  })
})
