/**
 * Custom resources with several versions and without a conversion webhook: what each version reads, writes and owns.
 */
import type { JsonObject } from '../../../src/api/json.ts'
import type { Case, Step, Topic } from '../case.ts'
import { define, definitions, get, informed, resource, thingDefinition } from '../steps.ts'
import type { Requests } from '../steps.ts'

const text = { type: 'string' }
const whole = { type: 'integer' }
const object = (properties: JsonObject, more: JsonObject = {}): JsonObject => ({ type: 'object', properties, ...more })
const list = (items: JsonObject, more: JsonObject = {}): JsonObject => ({ type: 'array', items, ...more })
const group = '{{ns}}.example.com'

/** The requests for `things` of one version. */
const at = (version: string): Requests => resource('things', `${group}/${version}`)
const v1 = at('v1')
const v2 = at('v2')
const v3 = at('v3')

const thing = (version: string, name: string, content: JsonObject = {}, metadata: JsonObject = {}): JsonObject => ({
  apiVersion: `${group}/${version}`,
  kind: 'Thing',
  metadata: { name, ...metadata },
  ...content,
})
const one = (name: string, spec: JsonObject, metadata?: JsonObject): JsonObject => thing('v1', name, { spec }, metadata)
const two = (name: string, spec: JsonObject, metadata?: JsonObject): JsonObject => thing('v2', name, { spec }, metadata)

interface Version {
  readonly name: string
  readonly spec?: JsonObject
  readonly more?: JsonObject
  readonly properties?: JsonObject
}

/** The first version is the storage version unless another one is marked. */
function versions(...given: Version[]): JsonObject[] {
  const stored = given.some(({ more }) => more?.['storage'] === true)
  return given.map(({ name, spec = {}, more = {}, properties = {} }, i) => ({
    name,
    served: true,
    storage: !stored && i === 0,
    schema: { openAPIV3Schema: object({ spec: object(spec), ...properties }) },
    ...more,
  }))
}

const defined = (...given: Version[]): JsonObject => thingDefinition({}, {}, { versions: versions(...given) })
const changed = (...given: Version[]): Step =>
  informed(definitions.merge(`things.${group}`, { spec: { versions: versions(...given) } }))

const plain: Version[] = [
  { name: 'v1', spec: { a: text, b: text, only1: text } },
  { name: 'v2', spec: { a: text, b: text, only2: text } },
]
const equal: Version[] = [
  { name: 'v1', spec: { a: text, b: text, c: text } },
  { name: 'v2', spec: { a: text, b: text, c: text } },
]

const reading: readonly Case[] = [
  {
    name: 'reading and writing through both',
    steps: [
      define(defined(...plain)),
      v1.create(one('a', { a: 'x', only1: 'kept' })),
      v2.create(two('b', { a: 'y', only2: 'lost' })),
      v2.create(two('c', { a: 'y', only1: 'unknown here' })),
      v2.create(two('s', { only1: 'x' }), 'fieldValidation=Strict'),
      v2.create(two('dry', { a: 'y', only2: 'lost' }), 'dryRun=All'),
      ...[v1, v2].flatMap((each) => [
        each.get('a'),
        each.get('b'),
        each.list(),
        each.list('limit=1'),
        each.table(),
        each.table('a'),
      ]),
      v2.replace(
        'a',
        two('a', { a: 'replaced', only2: 'lost' }, { resourceVersion: '{{1.metadata.resourceVersion}}' }),
      ),
      v1.get('a'),
      v2.get('a'),
      v2.merge('b', { spec: { b: 'merged', only2: 'lost' } }),
      v2.merge('b', { spec: { only2: 'lost again' } }),
      v2.json('b', [{ op: 'add', path: '/spec/only2', value: 'x' }]),
      v2.json('b', [{ op: 'test', path: '/apiVersion', value: `${group}/v2` }]),
      v1.merge('b', { apiVersion: `${group}/v2` }),
      v1.merge('b', { spec: { only1: 'set' } }),
      v2.get('b'),
      v2.merge('b', { metadata: { labels: { l: 'x' } } }),
      v1.get('b'),
      v1.create(two('d', {})),
      v2.replace('b', one('b', {})),
      v2.merge('b', { spec: { a: 'dry' } }, 'dryRun=All'),
      v1.delete('b'),
      v2.get('b'),
      v2.deleteAll(),
      v1.list(),
    ],
  },
  {
    name: 'defaults of each version',
    steps: [
      define(
        defined(
          {
            name: 'v1',
            spec: {
              a: { ...text, default: 'one' },
              shared: { ...text, default: 'first' },
              o: object({ x: { ...text, default: 'deep' } }),
            },
          },
          {
            name: 'v2',
            spec: {
              b: { ...text, default: 'two' },
              shared: { ...text, default: 'second' },
              o: object({ x: { ...text, default: 'other' }, y: { ...text, default: 'only here' } }),
            },
          },
        ),
      ),
      v1.create(one('a', {})),
      v2.create(two('b', {})),
      v2.create(two('c', { o: {} })),
      v1.create(one('d', { o: {} })),
      v2.create(two('e', { shared: 'mine' })),
      v2.create(thing('v2', 'f')),
      v1.create(thing('v1', 'g')),
      ...['a', 'b', 'c', 'd', 'e', 'f', 'g'].flatMap((name) => [v1.get(name), v2.get(name)]),
      v2.merge('a', { spec: { shared: null } }),
      v1.merge('b', { spec: { shared: null } }),
      v2.apply('h', two('h', { o: {} }), 'fieldManager=m'),
      v1.get('h'),
      v2.list(),
      v1.list(),
    ],
  },
  {
    name: 'unknown fields of each version',
    steps: [
      define(
        defined(
          {
            name: 'v1',
            properties: {
              spec: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true, properties: { a: text } },
            },
          },
          { name: 'v2', spec: { a: text, n: whole }, properties: { extra: object({ e: text }) } },
        ),
      ),
      v1.create(one('a', { a: 'x', n: 'no number', free: { deep: 1 } })),
      v2.get('a'),
      v2.merge('a', { metadata: { labels: { l: 'x' } } }),
      v2.merge('a', { spec: { n: 5 } }),
      v1.get('a'),
      v2.create(thing('v2', 'b', { spec: { a: 'x', n: 1 }, extra: { e: 'lost' } })),
      v1.get('b'),
      v1.merge('b', { spec: { n: 'text', more: [] } }),
      v2.get('b'),
      v2.list(),
      v2.table(),
    ],
  },
  {
    name: 'stored where all is kept',
    steps: [
      define(
        defined(
          { name: 'v1', spec: { a: text } },
          { name: 'v2', spec: { a: text, b: text, n: { ...whole, nullable: true } } },
          {
            name: 'v3',
            properties: { spec: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
            more: { storage: true },
          },
        ),
      ),
      v1.create(one('a', { a: 'x' })),
      v2.create(two('b', { a: 'x', b: 'kept', n: null })),
      v2.get('b'),
      v1.get('b'),
      v3.get('b'),
      v1.merge('b', { spec: { a: 'y' } }),
      v2.get('b'),
      v3.get('b'),
      v3.create(thing('v3', 'c', { spec: { a: 1, z: null } })),
      v1.get('c'),
      v2.list(),
      v3.list(),
      v1.merge('c', { metadata: { labels: { x: 'y' } } }),
      v1.merge('c', { spec: { a: 'z' } }),
      v3.get('c'),
    ],
  },
  {
    name: 'rules of each version',
    steps: [
      define(
        defined(
          { name: 'v1', spec: { a: { ...text, maxLength: 10 }, n: whole } },
          { name: 'v2', spec: { a: { ...text, maxLength: 3 }, n: { ...whole, minimum: 5 } } },
        ),
      ),
      v1.create(one('a', { a: 'long text', n: 1 })),
      v2.get('a'),
      v2.merge('a', { metadata: { labels: { x: 'y' } } }),
      v2.merge('a', { spec: { n: 2 } }),
      v2.merge('a', { spec: { n: 7 } }),
      v2.merge('a', { spec: { a: 'other one' } }),
      v2.create(two('b', { a: 'long' })),
      v2.create(two('c', { a: 'ok', n: 5 })),
      v1.merge('c', { spec: { n: 1 } }),
      v2.replace('c', two('c', { a: 'ok', n: 1 }, { resourceVersion: '{{9.metadata.resourceVersion}}' })),
    ],
  },
  {
    name: 'columns, selectors and warnings of each version',
    steps: [
      define(
        defined(
          {
            name: 'v1',
            spec: { a: text, b: text },
            more: {
              additionalPrinterColumns: [{ name: 'A', type: 'string', jsonPath: '.spec.a' }],
              selectableFields: [{ jsonPath: '.spec.a' }],
            },
          },
          {
            name: 'v2',
            spec: { a: text, b: text },
            more: {
              additionalPrinterColumns: [
                { name: 'B', type: 'string', jsonPath: '.spec.b' },
                { name: 'Version', type: 'string', jsonPath: '.apiVersion' },
              ],
              selectableFields: [{ jsonPath: '.spec.b' }],
            },
          },
          { name: 'v1beta1', spec: { a: text }, more: { deprecated: true } },
          {
            name: 'v1alpha1',
            spec: { a: text },
            more: { deprecated: true, deprecationWarning: 'too "old" to be used' },
          },
          { name: 'v9', spec: { a: text }, more: { deprecated: true } },
        ),
      ),
      v1.create(one('a', { a: 'x', b: 'y' })),
      v2.create(two('b', { a: 'y', b: 'x' })),
      ...['v1', 'v2', 'v1beta1', 'v1alpha1', 'v9'].flatMap((version) => [
        at(version).table(),
        at(version).get('a'),
        at(version).list('fieldSelector=spec.a%3Dx'),
        at(version).list('fieldSelector=spec.b%3Dx'),
      ]),
      at('v1beta1').create(thing('v1beta1', 'c')),
      at('v1beta1').merge('c', { metadata: { labels: { a: 'b' } } }),
      at('v1beta1').get('missing'),
      at('v1beta1').sub('status').get('c'),
      at('v1beta1').apply('c', thing('v1beta1', 'c', { spec: { a: 'z' } }), 'fieldManager=m'),
      at('v1beta1').delete('c'),
      at('v1beta1').deleteAll(),
      at('v1beta1').watch('resourceVersion={{1.metadata.resourceVersion}}', 1),
      get(`/apis/${group}`),
      get(`/apis/${group}/v1beta1`),
      at('v8').list(),
    ],
  },
]

const owning: readonly Case[] = [
  {
    name: 'owners of both versions',
    steps: [
      define(defined(...equal)),
      v1.apply('a', one('a', { a: 'x', b: 'y' }), 'fieldManager=first'),
      v2.apply('a', two('a', { b: 'y', c: 'z' }), 'fieldManager=second'),
      v2.apply('a', two('a', { a: 'other' }), 'fieldManager=second'),
      v1.apply('a', one('a', { c: 'mine' }), 'fieldManager=third'),
      v1.apply('a', one('a', { c: 'mine' }), 'fieldManager=third&force=true'),
      v1.merge('a', { spec: { a: 'patched' } }, 'fieldManager=p'),
      v2.merge('a', { spec: { a: 'patched too' } }, 'fieldManager=p'),
      v2.apply('a', two('a', { a: 'applied' }), 'fieldManager=second'),
      v2.apply('a', two('a', { a: 'applied' }), 'fieldManager=second&force=true'),
      v1.get('a'),
      v2.get('a'),
      v2.apply('a', two('a', {}), 'fieldManager=second'),
      v1.apply('a', one('a', {}), 'fieldManager=first'),
      v1.get('a'),
    ],
  },
  {
    name: 'one applier goes from version to version',
    steps: [
      define(defined(...equal)),
      v1.apply('a', one('a', { a: 'x', b: 'y', c: 'z' }), 'fieldManager=m'),
      v2.apply('a', two('a', { a: 'x', b: 'y' }), 'fieldManager=m'),
      v1.apply('a', one('a', { a: 'x' }), 'fieldManager=m'),
      v2.apply('a', two('a', { a: 'x' }), 'fieldManager=m'),
      v2.apply('a', two('a', {}), 'fieldManager=m'),
      v1.get('a'),
      v1.create(one('b', { a: 'x', b: 'y' }), 'fieldManager=c'),
      v2.merge('b', { spec: { a: 'z' } }, 'fieldManager=c'),
      v1.apply('b', one('b', { a: 'z', b: 'y' }), 'fieldManager=m'),
      v2.apply('b', two('b', { a: 'z' }), 'fieldManager=m'),
      v2.apply('b', two('b', { b: 'new' }), 'fieldManager=m'),
      v2.apply('b', two('b', { b: 'new' }), 'fieldManager=m&force=true'),
      v1.apply('b', one('b', { c: 'only' }), 'fieldManager=m&force=true'),
      v2.get('b'),
    ],
  },
  {
    name: 'fields that the other version does not declare',
    steps: [
      define(defined(...plain)),
      v1.create(one('a', { a: 'x', only1: 'y' }), 'fieldManager=c'),
      v2.apply('a', two('a', { b: 'z' }), 'fieldManager=m'),
      v1.get('a'),
      v1.merge('a', { spec: { only1: 'again' } }, 'fieldManager=c'),
      v1.get('a'),
      v2.merge('a', { spec: { only2: 'x' } }, 'fieldManager=c'),
      v2.get('a'),
      v2.create(two('b', { only2: 'x' }), 'fieldManager=c'),
      v1.apply('b', one('b', { a: 'x' }), 'fieldManager=m'),
      v1.apply('b', one('b', { only1: 'x' }), 'fieldManager=m'),
      v2.apply('b', two('b', { only2: 'x' }), 'fieldManager=n'),
      v2.apply('c', two('c', { only2: 'x' }), 'fieldManager=n'),
      v1.apply('c', one('c', { only1: 'x' }), 'fieldManager=o'),
      v1.get('c'),
      v1.apply('d', one('d', { only1: 'x' }), 'fieldManager=n'),
      v2.apply('d', two('d', { a: 'x' }), 'fieldManager=n'),
      v1.get('d'),
      v2.replace('d', two('d', { a: 'y' }, { resourceVersion: '{{17.metadata.resourceVersion}}' }), 'fieldManager=q'),
      v1.get('d'),
    ],
  },
  {
    name: 'owners of a version that is unknown',
    steps: [
      define(defined(...equal)),
      v1.create(
        one(
          'a',
          { a: 'x' },
          {
            managedFields: [
              {
                manager: 'm',
                operation: 'Update',
                apiVersion: `${group}/v7`,
                fieldsType: 'FieldsV1',
                fieldsV1: { 'f:spec': { 'f:a': {} } },
              },
            ],
          },
        ),
      ),
      v1.get('a'),
      v1.apply('a', one('a', { b: 'x' }), 'fieldManager=n'),
      v1.create(one('b', { a: 'x' })),
      v1.merge('b', {
        metadata: {
          managedFields: [
            {
              manager: 'm',
              operation: 'Update',
              apiVersion: `${group}/v7`,
              fieldsType: 'FieldsV1',
              fieldsV1: { 'f:spec': { 'f:a': {} } },
            },
          ],
        },
      }),
      v1.apply('b', one('b', { b: 'x' }), 'fieldManager=n'),
      v1.create(one('c', { a: 'x' })),
      v1.merge('c', {
        metadata: {
          managedFields: [
            {
              manager: 'm',
              operation: 'Apply',
              apiVersion: 'v1',
              fieldsType: 'FieldsV1',
              fieldsV1: { 'f:spec': { 'f:a': {} } },
            },
          ],
        },
      }),
      v1.apply('c', one('c', { b: 'x' }), 'fieldManager=n'),
      v1.merge('c', { spec: { a: 'z' } }),
      v1.get('c'),
    ],
  },
  {
    name: 'granular in one version and atomic in the other',
    steps: [
      define(
        defined(
          {
            name: 'v1',
            spec: {
              m: object({ x: text, y: text }),
              l: list(text, { 'x-kubernetes-list-type': 'set' }),
              k: list(object({ n: text, v: text }, { required: ['n'] }), {
                'x-kubernetes-list-type': 'map',
                'x-kubernetes-list-map-keys': ['n'],
              }),
            },
          },
          {
            name: 'v2',
            spec: {
              m: object({ x: text, y: text }, { 'x-kubernetes-map-type': 'atomic' }),
              l: list(text),
              k: list(object({ n: text, v: text }, { required: ['n'] })),
            },
          },
        ),
      ),
      v1.apply('a', one('a', { m: { x: '1' }, l: ['p'], k: [{ n: 'one', v: '1' }] }), 'fieldManager=first'),
      v2.apply('a', two('a', { m: { y: '2' } }), 'fieldManager=second'),
      v2.apply('a', two('a', { m: { y: '2' } }), 'fieldManager=second&force=true'),
      v1.get('a'),
      v1.apply('a', one('a', { m: { x: '3' } }), 'fieldManager=first'),
      v1.apply('a', one('a', { m: { x: '3' } }), 'fieldManager=first&force=true'),
      v2.merge('a', { spec: { l: ['q'], k: [{ n: 'two' }] } }, 'fieldManager=p'),
      v1.apply('a', one('a', { l: ['r'] }), 'fieldManager=first'),
      v2.apply('a', two('a', { l: ['s'] }), 'fieldManager=second'),
      v1.get('a'),
      v2.get('a'),
    ],
  },
]

const replicas = (where: string): JsonObject => ({
  scale: {
    specReplicasPath: `.spec.${where}`,
    statusReplicasPath: `.status.${where}`,
    labelSelectorPath: '.status.selector',
  },
})
const statusOf = { status: object({ replicas: whole, count: whole, selector: text, phase: text }) }

const parts: readonly Case[] = [
  {
    name: 'status and scale of each version',
    steps: [
      define(
        defined(
          {
            name: 'v1',
            spec: { replicas: whole, count: whole },
            properties: statusOf,
            more: { subresources: { status: {}, ...replicas('replicas') } },
          },
          {
            name: 'v2',
            spec: { replicas: whole, count: whole },
            properties: statusOf,
            more: { subresources: replicas('count') },
          },
          { name: 'v3', spec: { replicas: whole, count: whole }, properties: statusOf },
        ),
      ),
      v1.create(thing('v1', 'a', { spec: { replicas: 1, count: 2 }, status: { phase: 'dropped' } })),
      v2.create(
        thing('v2', 'b', {
          spec: { replicas: 1, count: 2 },
          status: { phase: 'kept', replicas: 3, count: 4, selector: 'a=b' },
        }),
      ),
      ...[v1, v2, v3].flatMap((each) => [each.sub('status').get('b'), each.sub('scale').get('b')]),
      v1.sub('status').merge('b', { status: { phase: 'one' } }, 'fieldManager=s'),
      v2.sub('status').merge('b', { status: { phase: 'two' } }),
      v2.merge('b', { status: { phase: 'three' } }, 'fieldManager=t'),
      v1.merge('b', { status: { phase: 'four' } }),
      v1.sub('scale').merge('b', { spec: { replicas: 7 } }, 'fieldManager=x'),
      v2.sub('scale').merge('b', { spec: { replicas: 8 } }, 'fieldManager=y'),
      v1.get('b'),
      v2.get('b'),
      v1.sub('status').apply('b', thing('v1', 'b', { status: { phase: 'applied' } }), 'fieldManager=s'),
      v1.sub('status').apply('b', thing('v1', 'b', { status: { phase: 'applied' } }), 'fieldManager=s&force=true'),
      v2.apply('b', thing('v2', 'b', { status: { phase: 'v2' }, spec: { count: 9 } }), 'fieldManager=s&force=true'),
      v1.get('b'),
      v1.sub('scale').replace(
        'b',
        {
          apiVersion: 'autoscaling/v1',
          kind: 'Scale',
          metadata: { name: 'b', namespace: '{{ns}}' },
          spec: { replicas: 3 },
        },
        'fieldManager=z',
      ),
      v3.get('b'),
      get(`/apis/${group}/v1`),
      get(`/apis/${group}/v2`),
      get(`/apis/${group}/v3`),
    ],
  },
  {
    name: 'watching through another version',
    steps: [
      define(defined(...plain)),
      v1.create(one('a', { a: 'x', only1: 'y' })),
      v2.create(two('b', { a: 'y', only2: 'z' })),
      v2.merge('a', { spec: { b: 'z' } }),
      v1.merge('a', { metadata: { labels: { l: 'x' } } }),
      v1.delete('b'),
      v1.watch('resourceVersion={{1.metadata.resourceVersion}}', 4),
      v2.watch('resourceVersion={{1.metadata.resourceVersion}}', 4),
      v2.watch('resourceVersion={{1.metadata.resourceVersion}}&labelSelector=l%3Dx', 1),
      v2.watch('', 1),
      v2.watch('resourceVersion=0', 1),
      v2.watch('sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true', 2),
      v2.watch('resourceVersion={{1.metadata.resourceVersion}}', 4, {
        headers: { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' },
      }),
      v2.watch('resourceVersion={{1.metadata.resourceVersion}}', 4, {
        headers: { accept: 'application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io' },
      }),
    ],
  },
  {
    name: 'discovery prefers the newest stable version',
    steps: [
      define(
        defined(
          ...['v1alpha1', 'v2', 'v10', 'foo1', 'v2beta1', 'v11alpha2', 'v2beta10', 'bar'].map((name) => ({ name })),
        ),
      ),
      get(`/apis/${group}`),
      get(`/apis/${group}/`),
      ...['v10', 'foo1', 'v11alpha2', 'v3'].map((name) => get(`/apis/${group}/${name}`)),
      at('foo1').list(),
      at('bar').create(thing('bar', 'a')),
      at('v10').get('a'),
      changed(
        { name: 'v1alpha1' },
        { name: 'v2', more: { served: false } },
        { name: 'v10', more: { served: false } },
        { name: 'foo1' },
      ),
      get(`/apis/${group}`),
      get(`/apis/${group}/v10`),
      at('v10').list(),
      at('v10').get('a'),
      at('v1alpha1').get('a'),
      at('bar').get('a'),
    ],
  },
]

const storing: readonly Case[] = [
  {
    name: 'the storage version changes',
    steps: [
      define(defined(...plain)),
      v1.create(one('a', { a: 'x', only1: 'y' })),
      v1.create(one('b', { a: 'x' })),
      changed(...plain.map((each) => ({ ...each, more: { storage: each.name === 'v2' } }))),
      definitions.get(`things.${group}`),
      v1.get('a'),
      v2.get('a'),
      v2.merge('a', { spec: { only2: 'now kept' } }),
      v1.get('a'),
      v2.get('a'),
      v1.merge('b', { spec: { only1: 'lost' } }),
      v1.merge('b', { metadata: { labels: { l: 'x' } } }),
      v2.get('b'),
      v1.create(one('c', { only1: 'lost', a: 'x' })),
      v1.list(),
      v2.list(),
      definitions.json(`things.${group}`, [{ op: 'remove', path: '/spec/versions/0' }]),
      informed(definitions.sub('status').merge(`things.${group}`, { status: { storedVersions: ['v2'] } })),
      changed({ name: 'v2', spec: { a: text, b: text, only2: text } }),
      v1.list(),
      v2.get('a'),
      v2.merge('a', { spec: { b: 'x' } }),
      v2.apply('a', two('a', { a: 'z' }), 'fieldManager=m'),
      v2.get('a'),
      get(`/apis/${group}`),
    ],
  },
  {
    name: 'a no-op write stores in the new version',
    steps: [
      define(defined(...equal)),
      v1.create(one('a', { a: 'x' })),
      changed(...equal.map((each) => ({ ...each, more: { storage: each.name === 'v2' } }))),
      v1.get('a'),
      v1.merge('a', { spec: { a: 'x' } }),
      v2.merge('a', {}),
      v2.replace('a', two('a', { a: 'x' }, { resourceVersion: '{{3.metadata.resourceVersion}}' })),
      v2.get('a'),
    ],
  },
  {
    name: 'a version is no longer served',
    steps: [
      define(defined(...equal)),
      v1.apply('a', one('a', { a: 'x' }), 'fieldManager=m'),
      v2.apply('a', two('a', { b: 'x' }), 'fieldManager=n'),
      changed({ ...(equal[0] as Version), more: { storage: true, served: false } }, equal[1] as Version),
      v1.get('a'),
      v2.get('a'),
      v2.apply('a', two('a', { a: 'y' }), 'fieldManager=n'),
      v2.apply('a', two('a', { a: 'y' }), 'fieldManager=n&force=true'),
      v2.apply('a', two('a', {}), 'fieldManager=m'),
      v2.create(two('b', { a: 'x' })),
      v2.list(),
      get(`/apis/${group}`),
      get(`/apis/${group}/v1`),
    ],
  },
  {
    name: 'the schema of what is stored changes',
    steps: [
      define(defined({ name: 'v1', spec: { a: text, b: text, o: object({ x: text }) } })),
      v1.create(one('a', { a: 'x', b: 'y', o: { x: 'z' } })),
      v1.apply('b', one('b', { b: 'y', o: { x: 'z' } }), 'fieldManager=m'),
      changed({
        name: 'v1',
        spec: {
          a: { ...text, default: 'filled' },
          n: { ...whole, default: 3 },
          o: object({ w: { ...text, default: 'inner' } }),
        },
      }),
      v1.get('a'),
      v1.get('b'),
      v1.list(),
      v1.merge('a', {}),
      v1.merge('a', { metadata: { labels: { l: 'x' } } }),
      v1.apply('b', one('b', { a: 'y' }), 'fieldManager=m'),
      v1.apply('b', one('b', {}), 'fieldManager=m'),
      v1.get('b'),
      changed({ name: 'v1', spec: { a: whole, o: text } }),
      v1.get('a'),
      v1.merge('a', { metadata: { labels: { l: 'y' } } }),
      v1.merge('a', { spec: { a: 5 } }),
      v1.merge('a', { spec: { a: 5, o: 'x' } }),
      v1.apply('b', one('b', { a: 1 }), 'fieldManager=m'),
      v1.get('b'),
      v1.delete('b'),
    ],
  },
]

const webhook = (clientConfig: JsonObject): JsonObject => ({
  strategy: 'Webhook',
  webhook: { conversionReviewVersions: ['v1'], clientConfig },
})
const converting = (clientConfig: JsonObject): JsonObject =>
  thingDefinition({}, {}, { versions: versions(...equal), conversion: webhook(clientConfig) })
const unreachable: readonly Step[] = [
  v1.create(one('a', { a: 'x' })),
  v1.get('a'),
  v2.get('a'),
  v2.create(two('b', { a: 'x' })),
  v2.create(two('b', { a: 'x' }), 'dryRun=All'),
  v2.merge('a', { spec: { a: 'y' } }),
  v2.apply('a', two('a', { a: 'x' }), 'fieldManager=m'),
  v2.apply('c', two('c', { a: 'x' }), 'fieldManager=m'),
  v2.replace('a', two('a', { a: 'x' }, { resourceVersion: '{{1.metadata.resourceVersion}}' })),
  v1.merge('a', { spec: { a: 'z' } }),
  v1.apply('a', one('a', { b: 'x' }), 'fieldManager=m'),
  v2.delete('a'),
  v2.get('missing'),
  v1.list(),
  v1.delete('a'),
  v2.get('a'),
  definitions.get(`things.${group}`),
]

const webhooks: readonly Case[] = [
  {
    name: 'no service for conversion',
    steps: [define(converting({ service: { namespace: '{{ns}}', name: 'absent', path: '/convert' } })), ...unreachable],
  },
]

const lost: readonly Case[] = [
  {
    name: 'objects of a version that is gone',
    steps: [
      define(defined(...equal)),
      v1.create(one('a', { a: 'x' })),
      v1.create(one('b', { a: 'x' })),
      changed(...equal.map((each) => ({ ...each, more: { storage: each.name === 'v2' } }))),
      v2.merge('b', { spec: { b: 'y' } }),
      informed(definitions.sub('status').merge(`things.${group}`, { status: { storedVersions: ['v2'] } })),
      changed({ name: 'v2', spec: { a: text, b: text, c: text } }),
      v2.get('b'),
      v2.get('a'),
      v2.merge('a', { spec: { b: 'y' } }),
      v2.replace('a', two('a', { a: 'x' }, { resourceVersion: '{{1.metadata.resourceVersion}}' })),
      v2.apply('a', two('a', { a: 'x' }), 'fieldManager=m'),
      v2.create(two('a', { a: 'x' })),
      v2.delete('a'),
    ],
  },
]

export const customVersions: Topic = {
  name: 'custom-versions',
  cases: [...reading, ...owning, ...parts, ...storing, ...webhooks, ...lost],
}
