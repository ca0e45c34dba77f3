/** Forms of answers and bodies, methods, discovery, OpenAPI, version and health. */
import type { Step, Topic } from '../case.ts'
import { configMap, deployment, pod, richThing, service } from '../objects.ts'
import { asAlice, clusterResource, define, get, prepared, request, resource, thing, things } from '../steps.ts'

const configMaps = resource('configmaps')
const pods = resource('pods')
const here = '/api/v1/namespaces/{{ns}}'
const accept = (type: string, more: Record<string, string> = {}) => ({ headers: { accept: type, ...more } })
const as = (
  kind: string, version = 'v1', group = 'meta.k8s.io', type = 'application/json'
): string => `${type};as=${kind};v=${version};g=${group}`
const protobuf = 'application/vnd.kubernetes.protobuf'
const made = prepared(configMaps.create(configMap('a', { a: '1' }, { labels: { l: '1' } })))
const madeB = prepared(configMaps.create(configMap('b', {})))

const types = [
  'application/json', 'application/yaml', protobuf, '*/*', 'application/*', 'text/*', 'text/html',
  'text/html,*/*;q=0.8', 'text/html,application/json', '', 'application/json;q=0.1,application/yaml;q=0.9',
  'application/yaml;q=0.5,application/json', 'application/cbor', 'application/cbor,application/json',
  'application/json;foo=bar', 'APPLICATION/JSON',
  'application/json; charset=utf-8', 'application/json;pretty=1', 'application/json;pretty=true',
  'application/xml', 'json', ';', 'application/json;q=0', 'application/json;stream=watch',
  'application/json;as=Foo', 'application/json;as=Table', 'application/json;as=Table;v=v1',
  'application/json;as=Table;g=meta.k8s.io', as('Table', 'v9'), `${as('Table', 'v9')},application/json`,
  as('Foo'),
  as('Table', 'v1', 'foo'), as('Table'), as('Table', 'v1beta1'), as('PartialObjectMetadata'),
  as('PartialObjectMetadata', 'v1beta1'), as('PartialObjectMetadataList'),
  as('Table', 'v1', 'meta.k8s.io', 'application/yaml'),
  as('PartialObjectMetadata', 'v1', 'meta.k8s.io', protobuf), as('Table', 'v1', 'meta.k8s.io', protobuf),
  `${as('Table')},${as('Table', 'v1beta1')},application/json`,
]
const aggregated = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList'
const documents = [
  'apis/coordination.k8s.io/v1', 'apis/scheduling.k8s.io/v1', 'version', 'api', 'apis', 'apis/apps', 'logs',
  'apis/authentication.k8s.io/v1', 'apis/node.k8s.io/v1', 'apis/discovery.k8s.io/v1', 'apis/policy/v1',
  'apis/events.k8s.io/v1',
]
const groups = [
  'apps', 'batch', 'autoscaling', 'policy', 'rbac.authorization.k8s.io', 'coordination.k8s.io',
  'apiextensions.k8s.io', 'apiregistration.k8s.io', 'networking.k8s.io', 'storage.k8s.io',
  'authentication.k8s.io', 'authorization.k8s.io', 'events.k8s.io', 'admissionregistration.k8s.io',
  'flowcontrol.apiserver.k8s.io', 'resource.k8s.io', 'certificates.k8s.io', 'discovery.k8s.io', 'node.k8s.io',
  'scheduling.k8s.io',
]
const write = (type: string): Step[] => [
  configMaps.create(configMap('w'), '', accept(type)),
  configMaps.merge('w', { data: { b: '1' } }, '', accept(type)),
  configMaps.replace('w', configMap('w'), '', accept(type)),
  configMaps.create(configMap('w'), '', accept(type)), configMaps.delete('w', '', undefined, accept(type)),
  configMaps.get('w', '', accept(type)),
]

export const negotiation: Topic = {
  name: 'negotiation',
  cases: [
    {
      name: 'what Accept asks of one object',
      steps: [made, ...types.map((type) => configMaps.get('a', '', accept(type)))],
    },
    {
      name: 'what Accept asks of a list',
      steps: [made, madeB, ...types.map((type) => configMaps.list('', accept(type)))],
    },
    {
      name: 'what Accept asks of an error',
      steps: types.map((type) => configMaps.get('absent', '', accept(type))),
    },
    {
      name: 'what Accept asks of a write',
      steps: [
        as('Table'), as('PartialObjectMetadata'), as('PartialObjectMetadataList'), 'application/yaml',
        'text/html', protobuf, 'application/*',
      ].flatMap(write),
    },
    {
      name: 'what Accept asks of custom resources',
      steps: [
        prepared(define(richThing())), prepared(things.create(thing('a', { spec: { size: 's' } }))),
        ...types.flatMap((type) => [
          things.get('a', '', accept(type)), things.list('', accept(type)),
          things.get('absent', '', accept(type)),
        ]),
      ],
    },
    {
      name: 'tables',
      steps: [
        made, prepared(pods.create(pod('p'))),
        ...['None', 'Metadata', 'Object', 'Foo', ''].flatMap((include) => [
          configMaps.list(`includeObject=${include}`, accept(as('Table'))),
          pods.get('p', `includeObject=${include}`, accept(as('Table'))),
        ]),
        resource('deployments', 'apps/v1').create(deployment('d'), '', accept(as('Table'))),
        resource('services').create(service('s', { clusterIP: 'None' }), '', accept(as('Table'))),
        resource('secrets').table(), clusterResource('namespaces').table('{{ns}}'),
        resource('events').table(), resource('deployments', 'apps/v1').sub('scale').table('d'),
        resource('deployments', 'apps/v1').sub('status').table('d'), get('/api/v1', accept(as('Table'))),
        get('/version', accept(as('Table'))), configMaps.deleteAll('', undefined, accept(as('Table'))),
      ],
    },
    {
      name: 'partial metadata',
      steps: [
        made, madeB, configMaps.list('limit=1', accept(as('PartialObjectMetadataList'))),
        configMaps.list('', accept(as('PartialObjectMetadataList', 'v1beta1'))),
        configMaps.list('', accept(as('PartialObjectMetadataList', 'v1', 'meta.k8s.io', 'application/yaml'))),
        configMaps.list('', accept(as('PartialObjectMetadataList', 'v1', 'meta.k8s.io', protobuf))),
        configMaps.deleteAll('dryRun=All', undefined, accept(as('PartialObjectMetadataList'))),
        configMaps.deleteAll('', undefined, accept(as('PartialObjectMetadata'))),
      ],
    },
    {
      name: 'bodies in YAML',
      steps: [
        ...[
          'metadata: {name: y}\ndata: {a: b}\n', 'metadata: {name: z}\ndata: {a: 1}\n',
          'metadata: {name: z}\ndata: {a: yes}\n', 'a: b: c', '- a', '', ' ', 'null', '5', '"x"', '{',
          'metadata: {name: nm}\n---\nmetadata: {name: nq}\n', 'metadata: {name: x}\nmetadata: {name: y}\n',
          '\tx: 1', 'a: [1', 'a: *b', '{"metadata":{"name":"json"}}',
          'kind: Secret\napiVersion: v1\nmetadata: {name: s}', '? [x]\n: y',
          'metadata: {name: w}\ndata:\n  n: "1"\n  y: "2"\n', '---\nmetadata: {name: v}\n...\n',
          'metadata: {name: u}\ndata: {a: |\n  x}\n', 'x: "', "x: '", '@x', '`x', 'x: %y', '[a, b',
          'a: {b: c', '&a', '!!int x', '%YAML 1.1\n---\nmetadata: {name: t}\n', 'a: b\n  c: d', '- a\nb: c',
          'a:\n- b\n c: d', 'a: "\\q"', 'a: !!binary "!!"', 'metadata:\n  name: x\n name: y',
        ]
          .map((body) => configMaps.create(body, '', { headers: { 'content-type': 'application/yaml' } })),
        configMaps.list(),
      ],
    },
    {
      name: 'other methods and parameters',
      steps: [
        made, request('HEAD', `${configMaps.path}/a`), request('HEAD', configMaps.path),
        request('HEAD', '/healthz'), request('HEAD', '/version'), request('HEAD', '/nowhere'),
        request('HEAD', '/api/v1'), request('OPTIONS', `${configMaps.path}/a`),
        request('OPTIONS', '/healthz'), request('TRACE', configMaps.path),
        request('GET', `${configMaps.path}/a`, { x: 1 }), configMaps.get('a', 'pretty=true'),
        configMaps.get('a', 'pretty=0'), configMaps.get('a', 'export=true&exact=true&foo'),
        configMaps.get('a', '%zz'), configMaps.get('a', 'a=b;c=d'),
        configMaps.list('labelSelector=l;limit=1'),
        configMaps.get('a', '', { headers: { 'user-agent': 'curl/8' } }),
        configMaps.get('a', '', { headers: { 'accept-encoding': 'gzip' } }),
        configMaps.create(configMap('g'), '', { headers: { 'content-encoding': 'gzip' } }),
        asAlice(request('HEAD', `${configMaps.path}/a`)), asAlice(request('OPTIONS', `${configMaps.path}/a`)),
      ],
    },
    {
      name: 'discovery of groups',
      steps: [
        get('/api'), get('/api/'), get('/api/v1'), get('/api/v1/'),
        ...groups.flatMap((group) => [get(`/apis/${group}`)]),
        ...[
          'apps/v1', 'batch/v1', 'autoscaling/v1', 'autoscaling/v2', 'policy/v1',
          'rbac.authorization.k8s.io/v1', 'apiextensions.k8s.io/v1', 'apiregistration.k8s.io/v1',
          'networking.k8s.io/v1', 'storage.k8s.io/v1', 'authentication.k8s.io/v1', 'authorization.k8s.io/v1',
          'events.k8s.io/v1', 'admissionregistration.k8s.io/v1', 'flowcontrol.apiserver.k8s.io/v1',
          'resource.k8s.io/v1', 'certificates.k8s.io/v1', 'discovery.k8s.io/v1', 'node.k8s.io/v1',
          'scheduling.k8s.io/v1', 'coordination.k8s.io/v1',
        ].map((version) => get(`/apis/${version}`)),
        get('/apis/apps/'), get('/apis/apps/v1/'), get('/apis/apps/v9'), get('/apis/none'),
        get('/apis/none/v1'), get('/api/v9'), request('POST', '/apis/apps', {}),
        request('POST', '/api/v1', {}), request('DELETE', '/api'), asAlice(get('/api')),
        asAlice(get('/apis/apps/v1')), get('/api', accept('application/yaml')),
        get('/api/v1', accept('application/yaml')), get('/apis/apps', accept('text/html')),
        get('/api', accept('*/*')), get('/apis/apps/v1', accept('application/*')),
        get('/apis/apps', accept('application/cbor')),
      ],
    },
    {
      name: 'aggregated discovery',
      steps: [
        get('/api', accept(aggregated)), get('/api', accept(`${aggregated},application/json`)),
        get(
          '/api',
          accept('application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList,application/json')
        ),
        get('/api', accept('application/json;g=apidiscovery.k8s.io;v=v9;as=APIGroupDiscoveryList')),
        get(
          '/api',
          accept('application/json;g=apidiscovery.k8s.io;v=v9;as=APIGroupDiscoveryList,application/json')
        ),
        get('/api', accept('application/yaml;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList')),
        get('/api', accept(aggregated, { 'if-none-match': '"x"' })),
        get('/api', accept(aggregated, { 'if-none-match': '{{0.none}}' })),
        get('/api/v1', accept(aggregated)), get('/apis/apps', accept(aggregated)),
        get('/apis/apps/v1', accept(aggregated)), get('/api', accept(`application/json,${aggregated}`)),
        asAlice(get('/api', accept(aggregated))),
        get('/api', accept('application/json;g=apidiscovery.k8s.io;v=v2;as=Foo')),
      ],
    },
    {
      name: 'discovery of custom resources',
      steps: [
        prepared(define(richThing())), get('/apis/{{ns}}.example.com'), get('/apis/{{ns}}.example.com/v1'),
        get('/apis/{{ns}}.example.com/'), get('/apis/{{ns}}.example.com/v2'),
        get('/apis/{{ns}}.example.com/v1', accept('application/yaml')),
        request('POST', '/apis/{{ns}}.example.com', {}), request('POST', '/apis/{{ns}}.example.com/v1', {}),
        asAlice(get('/apis/{{ns}}.example.com')),
      ],
    },
    {
      name: 'OpenAPI documents',
      steps: [
        ...documents.map((document) => get(`/openapi/v3/${document}`)), get('/openapi/v3/apis/none/v1'),
        get('/openapi/v3/'), get('/openapi'), get('/openapi/v9'), request('POST', '/openapi/v3/api', {}),
        get('/openapi/v3/version', accept('text/html')),
        get('/openapi/v3/version', accept('application/yaml')), get('/openapi/v3/version?hash=wrong'),
        get('/openapi/v2', accept('text/html')), asAlice(get('/openapi/v3/version')),
        get(
          '/openapi/v3/version',
          accept('application/com.github.proto-openapi.spec.v3@v1.0+protobuf;q=0,application/json')
        ),
      ],
    },
    {
      name: 'version and health',
      steps: [
        get('/version'), get('/version/'), get('/version', accept('application/yaml')),
        get('/version', accept('text/html')), request('POST', '/version', {}),
        ...[
          '/livez', '/readyz', '/healthz', '/livez/ping', '/healthz/ping', '/readyz/ping', '/livez/none',
          '/readyz/etcd', '/healthz/etcd', '/readyz/shutdown', '/livez?exclude=ping', '/livez?exclude=none',
          '/livez/', '/healthz?foo', '/livez/ping?verbose',
        ].flatMap((path) => [get(path), asAlice(get(path))]),
        get('/livez?verbose'), get('/readyz?verbose'), get('/healthz?verbose'),
        get('/livez?verbose&exclude=etcd'), get('/livez?verbose&exclude=none&exclude=other'),
        get('/readyz?verbose=1&exclude=etcd'), get('/healthz', accept('text/html')),
        get('/livez', accept('application/json')), request('POST', '/livez', {}),
      ],
    },
    {
      name: 'compression',
      steps: [
        prepared(configMaps.create(configMap('big', { big: 'x'.repeat(140_000) }))),
        request('HEAD', `${configMaps.path}/big`, undefined, { headers: { 'accept-encoding': 'gzip' } }),
        configMaps.get('absent', '', { headers: { 'accept-encoding': 'gzip' } }),
      ],
    },
    {
      name: 'paths',
      steps: [
        get(`${here}/`), get('/api//v1'), get('//api/v1'), get('/api/v1/../v1'), get('/./api'),
        get('/API/v1'), get('/api/v1?x=%zz'), get('/metrics/none'), get('/logs'), get('/swagger.json'),
        get('/favicon.ico'), get('/.well-known/none'), get('/statusz/none'),
      ].map((step) => step),
    },
  ],
}
