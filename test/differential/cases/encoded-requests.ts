/** Requests with unusual encodings: paths with percent signs, repeated keys, unknown methods. */
import type { Topic } from '../case.ts'
import { configMap, richThing } from '../objects.ts'
import { asAlice, define, get, prepared, request, resource, things } from '../steps.ts'

const configMaps = resource('configmaps')

export const encodedRequests: Topic = {
  name: 'encoded-requests',
  cases: [
    {
      name: 'percent signs in paths about the API',
      steps: [
        '/%61pi',
        '/api%2Fv1',
        '/api/%76%31',
        '/%61pis/apps',
        '/apis/%61pps',
        '/apis/apps/v%31',
        '/apis/apps%2Fv1',
        '/%76ersion',
        '/version%2F',
        '/%6Civez',
        '/livez/%70ing',
        '/livez%2Fping',
        '/livez%3Fverbose',
        '/%68ealthz',
        '/openapi/v3%2Fversion',
        '/openapi/v3/%76ersion',
        '/apis/none%20',
        '/%',
        '/%2',
        '/%zz',
        '/api/v1%20',
        '/%00',
        '/api%00',
        '/%2e%2e/api',
        '/api/%2e',
        '/%2Fapi',
        '/a%20b',
        '/%C3%A4',
        '/.well-known%2Fopenid-configuration',
        '/%2Ewell-known/openid-configuration',
        '/metrics%2Fnone',
      ].flatMap((path) => [get(path), asAlice(get(path))]),
    },
    {
      name: 'percent signs in paths of objects',
      steps: [
        prepared(configMaps.create(configMap('a'))),
        ...[
          '/%61pi/v1/namespaces/{{ns}}/configmaps/a',
          '/api/%761/namespaces/{{ns}}/configmaps/a',
          '/api/v1/%6Eamespaces/{{ns}}/configmaps/a',
          '/api/v1/namespaces/{{ns}}/%63onfigmaps/a',
          '/api/v1/namespaces/{{ns}}/configmaps/%61',
          '/api/v1/namespaces/{{ns}}/configmaps%2Fa',
          '/api/v1/namespaces%2F{{ns}}/configmaps/a',
          '/api/v1/namespaces/{{ns}}/configmaps/a%2Fstatus',
          '/api/v1/namespaces/{{ns}}/configmaps/a%3Fx',
          '/api/v1/namespaces/{{ns}}/configmaps/%C3%A4',
          '/api/v1/namespaces/{{ns}}/configmaps/a%20b',
          '/api/v1/namespaces/{{ns}}/configmaps/a+b',
          '/api/v1/namespaces/{{ns}}/configmaps/%25',
          '/apis/%61pps/v1/namespaces/{{ns}}/deployments',
        ].flatMap((path) => [get(path), asAlice(get(path))]),
        request('POST', '/%61pi/v1/namespaces/{{ns}}/configmaps', configMap('b')),
        request('DELETE', '/api/v1/namespaces/{{ns}}/%63onfigmaps/a'),
      ],
    },
    {
      name: 'keys that stand there twice',
      steps: [
        '{"metadata":{"name":"a"},"metadata":{"labels":{"x":"y"}}}',
        '{"metadata":{"name":"b","labels":{"x":"1"}},"metadata":{"labels":{"y":"2"}},"data":{"a":"1"},' +
          '"data":{"b":"2"}}',
        '{"metadata":{"name":"c"},"data":{"a":"1","a":"2"}}',
        '{"metadata":{"name":"d","name":"e"}}',
        '{"metadata":{"name":"f","finalizers":["a.b/c","d.e/f"]},"metadata":{"finalizers":["g.h/i"]}}',
        '{"metadata":{"name":"g"},"data":{"a":"1"},"data":null}',
        '{"metadata":{"name":"h"},"metadata":null}',
        '{"metadata":{"name":"i"},"metadata":5}',
        '{"kind":"ConfigMap","kind":"Secret","metadata":{"name":"j"}}',
        '{"metadata":{"name":"k","ownerReferences":[{"apiVersion":"v1","kind":"ConfigMap","name":"x",' +
          '"uid":"1"}]},"metadata":{"ownerReferences":[{"name":"y"}]}}',
        '{"metadata":{"name":"l"},"unknown":{"a":1},"unknown":{"b":2}}',
        '{"metadata":{"name":"m"},"immutable":true,"immutable":false}',
        '{"metadata":{"name":"n","labels":{"x":"1"},"labels":{"x":"2","y":"3"}}}',
      ].flatMap((text) =>
        ['Strict', 'Warn', 'Ignore'].map((level) => {
          return configMaps.create(text, `dryRun=All&fieldValidation=${level}`, {
            headers: { 'content-type': 'application/json' },
          })
        }),
      ),
    },
    {
      name: 'keys of deep objects that stand there twice',
      steps: [
        '{"metadata":{"name":"a"},"spec":{"containers":[{"name":"a","image":"i"}]},' +
          '"spec":{"containers":[{"name":"b"}]}}',
        '{"metadata":{"name":"b"},"spec":{"containers":[{"name":"a","image":"i",' +
          '"resources":{"limits":{"cpu":"1"}},"resources":{"limits":{"memory":"1Gi"}}}]}}',
        '{"metadata":{"name":"c"},"spec":{"containers":[{"name":"a","image":"i","env":[{"name":"a",' +
          '"value":"1"},{"name":"b","value":"2"}],"env":[{"name":"c"}]}]}}',
        '{"metadata":{"name":"d"},"spec":{"securityContext":{"runAsUser":1},' +
          '"securityContext":{"runAsGroup":2},"containers":[{"name":"a","image":"i"}]}}',
        '{"metadata":{"name":"e"},"spec":{"nodeSelector":{"a":"1"},"nodeSelector":{"b":"2"},' +
          '"containers":[{"name":"a","image":"i"}]}}',
      ].flatMap((text) =>
        ['Strict', 'Warn'].map((level) => {
          return resource('pods').create(text, `dryRun=All&fieldValidation=${level}`, {
            headers: { 'content-type': 'application/json' },
          })
        }),
      ),
    },
    {
      name: 'keys of custom resources that stand there twice',
      steps: [
        prepared(define(richThing())),
        ...[
          '"metadata":{"name":"a"},"metadata":{"labels":{"x":"y"}}',
          '"metadata":{"name":"b"},"spec":{"size":"s"},"spec":{"size":"m"}',
          '"metadata":{"name":"c"},"spec":{"size":"s","size":"m"}',
          '"metadata":{"name":"d","labels":{"a":"1"}},"metadata":{"name":"d","labels":{"b":"2"}}',
        ].flatMap((text) =>
          ['Strict', 'Warn', 'Ignore'].map((level) =>
            things.create(
              `{"apiVersion":"{{ns}}.example.com/v1","kind":"Thing",${text}}`,
              `dryRun=All&fieldValidation=${level}`,
              { headers: { 'content-type': 'application/json' } },
            ),
          ),
        ),
      ],
    },
    {
      name: 'methods that nobody knows',
      steps: [
        prepared(configMaps.create(configMap('a'))),
        ...['FOO', 'LINK', 'PROPFIND', 'QUERY', 'PURGE', 'BREW', 'X-Y', 'G'].flatMap((method) => [
          request(method, `${configMaps.path}/a`),
          asAlice(request(method, `${configMaps.path}/a`)),
          request(method, configMaps.path),
          request(method, '/version'),
          request(method, '/livez'),
          request(method, '/api'),
          request(method, '/apis/apps/v1'),
          request(method, '/nowhere'),
          request(method, `${configMaps.path}/a`, undefined, { headers: { authorization: 'Bearer wrong' } }),
        ]),
        request('FOO', configMaps.path, configMap('b')),
      ],
    },
  ],
}
