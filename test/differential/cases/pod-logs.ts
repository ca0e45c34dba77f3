/**
 * The subresources log, exec, attach and port-forward, as far as the API server answers itself: there is no kubelet.
 */
import type { JsonObject } from '../../../src/api/json.ts'
import type { Step, Topic } from '../case.ts'
import { pod } from '../objects.ts'
import { request, resource } from '../steps.ts'

const pods = resource('pods')
const logs = pods.sub('log')
const two = (spec: JsonObject = {}): JsonObject =>
  pod('two', {
    initContainers: [{ name: 'first', image: 'i' }],
    containers: [
      { name: 'c', image: 'i' },
      { name: 'd', image: 'i' },
    ],
    ...spec,
  })
const order = (name: string, subresource: string, query = ''): Step =>
  request('POST', `${pods.path}/${name}/${subresource}${query === '' ? '' : `?${query}`}`)

export const podLogs: Topic = {
  name: 'pod-logs',
  cases: [
    {
      name: 'which container',
      steps: [
        logs.get('none'),
        pods.create(pod('a')),
        logs.get('a'),
        logs.get('a', 'container=c'),
        logs.get('a', 'container=x'),
        logs.get('a', 'container='),
        pods.create(two()),
        logs.get('two'),
        logs.get('two', 'container=first'),
        logs.get('two', 'container=nope'),
      ],
    },
    {
      name: 'options',
      steps: [
        pods.create(pod('a')),
        ...[
          'tailLines=-1',
          'tailLines=0',
          'tailLines=x',
          'tailLines=',
          'tailLines=1.5',
          'tailLines=99999999999999999999',
          'limitBytes=0',
          'limitBytes=-3',
          'limitBytes=1',
          'limitBytes=x',
          'sinceSeconds=0',
          'sinceSeconds=1',
          'sinceSeconds=1&sinceTime=2026-01-01T00:00:00Z',
          'sinceTime=yesterday',
          'sinceTime=2026-01-01T00:00:00Z',
          'sinceTime=',
          'follow=maybe',
          'follow=',
          'previous=1',
          'timestamps=FALSE',
          'stream=Stdout',
          'stream=All',
          'stream=x',
          'tailLines=-1&limitBytes=0&sinceSeconds=0',
          'tailLines=x&limitBytes=y',
          'other=1',
          'insecureSkipTLSVerifyBackend=true',
          'watch=1',
          'resourceVersion=x',
          'tailLines=1&tailLines=x',
          'stream=Stdout&tailLines=1',
        ].map((query) => logs.get('a', query)),
        logs.get('a', 'tailLines=-1&container=x'),
        logs.get('none', 'tailLines=-1'),
        logs.get('a', '', { headers: { accept: 'application/json' } }),
        logs.get('a', '', { headers: { accept: 'application/yaml' } }),
        logs.get('a', '', { headers: { accept: 'text/plain' } }),
        logs.get('a', '', { headers: { accept: 'image/png' } }),
        logs.get('none', '', { headers: { accept: 'text/plain' } }),
      ],
    },
    {
      name: 'a node that is not there',
      steps: [
        pods.create(pod('a', { nodeName: '{{ns}}' })),
        logs.get('a'),
        order('a', 'exec', 'command=ls'),
        order('a', 'portforward'),
        request('GET', `${pods.path}/a/proxy`),
      ],
    },
    {
      name: 'orders to containers that are not there',
      steps: [
        ...['exec', 'attach', 'portforward'].flatMap((subresource) => [
          order('none', subresource, 'command=ls'),
          request('GET', `${pods.path}/none/${subresource}?command=ls`),
        ]),
        pods.create(pod('a')),
        pods.create(two()),
        order('a', 'exec', 'command=ls'),
        order('a', 'attach'),
        order('a', 'portforward'),
        order('a', 'exec'),
        order('two', 'exec', 'command=ls'),
        order('two', 'exec', 'command=ls&container=x'),
        order('two', 'attach', 'container=x'),
        order('a', 'exec', 'command=ls&stdin=true'),
        request('GET', `${pods.path}/none/proxy`),
        request('GET', `${pods.path}/a/proxy/x`),
        request('PUT', `${pods.path}/a/exec`),
        request('POST', `${pods.path}/a/log`),
        request('DELETE', `${pods.path}/a/log`),
        request('GET', '/api/v1/nodes/none-{{ns}}/proxy'),
        request('GET', '/api/v1/namespaces/{{ns}}/services/none/proxy'),
      ],
    },
  ],
}
