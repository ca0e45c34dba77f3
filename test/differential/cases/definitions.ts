/** CustomResourceDefinitions: their defaults, and the messages of their rejections. */
import type { Json, JsonObject } from '../../../src/api/json.ts'
import type { Case, Topic } from '../case.ts'
import { define, definitions, informed, request, thing, thingDefinition, things } from '../steps.ts'

const text = { type: 'string' }
const dry = (definition: JsonObject) => definitions.create(definition, 'dryRun=All')
const schema = (openAPIV3Schema: JsonObject): JsonObject => thingDefinition({}, { schema: { openAPIV3Schema } })
const property = (value: JsonObject): JsonObject => schema({ type: 'object', properties: { p: value } })
const withSpec = (spec: JsonObject): JsonObject => thingDefinition({ a: text }, {}, spec)
const version = (value: JsonObject): JsonObject => thingDefinition({ a: text }, value)

const properties: readonly JsonObject[] = [
  {},
  { type: 'strange' },
  { type: 'array' },
  { type: 'array', items: {} },
  { type: 'array', items: [{ type: 'string' }] },
  { type: 'object', additionalProperties: true },
  { type: 'object', additionalProperties: false },
  { type: 'object', additionalProperties: text, properties: { a: text } },
  { type: 'string', $ref: '#/x' },
  { type: 'string', nullable: true, default: null },
  { type: 'string', default: 5 },
  { type: 'integer', default: 'x' },
  { type: 'integer', minimum: 5, default: 1 },
  { type: 'string', enum: ['a', 5] },
  { type: 'string', pattern: '(' },
  { type: 'string', pattern: '(?=x)' },
  { type: 'integer', minimum: 5, maximum: 1 },
  { type: 'string', minLength: -1 },
  { type: 'array', items: text, uniqueItems: true },
  { type: 'array', items: text, 'x-kubernetes-list-type': 'odd' },
  { type: 'array', items: { type: 'object' }, 'x-kubernetes-list-type': 'map' },
  {
    type: 'array',
    items: { type: 'object', properties: { k: text } },
    'x-kubernetes-list-type': 'map',
    'x-kubernetes-list-map-keys': ['k'],
  },
  {
    type: 'array',
    items: { type: 'object', properties: { k: text }, required: ['k'] },
    'x-kubernetes-list-type': 'map',
    'x-kubernetes-list-map-keys': ['k', 'k', 'z'],
  },
  { type: 'array', items: { type: 'object' }, 'x-kubernetes-list-type': 'set' },
  { type: 'string', 'x-kubernetes-list-type': 'set' },
  { type: 'object', 'x-kubernetes-map-type': 'odd' },
  { type: 'string', 'x-kubernetes-map-type': 'atomic' },
  { 'x-kubernetes-int-or-string': true, type: 'string' },
  { 'x-kubernetes-int-or-string': true, anyOf: [{ type: 'integer' }, { type: 'string' }] },
  { 'x-kubernetes-int-or-string': true, anyOf: [{ type: 'string' }, { type: 'integer' }] },
  { 'x-kubernetes-embedded-resource': true },
  { type: 'object', 'x-kubernetes-embedded-resource': true },
  { type: 'string', 'x-kubernetes-preserve-unknown-fields': true },
  { type: 'object', 'x-kubernetes-preserve-unknown-fields': false },
  { type: 'object', anyOf: [{ properties: { a: { type: 'string' } } }] },
  { type: 'object', properties: { a: text }, anyOf: [{ properties: { a: { minLength: 1 } } }] },
  { type: 'object', not: { properties: { b: {} } } },
  { type: 'object', allOf: [{ type: 'object' }] },
  { type: 'object', oneOf: [{ default: {} }] },
  { type: 'object', definitions: { a: {} } },
  { type: 'object', patternProperties: { a: {} } },
  { type: 'object', dependencies: { a: ['b'] } },
  { type: 'object', id: 'x' },
  { type: 'array', items: text, additionalItems: true },
  { type: 'object', properties: { a: {}, b: { type: 'x' }, c: { type: 'array' } } },
  { type: 'object', default: { unknown: 1 } },
  { type: 'object', properties: { a: text }, default: { a: 5 } },
  { type: 'number', format: 'odd' },
  { type: 'string', format: 'date-time', default: 'x' },
  { type: 'string', title: 't', description: 'd', example: 'e', externalDocs: { url: 'x' } },
  { type: 'string', multipleOf: 2 },
  { type: 'string', exclusiveMinimum: true },
  { type: 'object', required: ['a', 'b'] },
  { type: 'object', maxProperties: 1, minProperties: 5 },
]

const roots: readonly JsonObject[] = [
  {},
  { type: 'string' },
  { type: 'object', nullable: true },
  { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
  { type: 'object', default: {} },
  { type: 'object', 'x-kubernetes-embedded-resource': true },
  { type: 'object', properties: { metadata: { type: 'object', properties: { labels: { type: 'object' } } } } },
  { type: 'object', properties: { metadata: { type: 'string' } } },
  { type: 'object', properties: { apiVersion: { type: 'integer' }, kind: { type: 'object' } } },
  {
    type: 'object',
    properties: { metadata: { type: 'object', default: {}, properties: { name: { type: 'string', default: 'x' } } } },
  },
  { type: 'object', additionalProperties: text },
  { type: 'array', items: text },
]

const specs: readonly JsonObject[] = [
  { group: '' },
  { group: 'Not Valid' },
  { group: 'nodot' },
  { scope: 'Odd' },
  { scope: '' },
  { names: { plural: 'things' } },
  { names: { plural: 'Things', kind: 'Thing' } },
  { names: { plural: 'others', kind: 'Thing' } },
  {
    names: {
      plural: 'things',
      kind: 'thing kind',
      singular: 'Not Valid',
      shortNames: ['A', 'b c'],
      listKind: '-',
      categories: ['All', 'a b'],
    },
  },
  { names: { plural: 'things', kind: 'Thing', listKind: 'Thing' } },
  { versions: [] },
  { versions: null },
  { preserveUnknownFields: true },
  { preserveUnknownFields: false },
  { conversion: { strategy: 'Odd' } },
  { conversion: { strategy: 'Webhook' } },
  { conversion: { strategy: 'None', webhook: { conversionReviewVersions: ['v1'] } } },
  {
    conversion: {
      strategy: 'Webhook',
      webhook: { conversionReviewVersions: ['v1'], clientConfig: { url: 'http://x' } },
    },
  },
  {
    conversion: {
      strategy: 'Webhook',
      webhook: { conversionReviewVersions: ['v9'], clientConfig: { service: { name: '', namespace: '' } } },
    },
  },
]

const versions: readonly JsonObject[] = [
  { name: '' },
  { name: 'V 1' },
  { storage: false },
  { served: false },
  { schema: null },
  { schema: {} },
  { subresources: { scale: {} } },
  { subresources: { scale: { specReplicasPath: 'x', statusReplicasPath: '.status.x' } } },
  {
    subresources: { scale: { specReplicasPath: '.status.a', statusReplicasPath: '.spec.b', labelSelectorPath: '.x' } },
  },
  { subresources: { scale: { specReplicasPath: '.spec.a[0]', statusReplicasPath: '.status..b' } } },
  { additionalPrinterColumns: [{ name: '', type: 'odd', jsonPath: 'x' }] },
  {
    additionalPrinterColumns: [
      { name: 'a', type: 'string', format: 'odd', jsonPath: '.spec.a' },
      { name: 'a', type: 'string', jsonPath: '' },
    ],
  },
  { selectableFields: [{ jsonPath: '.spec.missing' }] },
  { selectableFields: [{ jsonPath: '.a' }] },
  { selectableFields: [{ jsonPath: '.a' }, { jsonPath: '.a' }] },
  { selectableFields: [{ jsonPath: '.metadata.name' }, { jsonPath: 'a' }, { jsonPath: '' }] },
  { deprecated: true, deprecationWarning: 'use another' },
  { deprecationWarning: 'not deprecated' },
  { deprecated: true, deprecationWarning: 'x\ny' },
  { deprecated: true, deprecationWarning: 'x'.repeat(300) },
]

const several = (...names: { name: string; served?: boolean; storage?: boolean }[]): JsonObject =>
  thingDefinition(
    {},
    {},
    {
      versions: names.map((each) => ({
        served: true,
        storage: false,
        schema: { openAPIV3Schema: { type: 'object' } },
        ...each,
      })),
    },
  )

const cases: readonly Case[] = [
  { name: 'what is wrong with a property', steps: properties.map((each) => dry(property(each))) },
  { name: 'what is wrong with a root', steps: roots.map((each) => dry(schema(each))) },
  { name: 'what is wrong with a spec', steps: specs.map((each) => dry(withSpec(each))) },
  { name: 'what is wrong with a version', steps: versions.map((each) => dry(version(each))) },
  {
    name: 'what is wrong with versions',
    steps: [
      dry(several({ name: 'v1', storage: true }, { name: 'v1' })),
      dry(several({ name: 'v1', storage: true }, { name: 'v2', storage: true })),
      dry(several({ name: 'v1', served: false }, { name: 'v2', served: false })),
      dry(several({ name: 'v1', storage: true }, { name: 'v2' }, { name: 'v2beta1' }, { name: 'odd' })),
    ],
  },
  {
    name: 'names and metadata',
    steps: [
      dry({ ...thingDefinition({}), metadata: { name: 'other.{{ns}}.example.com' } }),
      dry({ ...thingDefinition({}), metadata: {} }),
      dry({ ...thingDefinition({}), metadata: { name: 'things.{{ns}}.example.com', labels: { 'a b': 'c' } } }),
      dry({ ...thingDefinition({}), spec: {} }),
      dry({ apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition', metadata: { name: 'x.y' } }),
      dry({ ...thingDefinition({}), kind: 'Other' }),
      definitions.create({ ...thingDefinition({}), extra: 1 }, 'dryRun=All&fieldValidation=Strict'),
      dry(thingDefinition({}, {}, { group: 'k8s.io' })),
      dry({ ...thingDefinition({}, {}, { group: '{{ns}}.k8s.io' }), metadata: { name: 'things.{{ns}}.k8s.io' } }),
      dry({
        ...thingDefinition({}, {}, { group: '{{ns}}.k8s.io' }),
        metadata: {
          name: 'things.{{ns}}.k8s.io',
          annotations: { 'api-approved.kubernetes.io': 'unapproved, experimental' },
        },
      }),
    ],
  },
  {
    name: 'the life of a definition',
    steps: [
      define(thingDefinition({ spec: { type: 'object', properties: { a: text } } })),
      definitions.get('things.{{ns}}.example.com'),
      definitions.table('things.{{ns}}.example.com'),
      informed(
        definitions.merge('things.{{ns}}.example.com', {
          spec: { names: { shortNames: ['{{id}}'], categories: ['all'] } },
        }),
      ),
      definitions.get('things.{{ns}}.example.com'),
      definitions.merge('things.{{ns}}.example.com', { spec: { scope: 'Cluster' } }),
      definitions.merge('things.{{ns}}.example.com', { spec: { group: 'other.example.com' } }),
      definitions.merge('things.{{ns}}.example.com', { spec: { names: { plural: 'others', kind: 'Other' } } }),
      definitions.merge('things.{{ns}}.example.com', { metadata: { labels: { a: 'b' } } }),
      definitions.sub('status').merge('things.{{ns}}.example.com', { status: { storedVersions: [] } }),
      definitions.sub('status').merge('things.{{ns}}.example.com', { status: { storedVersions: ['v9'] } }),
      definitions.sub('status').merge('things.{{ns}}.example.com', { status: { conditions: [] } }),
      definitions.replace('things.{{ns}}.example.com', thingDefinition({})),
      definitions.apply('things.{{ns}}.example.com', thingDefinition({ spec: { type: 'object' } }), 'fieldManager=m'),
      definitions.apply(
        'things.{{ns}}.example.com',
        thingDefinition({ spec: { type: 'object' } }),
        'fieldManager=m&force=true',
      ),
      definitions.delete('things.{{ns}}.example.com'),
    ],
  },
  {
    name: 'a second storage version',
    steps: [
      define(thingDefinition({ spec: { type: 'object', properties: { a: text } } })),
      informed(
        definitions.json('things.{{ns}}.example.com', [
          {
            op: 'add',
            path: '/spec/versions/-',
            value: { name: 'v2', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } },
          },
          { op: 'replace', path: '/spec/versions/0/storage', value: false },
        ]),
      ),
      definitions.get('things.{{ns}}.example.com'),
      definitions.json('things.{{ns}}.example.com', [{ op: 'remove', path: '/spec/versions/0' }]),
      informed(definitions.sub('status').merge('things.{{ns}}.example.com', { status: { storedVersions: ['v2'] } })),
      definitions.json('things.{{ns}}.example.com', [{ op: 'remove', path: '/spec/versions/0' }]),
    ],
  },
  {
    name: 'names that are taken',
    steps: [
      define(thingDefinition({})),
      informed({
        ...definitions.create({
          ...thingDefinition(
            {},
            {},
            { names: { plural: 'others', singular: 'other', kind: 'Thing', listKind: 'ThingList' } },
          ),
          metadata: { name: 'others.{{ns}}.example.com' },
        }),
      }),
      definitions.get('others.{{ns}}.example.com'),
    ],
  },
]

const versionWith = (name: string, openAPIV3Schema: JsonObject, more: JsonObject = {}): JsonObject => ({
  name,
  served: true,
  storage: name === 'v1',
  schema: { openAPIV3Schema },
  ...more,
})
const inVersions = (...given: JsonObject[]): JsonObject => thingDefinition({}, {}, { versions: given })
const plain = { type: 'object', properties: { spec: { type: 'object', properties: { a: text } } } }
const other = { type: 'object', properties: { spec: { type: 'object', properties: { b: text } } } }
const crd = 'things.{{ns}}.example.com'
const scale = { scale: { specReplicasPath: '.spec.n', statusReplicasPath: '.status.n' } }
const changes = (value: JsonObject) => definitions.merge(crd, { spec: value }, 'dryRun=All')
const change = (value: JsonObject) => informed(definitions.merge(crd, { spec: value }))
const names = (value: JsonObject): JsonObject => ({
  names: { plural: 'things', singular: 'thing', kind: 'Thing', listKind: 'ThingList', ...value },
})

const more: readonly Case[] = [
  {
    name: 'what is wrong in one version or in all',
    steps: [
      inVersions(versionWith('v1', plain), versionWith('v2', { type: 'object', properties: { p: {} } })),
      inVersions(
        versionWith('v1', { type: 'object', properties: { p: {} } }),
        versionWith('v2', { type: 'object', properties: { p: {} } }),
      ),
      inVersions(versionWith('v1', { type: 'string' }), versionWith('v2', { type: 'array' })),
      inVersions(
        versionWith('v1', plain, { subresources: scale }),
        versionWith('v2', other, { subresources: { scale: {} } }),
      ),
      inVersions(
        versionWith('v1', plain, { subresources: { scale: {} } }),
        versionWith('v2', other, { subresources: { scale: {} } }),
      ),
      inVersions(
        versionWith('v1', plain, { subresources: { status: {} } }),
        versionWith('v2', { ...other, nullable: true, description: 'x' }, { subresources: { status: {} } }),
      ),
      inVersions(
        versionWith('v1', plain, { additionalPrinterColumns: [{ name: 'A', type: 'x', jsonPath: '.a' }] }),
        versionWith('v2', other),
      ),
      inVersions(
        versionWith('v1', plain, { additionalPrinterColumns: [{ name: 'A', type: 'x', jsonPath: '.a' }] }),
        versionWith('v2', other, { additionalPrinterColumns: [{ name: 'A', type: 'x', jsonPath: '.a' }] }),
      ),
      inVersions(
        versionWith('v1', plain, { selectableFields: [{ jsonPath: '.spec.a' }] }),
        versionWith('v2', other, { selectableFields: [{ jsonPath: '.spec.a' }] }),
      ),
      inVersions(
        versionWith('v1', plain, { selectableFields: [{ jsonPath: '.spec.b' }] }),
        versionWith('v2', other, { selectableFields: [{ jsonPath: '.spec.b' }] }),
      ),
      inVersions(
        versionWith('v1', plain, { selectableFields: Array.from({ length: 9 }, () => ({ jsonPath: '.spec.a' })) }),
        versionWith('v2', other),
      ),
      inVersions(
        versionWith('v1', plain, { deprecated: true, deprecationWarning: '' }),
        versionWith('v2', other, { deprecationWarning: 'x' }),
      ),
      inVersions(versionWith('v1', plain), { ...versionWith('v2', other), schema: null }),
      inVersions({ ...versionWith('v1', plain), schema: null }, { ...versionWith('v2', other), schema: null }),
      inVersions(versionWith('v1', plain), versionWith('v2', plain), versionWith('v3', other, { storage: true })),
      inVersions(
        versionWith('v1', plain, { additionalPrinterColumns: [] }),
        versionWith('v2', plain, { additionalPrinterColumns: null }),
      ),
      inVersions(versionWith('v1', plain, { served: false }), versionWith('v2', plain, { served: false })),
    ].map(dry),
  },
  {
    name: 'what may change',
    steps: [
      define(inVersions(versionWith('v1', plain), versionWith('v2', other))),
      changes({ versions: [versionWith('v2', other, { storage: true })] }),
      changes({ versions: [versionWith('v1', plain)] }),
      changes({ versions: [versionWith('v1', { type: 'object', properties: { p: {} } }), versionWith('v2', other)] }),
      changes({
        versions: [versionWith('v1', plain, { storage: false }), versionWith('v2', other, { storage: true })],
      }),
      changes({ versions: [versionWith('v1', plain, { served: false }), versionWith('v2', other)] }),
      changes({ preserveUnknownFields: true }),
      changes({
        conversion: {
          strategy: 'Webhook',
          webhook: { conversionReviewVersions: ['v1'], clientConfig: { service: { name: 'x', namespace: 'y' } } },
        },
      }),
      changes({ conversion: null }),
      changes({ names: { listKind: 'Other', singular: 'other' } }),
      changes({ names: { kind: 'Other' } }),
      changes({ scope: null }),
      changes({ group: null }),
      definitions.merge(crd, { metadata: { name: 'other' } }),
      definitions.merge(crd, { metadata: { finalizers: ['example.com/f'] } }, 'dryRun=All'),
      definitions.merge(crd, { status: { storedVersions: ['v2'] } }),
      definitions.sub('status').merge(crd, { status: { storedVersions: ['v1', 'v2'] } }),
      definitions.sub('status').merge(crd, {
        metadata: { labels: { a: 'b' } },
        spec: { scope: 'Cluster' },
        status: { acceptedNames: { plural: 'Bad Name' } },
      }),
      definitions.merge(crd, { spec: { versions: [versionWith('v1', plain)] } }),
      definitions.sub('status').json(crd, [{ op: 'replace', path: '/status/storedVersions', value: ['v1'] }]),
      change({ versions: [versionWith('v1', plain)] }),
      definitions.get(crd),
      definitions.sub('status').get(crd),
      definitions.sub('scale').get(crd),
      definitions.strategic(crd, { metadata: { labels: { s: 'x' } } }),
      definitions.strategic(crd, {
        spec: {
          versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
        },
      }),
      definitions.delete(crd, '', { preconditions: { uid: 'wrong' } }),
      definitions.delete(crd, 'dryRun=All'),
      definitions.get(crd),
    ],
  },
  {
    name: 'names that change',
    steps: [
      define(thingDefinition({}, {}, names({ shortNames: ['a{{id}}'], categories: ['all'] }))),
      change(names({ shortNames: ['b{{id}}', 'a{{id}}'] })),
      definitions.get(crd),
      change({ names: { singular: 'onething', listKind: 'Things' } }),
      definitions.get(crd),
      change({ names: { categories: ['Bad one'] } }),
      change({ names: { shortNames: ['Bad one'] } }),
      change({ names: { shortNames: null, categories: null } }),
      definitions.get(crd),
      informed(
        definitions.create({
          ...thingDefinition({}, {}, { names: { plural: 'others', kind: 'Other', shortNames: ['onething'] } }),
          metadata: { name: 'others.{{ns}}.example.com' },
        }),
      ),
      definitions.get('others.{{ns}}.example.com'),
      informed(
        definitions.merge('others.{{ns}}.example.com', {
          spec: { names: { shortNames: ['free{{id}}'], kind: 'Thing' } },
        }),
      ),
      definitions.get('others.{{ns}}.example.com'),
      informed(
        definitions.merge('others.{{ns}}.example.com', { spec: { names: { kind: 'Fresh', listKind: 'FreshList' } } }),
      ),
      definitions.get('others.{{ns}}.example.com'),
      definitions.table('others.{{ns}}.example.com'),
    ],
  },
]

/** As text, since the integers are not JavaScript numbers. The bounds of schemas are floats, and are rounded. */
const large = (value: Json): string =>
  JSON.stringify(value)
    .replaceAll('"2^63-1"', '9223372036854775807')
    .replaceAll('"-2^63"', '-9223372036854775808')
    .replaceAll('"2^53+1"', '9007199254740993')
const bounds: JsonObject = {
  spec: {
    type: 'object',
    properties: {
      most: { type: 'integer', format: 'int64', maximum: '2^63-1' },
      least: { type: 'integer', minimum: '-2^63' },
      between: { type: 'number', minimum: 0, maximum: '2^53+1' },
      multiple: { type: 'integer', multipleOf: '2^53+1' },
      list: { type: 'array', items: { type: 'integer', maximum: '2^53+1' } },
      map: { type: 'object', additionalProperties: { type: 'integer', anyOf: [{ maximum: '2^53+1' }] } },
      maximum: { type: 'object', properties: { minimum: { type: 'integer', not: { minimum: '2^53+1' } } } },
    },
  },
}
const one = '/spec/versions/0/schema/openAPIV3Schema/properties/spec/properties/one'
const typed = (type: string) => ({ headers: { 'content-type': `application/${type}` } })
const largeCases: readonly Case[] = [
  {
    name: 'bounds beyond 2^53',
    steps: [
      request('POST', definitions.path, large(thingDefinition(bounds)), { settle: 'established' }),
      definitions.get(crd),
      ...[
        { most: 5 },
        { most: 5.5 },
        { least: -5 },
        { between: 5 },
        { multiple: 5 },
        { multiple: 0 },
        { list: [5] },
        { map: { a: 5 } },
        { maximum: { minimum: 5 } },
      ].map((spec) => things.create(thing('a', { spec }), 'dryRun=All')),
      informed(
        request(
          'PATCH',
          `${definitions.path}/${crd}`,
          large([{ op: 'add', path: one, value: { type: 'integer', maximum: '2^53+1' } }]),
          typed('json-patch+json'),
        ),
      ),
      request('PUT', `${definitions.path}/${crd}?dryRun=All`, large(thingDefinition(bounds))),
      request(
        'PATCH',
        `${definitions.path}/${crd}?fieldManager=me&force=true`,
        large(thingDefinition(bounds)),
        typed('apply-patch+yaml'),
      ),
    ],
  },
]

export const definitionsTopic: Topic = { name: 'definitions', cases: [...cases, ...more, ...largeCases] }
