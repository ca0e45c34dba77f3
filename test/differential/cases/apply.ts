/** Server-side apply: ownership of fields, conflicts, and messages of rejections. */
import type { Json, JsonObject } from '../../../src/api/json.ts'
import type { Step, Topic } from '../case.ts'
import { configMap, object } from '../objects.ts'
import { resource } from '../steps.ts'

const configMaps = resource('configmaps')

/** Applies as field manager `m`. */
const by = (m: string, data: JsonObject, metadata: JsonObject = {}, options = ''): Step =>
  configMaps.apply('a', configMap('a', data, metadata), `fieldManager=${m}${options}`)
const forced = (m: string, data: JsonObject, metadata: JsonObject = {}): Step => by(m, data, metadata, '&force=true')
const updated = (m: string, data: JsonObject, metadata: JsonObject = {}): Step =>
  configMaps.merge('a', { data, metadata }, `fieldManager=${m}`)

const raw = (body: Json, options = 'fieldManager=m'): Step => configMaps.apply('a', body, options)
const entry = (more: JsonObject): JsonObject => ({
  manager: 'x',
  operation: 'Update',
  apiVersion: 'v1',
  fieldsType: 'FieldsV1',
  fieldsV1: { 'f:data': { 'f:a': {} } },
  time: '2020-01-01T00:00:00Z',
  ...more,
})

export const apply: Topic = {
  name: 'apply',
  cases: [
    {
      name: 'creates and changes',
      steps: [
        by('m', { a: '1', b: '1' }, { labels: { l: '1' } }),
        by('m', { a: '1', b: '1' }, { labels: { l: '1' } }),
        by('m', { a: '2' }),
        by('m', {}),
        configMaps.get('a'),
        by('m', { z: '1' }, {}, '&dryRun=All'),
        configMaps.get('a'),
        configMaps.apply('new', configMap('new'), 'fieldManager=m&dryRun=All'),
        configMaps.get('new'),
      ],
    },
    {
      name: 'conflicts',
      steps: [
        by('m1', { a: '1', b: '1', c: '1' }),
        by('m2', { a: '2' }),
        by('m2', { a: '2', b: '2' }),
        by('m2', { a: '1', d: '1' }),
        by('m2', { a: '2', d: '1' }),
        forced('m2', { a: '2', d: '1' }),
        by('m1', { a: '1', b: '1', c: '1' }),
        by('m3', { a: '9', b: '9', d: '9' }),
        updated('u', { b: '5' }),
        by('m1', { b: '1', c: '1' }),
        by('m3', { b: '9', d: '9' }),
        forced('m1', { b: '1' }),
        configMaps.get('a'),
        updated('u', { x: '1' }),
        by('m4', { x: '2' }),
        configMaps.replace('a', configMap('a', { only: '1' }), 'fieldManager=put'),
        by('m4', { only: '2' }),
        by('m4', {}, { labels: { l: '1' } }),
        by('m5', {}, { labels: { l: '2' } }),
        by('m5', {}, { annotations: { 'x.io/y': '2' } }),
        by('m4', {}, { annotations: { 'x.io/y': '3' } }),
      ],
    },
    {
      name: 'shared fields',
      steps: [
        by('m1', { a: '1' }),
        by('m2', { a: '1' }),
        by('m3', { a: '2' }),
        by('m1', {}),
        by('m2', {}),
        by('m1', { a: '1' }),
        by('m2', { a: '1' }),
        updated('u', { a: '2' }),
        updated('u', { a: '2' }),
        configMaps.get('a'),
        updated('u', { a: null }),
        by('m1', { a: '1' }),
      ],
    },
    {
      name: 'from update to apply and back',
      steps: [
        configMaps.create(configMap('a', { a: '1', b: '1' }), 'fieldManager=m'),
        by('m', { a: '1' }),
        by('m', { a: '2' }),
        by('other', { a: '2' }),
        updated('m', { a: '3' }),
        configMaps.get('a'),
        updated('m', { a: '3', b: '2' }),
        by('m', { a: '3', b: '2' }),
        by('m', { a: '3' }),
        updated('m2', { b: '9' }),
        configMaps.replace('a', configMap('a', { a: '3', b: '9', c: '1' }), 'fieldManager=m2'),
        configMaps.get('a'),
        configMaps.strategic('a', { metadata: { labels: { l: '1' } } }),
        configMaps.json('a', [{ op: 'add', path: '/data/j', value: '1' }]),
        configMaps.merge('a', { data: { n: '1' } }, '', { headers: { 'user-agent': 'kubectl/v1.35 (linux)' } }),
        configMaps.merge('a', { data: { n: '2' } }, '', { headers: { 'user-agent': '' } }),
        configMaps.merge('a', { data: { n: '3' } }, '', { headers: { 'user-agent': '/x' } }),
        configMaps.merge('a', { data: { n: '4' } }, '', { headers: { 'user-agent': 'a b(c)/d' } }),
        configMaps.merge('a', { data: { n: '5' } }, '', { headers: { 'user-agent': 'x'.repeat(200) } }),
        configMaps.merge('a', { data: { n: '6' } }, 'fieldManager=%20'),
      ],
    },
    {
      name: 'many updaters',
      steps: [
        by('m', { a: '0' }),
        ...Array.from({ length: 14 }, (_, i) => updated(`u${i}`, { [`k${i}`]: '1' })),
        configMaps.get('a'),
      ],
    },
    {
      name: 'reset and strip',
      steps: [
        by('m', { a: '1' }),
        configMaps.merge('a', { metadata: { managedFields: [{}] } }),
        updated('u', { b: '1' }),
        configMaps.get('a'),
        by('m', { a: '2' }),
        forced('m', { a: '2' }),
        configMaps.get('a'),
        configMaps.merge('a', { metadata: { managedFields: [] } }),
        by('n', { a: '2', b: '1' }),
        configMaps.merge('a', { metadata: { managedFields: null } }),
        configMaps.get('a'),
        configMaps.replace('a', configMap('a', { a: '8' }, { managedFields: [{}] })),
        configMaps.replace('a', configMap('a', { a: '7' }, { managedFields: [] })),
        by('z', { z: '1' }),
        configMaps.json('a', [{ op: 'replace', path: '/metadata/managedFields', value: [{}] }]),
        configMaps.json('a', [{ op: 'remove', path: '/metadata/managedFields' }]),
        configMaps.strategic('a', { metadata: { managedFields: [{}] } }),
      ],
    },
    {
      name: 'managed fields from clients',
      steps: [
        configMaps.create(configMap('a', { a: '1' }, { managedFields: [entry({})] })),
        configMaps.replace(
          'a',
          configMap('a', { a: '1' }, { managedFields: [entry({ manager: 'y' })] }),
          'fieldManager=w',
        ),
        configMaps.replace(
          'a',
          configMap(
            'a',
            { a: '1', b: '1' },
            { managedFields: [entry({ manager: 'y', operation: 'Apply' }), entry({})] },
          ),
          'fieldManager=w',
        ),
        by('y', { a: '1' }),
        by('y', {}),
        ...[
          { operation: 'Foo' },
          { operation: '' },
          { fieldsType: 'FieldsV2' },
          { fieldsType: '' },
          { fieldsV1: { q: {} } },
          { fieldsV1: { 'f:data': 5 } },
          { manager: 'g'.repeat(200) },
          { manager: '' },
          { apiVersion: 'v0' },
          { apiVersion: '' },
          { time: 'x' },
          { time: null },
          { subresource: 'status' },
          { fieldsV1: { 'k:{"a":1}': {}, 'v:"x"': {}, 'i:0': {}, '.': {} } },
          { fieldsV1: { 'k:x': {} } },
          { fieldsV1: { 'i:x': {} } },
        ].flatMap((more) => [
          configMaps.create(configMap('c', { a: '1' }, { managedFields: [entry(more as JsonObject)] }), 'dryRun=All'),
          configMaps.replace(
            'a',
            configMap('a', { a: '2' }, { managedFields: [entry(more as JsonObject)] }),
            'dryRun=All',
          ),
        ]),
        configMaps.merge('a', { metadata: { managedFields: 'x' } }),
        configMaps.merge('a', { metadata: { managedFields: ['x'] } }),
        configMaps.replace(
          'a',
          configMap('a', { a: '9' }, { managedFields: [entry({ fieldsV1: { 'f:data': { 'f:none': {} } } })] }),
        ),
        configMaps.get('a'),
      ],
    },
    {
      name: 'bodies that are refused',
      steps: [
        raw(configMap('a', {}, { managedFields: [] })),
        raw(configMap('a', {}, { managedFields: null })),
        raw(configMap('a', {}, { managedFields: [entry({})] })),
        raw({ kind: 'ConfigMap' }),
        raw({ apiVersion: 'v1' }),
        raw({}),
        raw(object('v1', 'Secret', 'a')),
        raw(object('v2', 'ConfigMap', 'a')),
        raw(object('apps/v1', 'ConfigMap', 'a')),
        raw(object('apps/v1', 'Deployment', 'a')),
        raw({ apiVersion: 5, kind: 'ConfigMap', metadata: { name: 'a' } }),
        raw({ apiVersion: 'v1', kind: 'ConfigMap', metadata: 'x' }),
        ...[
          '',
          ' ',
          'null',
          'foo',
          '[]',
          '- a',
          '5',
          '{',
          'a: b: c',
          'a: [',
          '\t',
          '---',
          '--- \n---\n',
          '%YAML 9',
          '{"a":1}x',
          'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: {u: "1"\n',
          'apiVersion: v1\n kind: x',
          'a: *b',
          'a: &b [*b]',
          '"x',
          "'x",
          '!!binary x',
          'a: !foo b',
          '? [a]: b',
          'a: b\na: c',
          '{a: }b',
        ].map((text) => raw(text)),
        raw({ ...configMap('a'), foo: 1 }),
        raw({ ...configMap('a'), data: 'x' }),
        raw({ ...configMap('a'), data: { a: 1 } }),
        raw({ ...configMap('a'), data: [] }),
        raw({ ...configMap('a'), metadata: { name: 'a', foo: 1 } }),
        raw({ ...configMap('a'), metadata: { name: 'a', labels: [] } }),
        raw({ ...configMap('a'), data: null }),
        raw({ ...configMap('a'), data: { a: null } }),
        raw({ ...configMap('a'), immutable: 'x' }),
        raw(configMap('a', {}, { uid: 'abc' })),
        raw(configMap('a', {}, { resourceVersion: '1' })),
        raw(configMap('a', {}, { creationTimestamp: '2020-01-01T00:00:00Z', generation: 4 })),
        raw(configMap('a', {}, { labels: { 'bad key': 'x' } })),
        raw(configMap('a', { 'bad/key': 'x' })),
        raw(configMap('a', {}, { uid: 'zz' })),
        raw(configMap('a', {}, { resourceVersion: '1' })),
        raw(configMap('b')),
        raw(configMap('a', {}, { namespace: 'other' })),
        raw(configMap('a', {}, { name: '' })),
        raw({ ...configMap('a'), foo: 1 }, 'fieldManager=m&fieldValidation=Strict'),
        raw(
          'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: {u: "1", u: "2"}',
          'fieldManager=m&fieldValidation=Strict',
        ),
        raw('apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: {u: "1", u: "2"}'),
        raw(
          'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: {u: "1", u: "2"}',
          'fieldManager=m&fieldValidation=Ignore',
        ),
      ],
    },
    {
      name: 'YAML bodies',
      steps: [
        raw(
          'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata:\n  plain: text\n  quoted: "yes"\n  ' +
            'block: |\n    two\n    lines\n  folded: >-\n    one\n    line\n',
        ),
        raw(
          '# comment\n---\napiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\n  labels: &l {x: "1"}\n  ' +
            'annotations: *l\n',
        ),
        raw(
          'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: {n: "1", y: "2", no: "3", on: "4", ' +
            'null: "5", 1: "6", 1.5: "7", true: "8", ~: "9"}\n',
        ),
        raw('apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: {a: yes}\n'),
        raw('apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: {a: 0o14}\n'),
        raw('apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: {a: 2020-01-01}\n'),
        raw('apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: {a: 1e3}\n'),
        raw(
          'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n---\napiVersion: v1\nkind: ' +
            'ConfigMap\nmetadata: {name: b}\n',
        ),
        raw('apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: {<<: {m: "1"}, n2: "2"}\n'),
        raw('apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\nbinaryData: {b: !!binary aGk=}\n'),
        raw('{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"},"data":{"n":"json"}}'),
        configMaps.get('a'),
      ],
    },
    {
      name: 'what kubectl applied before',
      steps: [
        configMaps.create(
          configMap(
            'a',
            { a: '1', b: '2' },
            {
              annotations: {
                'kubectl.kubernetes.io/last-applied-configuration':
                  '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"annotations":{},"name":"a"},' +
                  '"data":{"a":"1","b":"2"}}\n',
              },
            },
          ),
          'fieldManager=kubectl-client-side-apply',
        ),
        by('kubectl', { a: '1' }),
        configMaps.get('a'),
        by('kubectl', { a: '2' }),
        by('other', { b: '3' }),
        configMaps.create(
          configMap(
            'z',
            { a: '1' },
            { annotations: { 'kubectl.kubernetes.io/last-applied-configuration': 'not json' } },
          ),
          'fieldManager=kubectl-client-side-apply',
        ),
        configMaps.apply('z', configMap('z', { a: '1' }), 'fieldManager=kubectl'),
        configMaps.create(
          configMap(
            'y',
            { a: '1', b: '1' },
            {
              annotations: {
                'kubectl.kubernetes.io/last-applied-configuration':
                  '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"y"},"data":{"a":"1"}}',
              },
            },
          ),
          'fieldManager=kubectl-client-side-apply',
        ),
        configMaps.apply('y', configMap('y', { b: '2' }), 'fieldManager=kubectl'),
        configMaps.get('y'),
      ],
    },
  ],
}
