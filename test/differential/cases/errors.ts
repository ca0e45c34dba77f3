/** What is refused, and in which words: statuses, options, bodies, methods. */
import type { Json } from '../../../src/api/json.ts'
import type { Topic } from '../case.ts'
import { configMap, deployment, pod, richThing } from '../objects.ts'
import { asAlice, clusterResource, define, get, prepared, request, resource, thing, things } from '../steps.ts'

const configMaps = resource('configmaps')
const pods = resource('pods')
const deployments = resource('deployments', 'apps/v1')
const here = '/api/v1/namespaces/{{ns}}'

/** Bodies that are no ConfigMap. */
const foreign: readonly Json[] = [
  ' ', 'null', '[]', '"x"', '5', '{', '{}x', '{"metadata":{"name":"a"}', '{"a":1,}',
  '{"metadata":{"name":"a"},"data":{"a":tru}}',
  { kind: 'Secret', metadata: { name: 'a' } },
  { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'a' } },
  { apiVersion: 'v2', metadata: { name: 'a' } },
  { apiVersion: 'v2', kind: 'ConfigMap', metadata: { name: 'a' } },
  { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'a' } },
  { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'a' }, spec: { replicas: 'x' } },
  { apiVersion: 'batch/v1', kind: 'CronJob', metadata: { name: 'a' } },
  { apiVersion: 'a/b/c', metadata: { name: 'a' } },
  { kind: 5 }, { apiVersion: {} }, { kind: [], metadata: {} },
  { kind: 'configmap', apiVersion: 'v1', metadata: { name: 'a' } },
  { kind: 'ConfigMapList', apiVersion: 'v1', metadata: {}, items: [] },
  { kind: 'Status', apiVersion: 'v1' },
  { kind: 'DeleteOptions', apiVersion: 'v1' },
  { kind: 'PodList', apiVersion: 'v1', items: [] },
  { apiVersion: 'foo/v1', kind: 'ConfigMap' }, { apiVersion: 'foo/v1', kind: 'Foo' },
  { apiVersion: 'autoscaling/v1', kind: 'Scale', metadata: { name: 'a' } },
]

/** Values of a wrong type in a ConfigMap and a Deployment. */
const mistyped: readonly Json[] = [
  { metadata: 'x' }, { metadata: [] }, { metadata: { name: 5 } }, { metadata: { name: 'a', labels: ['x'] } },
  { metadata: { name: 'a', labels: { x: 1 } } }, { metadata: { name: 'a', creationTimestamp: 'garbage' } },
  { metadata: { name: 'a', finalizers: 'x' } },
  { metadata: { name: 'a', ownerReferences: [{ controller: 'yes' }] } },
  { metadata: { name: 'a', generation: 1.5 } }, { metadata: { name: 'a' }, data: 'x' },
  { metadata: { name: 'a' }, data: { a: {} } },
  { metadata: { name: 'a' }, data: { a: true } }, { metadata: { name: 'a' }, binaryData: { b: '!!!' } },
  { metadata: { name: 'a' }, immutable: 'yes' }, { metadata: { name: 'a', deletionGracePeriodSeconds: '5' } },
]

const typed = (type: string) => ({ headers: { 'content-type': type } })

export const errors: Topic = {
  name: 'errors',
  cases: [
    {
      name: 'what is missing',
      steps: [
        configMaps.get('absent'), configMaps.replace('absent', configMap('absent')),
        configMaps.merge('absent', {}),
        configMaps.strategic('absent', {}), configMaps.json('absent', []), configMaps.delete('absent'),
        pods.sub('status').get('absent'), pods.sub('status').merge('absent', {}),
        pods.sub('status').replace('absent', pod('absent')),
        pods.sub('status').apply('absent', pod('absent'), 'fieldManager=m'),
        deployments.sub('scale').get('absent'),
        deployments.sub('scale').merge('absent', { spec: { replicas: 1 } }),
        get(`${here}/nothings`), get('/apis/nothing.example.com/v1/nothings'),
        get('/apis/nothing.example.com/v1'), get('/apis/nothing'),
        get('/nowhere'), get('/api/v2/configmaps'), get('/apis/apps/v2/deployments'),
        get('/apis/apps/v1/foos'), get('/apis/v1/configmaps'),
        get('/apis/apps/v1/namespaces/{{ns}}/configmaps'), get('/api/v1/namespaces/{{ns}}-not'),
        clusterResource('nodes').get('{{ns}}'),
      ],
    },
    {
      name: 'namespaced and not',
      steps: [
        get(`${here}/nodes`), get(`${here}/nodes/x`),
        request('POST', `${here}/nodes`, { metadata: { name: 'x' } }),
        get(`${here}/namespaces`), get(`${here}/namespaces/default`),
        request('POST', '/api/v1/configmaps', configMap('a')),
        request('POST', '/api/v1/configmaps', configMap('a', {}, { namespace: '{{ns}}' })),
        get('/api/v1/configmaps/a'),
        request('DELETE', '/api/v1/configmaps'), get('/api/v1//configmaps'),
        get(`${configMaps.path}/`), get(`${configMaps.path}//`), get(`${configMaps.path}/a/`),
        get(`${configMaps.path}/%zz`),
        get(`${configMaps.path}/a%2Fb`), get(`${configMaps.path}/n%6D`), get(`${configMaps.path}/%C3%BC`),
        request('DELETE', `${configMaps.path}/%C3%BC`),
        get(`${configMaps.path}/a/foo`), get(`${deployments.path}/x/foo`),
        get(`${deployments.path}/x/status/foo`), get('/api/v1/watch/configmaps/foo'),
      ],
    },
    {
      name: 'a second create',
      steps: [
        configMaps.create(configMap('a')), configMaps.create(configMap('a')),
        configMaps.create(configMap('a', { a: '2' }), 'dryRun=All'),
        configMaps.create(configMap('f', {}, { finalizers: ['x.io/y'] })), configMaps.delete('f'),
        configMaps.create(configMap('f')),
        deployments.create(deployment('d')), deployments.create(deployment('d')),
        configMaps.merge('f', { metadata: { finalizers: null } }),
      ],
    },
    {
      name: 'a stale resourceVersion',
      steps: [
        configMaps.create(configMap('a')),
        configMaps.merge('a', { data: { a: '2' } }),
        configMaps.replace(
          'a', configMap('a', { a: '3' }, { resourceVersion: '{{0.metadata.resourceVersion}}' })
        ),
        configMaps.replace('a', configMap('a', { a: '3' }, { uid: '{{0.metadata.uid}}x' })),
        configMaps.replace(
          'a', configMap('a', { a: '3' }, { uid: 'abc', resourceVersion: '{{1.metadata.resourceVersion}}' })
        ),
        configMaps.replace(
          'a', configMap('a', { a: '3' }, { resourceVersion: '{{1.metadata.resourceVersion}}' })
        ),
        ...['abc', '0', '-1', '', '99999999999999999999999', '1.5'].map((resourceVersion) => {
          return configMaps.replace('a', configMap('a', { a: '4' }, { resourceVersion }))
        }),
        configMaps.replace('absent', configMap('absent', {}, { resourceVersion: '3', uid: 'x' })),
        ...['merge', 'strategic'].map((verb) => {
          return configMaps[verb as 'merge'](
            'a', { metadata: { resourceVersion: '{{0.metadata.resourceVersion}}' }, data: { b: '1' } }
          )
        }),
        configMaps.json(
          'a', [{ op: 'replace', path: '/metadata/resourceVersion', value: '{{0.metadata.resourceVersion}}' }]
        ),
        configMaps.merge('a', { metadata: { resourceVersion: 'abc' } }),
        configMaps.merge('a', { metadata: { resourceVersion: '0' } }),
        configMaps.merge('a', { metadata: { resourceVersion: '' } }),
        configMaps.merge('a', { metadata: { uid: 'abc' } }),
        configMaps.merge('a', { metadata: { uid: '' } }),
        configMaps.merge('a', { metadata: { resourceVersion: null, uid: null } }),
      ],
    },
    {
      name: 'no rights',
      steps: [
        asAlice(configMaps.get('a')), asAlice(configMaps.list()), asAlice(configMaps.create(configMap('a'))),
        asAlice(configMaps.watch('')),
        asAlice(configMaps.replace('a', configMap('a'))), asAlice(configMaps.merge('a', {})),
        asAlice(configMaps.delete('a')), asAlice(configMaps.deleteAll()),
        asAlice(configMaps.apply('a', configMap('a'), 'fieldManager=m')),
        asAlice(deployments.sub('scale').get('d')), asAlice(deployments.sub('status').merge('d', {})),
        asAlice(get('/api/v1/nodes')), asAlice(get('/metrics')),
        asAlice(request('POST', '/api/v1/nodes', {})), asAlice(get('/nowhere')),
        asAlice(get('/apis/nothing.example.com/v1/nothings/x')), asAlice(get('/api/v1/nothings')),
        asAlice(get('/apis/apps')), asAlice(get('/healthz')),
        asAlice(request('POST', configMaps.path, '{')),
        asAlice(configMaps.create(configMap('a'), 'dryRun=foo')),
        { ...configMaps.get('a'), token: 'nobody' },
        { ...configMaps.get('a'), headers: { authorization: '' } },
        { ...configMaps.get('a'), headers: { authorization: 'Basic YTpi' } },
        { ...get('/version'), token: 'nobody' }, { ...get('/nowhere'), token: 'nobody' },
      ],
    },
    {
      name: 'bodies that are something else on create',
      steps: [request('POST', configMaps.path), ...foreign.map((body) => configMaps.create(body))],
    },
    {
      name: 'bodies that are something else on update',
      steps: [
        prepared(configMaps.create(configMap('a'))), request('PUT', `${configMaps.path}/a`),
        ...foreign.map((body) => configMaps.replace('a', body)),
      ],
    },
    {
      name: 'values of a wrong type',
      steps: [
        ...mistyped.map((body) => configMaps.create(body)),
        deployments.create(deployment('d', { replicas: '3' })),
        deployments.create(deployment('d', { replicas: 1.5 })),
        deployments.create(deployment('d', { replicas: 3_000_000_000 })),
        deployments.create(deployment('d', { strategy: [] })),
        deployments.create(deployment('d', { selector: 'x' })),
        deployments.create(deployment(
          'd', {}, { containers: [{ name: 'c', image: 'i', ports: [{ containerPort: 'http' }] }] }
        )),
        deployments.create(deployment(
          'd', {}, { containers: [{ name: 'c', image: 'i', resources: { limits: { cpu: 'x' } } }] }
        )),
        deployments.create(deployment('d', {}, { containers: { name: 'c' } })),
      ],
    },
    {
      name: 'bodies of custom resources that are something else',
      steps: [
        prepared(define(richThing())), prepared(things.create(thing('a', { spec: { size: 's' } }))),
        ...[...foreign.slice(0, 12), ...foreign.slice(16, 20)].flatMap((body) => [
          things.create(body), things.replace('a', body),
        ]),
        things.create({ ...thing('b'), kind: 'Foo' }),
        things.create({ ...thing('b'), apiVersion: '{{ns}}.example.com/v2' }),
        things.create({ metadata: { name: 'b' } }), things.create({ kind: 'Thing', metadata: { name: 'b' } }),
        things.create({ ...thing('b'), metadata: 'x' }),
        things.create({ ...thing('b'), metadata: { name: 'b', labels: { a: 1 } } }),
        things.create({ ...thing('b'), metadata: { name: 'b', finalizers: {} } }),
        things.create({ ...thing('b'), metadata: { name: 5 } }),
        things.create({ ...thing('b'), metadata: null }),
        things.create({ ...thing('b'), metadata: { name: 'b', managedFields: 5 } }),
      ],
    },
    {
      name: 'requests to custom resources',
      steps: [
        prepared(define(richThing())), things.create(thing('a', { spec: { size: 's' } })),
        things.get('absent'), things.delete('absent'),
        things.replace('absent', thing('absent', {}, { resourceVersion: '1' })), things.merge('absent', {}),
        things.create(thing('a')), things.replace('a', thing('a')),
        things.replace('a', thing('a', {}, { resourceVersion: '1' })),
        things.replace('a', thing('a', {}, { resourceVersion: '{{1.metadata.resourceVersion}}', uid: 'x' })),
        things.replace('a', thing('b')),
        things.create(thing('b', {}, { namespace: 'other' })),
        things.create(thing('b', {}, { resourceVersion: '5' })), things.strategic('a', {}),
        things.merge('a', {}, '', typed('application/json')), things.merge('a', {}, '', typed('text/plain')),
        things.create(thing('c'), '', typed('text/plain')),
        things.get('a', '', { headers: { accept: 'text/html' } }),
        things.get('a', '', { headers: { accept: 'application/vnd.kubernetes.protobuf' } }),
        things.sub('status').get('a'), things.sub('scale').get('a'),
        things.sub('scale').merge('a', { spec: { replicas: 2 } }), things.sub('scale').get('a'),
        things.sub('log').get('a'), things.sub('status').create(thing('a')),
        request('POST', `${things.path}/a`, {}), request('PUT', things.path, {}),
        request('PATCH', things.path, {}), things.create(thing('x'), 'dryRun=foo'),
        things.delete('a', '', { preconditions: { uid: 'abc' } }),
        things.delete('a', '', { preconditions: { resourceVersion: '1' } }),
        get('/apis/{{ns}}.example.com/v1/things/a'), get('/apis/{{ns}}.example.com/v2/things'),
        get('/apis/{{ns}}.example.com/v1/others'),
        get('/apis/{{ns}}.example.com/v1/namespaces/{{ns}}/others/x'),
      ],
    },
    {
      name: 'options of writes',
      steps: [
        ...[
          'dryRun=foo', 'dryRun=all', 'dryRun=', 'dryRun=All&dryRun=All', 'dryRun=All&dryRun=x',
          'fieldManager=a%0Ab', `fieldManager=${'x'.repeat(129)}`, 'fieldManager=%C3%BC',
          'fieldValidation=Foo', 'fieldValidation=strict', 'fieldValidation=',
          'dryRun=x&fieldValidation=y&fieldManager=%00', 'pretty=true&foo=bar', 'force=true',
        ].map((options) => configMaps.create(configMap('q'), options)),
        configMaps.delete('q'), prepared(configMaps.create(configMap('a'))),
        ...[
          'dryRun=foo', 'fieldManager=a%0Ab', 'fieldValidation=Foo',
          'dryRun=x&fieldValidation=y&fieldManager=%00', 'force=true',
        ].map((options) => configMaps.replace('a', configMap('a'), options)),
        ...[
          'dryRun=foo', 'fieldManager=a%0Ab', 'fieldValidation=Foo', 'force=true', 'force=false', 'force=abc',
          'dryRun=x&force=true&fieldValidation=y',
        ].map((options) => configMaps.merge('a', {}, options)),
        ...[
          '', 'fieldManager=', 'force=true', 'fieldManager=m&force=abc', 'fieldManager=m&dryRun=x',
          `fieldManager=${'x'.repeat(129)}`,
        ].map((options) => configMaps.apply('a', configMap('a'), options)),
        ...[
          'dryRun=foo', 'gracePeriodSeconds=abc', 'propagationPolicy=Foo',
          'propagationPolicy=Orphan&orphanDependents=true', 'orphanDependents=x',
          'gracePeriodSeconds=-1&dryRun=x',
        ].map((options) => configMaps.delete('a', options)),
        ...[
          { dryRun: ['foo'] }, { dryRun: 'All' }, { dryRun: [1] }, { gracePeriodSeconds: 'x' },
          { gracePeriodSeconds: 1.5 }, { propagationPolicy: 'Foo' },
          { propagationPolicy: 'Orphan', orphanDependents: true }, { preconditions: 'x' },
          { preconditions: { uid: 5 } }, { kind: 'Pod' }, { kind: 'Foo', apiVersion: 'v1' },
          { apiVersion: 'zz/v1', kind: 'DeleteOptions' }, '[]', '{bad', '"x"',
        ].map((options) => configMaps.delete('a', '', options)),
        configMaps.get('a'),
      ],
    },
    {
      name: 'a name or namespace other than the URL’s',
      steps: [
        prepared(configMaps.create(configMap('a'))),
        configMaps.create(configMap('b', {}, { namespace: 'other' })),
        configMaps.create(configMap('b', {}, { namespace: '' })),
        configMaps.replace('a', configMap('other')), configMaps.replace('a', configMap('')),
        configMaps.replace('a', {}), configMaps.replace('a', { metadata: {} }),
        configMaps.replace('a', configMap('a', {}, { namespace: 'other' })),
        configMaps.merge('a', { metadata: { name: 'other' } }),
        configMaps.merge('a', { metadata: { namespace: 'other' } }),
        configMaps.merge('a', { metadata: { name: null } }),
        configMaps.merge('a', { metadata: { namespace: null } }), configMaps.merge('a', { metadata: null }),
        configMaps.merge('a', { kind: 'Secret' }), configMaps.merge('a', { apiVersion: 'v2' }),
        configMaps.merge('a', { kind: null }), configMaps.merge('a', { apiVersion: null }),
        configMaps.apply('a', configMap('other'), 'fieldManager=m'),
        configMaps.apply('n', configMap('n', {}, { namespace: 'other' }), 'fieldManager=m'),
        configMaps.apply('n', { apiVersion: 'v1', kind: 'ConfigMap' }, 'fieldManager=m'),
        configMaps.apply('Bad', configMap('Bad'), 'fieldManager=m'),
        configMaps.replace('Bad', configMap('Bad')),
        configMaps.create(configMap('a', {}, { resourceVersion: '5' })),
        configMaps.create(configMap('z', {}, { resourceVersion: '0' })),
        configMaps.create(configMap('y', {}, { resourceVersion: 'abc' })),
        request('POST', '/api/v1/namespaces/{{ns}}-not/configmaps', configMap('a')),
        get('/api/v1/namespaces/{{ns}}-not/configmaps'),
        request(
          'PATCH', '/api/v1/namespaces/{{ns}}-not/configmaps/a?fieldManager=m', configMap('a'),
          { headers: { 'content-type': 'application/apply-patch+yaml' } }
        ),
      ],
    },
  ],
}
