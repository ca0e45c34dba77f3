/**
 * Custom resources in detail: nested lists and maps under apply, ratcheting, metadata, paths, discovery and OpenAPI.
 */
import type { JsonObject } from '../../../src/api/json.ts'
import type { Case, Step, Topic } from '../case.ts'
import { define, definitions, get, informed, request, resource, thing, thingDefinition, things } from '../steps.ts'

const text = { type: 'string' }
const whole = { type: 'integer' }
const intOrText = { 'x-kubernetes-int-or-string': true }
const keep = { 'x-kubernetes-preserve-unknown-fields': true }
const embedded = { 'x-kubernetes-embedded-resource': true }
const object = (properties: JsonObject, more: JsonObject = {}): JsonObject => ({ type: 'object', properties, ...more })
const list = (items: JsonObject, more: JsonObject = {}): JsonObject => ({ type: 'array', items, ...more })
const map = (values: JsonObject, more: JsonObject = {}): JsonObject => ({
  type: 'object',
  additionalProperties: values,
  ...more,
})
const set = (items: JsonObject): JsonObject => list(items, { 'x-kubernetes-list-type': 'set' })
const keyed = (properties: JsonObject, ...keys: string[]): JsonObject => {
  const required = keys.filter((key) => !Object.hasOwn(properties[key] as JsonObject, 'default'))
  return list(object(properties, required.length === 0 ? {} : { required }), {
    'x-kubernetes-list-type': 'map',
    'x-kubernetes-list-map-keys': keys,
  })
}
const atomic = { 'x-kubernetes-map-type': 'atomic' }
const spec = (properties: JsonObject, more: JsonObject = {}): JsonObject => ({ spec: object(properties, more) })
const name = 'things.{{ns}}.example.com'
const path = '/apis/{{ns}}.example.com/v1'

/** Replaces the properties of the spec in the schema of the CRD. */
const reschema = (properties: JsonObject): Step =>
  informed(
    definitions.json(name, [
      { op: 'replace', path: '/spec/versions/0/schema/openAPIV3Schema/properties/spec/properties', value: properties },
    ]),
  )
const made = (content: JsonObject, at = 'a'): Step => things.create(thing(at, { spec: content }))
const apply = (by: string, content: JsonObject, more = '', at = 'a'): Step =>
  things.apply(at, thing(at, { spec: content }), `fieldManager=${by}${more}`)
const force = '&force=true'
const merge = (content: JsonObject, at = 'a'): Step => things.merge(at, { spec: content })

const applying: readonly Case[] = [
  {
    name: 'keys that are numbers or texts',
    steps: [
      define(
        thingDefinition(
          spec({
            ports: keyed(
              { port: { ...intOrText, default: 80 }, proto: { ...text, default: 'TCP' }, v: text },
              'port',
              'proto',
            ),
            n: keyed({ id: whole, on: { type: 'boolean', default: false }, v: text }, 'id', 'on'),
          }),
        ),
      ),
      apply('m', {
        ports: [
          { port: 1, v: 'a' },
          { port: '1', v: 'b' },
        ],
      }),
      apply('n', { ports: [{ port: 1, v: 'z' }] }),
      apply('n', { ports: [{ port: 1, proto: 'UDP', v: 'z' }] }),
      apply('m', { ports: [{ port: '1', v: 'c' }] }),
      apply('m', { ports: [{}, { v: 'x' }] }),
      apply('m', { ports: [{ v: 'x' }] }),
      apply('n', { ports: [{ port: 80, v: 'y' }] }),
      apply('n', { ports: [{ port: 80, proto: 'TCP', v: 'y' }] }, force),
      apply('o', {
        n: [
          { id: 1, v: 'a' },
          { id: 1, on: true, v: 'b' },
        ],
      }),
      apply('p', { n: [{ id: 1, on: false, v: 'c' }] }),
      apply('o', { n: [{ id: 1, on: true }] }),
      apply('o', { n: [{ on: true }] }),
      apply('o', { n: [{ id: 'x' }] }),
      apply('o', { n: [{ id: 1 }, { id: 1, on: false }] }),
      things.get('a'),
    ],
  },
  {
    name: 'nested lists and maps',
    steps: [
      define(
        thingDefinition(
          spec({
            groups: keyed(
              {
                name: text,
                members: keyed(
                  {
                    id: text,
                    tags: set(text),
                    opts: map(text),
                    one: object({ x: text, y: text }, atomic),
                    free: { type: 'object', ...keep },
                  },
                  'id',
                ),
                seq: list(object({ q: text })),
              },
              'name',
            ),
            labels: map(map(text)),
            whole: map(text, atomic),
          }),
        ),
      ),
      apply('m', {
        groups: [
          {
            name: 'g',
            members: [{ id: '1', tags: ['a'], opts: { x: '1' }, one: { x: '1' }, free: { deep: { p: 1 } } }],
            seq: [{ q: '1' }],
          },
        ],
        labels: { a: { b: 'c' } },
        whole: { k: 'v' },
      }),
      apply('n', {
        groups: [
          { name: 'g', members: [{ id: '1', tags: ['b'], opts: { y: '2' }, free: { deep: { q: 2 } } }, { id: '2' }] },
        ],
        labels: { a: { d: 'e' } },
      }),
      apply('n', { groups: [{ name: 'g', members: [{ id: '1', one: { y: '2' } }] }] }),
      apply('n', {
        groups: [{ name: 'g', members: [{ id: '1', one: { y: '2' } }], seq: [{ q: '2' }] }],
        whole: { l: 'w' },
      }),
      apply(
        'n',
        { groups: [{ name: 'g', members: [{ id: '1', one: { y: '2' } }], seq: [{ q: '2' }] }], whole: { l: 'w' } },
        force,
      ),
      apply('m', { groups: [{ name: 'g', members: [{ id: '1' }] }] }),
      apply('m', { groups: [{ name: 'h' }] }),
      apply('n', {}),
      apply('m', {}),
      things.get('a'),
      made({ groups: [{ name: 'g', members: [{ id: '1', tags: ['x', 'y'] }] }] }, 'b'),
      apply('m', { groups: [{ name: 'g', members: [{ id: '1', tags: ['y', 'z'] }] }] }, '', 'b'),
      apply('m', { groups: [{ name: 'g', members: [] }] }, '', 'b'),
      apply('m', { groups: [] }, '', 'b'),
      apply('m', { groups: null, labels: null }, '', 'b'),
      things.json('b', [{ op: 'add', path: '/spec/groups/0/members/0/tags/-', value: 'w' }]),
      things.get('b'),
    ],
  },
  {
    name: 'from granular to atomic and back',
    steps: [
      define(
        thingDefinition(
          spec({ m: object({ x: text, y: text }), l: set(text), k: keyed({ n: text, v: text }, 'n'), p: map(text) }),
        ),
      ),
      apply('m', { m: { x: '1' }, l: ['a'], k: [{ n: '1', v: 'x' }], p: { q: '1' } }),
      apply('n', { m: { y: '2' }, l: ['b'], k: [{ n: '2' }], p: { r: '1' } }),
      reschema({
        m: object({ x: text, y: text }, atomic),
        l: list(text),
        k: list(object({ n: text, v: text })),
        p: map(text, atomic),
      }),
      things.get('a'),
      apply('m', { m: { x: '1' } }),
      apply('m', { m: { x: '1', y: '2' }, l: ['a', 'b'] }),
      apply('n', { k: [{ n: '3' }] }),
      apply('n', { k: [{ n: '3' }] }, force),
      things.merge('a', { spec: { p: { s: '3' } } }),
      things.get('a'),
      reschema({ m: object({ x: text, y: text }), l: set(text), k: keyed({ n: text, v: text }, 'n'), p: map(text) }),
      apply('m', { m: { x: '1', y: '2' } }),
      apply('n', { m: { y: '3' } }),
      apply('o', { l: ['c'], p: { t: '1' } }),
      apply('o', { k: [{ n: '4' }] }),
      merge({ l: ['a', 'd'] }),
      things.get('a'),
    ],
  },
  {
    name: 'applied nulls',
    steps: [
      define(
        thingDefinition(
          spec({
            t: text,
            n: { ...text, nullable: true },
            d: { ...text, default: 'def' },
            o: object({ x: text }),
            l: list(text),
            m: map(text),
            f: { type: 'object', ...keep },
            any: keep,
            nd: { ...text, nullable: true, default: 'nd' },
          }),
        ),
      ),
      ...[
        { t: null },
        { n: null },
        { d: null },
        { o: null },
        { l: null },
        { m: null },
        { f: null },
        { any: null },
        { nd: null },
        { o: { x: null } },
        { m: { k: null } },
        { l: [null] },
        { f: { k: null } },
        { t: 'x', n: 'y', o: { x: 'z' } },
        { t: null, n: null, o: null },
      ].map((content) => apply('m', content, force)),
      things.get('a'),
      merge({ n: null }),
      merge({ nd: null, d: null, f: { a: null, b: 1 } }),
      made({ t: null, n: null, d: null, o: null, nd: null, any: null, f: { k: null }, l: [null] }, 'b'),
      made({ t: null, n: null, d: null, o: null, nd: null, any: null, f: { k: null }, m: { k: null } }, 'c'),
      things.get('c'),
      apply('m', { t: 'x' }, '', 'c'),
      things.get('c'),
    ],
  },
  {
    name: 'unknown fields kept at any depth',
    steps: [
      define(
        thingDefinition(
          spec({
            o: object({ known: text, p: object({ q: text }) }, keep),
            l: list(object({ a: text }, keep)),
            m: map({ type: 'object', ...keep }),
            deep: object({ in: object({ bag: { type: 'object', ...keep } }) }),
            any: keep,
            anys: list(keep),
            arr: list({ type: 'object', ...keep }),
          }),
        ),
      ),
      made({
        o: { known: 'x', other: { z: [1] }, p: { q: '1', pruned: '2' } },
        l: [{ a: '1', b: { c: 1 } }],
        m: { k: { x: { y: 1 } } },
        deep: { in: { bag: { v: [{}] }, lost: 1 }, lost: 2 },
        any: { a: [{ b: null }] },
        anys: [1, 'x', { y: null }, [2]],
        arr: [{ n: { o: 1 } }],
      }),
      things.create(
        thing('s', { spec: { o: { p: { pruned: '1' } }, l: [{ b: 1 }], deep: { in: { lost: 1 } } } }),
        'fieldValidation=Strict',
      ),
      apply('m', { o: { other: { z: [2] } }, any: { c: 1 }, arr: [{ n: { o: 2 } }] }),
      apply('m', { o: { other: { z: [2] } }, any: { c: 1 }, arr: [{ n: { o: 2 } }] }, force),
      apply('n', { o: { other: { w: 1 } }, m: { k: { x: { z: 2 } } }, deep: { in: { bag: { u: 1 } } } }),
      apply('n', { any: 'text' }),
      apply('n', { any: 'text' }, force),
      apply('n', { any: [1, 2] }),
      apply('n', { o: { more: null } }),
      things.get('a'),
      merge({ any: { q: 1 } }),
      merge({ o: { other: { z: null } } }),
      things.get('a'),
    ],
  },
  {
    name: 'embedded resources under apply',
    steps: [
      define(
        thingDefinition(
          spec({
            t: { type: 'object', ...embedded, ...keep },
            u: {
              type: 'object',
              ...embedded,
              properties: {
                spec: object({ a: text, d: { ...text, default: 'x' } }),
                metadata: object({ name: { ...text, maxLength: 5 } }),
              },
            },
            l: keyed({ name: text, r: { type: 'object', ...embedded, ...keep } }, 'name'),
          }),
        ),
      ),
      made({
        t: {
          apiVersion: 'v1',
          kind: 'Pod',
          metadata: { name: 'x', labels: { a: 'b' }, annotations: {}, finalizers: [], creationTimestamp: null },
          spec: { any: null },
        },
        u: { apiVersion: 'v1', kind: 'U', spec: {} },
      }),
      made({ u: { apiVersion: 'v1', kind: 'U', metadata: { name: 'too long' } } }, 'b'),
      made(
        {
          u: {
            apiVersion: 'v1',
            kind: 'U',
            metadata: { generateName: 'g-', namespace: 'Not valid', labels: { a: 1 } },
          },
        },
        'c',
      ),
      made(
        {
          u: {
            apiVersion: 'v1',
            kind: 'U',
            metadata: { ownerReferences: [{ apiVersion: 'v1', kind: 'X', name: 'y', uid: 'z' }, {}] },
          },
        },
        'd',
      ),
      made({ t: { apiVersion: 'v1', kind: 'Pod', metadata: null } }, 'e'),
      made({ t: { apiVersion: '', kind: '' } }, 'f'),
      apply('m', { t: { apiVersion: 'v1', kind: 'Pod', metadata: { labels: { c: 'd' } } } }),
      apply('m', { t: { apiVersion: 'v2', kind: 'Pod' } }),
      apply('m', {
        l: [{ name: 'n', r: { apiVersion: 'v1', kind: 'A', metadata: { labels: { x: 'y' } }, data: { z: 1 } } }],
      }),
      apply('n', { l: [{ name: 'n', r: { metadata: { labels: { w: 'v' } } } }] }),
      apply('n', { l: [{ name: 'n', r: { kind: 'B' } }] }),
      things.get('a'),
    ],
  },
]

const rules: readonly Case[] = [
  {
    name: 'old values below lists and maps',
    steps: [
      define(
        thingDefinition(
          spec({
            k: keyed({ n: text, v: text }, 'n'),
            s: set(text),
            m: map(text),
            o: object({ p: object({ q: text, r: text }) }),
            f: text,
          }),
        ),
      ),
      made({
        k: [
          { n: 'a', v: 'Bad' },
          { n: 'b', v: 'good' },
        ],
        s: ['Bad', 'good'],
        m: { x: 'Bad', y: 'good' },
        o: { p: { q: 'Bad', r: 'Bad' } },
        f: 'Bad',
      }),
      reschema({
        k: keyed({ n: text, v: { ...text, pattern: '^[a-z]+$' } }, 'n'),
        s: set({ ...text, pattern: '^[a-z]+$' }),
        m: map({ ...text, pattern: '^[a-z]+$' }),
        o: object({
          p: object({ q: { ...text, pattern: '^[a-z]+$' }, r: { ...text, pattern: '^[a-z]+$' } }, { required: ['z'] }),
        }),
        f: { ...text, enum: ['x'] },
      }),
      things.merge('a', { metadata: { labels: { x: 'y' } } }),
      merge({
        k: [
          { n: 'b', v: 'good' },
          { n: 'a', v: 'Bad' },
        ],
      }),
      merge({ k: [{ n: 'a', v: 'Worse' }] }),
      merge({
        k: [
          { n: 'a', v: 'Bad' },
          { n: 'c', v: 'Bad' },
        ],
      }),
      merge({ s: ['good', 'Bad'] }),
      merge({ s: ['Bad', 'More'] }),
      merge({ m: { z: 'fine' } }),
      merge({ m: { w: 'Bad' } }),
      merge({ m: { x: 'Other' } }),
      merge({ o: { p: { r: 'fine' } } }),
      merge({ o: { p: { q: 'Other' } } }),
      merge({ f: 'y' }),
      merge({ f: null }),
      merge({ f: 'Bad' }),
      apply('m', { m: { x: 'Bad' } }),
      apply('m', { m: { x: 'Bad', n: 'New' } }),
      apply('m', { k: [{ n: 'a', v: 'Bad' }] }),
      things.get('a'),
    ],
  },
  {
    name: 'old objects of a wrong form',
    steps: [
      define(thingDefinition(spec({ any: keep, l: list(text), m: map(text), n: { ...whole }, req: text }))),
      made({ any: { a: 1 }, l: ['a', 'a'], m: { a: 'b' }, n: 5 }),
      reschema({
        any: text,
        l: set(text),
        m: object({ a: whole }),
        n: { ...whole, maximum: 3, multipleOf: 2 },
        req: { ...text, default: 'now' },
      }),
      things.get('a'),
      things.merge('a', { metadata: { labels: { x: 'y' } } }),
      merge({ n: 7 }),
      merge({ n: 2 }),
      merge({ l: ['a', 'a', 'b'] }),
      merge({ any: 'text' }),
      merge({ m: { a: 3 } }),
      things.get('a'),
      merge({ l: ['b', 'c'] }),
      merge({ l: ['b', 'b'] }),
      things.get('a'),
    ],
  },
  {
    name: 'names and metadata of objects',
    steps: [
      define(thingDefinition(spec({ a: text }))),
      things.create({ ...thing(''), metadata: { generateName: 'fine-' } }, 'dryRun=All', { setup: true }),
      things.create({ ...thing(''), metadata: {} }),
      things.create(thing('Not_Valid')),
      things.create(thing('a.b.c')),
      things.create(thing('x'.repeat(254))),
      things.create(thing('a', {}, { namespace: 'other' })),
      things.create(thing('a', {}, { labels: { 'b d': 'c' }, annotations: { 'x y': 'z' } })),
      things.create(thing('a', {}, { labels: { a: 1 } })),
      things.create(thing('a', {}, { labels: null, annotations: null, finalizers: null, ownerReferences: null })),
      things.create(thing('f1', {}, { finalizers: ['plain'] })),
      things.create(thing('f2', {}, { finalizers: ['example.com'] })),
      things.create(thing('f3', {}, { finalizers: ['example.com/ok', 'foregroundDeletion'] })),
      things.create(thing('f4', {}, { finalizers: ['bad finalizer'] })),
      things.create(thing('f5', {}, { finalizers: ['orphan', 'foregroundDeletion'] })),
      things.merge('a', { metadata: { finalizers: ['late'] } }),
      things.merge('a', { metadata: { labels: { x: 'y' } } }),
      things.merge('a', { metadata: { finalizers: [] } }),
      things.create(
        thing('o1', {}, { ownerReferences: [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'x', uid: 'u' }] }),
      ),
      things.create(thing('o2', {}, { ownerReferences: [{ apiVersion: '', kind: '', name: '', uid: '' }] })),
      things.create(
        thing(
          'o3',
          {},
          {
            ownerReferences: [
              { apiVersion: 'v1', kind: 'A', name: 'x', uid: 'u', controller: true },
              { apiVersion: 'v1', kind: 'B', name: 'x', uid: 'w', controller: true },
            ],
          },
        ),
      ),
      things.create(
        thing(
          'u',
          {},
          {
            uid: 'given',
            resourceVersion: '5',
            generation: 7,
            creationTimestamp: '2020-01-01T00:00:00Z',
            selfLink: 'x',
          },
        ),
      ),
      things.create(
        thing(
          'u',
          {},
          {
            uid: 'given',
            generation: 7,
            creationTimestamp: '2020-01-01T00:00:00Z',
            deletionTimestamp: '2020-01-01T00:00:00Z',
          },
        ),
      ),
      things.merge('a', { metadata: { name: 'b' } }),
      things.merge('a', { metadata: { uid: 'other' } }),
      things.merge('a', { metadata: { generation: 99, creationTimestamp: null, deletionGracePeriodSeconds: 5 } }),
      things.create(thing('m', {}, { unknown: 1 }), 'fieldValidation=Strict'),
      things.create({ ...thing('k'), metadata: 'text' }),
      things.create({ ...thing('k'), metadata: null }),
      things.create({ ...thing('k'), kind: 'Other' }),
      things.create({ ...thing('k'), apiVersion: 'v1' }),
      things.create('[]'),
      things.create('{'),
      things.create({ metadata: { name: 'k' } }),
    ],
  },
  {
    name: 'status by default and by apply',
    steps: [
      define(
        thingDefinition(
          {
            ...spec({ a: text }),
            status: object(
              {
                phase: { ...text, default: 'New' },
                conditions: keyed({ type: text, status: text, reason: { ...text, default: 'None' } }, 'type'),
                n: whole,
              },
              { default: {} },
            ),
          },
          { subresources: { status: {} } },
        ),
      ),
      made({ a: 'x' }),
      things.get('a'),
      things.create(thing('dry', { status: { phase: 'Mine' } }), 'dryRun=All'),
      things.apply('b', thing('b', { spec: { a: 'x' }, status: { phase: 'Mine' } }), 'fieldManager=m'),
      things
        .sub('status')
        .apply('a', thing('a', { status: { conditions: [{ type: 'R', status: 'True' }] } }), 'fieldManager=s'),
      things
        .sub('status')
        .apply('a', thing('a', { status: { conditions: [{ type: 'Q', status: 'True' }] } }), 'fieldManager=t'),
      things
        .sub('status')
        .apply('a', thing('a', { status: { conditions: [{ type: 'R', status: 'False' }] } }), 'fieldManager=t'),
      things
        .sub('status')
        .apply('a', thing('a', { spec: { a: 'ignored' }, status: {} }, { labels: { x: 'y' } }), 'fieldManager=s'),
      things.sub('status').merge('a', { status: { n: 'text' } }),
      things.sub('status').merge('a', { status: { n: 1, unknown: 2 } }),
      things.sub('status').merge('a', { status: null }),
      things.sub('status').json('a', [{ op: 'remove', path: '/status' }]),
      things.sub('status').replace('a', thing('a', { status: { n: 4 } })),
      things
        .sub('status')
        .replace('a', thing('a', { status: { n: 4 } }, { resourceVersion: '{{2.metadata.resourceVersion}}' })),
      things.sub('status').apply('missing', thing('missing', { status: { n: 4 } }), 'fieldManager=s'),
      things.merge('a', { status: { n: 9 }, spec: { a: 'y' } }),
      things.get('a'),
      things.sub('status').table('a'),
      things.sub('status').delete('a'),
      things.sub('status').create(thing('a')),
    ],
  },
]

const accept = (type: string): { headers: Record<string, string> } => ({ headers: { accept: type } })
const protobuf = 'application/vnd.kubernetes.protobuf'

const places: readonly Case[] = [
  {
    name: 'deleting many',
    steps: [
      define(thingDefinition(spec({ a: text }), { selectableFields: [{ jsonPath: '.spec.a' }] })),
      ...['a', 'b', 'c', 'd', 'e'].map((each, i) =>
        things.create(
          thing(
            each,
            { spec: { a: i % 2 === 0 ? 'even' : 'odd' } },
            { labels: { i: String(i) }, ...(each === 'c' ? { finalizers: ['example.com/hold'] } : {}) },
          ),
        ),
      ),
      things.deleteAll('labelSelector=i%3D0'),
      things.deleteAll('fieldSelector=spec.a%3Dodd&dryRun=All'),
      things.deleteAll('fieldSelector=spec.a%3Dodd'),
      things.deleteAll('fieldSelector=metadata.name%3Dc'),
      things.deleteAll('', { preconditions: { uid: 'x' } }),
      things.deleteAll('', { propagationPolicy: 'Foreground' }),
      things.get('e'),
      things.list(),
      things.merge('c', { metadata: { finalizers: null } }),
      things.list(),
      things.delete('missing'),
      things.deleteAll('limit=1'),
      things.deleteAll('gracePeriodSeconds=-1'),
      things.deleteAll('', { kind: 'Wrong', apiVersion: 'v1' }),
      request('DELETE', `${path}/things`),
      request('DELETE', `${path}/namespaces/absent/things`),
    ],
  },
  {
    name: 'paths and methods',
    steps: [
      define(
        thingDefinition(spec({ a: text, n: whole }), {
          subresources: { status: {}, scale: { specReplicasPath: '.spec.n', statusReplicasPath: '.status.n' } },
        }),
      ),
      made({ a: 'x' }),
      request('PUT', things.path, thing('a')),
      request('PATCH', things.path, {}, { headers: { 'content-type': 'application/merge-patch+json' } }),
      request('POST', `${things.path}/a`, thing('posted')),
      request('POST', `${things.path}/a/status`, thing('a')),
      request('DELETE', `${things.path}/a/status`),
      request('POST', `${things.path}/a/scale`, {}),
      request('DELETE', `${things.path}/a/scale`),
      request('OPTIONS', things.path),
      request('OPTIONS', `${things.path}/a`),
      request('TRACE', things.path),
      request('GET', `${things.path}/a/status/more`),
      request('GET', `${things.path}/a/log`),
      request('GET', `${things.path}/missing/log`),
      request('GET', `${things.path}/a/proxy/x`),
      get(`${path}/things/a`),
      request('POST', `${path}/things`, thing('b')),
      get(`${path}/things`),
      get(`${path}/watch/things?timeoutSeconds=1&resourceVersion={{1.metadata.resourceVersion}}`, {
        watch: { events: 1 },
      }),
      get(`${path}/watch/namespaces/{{ns}}/things/a?timeoutSeconds=1&resourceVersion=0`, { watch: { events: 1 } }),
      get(`${path}/others`),
      get(`${path}/namespaces/{{ns}}/others/a`),
      get('/apis/{{ns}}.example.com/v2/namespaces/{{ns}}/things'),
      get('/apis/{{ns}}.example.com/v2'),
      get('/apis/none.{{ns}}.example.com'),
      get('/apis/none.{{ns}}.example.com/v1/things'),
      get(`${things.path}/Not_Valid`),
      get(`${things.path}/a%2Fb`),
      get(`${things.path}/..`),
      things.strategic('a', { spec: { a: 'y' } }),
      request('PATCH', `${things.path}/a`, {}, { headers: { 'content-type': 'application/json' } }),
      request('PATCH', `${things.path}/a`, {}),
      things.create('{}', '', { headers: { 'content-type': 'text/plain' } }),
      things.create('apiVersion: {{ns}}.example.com/v1\nkind: Thing\nmetadata:\n  name: y\n', '', {
        headers: { 'content-type': 'application/yaml' },
      }),
    ],
  },
  {
    name: 'forms of answers',
    steps: [
      define(
        thingDefinition(spec({ a: text }), {
          additionalPrinterColumns: [{ name: 'A', type: 'string', jsonPath: '.spec.a' }],
        }),
      ),
      made({ a: 'x' }),
      ...[
        protobuf,
        `${protobuf},application/json`,
        `${protobuf};q=0.9,*/*`,
        'application/yaml',
        'text/html',
        `${protobuf};as=Table;v=v1;g=meta.k8s.io`,
        `${protobuf};as=PartialObjectMetadata;v=v1;g=meta.k8s.io`,
        'application/json;as=Table;v=v1beta1;g=meta.k8s.io',
        'application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io',
        'application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io',
        'application/yaml;as=Table;v=v1;g=meta.k8s.io',
        'application/cbor',
      ].flatMap((type) => [things.get('a', '', accept(type)), things.list('', accept(type))]),
      things.get('missing', '', accept(protobuf)),
      things.create(thing('b'), '', accept(protobuf)),
      things.get('b'),
      things.delete('b', '', undefined, accept(protobuf)),
      things.get('a', 'pretty=true'),
      things.list('watch=1&timeoutSeconds=1', accept(protobuf)),
    ],
  },
]

const published: JsonObject = object(
  {
    ...spec(
      {
        any: keep,
        bag: { type: 'object', ...keep },
        ios: intOrText,
        iosOf: { ...intOrText, anyOf: [{ type: 'integer' }, { type: 'string' }], description: 'Either.' },
        nul: { ...text, nullable: true },
        nulls: { type: 'object', nullable: true, properties: { x: text } },
        def: { ...text, default: 'x', title: 'T', example: 'e' },
        num: { type: 'number', format: 'double', minimum: 1, exclusiveMinimum: true, maximum: 5, multipleOf: 0.5 },
        en: { ...text, enum: ['a', 'b'] },
        res: { type: 'object', ...embedded, ...keep },
        res2: { type: 'object', ...embedded, properties: { spec: object({ a: text }) } },
        listMap: keyed({ k: text, v: { ...whole, default: 3 } }, 'k'),
        setOf: set(text),
        at: object({ x: text }, atomic),
        maps: map(list(whole, { maxItems: 3 }), { maxProperties: 5 }),
        alt: { ...text, anyOf: [{ minLength: 1 }, { pattern: '^$' }], not: { enum: ['z'] } },
        when: { ...text, format: 'date-time' },
        docs: { ...text, externalDocs: { url: 'https://example.com', description: 'd' } },
      },
      { required: ['def'], description: 'What is wanted.' },
    ),
    status: object({ phase: text }),
    metadata: object({ name: { ...text, maxLength: 20 } }),
  },
  { description: 'A thing.', 'x-kubernetes-validations': [{ rule: 'self.spec.def != "y"', message: 'no y' }] },
)

const documents: readonly Case[] = [
  {
    name: 'discovery of names',
    steps: [
      define(
        thingDefinition(
          {},
          { subresources: { status: {}, scale: { specReplicasPath: '.spec.n', statusReplicasPath: '.status.n' } } },
          {
            names: {
              plural: 'things',
              singular: 'thing',
              kind: 'Thing',
              listKind: 'ThingList',
              shortNames: ['t{{id}}', 'u{{id}}'],
              categories: ['all', 'mine'],
            },
          },
        ),
      ),
      get('/apis/{{ns}}.example.com'),
      get(path),
      get(`${path}/`),
      get(path, accept('application/yaml')),
      informed(
        definitions.merge(name, {
          spec: { names: { shortNames: ['w{{id}}'], categories: null, singular: 'onething' } },
        }),
      ),
      get(path),
      informed(definitions.json(name, [{ op: 'remove', path: '/spec/versions/0/subresources' }])),
      get(path),
      definitions.get(name),
    ],
  },
  {
    name: 'published schemas',
    steps: [
      define(
        thingDefinition(
          {},
          {
            schema: { openAPIV3Schema: published },
            subresources: { status: {}, scale: { specReplicasPath: '.spec.n', statusReplicasPath: '.status.n' } },
            selectableFields: [{ jsonPath: '.spec.en' }],
          },
        ),
      ),
      made({ def: 'x' }),
      made({}, 'b'),
      made({ def: 'y' }, 'c'),
      get('/openapi/v3/apis/{{ns}}.example.com/v1'),
      get('/openapi/v3/apis/{{ns}}.example.com'),
      get('/openapi/v3/apis/{{ns}}.example.com/v2'),
    ],
  },
  {
    name: 'published schemas of several versions',
    steps: [
      define(
        thingDefinition(
          {},
          {},
          {
            scope: 'Cluster',
            versions: [
              { name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object', ...keep } } },
              {
                name: 'v2',
                served: true,
                storage: false,
                deprecated: true,
                schema: { openAPIV3Schema: object({ ...spec({ a: text }) }) },
              },
              { name: 'v3', served: false, storage: false, schema: { openAPIV3Schema: object({}) } },
            ],
          },
        ),
      ),
      request('POST', `${path}/things`, thing('a', { free: 1 })),
      ...['v1', 'v2', 'v3'].map((version) => get(`/openapi/v3/apis/{{ns}}.example.com/${version}`)),
      get('/openapi/v3/apis/{{ns}}.example.com'),
    ],
  },
]

/** Plural names that are special only in the core group. */
const takenNames: readonly Case[] = ['bindings', 'pods', 'namespaces', 'tokenreviews'].map((plural) => {
  const definition = thingDefinition(spec({ a: text }), {}, { names: { plural, singular: 'thing', kind: 'Thing' } })
  const named = resource(plural, '{{ns}}.example.com/v1')
  return {
    name: `the plural name ${plural}`,
    steps: [
      define({ ...definition, metadata: { name: `${plural}.{{ns}}.example.com` } }),
      named.create(thing('a', { spec: { a: 'x' } })),
      named.get('a'),
      named.merge('a', { spec: { a: 'y' } }),
      named.list(),
      named.delete('a'),
    ],
  }
})

export const customDetails: Topic = {
  name: 'custom-details',
  cases: [...applying, ...rules, ...places, ...documents, ...takenNames],
}
