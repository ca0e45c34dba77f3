/** Custom resources of many shapes: what a schema prunes, defaults, accepts and rejects. */
import type { Json, JsonObject } from '../../../src/api/json.ts'
import type { Case, Step, Topic } from '../case.ts'
import { define, definitions, get, informed, prepared, thing, thingDefinition, things } from '../steps.ts'

/** A schema and objects for it: each object is created, read and applied. */
interface Shape {
  readonly name: string
  /** The properties of the schema. */
  readonly schema: JsonObject
  /** The contents of objects, valid and invalid ones. */
  readonly objects: readonly JsonObject[]
  /**
   * The contents to apply, if they differ from `objects`. Of several undeclared fields, upstream reports a random one.
   */
  readonly applied?: readonly JsonObject[]
  /** Merge patches for the first object. */
  readonly patches?: readonly Json[]
  /** Fields of the version besides the schema. */
  readonly version?: JsonObject
}

const text = { type: 'string' }
const whole = { type: 'integer' }
const real = { type: 'number' }
const spec = (properties: JsonObject, more: JsonObject = {}): JsonObject => ({
  spec: { type: 'object', properties, ...more },
})
const list = (items: JsonObject, more: JsonObject = {}): JsonObject => ({ type: 'array', items, ...more })
const object = (properties: JsonObject, more: JsonObject = {}): JsonObject => ({ type: 'object', properties, ...more })
const inSpec = (...contents: JsonObject[]): JsonObject[] => contents.map((content) => ({ spec: content }))

const shapes: readonly Shape[] = [
  {
    name: 'types',
    schema: spec({ t: text, i: whole, n: real, b: { type: 'boolean' }, l: list(text), o: object({ a: text }) }),
    objects: inSpec(
      { t: 'x', i: 1, n: 1.5, b: true, l: ['a'], o: { a: 'b' } },
      { t: 1, i: 'x', n: true, b: 0, l: {}, o: [] },
      { i: 1.5, n: 2 },
      { t: null, l: null },
      { l: ['a', 1, null] },
      { o: { a: { b: 1 } } },
      { i: 9_007_199_254_740_991 },
      { n: 1e300 },
      {},
    ),
    patches: [{ spec: { t: 2 } }, { spec: null }, { spec: [] }, { spec: { l: 'x' } }, { spec: { i: 1.0 } }],
  },
  {
    name: 'bounds of numbers',
    schema: spec({
      a: { ...whole, minimum: 1, maximum: 5 },
      b: { ...real, minimum: 0, exclusiveMinimum: true, maximum: 1, exclusiveMaximum: true },
      c: { ...whole, multipleOf: 3 },
      d: { ...whole, format: 'int32' },
      e: { ...whole, format: 'int64' },
      f: { ...real, multipleOf: 0.01 },
    }),
    objects: inSpec(
      { a: 1, b: 0.5, c: 9, d: 5, e: 5, f: 0.07 },
      { a: 0 },
      { a: 6, b: 0, c: 10 },
      { b: 1 },
      { b: -1.5 },
      { d: 2_147_483_648 },
      { e: 9_223_372_036_854_775_000 },
      { a: -100, b: 100, c: 7 },
    ),
  },
  {
    name: 'bounds of texts, lists and maps',
    schema: spec({
      a: { ...text, minLength: 2, maxLength: 4 },
      b: { ...text, pattern: '^[a-z]+$' },
      c: { ...text, enum: ['x', 'y'] },
      d: list(text, { minItems: 1, maxItems: 2 }),
      e: { type: 'object', additionalProperties: text, minProperties: 1, maxProperties: 2 },
      f: { ...whole, enum: [1, 2] },
      g: list(whole, { uniqueItems: false }),
    }),
    objects: inSpec(
      { a: 'ab', b: 'abc', c: 'x', d: ['1'], e: { a: 'b' }, f: 1 },
      { a: 'a' },
      { a: 'abcde', b: 'A1', c: 'z' },
      { d: [] },
      { d: ['1', '2', '3'] },
      { e: {} },
      { e: { a: '1', b: '2', c: '3' } },
      { f: 3 },
      { a: 'äöüß', b: '' },
      { a: '', b: 'a b', c: '', d: null, e: null, f: 0 },
    ),
  },
  {
    name: 'required fields',
    schema: spec(
      {
        a: text,
        inner: object({ b: text, c: whole }, { required: ['b', 'c'] }),
        items: list(object({ k: text, v: text }, { required: ['k'] })),
      },
      { required: ['a'] },
    ),
    objects: [
      {},
      ...inSpec(
        { a: 'x' },
        {},
        { a: 'x', inner: {} },
        { a: 'x', inner: { b: 'y' } },
        { a: 'x', items: [{ v: '1' }, { k: 'a' }, {}] },
        { a: null },
      ),
    ],
    patches: [{ spec: { inner: { b: 'x' } } }, { spec: { a: null } }],
  },
  {
    name: 'defaults',
    schema: {
      spec: object(
        {
          a: { ...text, default: 'one' },
          n: { ...whole, default: 5 },
          o: object({ p: { ...text, default: 'deep' } }, { default: {} }),
          q: object({ r: { ...text, default: 'only if q' } }),
          l: list(object({ s: { ...text, default: 'item' }, k: text }), { default: [{ k: 'first' }] }),
          m: { type: 'object', additionalProperties: object({ t: { ...whole, default: 7 } }) },
          b: { type: 'boolean', default: false },
          nul: { ...text, nullable: true, default: 'x' },
        },
        { default: {} },
      ),
    },
    objects: [
      {},
      ...inSpec(
        {},
        { a: '', n: 0 },
        { o: null },
        { q: {} },
        { q: null },
        { l: [{}, { s: 'mine' }] },
        { m: { x: {}, y: { t: 1 } } },
        { nul: null },
        { o: { p: null } },
      ),
    ],
    patches: [{ spec: null }, { spec: { o: null, a: 'two' } }, { spec: { l: [] } }],
  },
  {
    name: 'nullable',
    schema: spec({
      a: { ...text, nullable: true },
      b: text,
      l: list({ ...text, nullable: true }),
      o: object({ c: text }, { nullable: true }),
      e: { ...text, enum: ['x', null], nullable: true },
    }),
    objects: inSpec(
      { a: null, l: ['x', null], o: null },
      { b: null },
      { a: 'x', b: 'y' },
      { l: [null], o: { c: null } },
      { e: null },
      { e: 'y' },
    ),
  },
  {
    name: 'pruning',
    schema: spec({
      known: text,
      o: object({ a: text }),
      m: { type: 'object', additionalProperties: object({ x: text }) },
      l: list(object({ y: text })),
    }),
    objects: inSpec(
      { known: 'a', unknown: 'b', o: { a: '1', z: '2' }, m: { k: { x: '1', w: '2' } }, l: [{ y: '1', v: '2' }] },
      { known: 'a' },
    ),
    applied: inSpec(
      { known: 'a' },
      { unknown: 'b' },
      { o: { z: '2' } },
      { m: { k: { w: '2' } } },
      { l: [{ v: '2' }] },
      { o: { a: '1' } },
    ),
    patches: [{ spec: { other: 1 } }, { extra: true }, { spec: { o: { deep: {} } } }],
  },
  {
    name: 'unknown fields kept',
    schema: {
      spec: object({ known: text, pruned: object({ a: text }) }, { 'x-kubernetes-preserve-unknown-fields': true }),
      bag: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
      any: { 'x-kubernetes-preserve-unknown-fields': true },
    },
    objects: [
      {
        spec: { known: 'a', free: { deep: [1, 'x', null] }, pruned: { a: '1', b: '2' } },
        bag: { z: 1, y: { x: [] } },
        any: 'text',
      },
      { spec: { known: 1 }, bag: [], any: [1, { a: 'b' }] },
      { any: 5 },
      { any: null, bag: null },
      { spec: { '': 'x', 'a/b': { 'c.d': 1 } } },
    ],
    patches: [{ spec: { free: { deep: null, more: 1 } } }, { any: { a: 1 } }],
  },
  {
    name: 'whole numbers or texts',
    schema: spec({
      p: { 'x-kubernetes-int-or-string': true },
      m: { type: 'object', additionalProperties: { 'x-kubernetes-int-or-string': true } },
      q: { 'x-kubernetes-int-or-string': true, pattern: '^[0-9]+%?$' },
    }),
    objects: inSpec(
      { p: 1, m: { a: '1', b: 2 }, q: '50%' },
      { p: '80' },
      { p: 1.5 },
      { p: true },
      { p: {} },
      { q: 'x' },
      { q: 5 },
      { m: { a: [] } },
    ),
  },
  {
    name: 'embedded resources',
    schema: spec({
      t: { type: 'object', 'x-kubernetes-embedded-resource': true, 'x-kubernetes-preserve-unknown-fields': true },
      l: list({ type: 'object', 'x-kubernetes-embedded-resource': true, properties: { spec: object({ a: text }) } }),
    }),
    objects: inSpec(
      { t: { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'x', labels: { a: 'b' } }, spec: { any: 1 } } },
      { t: {} },
      { t: { apiVersion: 'v1' } },
      { t: { apiVersion: 'a/b/c', kind: 'X Y' } },
      { t: { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'Not_Valid', labels: { 'a b': 'c' }, unknown: 1 } } },
      { t: { apiVersion: 'v1', kind: 'Pod', metadata: 5 } },
      { l: [{ apiVersion: 'v1', kind: 'X', spec: { a: '1', b: '2' }, other: 1 }] },
      { l: [{ kind: 'X' }] },
      { t: { apiVersion: 1, kind: 'X' } },
      { t: { kind: [] } },
    ),
    applied: inSpec(
      { t: { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'x', labels: { a: 'b' } }, spec: { any: 1 } } },
      { t: {} },
      { t: { apiVersion: 'a/b/c', kind: 'X Y' } },
      { t: { apiVersion: 'v1', kind: 'Pod', metadata: { unknown: 1 } } },
      { t: { apiVersion: 'v1', kind: 'Pod', metadata: 5 } },
      { l: [{ apiVersion: 'v1', kind: 'X', spec: { b: '2' } }] },
      { l: [{ other: 1 }] },
      { l: [{ kind: 'X' }] },
      { l: [{ apiVersion: 'v1', kind: 'X', metadata: { labels: { a: 'b' } } }] },
    ),
  },
  {
    name: 'lists as sets and maps',
    schema: spec({
      set: list(text, { 'x-kubernetes-list-type': 'set' }),
      map: list(object({ k: text, v: text }, { required: ['k'] }), {
        'x-kubernetes-list-type': 'map',
        'x-kubernetes-list-map-keys': ['k'],
      }),
      two: list(object({ a: { ...whole, default: 1 }, b: { ...text, default: 'x' }, c: text }), {
        'x-kubernetes-list-type': 'map',
        'x-kubernetes-list-map-keys': ['a', 'b'],
      }),
      atomic: list(text, { 'x-kubernetes-list-type': 'atomic' }),
      numbers: list(whole, { 'x-kubernetes-list-type': 'set' }),
    }),
    objects: inSpec(
      {
        set: ['a', 'b'],
        map: [{ k: 'x', v: '1' }, { k: 'y' }],
        two: [{ a: 1 }, { a: 2, b: 'y' }],
        atomic: ['a', 'a'],
        numbers: [1, 2],
      },
      { set: ['a', 'a'] },
      { map: [{ k: 'x' }, { k: 'x' }] },
      { map: [{ v: 'x' }] },
      { two: [{}, {}] },
      { two: [{ a: 1 }, { b: 'x' }] },
      { numbers: [1, 1, 2, 2] },
      { set: ['a', 'b', 'a', 'b', 'a'] },
    ),
    patches: [{ spec: { set: ['b', 'c', 'b'] } }, { spec: { map: [] } }],
  },
  {
    name: 'formats',
    schema: spec(
      Object.fromEntries(
        [
          'date',
          'date-time',
          'duration',
          'email',
          'hostname',
          'ipv4',
          'ipv6',
          'cidr',
          'mac',
          'uri',
          'uuid',
          'uuid4',
          'byte',
          'password',
          'isbn',
          'isbn10',
          'creditcard',
          'ssn',
          'hexcolor',
          'rgbcolor',
          'bsonobjectid',
          'odd',
        ].map((format) => [format.replace('-', ''), { ...text, format }]),
      ),
    ),
    objects: inSpec(
      {
        date: '2026-01-31',
        datetime: '2026-01-31T01:02:03Z',
        duration: '1h30m',
        email: 'a@example.com',
        hostname: 'a.example.com',
        ipv4: '192.0.2.1',
        ipv6: '2001:db8::1',
        cidr: '192.0.2.0/24',
        mac: '00:00:5e:00:53:01',
        uri: 'https://example.com/x',
        uuid: '11111111-2222-3333-4444-555555555555',
        byte: 'AAEC',
        odd: 'x',
      },
      {
        date: '2026-02-30',
        datetime: '2026-01-31',
        duration: 'soon',
        email: 'a',
        hostname: 'a_b',
        ipv4: '192.0.2',
        ipv6: '192.0.2.1',
        cidr: '192.0.2.0',
        mac: 'x',
        uri: ':',
        uuid: 'x',
        byte: '*',
      },
      {
        uuid4: '11111111-2222-4333-8444-555555555555',
        isbn: '0306406152',
        isbn10: '0306406152',
        creditcard: '4111111111111111',
        ssn: '111-22-3333',
        hexcolor: '#aabbcc',
        rgbcolor: 'rgb(1,2,3)',
        bsonobjectid: '507f1f77bcf86cd799439011',
        password: 'p',
      },
      {
        uuid4: 'x',
        isbn: 'x',
        isbn10: 'x',
        creditcard: 'x',
        ssn: 'x',
        hexcolor: 'x',
        rgbcolor: 'x',
        bsonobjectid: 'x',
      },
      {
        datetime: '2026-01-31T01:02:03.123456+01:00',
        duration: '-1.5s',
        date: '',
        hostname: '',
        uri: 'x',
        email: 'A <a@example.com>',
      },
    ),
  },
  {
    name: 'junctions',
    schema: spec({
      a: { ...whole, anyOf: [{ minimum: 10 }, { maximum: 2 }] },
      o: object({ left: text, right: text }, { oneOf: [{ required: ['left'] }, { required: ['right'] }] }),
      n: { ...text, not: { enum: ['bad'] } },
      all: { ...text, allOf: [{ minLength: 2 }, { maxLength: 3 }] },
    }),
    objects: inSpec(
      { a: 1, o: { left: 'x' }, n: 'good', all: 'ab' },
      { a: 5 },
      { o: {} },
      { o: { left: 'x', right: 'y' } },
      { n: 'bad' },
      { all: 'a' },
      { all: 'abcd', a: 7, n: 'bad', o: {} },
    ),
  },
  {
    name: 'metadata in the schema',
    schema: {
      metadata: { type: 'object', properties: { name: { ...text, maxLength: 5, pattern: '^[a-z]+$' } } },
      ...spec({ a: text }),
    },
    objects: inSpec({ a: 'x' }),
  },
]

/** Names of objects: two letters, so that they fit a schema for names. */
const nameOf = (i: number): string => `o${String.fromCharCode(97 + i)}`

function shapeSteps({ schema, objects, applied = objects, patches = [], version = {} }: Shape): Step[] {
  return [
    define(thingDefinition(schema, version)),
    ...objects.map((content, i) => things.create(thing(nameOf(i), content))),
    ...objects.map((content, i) => things.create(thing(`s${nameOf(i)}`, content), 'fieldValidation=Strict')),
    things.get(nameOf(0)),
    things.table(),
    ...patches.map((patch) => things.merge(nameOf(0), patch)),
    ...applied.map((content) => things.apply('applied', thing('applied', content), 'fieldManager=a&force=true')),
    ...objects.map((content) => things.replace(nameOf(0), thing(nameOf(0), content))),
    things.get('applied'),
    things.list(),
  ]
}

const shapeCases: readonly Case[] = shapes.map((shape) => ({ name: shape.name, steps: shapeSteps(shape) }))

const statusSchema = {
  ...spec({ replicas: whole, selector: text, color: text }),
  status: object({
    phase: text,
    replicas: whole,
    selector: text,
    conditions: list(object({ type: text, status: text }), {
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['type'],
    }),
  }),
}

const others: readonly Case[] = [
  {
    name: 'status and scale',
    steps: [
      define(
        thingDefinition(statusSchema, {
          subresources: {
            status: {},
            scale: {
              specReplicasPath: '.spec.replicas',
              statusReplicasPath: '.status.replicas',
              labelSelectorPath: '.status.selector',
            },
          },
        }),
      ),
      things.create(thing('a', { spec: { replicas: 2 }, status: { phase: 'Ignored' } })),
      things.merge('a', { status: { phase: 'Ignored' } }),
      things.sub('status').merge('a', {
        status: { phase: 'Ready', replicas: 1, selector: 'a=b' },
        spec: { replicas: 9 },
        metadata: { labels: { l: 'x' } },
      }),
      things
        .sub('status')
        .apply('a', thing('a', { status: { conditions: [{ type: 'R', status: 'True' }] } }), 'fieldManager=c'),
      things.sub('status').apply('a', thing('a', { status: { phase: 'Other' } }), 'fieldManager=c'),
      things.sub('status').merge('a', { status: { phase: 5 } }),
      things.sub('scale').get('a'),
      things.sub('scale').merge('a', { spec: { replicas: 5 } }),
      things.sub('scale').merge('a', { spec: { replicas: -1 } }),
      things.sub('scale').replace('a', {
        apiVersion: 'autoscaling/v1',
        kind: 'Scale',
        metadata: { name: 'a', namespace: '{{ns}}' },
        spec: { replicas: 3 },
      }),
      things.sub('scale').apply(
        'a',
        {
          apiVersion: 'autoscaling/v1',
          kind: 'Scale',
          metadata: { name: 'a', namespace: '{{ns}}' },
          spec: { replicas: 4 },
        },
        'fieldManager=s&force=true',
      ),
      things.get('a'),
      things.create(thing('b', {})),
      things.sub('scale').get('b'),
      things.sub('scale').merge('b', { spec: { replicas: 1 } }),
      things.sub('status').get('missing'),
      things.sub('scale').get('missing'),
      things.sub('other').get('a'),
    ],
  },
  {
    name: 'scale without replicas',
    steps: [
      define(
        thingDefinition(statusSchema, {
          subresources: { scale: { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.replicas' } },
        }),
      ),
      ...['a', 'b', 'c', 'd', 'e'].map((name) => prepared(things.create(thing(name)))),
      things.sub('scale').merge('a', {}),
      things.sub('scale').merge('a', { spec: {} }),
      things.sub('scale').merge('a', { metadata: { labels: { a: 'b' } } }),
      things.sub('scale').json('a', []),
      things.sub('scale').json('a', [{ op: 'test', path: '/spec/replicas', value: -2147483648 }]),
      things.sub('scale').json('a', [{ op: 'remove', path: '/spec/replicas' }], 'dryRun=All'),
      things.sub('scale').merge('a', { spec: { replicas: -2147483648 } }),
      things.sub('scale').merge('a', { metadata: { resourceVersion: '1' } }),
      things.sub('scale').merge('a', { metadata: { resourceVersion: '1' }, spec: { replicas: 1 } }),
      things.sub('scale').merge('b', { spec: { replicas: 0 } }, 'fieldManager=m'),
      things.get('b'),
      things.sub('scale').merge('c', { spec: null }, 'fieldManager=m'),
      things.get('c'),
      ...[{}, { replicas: 0 }, { replicas: -2147483648 }].flatMap((scaleSpec, i) => {
        const name = ['c', 'd', 'e'][i] as string
        const body = {
          apiVersion: 'autoscaling/v1',
          kind: 'Scale',
          metadata: { name, namespace: '{{ns}}' },
          spec: scaleSpec,
        }
        return [things.sub('scale').replace(name, body, 'fieldManager=m'), things.get(name)]
      }),
      things.merge('c', { spec: null }),
      things.sub('scale').merge('c', {}),
    ],
  },
  {
    name: 'no subresources',
    steps: [
      define(thingDefinition(statusSchema)),
      things.create(thing('a', { spec: { replicas: 2 }, status: { phase: 'Kept' } })),
      things.merge('a', { status: { phase: 'Changed' } }),
      things.sub('status').get('a'),
      things.sub('status').merge('a', { status: {} }),
      things.sub('scale').get('a'),
    ],
  },
  {
    name: 'columns',
    steps: [
      define(
        thingDefinition(
          {
            ...spec({
              t: text,
              i: whole,
              n: real,
              b: { type: 'boolean' },
              d: text,
              l: list(text),
              o: object({ deep: text }),
            }),
          },
          {
            additionalPrinterColumns: [
              { name: 'Text', type: 'string', jsonPath: '.spec.t' },
              { name: 'Whole', type: 'integer', jsonPath: '.spec.i', format: 'int32' },
              { name: 'Real', type: 'number', jsonPath: '.spec.n' },
              { name: 'Flag', type: 'boolean', jsonPath: '.spec.b', priority: 1 },
              { name: 'When', type: 'date', jsonPath: '.spec.d' },
              { name: 'First', type: 'string', jsonPath: '.spec.l[0]' },
              { name: 'All', type: 'string', jsonPath: '.spec.l[*]' },
              { name: 'Deep', type: 'string', jsonPath: '.spec.o.deep' },
              { name: 'Wrong', type: 'integer', jsonPath: '.spec.t' },
              { name: 'Label', type: 'string', jsonPath: '.metadata.labels.app' },
              { name: 'Object', type: 'string', jsonPath: '.spec.o' },
            ],
          },
        ),
      ),
      things.create(
        thing(
          'a',
          { spec: { t: 'x', i: 3, n: 1.5, b: true, d: 'no date', l: ['p', 'q'], o: { deep: 'd' } } },
          { labels: { app: 'web' } },
        ),
      ),
      things.create(thing('b', { spec: { i: 0, b: false, l: [], n: 3 } })),
      things.create(thing('c')),
      things.table(),
      things.table('a'),
      get('/apis/{{ns}}.example.com/v1/namespaces/{{ns}}/things?includeObject=None', {
        headers: { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' },
      }),
    ],
  },
  {
    name: 'selectable fields',
    steps: [
      define(
        thingDefinition(spec({ color: text, size: whole, on: { type: 'boolean' } }), {
          selectableFields: [{ jsonPath: '.spec.color' }, { jsonPath: '.spec.size' }, { jsonPath: '.spec.on' }],
        }),
      ),
      things.create(thing('a', { spec: { color: 'red', size: 1, on: true } })),
      things.create(thing('b', { spec: { color: 'blue' } })),
      things.list('fieldSelector=spec.color%3Dred'),
      things.list('fieldSelector=spec.color!%3Dred'),
      things.list('fieldSelector=spec.size%3D1'),
      things.list('fieldSelector=spec.on%3Dtrue'),
      things.list('fieldSelector=spec.size%3D'),
      things.list('fieldSelector=spec.other%3Dx'),
      things.watch('fieldSelector=spec.color%3Dblue&resourceVersion={{1.metadata.resourceVersion}}', 1),
      things.deleteAll('fieldSelector=spec.color%3Dred'),
      things.list(),
    ],
  },
  {
    name: 'several versions',
    steps: [
      define(
        thingDefinition(
          {},
          {},
          {
            versions: [
              {
                name: 'v1alpha1',
                served: true,
                storage: false,
                deprecated: true,
                schema: { openAPIV3Schema: object(spec({ a: text, old: text })) },
              },
              {
                name: 'v1',
                served: true,
                storage: true,
                schema: { openAPIV3Schema: object(spec({ a: { ...text, default: 'one' }, fresh: text })) },
                subresources: { status: {} },
              },
              {
                name: 'v2',
                served: true,
                storage: false,
                schema: { openAPIV3Schema: object(spec({ a: text, b: { ...text, default: 'two' } })) },
              },
              { name: 'v3', served: false, storage: false, schema: { openAPIV3Schema: object({}) } },
            ],
          },
        ),
      ),
      things.create(thing('a', { spec: { a: 'x', fresh: 'y' } })),
      get('/apis/{{ns}}.example.com/v1alpha1/namespaces/{{ns}}/things/a'),
      get('/apis/{{ns}}.example.com/v2/namespaces/{{ns}}/things/a'),
      get('/apis/{{ns}}.example.com/v2/namespaces/{{ns}}/things'),
      get('/apis/{{ns}}.example.com/v3/namespaces/{{ns}}/things'),
      {
        method: 'POST',
        path: '/apis/{{ns}}.example.com/v2/namespaces/{{ns}}/things',
        body: { apiVersion: '{{ns}}.example.com/v2', kind: 'Thing', metadata: { name: 'b' }, spec: { a: 'z' } },
      },
      {
        method: 'POST',
        path: '/apis/{{ns}}.example.com/v2/namespaces/{{ns}}/things',
        body: { apiVersion: '{{ns}}.example.com/v1', kind: 'Thing', metadata: { name: 'c' } },
      },
      things.get('b'),
      {
        method: 'PATCH',
        path: '/apis/{{ns}}.example.com/v2/namespaces/{{ns}}/things/a?fieldManager=two',
        headers: { 'content-type': 'application/apply-patch+yaml' },
        body: { apiVersion: '{{ns}}.example.com/v2', kind: 'Thing', metadata: { name: 'a' }, spec: { b: 'mine' } },
      },
      things.apply('a', thing('a', { spec: { a: 'y' } }), 'fieldManager=one'),
      things.apply('a', thing('a', { spec: { a: 'y' } }), 'fieldManager=one&force=true'),
      things.watch('resourceVersion={{1.metadata.resourceVersion}}', 2),
      get('/apis/{{ns}}.example.com'),
      get('/apis/{{ns}}.example.com/v1'),
      get('/apis/{{ns}}.example.com/v1alpha1'),
      definitions.get('things.{{ns}}.example.com'),
    ],
  },
  {
    name: 'cluster-wide',
    steps: [
      define(thingDefinition(spec({ a: text }), {}, { scope: 'Cluster' })),
      { method: 'POST', path: '/apis/{{ns}}.example.com/v1/things', body: thing('a', { spec: { a: 'x' } }) },
      { method: 'POST', path: '/apis/{{ns}}.example.com/v1/things', body: thing('b', {}, { namespace: '{{ns}}' }) },
      things.create(thing('c')),
      get('/apis/{{ns}}.example.com/v1/things/a'),
      get('/apis/{{ns}}.example.com/v1/things'),
      { method: 'DELETE', path: '/apis/{{ns}}.example.com/v1/things/a' },
    ],
  },
  {
    name: 'a schema that changes',
    steps: [
      define(thingDefinition(spec({ a: text, b: text }))),
      things.create(thing('a', { spec: { a: 'x', b: 'y' } })),
      informed(
        definitions.json('things.{{ns}}.example.com', [
          {
            op: 'replace',
            path: '/spec/versions/0/schema/openAPIV3Schema/properties/spec/properties',
            value: { a: { ...text, maxLength: 3 }, c: { ...text, default: 'new' } },
          },
        ]),
      ),
      things.get('a'),
      things.list(),
      things.merge('a', { spec: { a: 'long text' } }),
      things.merge('a', { metadata: { labels: { x: 'y' } } }),
      things.get('a'),
    ],
  },
  {
    name: 'a tightened schema lets old values be',
    steps: [
      define(thingDefinition(spec({ a: text, l: list(text), n: whole, m: object({ x: text }) }))),
      things.create(thing('a', { spec: { a: 'much too long', l: ['wrong', 'right'], n: 50, m: { x: 'Bad' } } })),
      informed(
        definitions.json('things.{{ns}}.example.com', [
          {
            op: 'replace',
            path: '/spec/versions/0/schema/openAPIV3Schema/properties/spec/properties',
            value: {
              a: { ...text, maxLength: 3 },
              l: list({ ...text, enum: ['right'] }),
              n: { ...whole, maximum: 10 },
              m: object({ x: { ...text, pattern: '^[a-z]+$' } }),
            },
          },
        ]),
      ),
      things.merge('a', { metadata: { labels: { x: 'y' } } }),
      things.merge('a', { spec: { n: 51 } }),
      things.merge('a', { spec: { n: 5 } }),
      things.merge('a', { spec: { l: ['right', 'wrong'] } }),
      things.merge('a', { spec: { a: 'other long text' } }),
      things.merge('a', { spec: { m: { x: 'Worse' } } }),
    ],
  },
  {
    name: 'deletion of the definition',
    steps: [
      define(thingDefinition(spec({ a: text }))),
      things.create(thing('held', {}, { finalizers: ['example.com/hold'] })),
      informed(definitions.delete('things.{{ns}}.example.com')),
      things.watch('resourceVersion={{1.metadata.resourceVersion}}', 1),
      things.create(thing('late')),
      things.get('held'),
      things.list(),
      // Without this, the real server's controller would not process the deletion of other CRDs.
      things.merge('held', { metadata: { finalizers: null } }),
    ],
  },
]

export const customResources: Topic = { name: 'custom-resources', cases: [...shapeCases, ...others] }
