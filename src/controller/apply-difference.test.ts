/** Tests the matcher with managedFields of a server. The server decides: does the apply change the resourceVersion? */
import { beforeAll, describe, expect, it } from 'vitest'
import type { Json, JsonObject } from '../api/json.ts'
import { resource } from '../schema/resource.ts'
import { t } from '../schema/t.ts'
import { appliedEntry } from './apply-difference.ts'
import { applyOracle, manager, type ApplyOracle, type Judgement } from './testdata/apply-oracle.ts'

const Widget = resource('example.dev/v1', 'Widget', {
  spec: t.object({
    size: t.int().default(3),
    text: t.string().optional(),
    tags: t.array(t.string()).set().optional(),
    ports: t
      .array(t.object({ port: t.int(), protocol: t.string().default('TCP'), note: t.string().optional() }))
      .mapBy('port', 'protocol')
      .optional(),
    plain: t.array(t.string()).optional(),
    labels: t.map(t.string()).optional(),
    nested: t.object({ a: t.string().optional(), b: t.string().default('x') }).optional(),
  }),
})

let oracle: ApplyOracle
let count = 0
beforeAll(async () => {
  oracle = await applyOracle([Widget.crd as unknown as Json])
})

type Fields = Record<string, unknown>
const object = (apiVersion: string, kind: string, fields: Fields, metadata: Fields = {}): JsonObject => ({
  apiVersion,
  kind,
  metadata: { name: `x${++count}`, ...metadata },
  ...fields,
})
const again = (body: JsonObject, fields: Fields, metadata: Fields = {}): JsonObject =>
  ({ ...body, ...fields, metadata: { ...(body['metadata'] as JsonObject), ...metadata } }) as JsonObject
const widget = (spec: Fields, metadata?: Fields) => object('example.dev/v1', 'Widget', { spec }, metadata)
const configMap = (data: Fields, metadata?: Fields) => object('v1', 'ConfigMap', { data }, metadata)

const podSpec = (container: Fields, more: Fields = {}): Fields => ({
  containers: [{ name: 'web', image: 'web:1', ...container }],
  ...more,
})
const deployment = (container: Fields, more: Fields = {}, spec: Fields = {}) =>
  object('apps/v1', 'Deployment', {
    spec: {
      selector: { matchLabels: { app: 'x' } },
      template: { metadata: { labels: { app: 'x' } }, spec: podSpec(container, more) },
      ...spec,
    },
  })
const container = (fields: Fields) => ({
  spec: { template: { spec: { containers: [{ name: 'web', image: 'web:1', ...fields }] } } },
})

const same: Judgement = { matcher: undefined, changed: false }

describe('after an apply there is no difference', () => {
  it.each<[string, () => JsonObject]>([
    ['in a map', () => configMap({ a: '1', 'b.c': '2' })],
    [
      'in labels and annotations',
      () => configMap({ a: '1' }, { labels: { 'example.dev/app': 'x' }, annotations: { note: '{"a": 1}' } }),
    ],
    ['in a set', () => widget({ tags: ['b', 'a'] })],
    ['in a set of finalizers', () => configMap({ a: '1' }, { finalizers: ['example.dev/b', 'example.dev/a'] })],
    [
      'in a list of maps whose key has a default',
      () => widget({ ports: [{ port: 80 }, { port: 80, protocol: 'UDP', note: 'x' }, { port: 79 }] }),
    ],
    ['in an atomic list', () => widget({ plain: ['b', 'a', 'b'] })],
    ['in empty containers', () => widget({ plain: [], labels: {}, text: '' })],
    ['in fields that are defaulted beside ours', () => widget({ nested: { a: '1' } })],
    [
      'in quantities of another spelling',
      () =>
        deployment({
          resources: { requests: { cpu: '0.5', memory: '1024Mi' }, limits: { cpu: 1, memory: '1073741824' } },
        }),
    ],
    [
      'in an env of an empty value',
      () => deployment({ env: [{ name: 'A', value: '' }, { name: 'B', value: 'b' }, { name: 'C' }] }),
    ],
    [
      'in ports of a container, without their protocol',
      () =>
        deployment({
          ports: [{ containerPort: 80 }, { containerPort: 80, protocol: 'UDP' }, { containerPort: 443, name: 'https' }],
        }),
    ],
    [
      'in a size limit',
      () =>
        deployment(
          {},
          {
            volumes: [
              { name: 'tmp', emptyDir: { sizeLimit: '1.5Gi' } },
              { name: 'cfg', configMap: { name: 'c' } },
            ],
          },
        ),
    ],
    [
      'in false, 0 and "" ',
      () =>
        deployment(
          { stdin: false, workingDir: '' },
          { hostNetwork: false, terminationGracePeriodSeconds: 0, nodeSelector: {} },
          { paused: false, replicas: 0 },
        ),
    ],
    ['in a probe', () => deployment({ readinessProbe: { httpGet: { path: '/', port: 'http' }, periodSeconds: 5 } })],
    [
      'in an IntOrString',
      () => deployment({}, {}, { strategy: { rollingUpdate: { maxSurge: '50%', maxUnavailable: 0 } } }),
    ],
    [
      'in affinity and tolerations',
      () =>
        deployment(
          {},
          {
            tolerations: [{ key: 'a', operator: 'Exists' }],
            affinity: {
              podAntiAffinity: {
                preferredDuringSchedulingIgnoredDuringExecution: [
                  { weight: 1, podAffinityTerm: { topologyKey: 'zone', labelSelector: { matchLabels: { app: 'x' } } } },
                ],
              },
            },
          },
        ),
    ],
    [
      'in ports of a Service',
      () =>
        object('v1', 'Service', {
          spec: {
            selector: { app: 'x' },
            ports: [
              { name: 'http', port: 80, targetPort: 'http' },
              { name: 'dns', port: 53, protocol: 'UDP' },
            ],
          },
        }),
    ],
    ['in a Secret', () => object('v1', 'Secret', { data: { a: 'aGVsbG8=' }, type: 'Opaque' })],
    [
      'in owner references',
      () =>
        configMap(
          { a: '1' },
          {
            ownerReferences: [
              {
                apiVersion: 'v1',
                kind: 'ConfigMap',
                name: 'b',
                uid: 'b6b5b8a4-0000-4000-8000-000000000002',
                controller: true,
              },
              { apiVersion: 'v1', kind: 'ConfigMap', name: 'a', uid: 'b6b5b8a4-0000-4000-8000-000000000001' },
            ],
          },
        ),
    ],
  ])('there is no difference after an apply: %s', async (_, make) => {
    const body = make()
    await oracle.apply(body)
    expect(await oracle.judge(body)).toEqual(same)
  })
})

// A field that is owned as a whole and that the server defaults: other values in it may come from the server, or from
// our previous desired state. The matcher cannot know and reports a difference. Such an apply changes nothing, and is
// not sent twice (owned-objects.test.ts).
describe('where the server fills in what is owned as a whole, a call is needed to know', () => {
  it.each<[string, () => JsonObject, string]>([
    [
      'defaulted nested fields',
      () => deployment({ env: [{ name: 'NODE', valueFrom: { fieldRef: { fieldPath: 'spec.nodeName' } } }] }),
      'spec.template.spec.containers[web].env[NODE].valueFrom.fieldRef',
    ],
    [
      'volume claim templates',
      () =>
        object('apps/v1', 'StatefulSet', {
          spec: {
            serviceName: 'x',
            selector: { matchLabels: { app: 'x' } },
            template: { metadata: { labels: { app: 'x' } }, spec: podSpec({}) },
            volumeClaimTemplates: [
              {
                metadata: { name: 'data' },
                spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
              },
            ],
          },
        }),
      'spec.volumeClaimTemplates',
    ],
    ['empty lists that several may own', () => widget({ text: 'x', tags: [] }), 'spec.tags'],
    ['an empty object in which there are defaults', () => widget({ nested: {} }), 'spec.nested'],
  ])('only a call shows a difference in fields owned as a whole: %s', async (_, make, field) => {
    const body = make()
    await oracle.apply(body)
    expect(await oracle.judge(body)).toEqual({ matcher: field, changed: false })
  })
})

describe('a difference is', () => {
  it.each<[string, () => JsonObject, (body: JsonObject) => JsonObject, string]>([
    ['another value', () => configMap({ a: '1' }), (body) => again(body, { data: { a: '2' } }), 'data.a'],
    ['a new field', () => configMap({ a: '1' }), (body) => again(body, { data: { a: '1', b: '2' } }), 'data.b'],
    ['a field less', () => configMap({ a: '1', b: '2' }), (body) => again(body, { data: { a: '1' } }), 'data.b'],
    [
      'all of a part less',
      () => configMap({ a: '1' }, { labels: { app: 'x' } }),
      (body) => ({ ...body, metadata: { name: (body['metadata'] as JsonObject)['name'] as string } }),
      'metadata',
    ],
    [
      'an item more of a set',
      () => widget({ tags: ['a'] }),
      (body) => again(body, { spec: { tags: ['a', 'b'] } }),
      'spec.tags',
    ],
    [
      'an item less of a set',
      () => widget({ tags: ['a', 'b'] }),
      (body) => again(body, { spec: { tags: ['a'] } }),
      'spec.tags["b"]',
    ],
    [
      'another order of a set',
      () => widget({ tags: ['a', 'b'] }),
      (body) => again(body, { spec: { tags: ['b', 'a'] } }),
      'spec.tags["a"]',
    ],
    [
      'another order of an atomic list',
      () => widget({ plain: ['a', 'b'] }),
      (body) => again(body, { spec: { plain: ['b', 'a'] } }),
      'spec.plain',
    ],
    [
      'another order of keyed items',
      () =>
        deployment({
          env: [
            { name: 'A', value: '1' },
            { name: 'B', value: '2' },
          ],
        }),
      (body) =>
        withContainer(body, {
          env: [
            { name: 'B', value: '2' },
            { name: 'A', value: '1' },
          ],
        }),
      'spec.template.spec.containers[web].env[A]',
    ],
    [
      'a key that was a default before',
      () => widget({ ports: [{ port: 80 }] }),
      (body) => again(body, { spec: { ports: [{ port: 80, protocol: 'UDP' }] } }),
      'spec.ports',
    ],
    [
      'a key that becomes a default',
      () => widget({ ports: [{ port: 80, protocol: 'UDP' }] }),
      (body) => again(body, { spec: { ports: [{ port: 80 }] } }),
      'spec.ports',
    ],
    [
      'a field of a keyed item',
      () => widget({ ports: [{ port: 80, note: 'a' }] }),
      (body) => again(body, { spec: { ports: [{ port: 80, note: 'b' }] } }),
      'spec.ports[80,TCP].note',
    ],
    [
      'a field in place of a default',
      () => widget({ text: 'x' }),
      (body) => again(body, { spec: { text: 'x', size: 3 } }),
      'spec.size',
    ],
    [
      'a quantity of another number',
      () => deployment({ resources: { requests: { cpu: '0.5' } } }),
      (body) => withContainer(body, { resources: { requests: { cpu: '0.6' } } }),
      'spec.template.spec.containers[web].resources.requests.cpu',
    ],
    [
      'a value in place of an empty one',
      () => deployment({ env: [{ name: 'A', value: '' }] }),
      (body) => withContainer(body, { env: [{ name: 'A', value: 'x' }] }),
      'spec.template.spec.containers[web].env[A].value',
    ],
    [
      'an empty value in place of one',
      () => deployment({ env: [{ name: 'A', value: 'x' }] }),
      (body) => withContainer(body, { env: [{ name: 'A', value: '' }] }),
      'spec.template.spec.containers[web].env[A].value',
    ],
    [
      'a text that only looks like a quantity',
      () => configMap({ cpu: '500m' }),
      (body) => again(body, { data: { cpu: '0.5' } }),
      'data.cpu',
    ],
  ])('a difference is %s', async (_, make, change, field) => {
    const body = make()
    await oracle.apply(body)
    const wanted = change(body)
    expect(await oracle.judge(wanted)).toEqual({ matcher: field, changed: true })
    expect(await oracle.judge(wanted)).toEqual(same)
  })

  it('a difference is an object that we have not applied before, though all is as we want it', async () => {
    const body = configMap({ a: '1' })
    await oracle.apply(body, 'somebody')
    expect(await oracle.judge(body)).toEqual({ matcher: '', changed: true })
  })

  it('a difference is an entry of another version, which the apply rewrites', async () => {
    const old = {
      ...object('autoscaling/v2', 'HorizontalPodAutoscaler', {
        spec: { maxReplicas: 3, scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'x' } },
      }),
    }
    await oracle.apply(old)
    const body = { ...old, apiVersion: 'autoscaling/v1' }
    expect(await oracle.judge(body)).toEqual({ matcher: '', changed: true })
    const live = await oracle.live(body)
    expect(appliedEntry(live, manager)?.apiVersion).toBe('autoscaling/v1')
    expect(await oracle.judge(body)).toEqual(same)
  })
})

describe('what others do', () => {
  it('a change by others to their own fields is no difference', async () => {
    const body = deployment({ env: [{ name: 'A', value: '1' }] }, {}, { replicas: 2 })
    await oracle.apply(body)
    await oracle.patch(body, {
      metadata: { annotations: { 'kubectl.kubernetes.io/restartedAt': 'now' } },
      spec: { minReadySeconds: 5, template: { metadata: { annotations: { note: 'x' } } } },
    })
    expect(await oracle.judge(body)).toEqual(same)
    const sets = widget({ tags: ['b'], ports: [{ port: 80 }], labels: { a: '1' } })
    await oracle.apply(sets)
    await oracle.apply(
      again(sets, { spec: { tags: ['a', 'c'], ports: [{ port: 79 }, { port: 81 }], labels: { b: '2' } } }),
      'somebody',
    )
    expect(await oracle.judge(sets)).toEqual(same)
  })

  it.each<[string, () => JsonObject, Json, string]>([
    ['change', () => deployment({}, {}, { replicas: 2 }), { spec: { replicas: 5 } }, 'spec.replicas'],
    ['remove', () => configMap({ a: '1', b: '2' }), { data: { a: null } }, 'data.a'],
    ['replace a list', () => widget({ text: 'x', tags: ['a', 'b'] }), { spec: { tags: ['c'] } }, 'spec.tags'],
    ['change a whole list', () => widget({ text: 'x', plain: ['a'] }), { spec: { plain: ['a', 'b'] } }, 'spec.plain'],
    [
      'change a keyed item',
      () => widget({ ports: [{ port: 80, note: 'a' }] }),
      { spec: { ports: [{ port: 80, note: 'b' }] } },
      'spec.ports[80,TCP].note',
    ],
    [
      'change a quantity',
      () => deployment({ resources: { limits: { memory: '1Gi' } } }),
      container({ resources: { limits: { memory: '2Gi' } } }),
      'spec.template.spec.containers[web].resources.limits.memory',
    ],
  ])('a change by others to ours is one: %s', async (_, make, patch, field) => {
    const body = make()
    await oracle.apply(body)
    await oracle.patch(body, patch)
    expect(await oracle.judge(body)).toEqual({ matcher: field, changed: true })
    expect(await oracle.judge(body)).toEqual(same)
  })
})

function withContainer(body: JsonObject, fields: Fields): JsonObject {
  const spec = body['spec'] as { template: { metadata: Json; spec: JsonObject } } & JsonObject
  return again(body, {
    spec: {
      ...spec,
      template: {
        ...spec.template,
        spec: { ...spec.template.spec, containers: [{ name: 'web', image: 'web:1', ...fields }] },
      },
    },
  })
}
