/** Lists: resource versions, pages, selectors, and deletecollection. */
import type { JsonObject } from '../../../src/api/json.ts'
import type { Step, Topic } from '../case.ts'
import { configMap, job, object, pod, query, richThing, service } from '../objects.ts'
import { clusterResource, define, get, informed, prepared, resource, thing, thingDefinition, things } from '../steps.ts'
import type { Requests } from '../steps.ts'

const configMaps = resource('configmaps')
const pods = resource('pods')
const secrets = resource('secrets')
const services = resource('services')
const events = resource('events')

/** Five ConfigMaps. Without a controller manager the namespace has no others. */
const five: Step[] = ['a', 'b', 'c', 'd', 'e'].map((name, i) => {
  return prepared(
    configMaps.create(
      configMap(name, { v: '1' }, { labels: { i: String(i), odd: String(i % 2), [`only-${name}`]: '' } }),
    ),
  )
})

const by = (at: Requests, key: 'fieldSelector' | 'labelSelector', selectors: readonly string[]): Step[] => {
  return selectors.map((selector) => at.list(query({ [key]: selector })))
}

const event = (name: string, involvedObject: JsonObject, more: JsonObject = {}): Step => {
  return prepared(
    events.create(object('v1', 'Event', name, { involvedObject: { namespace: '{{ns}}', ...involvedObject }, ...more })),
  )
}

export const lists: Topic = {
  name: 'lists',
  cases: [
    {
      name: 'resourceVersion and match',
      steps: [
        ...five,
        configMaps.list(),
        configMaps.merge('a', { data: { v: '2' } }),
        configMaps.delete('b'),
        ...['', '0', '{{5.metadata.resourceVersion}}'].flatMap((version) => {
          return ['', 'Exact', 'NotOlderThan', 'Foo'].flatMap((match) =>
            ['', '&limit=2'].map((limit) => {
              return configMaps.list(`resourceVersion=${version}&resourceVersionMatch=${match}${limit}`)
            }),
          )
        }),
        ...['abc', '-5', '1.5', '99999999999999999999999', '99999999'].map((resourceVersion) =>
          configMaps.list(`resourceVersion=${resourceVersion}`),
        ),
        configMaps.list('resourceVersion=99999999&resourceVersionMatch=Exact'),
        configMaps.list('resourceVersionMatch=Exact&resourceVersion=abc'),
        configMaps.list(
          'resourceVersion={{5.metadata.resourceVersion}}&resourceVersionMatch=Exact&labelSelector=odd%3D1',
        ),
        configMaps.list('sendInitialEvents=true'),
        configMaps.list('sendInitialEvents=false&resourceVersionMatch=NotOlderThan&resourceVersion=1'),
        configMaps.list('allowWatchBookmarks=true&timeoutSeconds=5'),
      ],
    },
    {
      name: 'get at a resourceVersion',
      steps: [
        configMaps.create(configMap('a')),
        informed(configMaps.merge('a', { data: { v: '2' } })),
        ...[
          '0',
          '1',
          '{{0.metadata.resourceVersion}}',
          '{{1.metadata.resourceVersion}}',
          'abc',
          '-1',
          '99999999',
          '',
        ].map((resourceVersion) => configMaps.get('a', `resourceVersion=${resourceVersion}`)),
        configMaps.get('absent', 'resourceVersion=0'),
        configMaps.get('a', 'resourceVersionMatch=Exact&resourceVersion=1'),
        configMaps.get('a', 'fieldSelector=metadata.name%3Db'),
        configMaps.get('a', 'limit=1&foo=bar'),
      ],
    },
    {
      name: 'pages',
      steps: [
        ...five,
        configMaps.list('limit=2'),
        configMaps.list('limit=2&continue={{5.metadata.continue}}'),
        configMaps.list('limit=2&continue={{6.metadata.continue}}'),
        configMaps.list('limit=5'),
        configMaps.list('limit=6'),
        configMaps.list('limit=4'),
        configMaps.list('continue={{5.metadata.continue}}'),
        configMaps.list('limit=1&labelSelector=odd%3D0'),
        configMaps.list('limit=1&labelSelector=odd%3D0&continue={{12.metadata.continue}}'),
        configMaps.list('limit=5&labelSelector=odd%3D0&continue={{13.metadata.continue}}'),
        configMaps.list('limit=3&labelSelector=odd%3D0'),
        configMaps.list('limit=2&fieldSelector=metadata.name!%3Da'),
        configMaps.list('limit=1&fieldSelector=metadata.name%3Da'),
        configMaps.list('limit=1&fieldSelector=metadata.name%3De'),
        configMaps.table(undefined, { headers: { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' } }),
      ],
    },
    {
      name: 'pages keep their revision',
      steps: [
        ...five,
        configMaps.list('limit=2'),
        prepared(configMaps.delete('c')),
        prepared(configMaps.create(configMap('cc'))),
        configMaps.list('limit=2&continue={{5.metadata.continue}}'),
        configMaps.list('continue={{8.metadata.continue}}'),
        configMaps.list('limit=2'),
        configMaps.list('continue={{10.metadata.continue}}'),
      ],
    },
    {
      name: 'bad pages',
      steps: [
        ...five,
        configMaps.list('limit=2'),
        ...[
          'abc',
          'e30',
          'eyJ2IjoibWV0YS5rOHMuaW8vdjEifQ',
          'eyJ2IjoidjIiLCJydiI6MSwic3RhcnQiOiJhIn0',
          '%20',
          'eyJ2IjoibWV0YS5rOHMuaW8vdjEiLCJydiI6MX0',
        ].map((token) => configMaps.list(`continue=${token}`)),
        configMaps.list('resourceVersion=5&continue={{5.metadata.continue}}'),
        configMaps.list('resourceVersion=0&continue={{5.metadata.continue}}'),
        configMaps.list('resourceVersionMatch=Exact&continue={{5.metadata.continue}}'),
        configMaps.list('resourceVersion=5&resourceVersionMatch=Exact&continue={{5.metadata.continue}}'),
        configMaps.list('limit=-1'),
        configMaps.list('limit=abc'),
        configMaps.list('limit=99999999999999999999'),
        configMaps.list('limit=0'),
        configMaps.list('limit=1.5'),
        configMaps.list('timeoutSeconds=abc'),
        configMaps.list('watch=foo&labelSelector=none', { watch: { events: 0 } }),
        secrets.list('continue={{5.metadata.continue}}'),
      ],
    },
    {
      name: 'pages of custom resources',
      steps: [
        prepared(define(richThing())),
        ...['a', 'b', 'c'].map((name) => prepared(things.create(thing(name, {}, { labels: { n: name } })))),
        things.list(),
        things.list('limit=2'),
        things.list('limit=2&continue={{5.metadata.continue}}'),
        things.list('limit=1&labelSelector=n'),
        things.list('labelSelector=n+in+(a,c)'),
        ...by(things, 'fieldSelector', [
          'metadata.name=a',
          'metadata.name!=a,metadata.namespace={{ns}}',
          'metadata.namespace=other',
          'spec.size=a',
          'metadata.uid=x',
          'foo',
          'a=b=c',
        ]),
        things.list('resourceVersion=0'),
        things.list('resourceVersion=abc'),
        things.deleteAll('labelSelector=n%3Da'),
        things.list(),
        things.deleteAll('fieldSelector=metadata.name%3Db'),
        things.deleteAll(),
        things.list(),
        get('/apis/{{ns}}.example.com/v1/things'),
      ],
    },
    {
      name: 'selectable fields of custom resources',
      steps: [
        prepared(
          define(
            thingDefinition(
              {
                spec: {
                  type: 'object',
                  properties: { color: { type: 'string' }, size: { type: 'integer' }, on: { type: 'boolean' } },
                },
              },
              { selectableFields: [{ jsonPath: '.spec.color' }, { jsonPath: '.spec.size' }, { jsonPath: '.spec.on' }] },
            ),
          ),
        ),
        prepared(things.create(thing('a', { spec: { color: 'red', size: 1, on: true } }))),
        prepared(things.create(thing('b', { spec: { color: 'blue', size: 2, on: false } }))),
        prepared(things.create(thing('c'))),
        ...by(things, 'fieldSelector', [
          'spec.color=red',
          'spec.color!=red',
          'spec.size=2',
          'spec.on=true',
          'spec.color=',
          'spec.color=red,spec.size=2',
          'spec.other=x',
          'metadata.name=c,spec.color=',
        ]),
        things.watch('resourceVersion=0&fieldSelector=spec.color%3Dred', 1),
        things.deleteAll('fieldSelector=spec.color%3Dred'),
        things.list(),
      ],
    },
    {
      name: 'label selectors',
      steps: [
        ...five,
        ...by(configMaps, 'labelSelector', [
          'i=1',
          'i==1',
          'i!=1',
          'i!=1,odd',
          '!odd',
          'odd',
          'i in (0,1)',
          'i notin (0,1)',
          'i in (0)',
          'i in ()',
          'i>2',
          'i<2',
          'i>x',
          'only-a=',
          'only-a',
          'only-a!=',
          'i=',
          '',
          ',',
          'i=1,',
          'i=1,,odd',
          ' i = 1 , odd = 1 ',
          'bad key=1',
          'a=b!',
          '=',
          '==',
          'i=1=2',
          'i in (a',
          'i in a',
          'i notin',
          'in',
          'in=1',
          '!',
          '!!odd',
          'i<>1',
          'x.io/y=1',
          'x/y/z=1',
          `${'k'.repeat(64)}=1`,
          `k=${'v'.repeat(64)}`,
          '-a',
          'a=-b',
          'i>=1',
          'i gt 1',
          '(a)',
          'a,b c',
        ]),
      ],
    },
    {
      name: 'field selectors',
      steps: [
        ...five,
        ...by(configMaps, 'fieldSelector', [
          'metadata.name=a',
          'metadata.name==a',
          'metadata.name!=a',
          'metadata.name=a,metadata.namespace={{ns}}',
          'metadata.name=a,metadata.namespace=zz',
          'metadata.name=',
          'metadata.name!=',
          '',
          ',',
          'metadata.name=a,metadata.name=b',
          'metadata.uid=a',
          'data.k=a',
          'bogus',
          'a=b=c',
          'metadata.name in (a)',
          String.raw`metadata.name=a\,b`,
          String.raw`metadata.name=a\=b`,
          String.raw`metadata.name=a\x`,
          'metadata.name=Ü',
          'metadata.name=a/b',
          'foo=1,bar=2',
          '!metadata.name',
        ]),
        get('/api/v1/configmaps?fieldSelector=metadata.namespace%3D{{ns}}'),
        get('/api/v1/configmaps?fieldSelector=metadata.namespace%3D{{ns}},metadata.name%3Da'),
        get('/api/v1/configmaps?limit=2&fieldSelector=metadata.namespace%3D{{ns}}'),
      ],
    },
    {
      name: 'fields of pods',
      steps: [
        prepared(pods.create(pod('a', { nodeName: 'n1', restartPolicy: 'Never', schedulerName: 'mine' }))),
        prepared(pods.create(pod('b', { hostNetwork: true }))),
        prepared(
          pods.sub('status').merge('a', {
            status: { phase: 'Running', podIP: '10.1.1.1', podIPs: [{ ip: '10.1.1.1' }, { ip: 'fd00::1' }] },
          }),
        ),
        prepared(pods.sub('status').merge('b', { status: { nominatedNodeName: 'n9' } })),
        ...by(pods, 'fieldSelector', [
          'spec.nodeName=n1',
          'spec.nodeName=',
          'spec.nodeName!=n1',
          'spec.restartPolicy=Never',
          'spec.restartPolicy=Always',
          'spec.schedulerName=mine',
          'spec.serviceAccountName=default',
          'spec.hostNetwork=true',
          'spec.hostNetwork=false',
          'status.phase=Running',
          'status.phase=Pending',
          'status.podIP=10.1.1.1',
          'status.podIPs=10.1.1.1',
          'status.podIPs=fd00::1',
          'status.nominatedNodeName=n9',
          'spec.foo=a',
          'status.reason=x',
          'spec.host=n1',
          'metadata.name=a,status.phase=Running',
        ]),
      ],
    },
    {
      name: 'fields of events',
      steps: [
        event(
          'a',
          { kind: 'Pod', name: 'p', uid: 'u1', apiVersion: 'v1', resourceVersion: '5', fieldPath: 'spec.x' },
          { reason: 'Started', type: 'Normal', source: { component: 'kubelet', host: 'n1' } },
        ),
        event('b', { kind: 'Node', name: 'n' }, { reason: 'Failed', type: 'Warning', reportingComponent: 'x.io/y' }),
        ...by(events, 'fieldSelector', [
          'involvedObject.kind=Pod',
          'involvedObject.namespace={{ns}}',
          'involvedObject.name=p',
          'involvedObject.uid=u1',
          'involvedObject.apiVersion=v1',
          'involvedObject.resourceVersion=5',
          'involvedObject.fieldPath=spec.x',
          'reason=Failed',
          'reportingComponent=x.io/y',
          'reportingComponent=kubelet',
          'source=kubelet',
          'type=Warning',
          'foo=a',
          'metadata.name=a',
          'regarding.kind=Pod',
        ]),
        ...by(resource('events', 'events.k8s.io/v1'), 'fieldSelector', [
          'regarding.kind=Pod',
          'regarding.name=n',
          'reason=Failed',
          'reportingController=x.io/y',
          'type=Normal',
          'involvedObject.kind=Pod',
          'foo=x',
        ]),
      ],
    },
    {
      name: 'fields of other kinds',
      steps: [
        prepared(clusterResource('nodes').create(object('v1', 'Node', '{{ns}}', { spec: { unschedulable: true } }))),
        ...by(clusterResource('nodes'), 'fieldSelector', [
          'spec.unschedulable=true,metadata.name={{ns}}',
          'spec.unschedulable=false,metadata.name={{ns}}',
          'metadata.namespace=a',
          'spec.foo=a',
        ]),
        clusterResource('nodes').delete('{{ns}}'),
        ...by(clusterResource('namespaces'), 'fieldSelector', [
          'status.phase=Active,metadata.name={{ns}}',
          'status.phase=Terminating,metadata.name={{ns}}',
          'name={{ns}}',
          'foo=a',
        ]),
        prepared(secrets.create(object('v1', 'Secret', 's', { type: 'x.io/y' }))),
        ...by(secrets, 'fieldSelector', ['type=x.io/y', 'type=Opaque', 'foo=a']),
        prepared(services.create(service('s', { clusterIP: 'None' }))),
        ...by(services, 'fieldSelector', [
          'spec.clusterIP=None',
          'spec.type=ClusterIP',
          'spec.type=NodePort',
          'spec.foo=a',
        ]),
        prepared(resource('jobs', 'batch/v1').create(job('j'))),
        ...by(resource('jobs', 'batch/v1'), 'fieldSelector', ['status.successful=0', 'status.successful=1', 'foo=a']),
        ...by(resource('replicationcontrollers'), 'fieldSelector', ['status.replicas=0', 'foo=a']),
        ...by(resource('replicasets', 'apps/v1'), 'fieldSelector', ['status.replicas=0', 'foo=a']),
        ...by(resource('deployments', 'apps/v1'), 'fieldSelector', ['spec.foo=a', 'metadata.name=x']),
        ...by(resource('roles', 'rbac.authorization.k8s.io/v1'), 'fieldSelector', ['foo=a']),
        ...by(clusterResource('clusterroles', 'rbac.authorization.k8s.io/v1'), 'fieldSelector', [
          'metadata.name={{ns}}',
          'metadata.namespace=x',
          'foo=a',
        ]),
        ...by(clusterResource('customresourcedefinitions', 'apiextensions.k8s.io/v1'), 'fieldSelector', [
          'metadata.name={{ns}}',
          'foo=a',
        ]),
      ],
    },
    {
      name: 'deleted by list',
      steps: [
        ...five,
        configMaps.deleteAll('labelSelector=i%3D9'),
        configMaps.deleteAll('labelSelector=i%3D0'),
        configMaps.deleteAll('fieldSelector=metadata.name%3Db'),
        configMaps.deleteAll('dryRun=All'),
        configMaps.list(),
        configMaps.deleteAll('limit=1'),
        configMaps.list(),
        configMaps.deleteAll('fieldSelector=foo%3D1'),
        configMaps.deleteAll('labelSelector=a%3D!'),
        configMaps.deleteAll('resourceVersion=abc'),
        configMaps.deleteAll('dryRun=foo'),
        configMaps.deleteAll('', { kind: 'Foo' }),
        configMaps.deleteAll('labelSelector=zz', { preconditions: { uid: 'q' } }),
        configMaps.deleteAll('', { preconditions: { uid: 'q' } }),
        configMaps.deleteAll('', { dryRun: ['All'] }),
        configMaps.list(),
        prepared(configMaps.create(configMap('f', {}, { finalizers: ['x.io/y'] }))),
        configMaps.deleteAll('propagationPolicy=Orphan'),
        configMaps.list(),
        configMaps.deleteAll(),
        configMaps.merge('f', { metadata: { finalizers: null } }),
        configMaps.list(),
        configMaps.deleteAll('', undefined, { headers: { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' } }),
        configMaps.deleteAll('resourceVersionMatch=Exact'),
      ],
    },
    {
      name: 'lists of other forms',
      steps: [
        ...five,
        configMaps.table(),
        configMaps.list('limit=2', { headers: { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' } }),
        configMaps.list('includeObject=Object&labelSelector=i%3D1', {
          headers: { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' },
        }),
        configMaps.list('limit=2', {
          headers: { accept: 'application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io' },
        }),
        configMaps.list('limit=1', { headers: { accept: 'application/yaml' } }),
        pods.table(),
        pods.list(),
      ],
    },
  ],
}
