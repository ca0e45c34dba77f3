/** Other encodings than JSON: discovery and OpenAPI in protobuf, and CBOR, which the server rejects. */
import type { Topic } from '../case.ts'
import { configMap, richThing } from '../objects.ts'
import { asAlice, define, get, prepared, request, resource, thing, things } from '../steps.ts'

const configMaps = resource('configmaps')
const protobuf = 'application/vnd.kubernetes.protobuf'
const aggregated = ';g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList'
const openApi = 'application/com.github.proto-openapi.spec.v2@v1.0+protobuf'
const accept = (type: string, more: Readonly<Record<string, string>> = {}) => ({ headers: { accept: type, ...more } })
const sent = (type: string, more: Readonly<Record<string, string>> = {}) => ({
  headers: { 'content-type': type, ...more },
})

/** `application/cbor` alone, with others, and in the spellings that clients use. */
const cborAccepts = [
  'application/cbor',
  'application/cbor, application/json;q=0.9',
  'application/cbor,application/json',
  'application/json, application/cbor',
  'application/cbor;q=0.5, application/yaml;q=0.4',
  `application/cbor,${protobuf},application/json`,
  'application/cbor, */*',
  'application/cbor;as=Table;v=v1;g=meta.k8s.io,application/json;as=Table;v=v1;g=meta.k8s.io,application/json',
  'application/cbor-seq',
  'application/cbor-seq,application/json',
]
/** A CBOR map with one pair that is also valid UTF-8. */
const cborBody = '\u0061\u0062'

export const wireForms: Topic = {
  name: 'wire-forms',
  // CRDs of other cases would change the documents in the meantime.
  alone: true,
  cases: [
    {
      name: 'OpenAPI v2: forms and tags',
      steps: [
        ...[
          openApi,
          'application/com.github.proto-openapi.spec.v2.v1.0+protobuf',
          `${openApi};q=0.5,application/json`,
          `application/json;q=0.5,${openApi}`,
          'application/json',
          '*/*',
          'application/*',
          'text/html',
          'application/yaml',
          protobuf,
          'application/com.github.proto-openapi.spec.v3@v1.0+protobuf',
          `${openApi};foo=bar`,
          '',
          'application/com.github.proto-openapi.spec.v2@v1.0',
        ].map((type) => request('HEAD', '/openapi/v2', undefined, accept(type))),
        request('HEAD', '/openapi/v2', undefined, accept(openApi, { 'if-none-match': '{{0@etag}}' })),
        request('HEAD', '/openapi/v2', undefined, accept('application/json', { 'if-none-match': '{{0@etag}}' })),
        request('HEAD', '/openapi/v2', undefined, accept(openApi, { 'if-none-match': '"x"' })),
        asAlice(request('HEAD', '/openapi/v2', undefined, accept(openApi))),
        get('/openapi/v2', accept(openApi, { 'if-none-match': '{{0@etag}}' })),
        get('/openapi/v2', accept('text/html')),
      ],
    },
    {
      name: 'discovery in protobuf',
      steps: [
        '/api',
        '/api/v1',
        '/apis/apps',
        '/apis/apps/v1',
        '/apis/batch/v1',
        '/apis/authorization.k8s.io/v1',
        '/apis/policy',
        '/apis/apiextensions.k8s.io/v1',
        '/api/v9',
        '/apis/none',
        '/apis/apps/v9',
      ].flatMap((path) => [get(path, accept(protobuf)), get(path, accept(`${protobuf},application/json`))]),
    },
    {
      name: 'what is chosen for discovery',
      steps: [
        `application/json;q=0.5,${protobuf}`,
        `application/json,${protobuf}`,
        `${protobuf};q=0.5,application/yaml;q=0.4`,
        `${protobuf}${aggregated}`,
        `${protobuf}${aggregated},application/json`,
        `application/json,${protobuf}${aggregated}`,
        `${protobuf}${aggregated},application/json${aggregated}`,
        `application/json${aggregated},${protobuf}${aggregated}`,
        `${protobuf};g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList`,
        `${protobuf};g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList,${protobuf}`,
        `${protobuf};as=Table;v=v1;g=meta.k8s.io`,
        `${protobuf};foo=bar`,
        `${protobuf};charset=utf-8`,
      ].flatMap((type) => ['/api', '/apis/apps', '/apis/apps/v1'].map((path) => get(path, accept(type)))),
    },
    {
      name: 'aggregated discovery and its tag',
      steps: [
        get('/api', accept(`${protobuf}${aggregated}`)),
        get('/api', accept(`${protobuf}${aggregated}`, { 'if-none-match': '{{0@etag}}' })),
        get('/api', accept(`application/json${aggregated}`, { 'if-none-match': '{{0@etag}}' })),
        get('/api', accept(`${protobuf}${aggregated}`, { 'if-none-match': '"x"' })),
        asAlice(get('/api', accept(`${protobuf}${aggregated}`))),
      ],
    },
    {
      name: 'discovery of custom resources in protobuf',
      steps: [
        prepared(define(richThing())),
        get('/apis/{{ns}}.example.com', accept(protobuf)),
        get('/apis/{{ns}}.example.com/v1', accept(protobuf)),
        get('/apis/{{ns}}.example.com/v1', accept(`${protobuf},application/json`)),
        get('/apis/{{ns}}.example.com/v2', accept(protobuf)),
      ],
    },
    {
      name: 'answers in CBOR',
      steps: [
        prepared(configMaps.create(configMap('a'))),
        ...cborAccepts.flatMap((type) => [
          configMaps.get('a', '', accept(type)),
          configMaps.list('', accept(type)),
          configMaps.get('absent', '', accept(type)),
          get('/api', accept(type)),
          get('/apis/apps/v1', accept(type)),
          get('/version', accept(type)),
        ]),
        ...[
          'application/cbor',
          'application/cbor,application/json',
          'application/cbor-seq',
          'application/cbor-seq,application/json;stream=watch',
        ].map((type) => configMaps.watch('timeoutSeconds=1', undefined, accept(type))),
      ],
    },
    {
      name: 'bodies in CBOR',
      steps: [
        prepared(configMaps.create(configMap('a'))),
        ...['application/cbor', 'application/cbor-seq', 'application/cbor;x=y', 'Application/CBOR'].flatMap((type) => [
          configMaps.create(cborBody, '', sent(type)),
          configMaps.replace('a', cborBody, '', sent(type)),
          configMaps.merge('a', cborBody, '', sent(type)),
          configMaps.delete('a', 'dryRun=All', cborBody, sent(type)),
          configMaps.create(cborBody, '', sent(type, { accept: 'application/cbor' })),
        ]),
        configMaps.apply('a', cborBody, 'fieldManager=m', sent('application/apply-patch+cbor')),
        configMaps.create(configMap('b'), '', sent('application/json', { accept: 'application/cbor' })),
        configMaps.get('b'),
      ],
    },
    {
      name: 'custom resources and CBOR',
      steps: [
        prepared(define(richThing())),
        prepared(things.create(thing('a', { spec: { size: 's' } }))),
        ...cborAccepts.flatMap((type) => [things.get('a', '', accept(type)), things.list('', accept(type))]),
        things.create(cborBody, '', sent('application/cbor')),
        things.merge('a', cborBody, '', sent('application/cbor')),
        things.apply('a', cborBody, 'fieldManager=m', sent('application/apply-patch+cbor')),
        things.delete('a', '', cborBody, sent('application/cbor')),
      ],
    },
  ],
}
