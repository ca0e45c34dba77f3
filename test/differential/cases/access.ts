/** Who may do what: default roles, refusals and their words, credentials, rules and bindings. */
import type { Case, Step, Topic } from '../case.ts'
import { configMap, object, pod } from '../objects.ts'
import { as, asAlice, clusterResource, get, informed, prepared, request, resource } from '../steps.ts'
import {
  account, anonymously, attributes, authentication, authorization, binding, bindings, clusterBindings, clusterRoles, grant, grantHere, group,
  mayDo, own, rbacPath, role, roles, rule, rulesReview, selfReview, user, whoAmI, withAuthorization,
} from './access-objects.ts'

const controllers = [
  'attachdetach-controller', 'certificate-controller', 'clusterrole-aggregation-controller', 'cronjob-controller', 'daemon-set-controller',
  'deployment-controller', 'disruption-controller', 'endpoint-controller', 'endpointslice-controller', 'endpointslicemirroring-controller',
  'ephemeral-volume-controller', 'expand-controller', 'generic-garbage-collector', 'horizontal-pod-autoscaler', 'job-controller',
  'legacy-service-account-token-cleaner', 'namespace-controller', 'node-controller', 'persistent-volume-binder', 'pod-garbage-collector',
  'pv-protection-controller', 'pvc-protection-controller', 'replicaset-controller', 'replication-controller', 'resource-claim-controller',
  'resourcequota-controller', 'root-ca-cert-publisher', 'route-controller', 'selinux-warning-controller', 'service-account-controller',
  'service-cidrs-controller', 'service-controller', 'statefulset-controller', 'ttl-after-finished-controller', 'ttl-controller',
  'validatingadmissionpolicy-status-controller', 'volumeattributesclass-protection-controller',
].map((name) => `system:controller:${name}`)

const bound = [
  'cluster-admin', 'system:basic-user', 'system:discovery', 'system:kube-controller-manager', 'system:kube-dns', 'system:kube-scheduler',
  'system:monitoring', 'system:node', 'system:node-proxier', 'system:public-info-viewer', 'system:service-account-issuer-discovery',
  'system:volume-scheduler',
]

const unbound = [
  'admin', 'edit', 'view', 'system:aggregate-to-admin', 'system:aggregate-to-edit', 'system:aggregate-to-view', 'system:auth-delegator',
  'system:heapster', 'system:kube-aggregator', 'system:kubelet-api-admin', 'system:node-bootstrapper', 'system:node-problem-detector',
  'system:persistent-volume-provisioner',
  ...[
    'certificatesigningrequests:nodeclient', 'certificatesigningrequests:selfnodeclient', 'kube-apiserver-client-approver',
    'kube-apiserver-client-kubelet-approver', 'kubelet-serving-approver', 'legacy-unknown-approver',
  ].map((name) => `system:certificates.k8s.io:${name}`),
]

const leaders = ['system::leader-locking-kube-controller-manager', 'system::leader-locking-kube-scheduler']
const helpers = ['bootstrap-signer', 'cloud-provider', 'token-cleaner'].map((name) => `system:controller:${name}`)
const defaults = (namespace: string, kind: string, names: readonly string[]): Step[] => {
  return names.map((name) => get(`${rbacPath}/namespaces/${namespace}/${kind}/${name}`))
}

/** Sent by the user without rights, with an empty object where a body is due. */
const refused = (requests: readonly string[]): Step[] => requests.map((text) => {
  const [method = '', path = ''] = text.split(' ')
  return asAlice(request(method, path, ['POST', 'PUT', 'PATCH'].includes(method) ? {} : undefined))
})

const paths = [
  '/', '/api', '/apis', '/api/v1', '/apis/apps/v1', '/apis/foo/v1/x', '/healthz', '/healthz/', '/healthz/ping', '/livez', '/livez/ping', '/readyz',
  '/version', '/version/', '/openapi/v2', '/metrics', '/foo', '/api/v1/pods', '/.well-known/openid-configuration', '/openid/v1/jwks',
]

const credentials = [
  'Basic YWRtaW46YQ==', 'Bearer', 'Bearer ', 'Bearer  alicetoken', 'bearer   alicetoken x', 'bearer alicetoken', 'BEARER alicetoken', 'Bearer alicetoken foo',
  'alicetoken', 'Token alicetoken', 'Bearer alicetoke', 'Bearer alicetokenx', 'Bearer a.b.c', 'Bearer eyJhbGciOiJub25lIn0.eyJpc3MiOiJodHRwczovL2t1YmVybmV0ZXMuZGVmYXVsdC5zdmMifQ.',
]

const refusals: readonly Case[] = [
  {
    name: 'refused on resources',
    steps: refused([
      'GET /api/v1/nodes', 'GET /api/v1/nodes/x', 'GET /api/v1/nodes/x/status', 'GET /api/v1/namespaces/foo/pods', 'GET /api/v1/namespaces/foo/pods/x/log',
      'POST /api/v1/namespaces/foo/pods', 'PUT /api/v1/namespaces/foo/pods/x', 'PATCH /api/v1/namespaces/foo/pods/x', 'DELETE /api/v1/namespaces/foo/pods/x',
      'DELETE /api/v1/namespaces/foo/pods', 'GET /api/v1/namespaces/foo', 'GET /api/v1/namespaces', 'PUT /api/v1/namespaces/foo/finalize',
      'GET /api/v1/namespaces/foo/status', 'POST /api/v1/namespaces/foo/pods/x/binding', 'POST /api/v1/namespaces/foo/pods/x/exec',
      'POST /api/v1/namespaces/x/serviceaccounts/y/token', 'GET /api/v1/componentstatuses', 'GET /api/v1/namespaces/x/services/y/proxy/a/b',
      'GET /apis/apps/v1/deployments', 'GET /apis/apps/v1/namespaces/a/deployments/x/scale', 'PATCH /apis/apps/v1/namespaces/x/deployments/y/scale',
      `GET ${rbacPath}/clusterroles`, 'PUT /apis/certificates.k8s.io/v1/certificatesigningrequests/x/approval', `POST ${authorization}/subjectaccessreviews`,
      `POST ${authentication}/tokenreviews`, `POST ${authorization}/namespaces/x/localsubjectaccessreviews`, `GET ${authorization}/selfsubjectaccessreviews`,
      'GET /apis/apiextensions.k8s.io/v1/customresourcedefinitions', 'GET /apis/apiregistration.k8s.io/v1/apiservices/v1.',
    ]),
  },
  {
    name: 'refused on what there is not',
    steps: refused([
      'GET /apis/foo.io/v1/namespaces/bar/things/x/y/z', 'GET /apis/apps/v2/deployments', 'GET /apis/apps/v1/foos', 'GET /api/v2/pods', 'GET /api/v1/pods/x/y',
      'GET /api/v1/namespaces/a%22b/pods', 'GET /api/v1/namespaces/%C3%A9/pods/x', 'GET /foo%3Cb%3E&x', 'OPTIONS /foo', 'POST /foo', 'PUT /foo', 'PATCH /foo', 'DELETE /api',
      'OPTIONS /api/v1/pods', 'GET /api/v1/namespaces/x/y', 'GET /apis/apps', 'GET /apis/nope', 'POST /apis', 'GET /api//v1', 'GET /logs', 'GET /debug/pprof',
      'GET /openapi/v3/x', 'GET /healthzz', 'GET /livez/ping', 'GET /version/x',
    ]),
  },
  {
    name: 'refused watches and selections',
    steps: refused([
      'GET /api/v1/namespaces/foo/pods?watch=1', 'GET /api/v1/namespaces/foo/pods?watch=false', 'GET /api/v1/namespaces/foo/pods/x?watch=1', 'GET /api/v1/watch/pods',
      'GET /api/v1/watch/namespaces/a/pods/b', 'POST /api/v1/watch/pods', 'GET /api/v1/proxy/foo', 'GET /api/v1/proxy/foo/bar',
      'GET /api/v1/pods?fieldSelector=metadata.name%3Dfoo', 'GET /api/v1/pods?fieldSelector=metadata.name%3D%3Dfoo&watch=1', 'GET /api/v1/pods?fieldSelector=metadata.name!%3Dfoo',
      'DELETE /api/v1/namespaces/x/pods?fieldSelector=metadata.name%3Dfoo', 'GET /api/v1/pods?fieldSelector=metadata.name%3Da%252Fb', 'GET /api/v1/pods?fieldSelector=a',
      'GET /api/v1/pods?fieldSelector=metadata.name%3Dfoo,status.phase%3Dx', 'GET /api/v1/watch', 'GET /api/v1/proxy', 'GET /api/v1/watch?x=1', 'GET /apis/apps/v1/watch',
    ]),
  },
  { name: 'without credentials', steps: paths.map((path) => anonymously(get(path))) },
  { name: 'with a wrong token', steps: paths.map((path) => withAuthorization('Bearer nope', get(path))) },
  // What /apis and /openapi/v2 say depends on the CRDs of other cases.
  { name: 'without rights', steps: paths.filter((path) => path !== '/apis' && path !== '/openapi/v2').map((path) => asAlice(get(path))) },
  {
    name: 'forms of credentials',
    steps: credentials.flatMap((value) => [withAuthorization(value, get('/api')), withAuthorization(value, whoAmI()), withAuthorization(value, get('/healthz'))]),
  },
  {
    name: 'nobody in particular',
    steps: [
      anonymously(whoAmI()), anonymously(selfReview({ resourceAttributes: attributes('get -/pods') })), anonymously(rulesReview({ namespace: 'default' })),
      anonymously(request('POST', '/api/v1/namespaces/{{ns}}/configmaps', configMap('c'))), anonymously(request('DELETE', '/api/v1/namespaces/{{ns}}')),
      anonymously(as('bob', get('/version'))), withAuthorization('Bearer nope', as('bob', get('/version'))), asAlice(as('bob', get('/version'))),
    ],
  },
]

const ann = own('ann')
const team = own('team')
const bot = 'system:serviceaccount:{{ns}}:bot'

const rights: readonly Case[] = [
  {
    name: 'verbs and resources',
    steps: [
      ...grant('pods', [rule([''], ['pods', 'configmaps'], ['get', 'list', 'create'])], [user(ann)]),
      ...mayDo(ann, ['get -/pods', 'list -/pods', 'watch -/pods', 'delete -/pods', 'create -/configmaps', 'get -/pods/log', 'get -/pods//x', 'get apps/pods', '* -/pods', '* */*', '- -/-']),
      ...mayDo(ann, ['get -/pods', 'update -/pods', 'get -/secrets'], ''),
      ...mayDo(ann, ['get -/pods', 'update -/pods'], 'elsewhere'),
      as(ann, resource('pods').list()), as(ann, resource('pods').get('x')), as(ann, resource('secrets').list()), as(ann, resource('configmaps').create(configMap('c'))),
      as(ann, resource('configmaps').delete('c')), as(ann, resource('configmaps').list('watch=1')), as(ann, resource('pods').sub('log').get('x')),
      as(ann, get('/api/v1/namespaces/nowhere/pods')), as(ann, get('/api/v1/foos')), as(ann, resource('pods').create(pod('Not Valid'))),
      as(ann, rulesReview({ namespace: '{{ns}}' })), as(ann, rulesReview({ namespace: 'elsewhere' })),
    ],
  },
  {
    name: 'named objects',
    steps: [
      ...grantHere('named', [rule([''], ['secrets'], ['*'], ['one', 'two'])], [user(ann)]),
      prepared(resource('secrets').create(object('v1', 'Secret', 'one'))),
      ...mayDo(ann, ['get -/secrets//one', 'get -/secrets//three', 'list -/secrets', 'delete -/secrets/x/one', 'create -/secrets', 'deletecollection -/secrets', 'list -/secrets//two']),
      ...mayDo(ann, ['get -/secrets//one'], 'elsewhere'),
      as(ann, resource('secrets').get('one')), as(ann, resource('secrets').get('two')), as(ann, resource('secrets').get('four')), as(ann, resource('secrets').list()),
      as(ann, resource('secrets').list('fieldSelector=metadata.name%3Done')), as(ann, resource('secrets').list('fieldSelector=metadata.name%3Dfour')),
      as(ann, resource('secrets').create(object('v1', 'Secret', 'two'))), as(ann, resource('secrets').deleteAll()), as(ann, resource('secrets').deleteAll('fieldSelector=metadata.name%3Dtwo')),
      as(ann, resource('secrets').merge('one', { data: { a: 'YQ==' } })), as(ann, rulesReview({ namespace: '{{ns}}' })),
    ],
  },
  {
    name: 'subresources and stars',
    steps: [
      ...grant('sub', [rule(['apps'], ['*/scale', 'deployments/status'], ['get', 'update', 'patch']), rule(['*'], ['jobs'], ['get']), rule(['batch'], ['*'], ['list'])], [user(ann)]),
      ...mayDo(ann, [
        'update apps/deployments/scale', 'update apps/foos/scale/x', 'update apps/deployments/status', 'update apps/deployments', 'delete apps/deployments/scale', 'get batch/jobs', 'get other/jobs',
        'get batch/jobs/status', 'list batch/cronjobs', 'list batch/jobs/status', 'list -/jobs', 'list */*', 'get */jobs', 'update apps/*/scale',
      ]),
      as(ann, resource('deployments', 'apps/v1').sub('scale').get('x')), as(ann, resource('deployments', 'apps/v1').get('x')), as(ann, resource('jobs', 'batch/v1').list()),
      as(ann, resource('jobs', 'batch/v1').get('x')), as(ann, resource('jobs', 'batch/v1').sub('status').get('x')), as(ann, get('/apis/apps/v1/foos/x/scale')),
    ],
  },
  {
    name: 'paths',
    steps: [
      ...grant('paths', [{ nonResourceURLs: ['/{{ns}}', '/{{ns}}/bar/*', '/{{ns}}baz*', '/metrics'], verbs: ['get', 'post'] }], [user(ann)]),
      ...['/{{ns}}', '/{{ns}}/', '/{{ns}}/bar', '/{{ns}}/bar/', '/{{ns}}/bar/x/y', '/{{ns}}baz', '/{{ns}}bazz', '/metrics', '*', '/', ''].map((path) => {
        return as(ann, selfReview({ nonResourceAttributes: { path, verb: 'get' } }))
      }),
      ...['post', 'put', '*', ''].map((verb) => as(ann, selfReview({ nonResourceAttributes: { path: '/{{ns}}', verb } }))),
      as(ann, get('/{{ns}}')), as(ann, get('/{{ns}}/bar/x')), as(ann, get('/{{ns}}/x')), as(ann, request('POST', '/{{ns}}')), as(ann, request('PUT', '/{{ns}}')), as(ann, rulesReview({ namespace: 'x' })),
    ],
  },
  {
    name: 'subjects of bindings',
    steps: [
      ...grant('sub', [rule([''], ['pods'], ['get'])], [user(ann), group(team), account('bot')]),
      ...grantHere('local', [rule(['batch'], ['jobs'], ['get', 'list'])], [user(ann), group(team), account('bot')]),
      ...[ann, own('eve'), bot, 'system:serviceaccount:elsewhere:bot', 'system:serviceaccount:{{ns}}:other'].flatMap((who) => mayDo(who, ['get -/pods', 'list batch/jobs'])),
      ...mayDo(own('eve'), ['get -/pods', 'list batch/jobs'], undefined, team), ...mayDo(own('eve'), ['get -/pods', 'list batch/jobs'], 'elsewhere', team),
      as(bot, resource('pods').get('x')), as(bot, resource('jobs', 'batch/v1').list()), as(bot, get('/apis/batch/v1/namespaces/default/jobs')), as(bot, rulesReview({ namespace: '{{ns}}' })),
      informed(bindings.create(binding('all', 'Role', 'local', [group('system:serviceaccounts:{{ns}}')]))), ...mayDo('system:serviceaccount:{{ns}}:other', ['list batch/jobs', 'watch batch/jobs']),
      informed(bindings.delete('all')), ...mayDo('system:serviceaccount:{{ns}}:other', ['list batch/jobs']),
    ],
  },
  {
    name: 'bindings of what is gone',
    steps: [
      informed(bindings.create(binding('one', 'Role', 'gone', [user(ann)]))), ...mayDo(ann, ['get -/pods']), ...mayDo(ann, ['get -/pods'], ''), as(ann, resource('pods').list()),
      informed(bindings.create(binding('two', 'ClusterRole', '{{ns}}-gone', [user(own('bea'))]))), ...mayDo(own('bea'), ['get -/pods']), as(own('bea'), resource('pods').list()),
      informed(clusterBindings.create(binding('{{ns}}-three', 'ClusterRole', '{{ns}}-gone', [user(own('cid'))]))), ...mayDo(own('cid'), ['get -/pods'], ''), as(own('cid'), get('/api/v1/nodes')),
      as(own('cid'), get('/nope')), as(own('cid'), rulesReview({ namespace: '{{ns}}' })), as(ann, rulesReview({ namespace: '{{ns}}' })),
      informed(roles.create(role('gone', [rule([''], ['pods'], ['*'])]))), ...mayDo(ann, ['get -/pods', 'get -/secrets']),
      informed(roles.merge('gone', { rules: [rule([''], ['secrets'], ['*'])] })), ...mayDo(ann, ['get -/pods', 'get -/secrets']), informed(roles.delete('gone')), ...mayDo(ann, ['get -/secrets']),
    ],
  },
  {
    name: 'creation by update and apply',
    steps: [
      ...grant('upd', [rule(['coordination.k8s.io', ''], ['leases', 'configmaps'], ['get', 'update', 'patch'])], [user(ann)]),
      as(ann, resource('leases', 'coordination.k8s.io/v1').replace('l', { metadata: { name: 'l' }, spec: {} })),
      as(ann, resource('leases', 'coordination.k8s.io/v1').replace('l', { metadata: { name: 'l' }, spec: { leaseDurationSeconds: -5 } })),
      as(ann, resource('configmaps').apply('c', configMap('c'), 'fieldManager=m')), as(ann, resource('configmaps').apply('C', configMap('C'), 'fieldManager=m')),
      as(ann, request('PATCH', '/api/v1/namespaces/nowhere/configmaps/c?fieldManager=m', configMap('c'), { headers: { 'content-type': 'application/apply-patch+yaml' } })),
      as(ann, resource('configmaps').replace('c', configMap('c'))), as(ann, resource('configmaps').create(configMap('c'))), as(ann, resource('configmaps').merge('c', { data: { a: '2' } })),
      prepared(resource('configmaps').create(configMap('c'))), as(ann, resource('configmaps').apply('c', configMap('c', { b: '1' }), 'fieldManager=m')), as(ann, resource('configmaps').delete('c')),
    ],
  },
  {
    name: 'a namespace for its keeper',
    steps: [
      informed(bindings.create(binding('keeper', 'ClusterRole', 'system:aggregate-to-edit', [user(ann)]))),
      ...mayDo(ann, ['create apps/deployments', 'delete -/pods', 'create -/pods/exec', 'get -/nodes', 'update -/namespaces//{{ns}}', 'create rbac.authorization.k8s.io/roles', 'impersonate -/serviceaccounts']),
      as(ann, resource('configmaps').create(configMap('c'))), as(ann, resource('configmaps').get('c')), as(ann, request('DELETE', '/api/v1/namespaces/{{ns}}')), as(ann, get('/api/v1/namespaces/{{ns}}')),
      as(ann, resource('configmaps').delete('c')), as(ann, clusterResource('nodes').list()), as(ann, rulesReview({ namespace: '{{ns}}' })),
    ],
  },
]

export const access: Topic = {
  name: 'access',
  cases: [
    { name: 'default roles of controllers', steps: controllers.map((name) => clusterRoles.get(name)) },
    { name: 'default roles', steps: [...bound, ...unbound].map((name) => clusterRoles.get(name)) },
    { name: 'default bindings', steps: [...bound, ...controllers].map((name) => clusterBindings.get(name)) },
    {
      name: 'default roles in namespaces',
      steps: [
        ...defaults('kube-public', 'roles', ['system:controller:bootstrap-signer']), ...defaults('kube-public', 'rolebindings', ['system:controller:bootstrap-signer']),
        ...defaults('kube-system', 'roles', ['extension-apiserver-authentication-reader', ...leaders, ...helpers]),
        ...defaults('kube-system', 'rolebindings', ['system::extension-apiserver-authentication-reader', ...leaders, ...helpers]),
        clusterRoles.table('view'), clusterBindings.table('cluster-admin'), clusterBindings.table('system:discovery'), clusterBindings.get('view'),
      ],
    },
    ...refusals,
    ...rights,
  ],
}
