/** Watches: their first events, their changes, and how they end. */
import type { Step, Topic } from '../case.ts'
import { configMap, deployment, pod, richThing } from '../objects.ts'
import { clusterResource, define, get, prepared, resource, thing, things } from '../steps.ts'

const configMaps = resource('configmaps')
const pods = resource('pods')
const here = '/api/v1/namespaces/{{ns}}'

const table = { headers: { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' } }
const partial = { headers: { accept: 'application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io' } }
const partialList = {
  headers: {
    accept: 'application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io',
  },
}

/** Steps 0 to 5: create a and b, change a twice and delete it, create c. Step 6 lists. */
const history: Step[] = [
  configMaps.create(configMap('a', { v: '1' }, { labels: { on: 'yes' } })),
  configMaps.create(configMap('b', { v: '1' })),
  configMaps.merge('a', { data: { v: '2' } }),
  configMaps.merge('a', { metadata: { labels: { on: 'no' } } }),
  configMaps.delete('a'),
  configMaps.create(configMap('c')),
  configMaps.list(),
]
const from = (step: number): string => `resourceVersion={{${step}.metadata.resourceVersion}}`
const initial = 'sendInitialEvents=true&resourceVersionMatch=NotOlderThan'

export const watches: Topic = {
  name: 'watches',
  cases: [
    {
      name: 'past events',
      steps: [
        ...history,
        configMaps.watch(from(0), 5),
        configMaps.watch(from(1), 4),
        configMaps.watch(from(2), 3),
        configMaps.watch(from(6), 0),
        configMaps.watch(`${from(6)}&timeoutSeconds=1`),
        configMaps.watch('', 2),
        configMaps.watch('resourceVersion=0', 2),
        configMaps.watch(`${from(0)}&timeoutSeconds=1`),
        get(`/api/v1/watch/namespaces/{{ns}}/configmaps?${from(0)}`, { watch: { events: 5 } }),
        get(`/api/v1/configmaps?watch=true&fieldSelector=metadata.namespace%3D{{ns}}&${from(0)}`, {
          watch: { events: 5 },
        }),
        get(`/api/v1/watch/configmaps?fieldSelector=metadata.namespace%3D{{ns}}&${from(0)}`, { watch: { events: 5 } }),
      ],
    },
    {
      name: 'one object',
      steps: [
        ...history,
        get(`${here}/configmaps/a?watch=1&${from(0)}`, { watch: { events: 3 } }),
        get(`${here}/configmaps/b?watch=1`, { watch: { events: 1 } }),
        get(`${here}/configmaps/absent?watch=1&timeoutSeconds=1`, { watch: { events: undefined } }),
        get(`/api/v1/watch/namespaces/{{ns}}/configmaps/a?${from(0)}`, { watch: { events: 3 } }),
        configMaps.watch(`fieldSelector=metadata.name%3Da&${from(0)}`, 3),
        configMaps.watch(`fieldSelector=metadata.name%3Da,metadata.namespace%3D{{ns}}&${from(2)}`, 2),
        get(`${here}/configmaps/a?watch=1&fieldSelector=metadata.name%3Db`, { watch: { events: 0 } }),
        get(`${here}/configmaps/a?watch=0`),
        get(`${here}/configmaps/b?watch=false`),
        configMaps.watch(`fieldSelector=metadata.name!%3Da&${from(0)}`, 2),
      ],
    },
    {
      name: 'entering and leaving a selection',
      steps: [
        ...history,
        configMaps.watch(`labelSelector=on%3Dyes&${from(0)}`, 2),
        configMaps.watch(`labelSelector=on%3Dno&${from(0)}`, 2),
        configMaps.watch(`labelSelector=on&${from(0)}`, 3),
        configMaps.watch(`labelSelector=!on&${from(0)}`, 2),
        configMaps.watch(`labelSelector=on%3Dyes&${from(0)}`, 2, table),
        configMaps.watch(`labelSelector=on%3Dyes&${from(0)}`, 2, partial),
        configMaps.watch('labelSelector=on%3Dyes&timeoutSeconds=1'),
      ],
    },
    {
      name: 'entering and leaving a selection of pods',
      steps: [
        pods.create(pod('p')),
        pods.sub('status').merge('p', { status: { phase: 'Running' } }),
        pods.sub('status').merge('p', { status: { message: 'x' } }),
        pods.sub('status').merge('p', { status: { phase: 'Succeeded' } }),
        pods.delete('p'),
        pods.watch(`fieldSelector=status.phase%3DRunning&${from(0)}`, 3),
        pods.watch(`fieldSelector=status.phase!%3DRunning&${from(0)}`, 3),
        pods.watch(`fieldSelector=status.phase%3DPending&${from(0)}`, 1),
        pods.watch(`fieldSelector=spec.nodeName%3Dn&${from(0)}`, 0),
        pods.watch(from(0), 4),
        pods.watch(from(0), 4, table),
      ],
    },
    {
      name: 'initial events',
      steps: [
        ...history,
        ...['', 'resourceVersion=', 'resourceVersion=0', from(0), from(6)].flatMap((version) => [
          configMaps.watch(`${initial}&allowWatchBookmarks=true&${version}`, 3),
          configMaps.watch(`${initial}&${version}`, 2),
          configMaps.watch(`${initial}&allowWatchBookmarks=false&${version}`, 2),
        ]),
        configMaps.watch(`sendInitialEvents=false&resourceVersionMatch=NotOlderThan&${from(0)}`, 5),
        configMaps.watch('sendInitialEvents=false&resourceVersionMatch=NotOlderThan&timeoutSeconds=1'),
        configMaps.watch(
          'sendInitialEvents=false&resourceVersionMatch=NotOlderThan&resourceVersion=0&timeoutSeconds=1',
        ),
        configMaps.watch(`${initial}&allowWatchBookmarks=true&labelSelector=none`, 1),
        configMaps.watch(`${initial}&allowWatchBookmarks=true&limit=1`, 3),
        configMaps.watch(`${initial}&timeoutSeconds=1`),
      ],
    },
    {
      name: 'initial events in other forms',
      steps: [
        ...history,
        ...[table, partial, partialList].flatMap((form) => [
          configMaps.watch(`${initial}&allowWatchBookmarks=true`, 3, form),
          configMaps.watch(from(0), 5, form),
        ]),
        configMaps.watch('includeObject=None', 2, table),
        configMaps.watch('includeObject=Object', 2, table),
        configMaps.watch('includeObject=Foo', undefined, table),
        configMaps.watch('timeoutSeconds=1', undefined, {
          headers: { accept: 'application/json;as=Table;v=v1beta1;g=meta.k8s.io' },
        }),
        configMaps.watch('timeoutSeconds=1', undefined, {
          headers: { accept: 'application/json;as=Foo;v=v1;g=meta.k8s.io' },
        }),
        configMaps.watch('timeoutSeconds=1', undefined, { headers: { accept: 'text/html' } }),
        configMaps.watch('timeoutSeconds=1', undefined, { headers: { accept: '*/*' } }),
        configMaps.watch('timeoutSeconds=1', undefined, { headers: { accept: 'application/json;stream=watch' } }),
      ],
    },
    {
      name: 'options that do not go together',
      steps: [
        ...[
          'sendInitialEvents=true',
          'resourceVersionMatch=NotOlderThan',
          'sendInitialEvents=true&resourceVersionMatch=Exact',
          'resourceVersionMatch=Exact&resourceVersion=1',
          'resourceVersionMatch=Foo',
          'sendInitialEvents=false',
          'sendInitialEvents=abc',
          'continue=abc',
          'limit=1',
          'limit=-1',
          'resourceVersion=abc',
          'resourceVersion=-1',
          'resourceVersion=1.5',
          'resourceVersion=99999999999999999999999',
          'fieldSelector=foo%3D1',
          'fieldSelector=bogus',
          'labelSelector=a%3D!',
          'timeoutSeconds=abc',
          'sendInitialEvents=true&resourceVersionMatch=NotOlderThan&continue=abc',
          'sendInitialEvents=true&resourceVersionMatch=NotOlderThan&resourceVersion=abc',
        ].map((options) => configMaps.watch(`timeoutSeconds=1&${options}`)),
        get(`${here}/configmaps?watch=foo&timeoutSeconds=1`, { watch: { events: undefined } }),
        get(`${here}/configmaps?watch=false`),
        get(`${here}/configmaps?watch=0`),
        get(`${here}/configmaps?watch=true&timeoutSeconds=1`, { watch: { events: undefined } }),
        get(`${here}/configmaps?watch&timeoutSeconds=1`, { watch: { events: undefined } }),
        configMaps.watch('resourceVersion=99999999&timeoutSeconds=1'),
        get(`${here}/nothings?watch=1&timeoutSeconds=1`),
        get('/api/v1/watch/nothings?timeoutSeconds=1'),
        get('/api/v1/namespaces/{{ns}}-not/configmaps?watch=1&timeoutSeconds=1', { watch: { events: undefined } }),
        get(`/api/v1/watch/namespaces/{{ns}}/configmaps/a/status?timeoutSeconds=1`),
        get('/apis/apps/v1/namespaces/{{ns}}/deployments/x/status?watch=1&timeoutSeconds=1'),
        get('/apis/apps/v1/namespaces/{{ns}}/deployments/x/scale?watch=1&timeoutSeconds=1'),
      ],
    },
    {
      name: 'custom resources',
      steps: [
        prepared(define(richThing())),
        things.create(thing('a', { spec: { size: 's' } }, { labels: { on: 'yes' } })),
        things.merge('a', { spec: { size: 'm' } }),
        things.merge('a', { metadata: { labels: { on: 'no' } } }),
        things.sub('status').merge('a', { status: { phase: 'x' } }),
        things.delete('a'),
        things.create(thing('b')),
        things.watch(from(1), 5),
        things.watch('', 1),
        things.watch('resourceVersion=0&timeoutSeconds=1'),
        things.watch(`${initial}&allowWatchBookmarks=true`, 2),
        things.watch(`labelSelector=on%3Dyes&${from(1)}`, 2),
        things.watch(from(1), 5, table),
        things.watch(from(1), 5, partial),
        things.watch(`${initial}&allowWatchBookmarks=true`, 2, table),
        things.watch(`${initial}&allowWatchBookmarks=true`, 2, partial),
        things.watch('resourceVersion=abc&timeoutSeconds=1'),
        things.watch('fieldSelector=spec.size%3Ds&timeoutSeconds=1'),
        things.watch('continue=abc&timeoutSeconds=1'),
        things.watch(`fieldSelector=metadata.name%3Db&${from(1)}`, 1),
        get('/apis/{{ns}}.example.com/v1/namespaces/{{ns}}/things/a?watch=1&timeoutSeconds=1', {
          watch: { events: undefined },
        }),
        get('/apis/{{ns}}.example.com/v1/watch/namespaces/{{ns}}/things?timeoutSeconds=1', {
          watch: { events: undefined },
        }),
      ],
    },
    {
      name: 'deletion with finalizers and no-ops',
      steps: [
        configMaps.create(configMap('a', {}, { finalizers: ['x.io/y'] })),
        configMaps.merge('a', {}),
        configMaps.delete('a'),
        configMaps.delete('a'),
        configMaps.merge('a', { metadata: { finalizers: null } }),
        configMaps.watch(from(0), 2),
        configMaps.create(configMap('b')),
        configMaps.create(configMap('b')),
        configMaps.replace('b', configMap('b'), 'dryRun=All'),
        configMaps.delete('b', 'dryRun=All'),
        configMaps.watch(from(6), 0),
        configMaps.deleteAll(),
        configMaps.watch(from(6), 1),
      ],
    },
    {
      name: 'cluster-wide kinds and groups',
      steps: [
        prepared(clusterResource('namespaces').merge('{{ns}}', { metadata: { labels: { 'of-case': '{{ns}}' } } })),
        clusterResource('namespaces').watch('labelSelector=of-case%3D{{ns}}', 1),
        get(`/api/v1/watch/namespaces/{{ns}}?timeoutSeconds=1`, { watch: { events: undefined } }),
        resource('deployments', 'apps/v1').create(deployment('d')),
        resource('deployments', 'apps/v1').watch('', 1),
        resource('deployments', 'apps/v1').watch('', 1, table),
        get('/apis/apps/v1/watch/namespaces/{{ns}}/deployments', { watch: { events: 1 } }),
        get('/apis/apps/v1/watch/namespaces/{{ns}}/deployments/d', { watch: { events: 1 } }),
        resource('leases', 'coordination.k8s.io/v1').watch('timeoutSeconds=1'),
      ],
    },
  ],
}
