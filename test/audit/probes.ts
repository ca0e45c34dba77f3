/** The policy and the requests of the comparison of audit logs. `setup` requests are sent first and not compared. */
import type { JsonObject } from '../../src/api/json.ts'

export const policy = {
  apiVersion: 'audit.k8s.io/v1',
  kind: 'Policy',
  rules: [
    { level: 'None', nonResourceURLs: ['/healthz*'] },
    { level: 'Metadata', resources: [{ group: '', resources: ['secrets'] }] },
    { level: 'Request', resources: [{ group: '', resources: ['serviceaccounts'] }], omitStages: ['RequestReceived'] },
    { level: 'RequestResponse', verbs: ['patch'], omitManagedFields: true },
    { level: 'RequestResponse', resources: [{ group: 'apps' }], omitManagedFields: true },
    { level: 'RequestResponse', namespaces: ['probe', 'strict', 'hooked'] },
    { level: 'Request', namespaces: ['asked'], omitStages: ['ResponseStarted'] },
    { level: 'Metadata' },
  ],
}

export interface Probe {
  readonly method: string
  readonly path: string
  readonly user?: 'admin' | 'alice' | 'nobody'
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: object | string
}

const json = (type: string): Record<string, string> => ({ 'content-type': `application/${type}` })
const merge = json('merge-patch+json')
const apply = json('apply-patch+yaml')
const yaml = json('yaml')

const at = (namespace: string, plural: string, root = '/api/v1'): string => `${root}/namespaces/${namespace}/${plural}`
const post = (path: string, body: object | string, more: Partial<Probe> = {}): Probe => ({
  method: 'POST',
  path,
  body,
  ...more,
})
const get = (path: string, more: Partial<Probe> = {}): Probe => ({ method: 'GET', path, ...more })
const put = (path: string, body: object): Probe => ({ method: 'PUT', path, body })
const patch = (path: string, headers: Record<string, string>, body: object | string): Probe => ({
  method: 'PATCH',
  path,
  headers,
  body,
})
const remove = (path: string, body?: object | string): Probe =>
  body === undefined ? { method: 'DELETE', path } : { method: 'DELETE', path, body }

const configMap = (name: string, more: object = {}): JsonObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name },
  data: { a: '1' },
  ...more,
})
const containers = [{ name: 'c', image: 'i:1' }]
const pod = (name: string, spec: JsonObject = {}): JsonObject => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, labels: { app: 'a' } },
  spec: { containers, ...spec },
})
const deployment = (name: string): JsonObject => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name },
  spec: {
    selector: { matchLabels: { a: 'b' } },
    template: { metadata: { labels: { a: 'b' } }, spec: { containers } },
  },
})
const thing = (name: string, spec: JsonObject = {}): JsonObject => ({
  apiVersion: 'audit.example.com/v1',
  kind: 'Thing',
  metadata: { name },
  spec,
})

/** A kind of which v1 is deprecated, with a default. */
const definition = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'things.audit.example.com' },
  spec: {
    group: 'audit.example.com',
    scope: 'Namespaced',
    names: { plural: 'things', singular: 'thing', kind: 'Thing', listKind: 'ThingList' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        deprecated: true,
        schema: {
          openAPIV3Schema: {
            type: 'object',
            properties: {
              spec: {
                type: 'object',
                properties: { size: { type: 'integer', default: 3 }, text: { type: 'string' } },
              },
            },
          },
        },
        subresources: { status: {}, scale: { specReplicasPath: '.spec.size', statusReplicasPath: '.status.size' } },
      },
    ],
  },
}

/** Webhooks for ConfigMaps in namespaces with a label. What they answer depends on the path; see `audit.cluster.ts`. */
function webhooks(
  kind: 'Mutating' | 'Validating',
  name: string,
  url: string,
  ca: string,
  paths: readonly string[],
): JsonObject {
  return {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: `${kind}WebhookConfiguration`,
    metadata: { name },
    webhooks: paths.map((path) => ({
      name: `${path}.audit.example.com`,
      clientConfig: { url: `${url}/${path}`, caBundle: Buffer.from(ca).toString('base64') },
      rules: [{ apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'], operations: ['CREATE', 'UPDATE'] }],
      namespaceSelector: { matchLabels: { hooked: 'yes' } },
      objectSelector: { matchLabels: { hook: path } },
      failurePolicy: path.startsWith('open') ? 'Ignore' : 'Fail',
      sideEffects: 'None',
      admissionReviewVersions: ['v1'],
      ...(kind === 'Mutating' ? { reinvocationPolicy: 'IfNeeded' } : {}),
    })),
  }
}

/** Webhooks for connections to pods in the namespace `connected`. */
function connectionWebhooks(kind: 'Mutating' | 'Validating', name: string, url: string, ca: string, path: string) {
  const configuration = webhooks(kind, name, url, ca, [path])
  const [webhook] = configuration['webhooks'] as JsonObject[]
  const { objectSelector: _, ...others } = webhook ?? {}
  const resources = ['exec', 'attach', 'portforward', 'proxy'].map((each) => `pods/${each}`)
  const rules = [{ apiGroups: [''], apiVersions: ['v1'], resources, operations: ['CONNECT'] }]
  const selector = { matchLabels: { connected: 'yes' } }
  return { ...configuration, webhooks: [{ ...others, rules, namespaceSelector: selector }] }
}

const namespace = (name: string, labels: Record<string, string> = {}): Probe =>
  post('/api/v1/namespaces', { metadata: { name, labels } })
const level = (of: string): string => `pod-security.kubernetes.io/${of}`

export const setup = (url: string, ca: string): readonly Probe[] => [
  namespace('probe'),
  namespace('asked'),
  namespace('hooked', { hooked: 'yes' }),
  namespace('light', { hooked: 'yes' }),
  namespace('connected', { connected: 'yes' }),
  namespace('strict', {
    [level('enforce')]: 'baseline',
    [level('audit')]: 'restricted',
    [level('warn')]: 'restricted',
  }),
  post('/apis/apiextensions.k8s.io/v1/customresourcedefinitions', definition),
  post(
    '/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations',
    webhooks('Mutating', 'changing', url, ca, ['patch', 'same', 'open-broken', 'notes']),
  ),
  post(
    '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations',
    webhooks('Validating', 'checking', url, ca, ['never', 'deny', 'open-failing', 'notes']),
  ),
  post(
    '/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations',
    connectionWebhooks('Mutating', 'connection-changing', url, ca, 'connection'),
  ),
  post(
    '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations',
    connectionWebhooks('Validating', 'connection-checking', url, ca, 'notes'),
  ),
]

/** Sent until it is answered like this: then the real server has seen the definition and the webhooks. */
export const ready: readonly { readonly probe: Probe; readonly status: number }[] = [
  { probe: get(at('probe', 'things', '/apis/audit.example.com/v1')), status: 200 },
  {
    probe: post(
      at('hooked', 'configmaps?dryRun=All'),
      configMap('x', { metadata: { name: 'x', labels: { hook: 'deny' } } }),
    ),
    status: 400,
  },
  {
    probe: post(
      at('hooked', 'configmaps?dryRun=All'),
      configMap('y', { metadata: { name: 'y', labels: { hook: 'patch' } } }),
    ),
    status: 201,
  },
]

const configMaps = at('probe', 'configmaps')
const pods = at('probe', 'pods')
const deployments = at('probe', 'deployments', '/apis/apps/v1')
const things = at('probe', 'things', '/apis/audit.example.com/v1')
const hooked = (hook: string, where = 'hooked', method = post): Probe =>
  method(at(where, 'configmaps'), configMap(`${where}-${hook}`, { metadata: { name: hook, labels: { hook } } }))

const upgrade = {
  connection: 'Upgrade',
  upgrade: 'websocket',
  origin: 'https://example.com',
  'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
  'sec-websocket-version': '13',
}
const as = (more: Record<string, string> = {}): Partial<Probe> => ({
  headers: { 'impersonate-user': 'bob', 'impersonate-group': 'dev', ...more },
})

export const probes: readonly Probe[] = [
  post(`${configMaps}?fieldManager=me`, configMap('a')),
  post(configMaps, configMap('a')),
  post(configMaps, configMap('A_B')),
  post(configMaps, '{"a":'),
  get(`${configMaps}/a`),
  get(`${configMaps}/missing`),
  get(`${configMaps}?limit=500`),
  get(`${configMaps}?fieldSelector=metadata.name%3Da`),
  get(`${configMaps}?watch=1&timeoutSeconds=1`),
  put(`${configMaps}/a`, configMap('a', { data: { a: '2' } })),
  patch(`${configMaps}/a?fieldManager=me`, merge, { data: { b: '1' } }),
  patch(`${configMaps}/b?fieldManager=me`, apply, configMap('b')),
  get(configMaps, { user: 'alice' }),
  post(configMaps, configMap('c'), { user: 'alice' }),
  get(`${configMaps}?watch=1`, { user: 'alice' }),
  get(`${configMaps}/a`, as()),
  get(`${configMaps}/a`, { user: 'alice', headers: { 'impersonate-user': 'bob' } }),
  get(`${configMaps}/a`, { headers: { authorization: 'Bearer wrong' } }),
  get('/version', { headers: { authorization: 'Basic YTpi' } }),
  get('/version?probe=%20x'),
  get('/version', { user: 'nobody' }),
  get(`${configMaps}/a`, { user: 'nobody' }),
  get('/healthz'),
  get('/apis/nothing.example.com/v1/things'),
  get('/api/v1/things'),
  post(at('probe', 'secrets'), { metadata: { name: 's' }, data: { x: 'eA==' } }),
  get(at('probe', 'secrets/s')),
  post(at('probe', 'serviceaccounts'), { metadata: { generateName: 'g-' } }),
  get('/api/v1/namespaces/probe', { headers: { 'x-forwarded-for': '192.0.2.1', 'x-real-ip': '192.0.2.2' } }),
  remove(`${configMaps}/a`, { propagationPolicy: 'Background' }),
  remove(configMaps),
  remove(`${configMaps}/missing`),

  // Bodies: decoded, defaulted, without unknown fields.
  post(pods, pod('p')),
  post(`${pods}?dryRun=All`, { metadata: { name: 'q', uid: 'mine', resourceVersion: '0' }, spec: { containers } }),
  post(at('probe', 'services'), { metadata: { name: 's' }, spec: { ports: [{ port: 80 }], clusterIP: 'None' } }),
  post(deployments, deployment('d')),
  put(`${deployments}/d`, { ...deployment('d'), metadata: { name: 'd', managedFields: [], labels: { x: 'y' } } }),
  get(`${deployments}/d`),
  post(configMaps, { ...configMap('unknown'), extra: 1, data: { a: '1', b: '' } }),
  post(`${configMaps}?fieldValidation=Strict`, { ...configMap('strict'), extra: 1 }),
  post(configMaps, 'kind: ConfigMap\napiVersion: v1\nmetadata: {name: y}\ndata: {a: "1"}\n', { headers: yaml }),
  post(configMaps, pod('p')),
  post(configMaps, configMap('elsewhere', { metadata: { name: 'elsewhere', namespace: 'other' } })),
  post(things, thing('t', { text: 'x', unknown: 1 })),
  get(`${things}/t`),
  get(things),
  put(`${things}/t/status`, thing('t')),
  patch(`${things}/t/scale`, merge, { spec: { replicas: 5 } }),
  get(`${things}?watch=1&timeoutSeconds=1`),
  get(`${things}/t/other`),
  patch(things, merge, {}),
  get(at('probe', 'endpoints')),
  get(`${at('probe', 'endpoints')}?watch=1&timeoutSeconds=1`),
  get(at('probe', 'endpoints'), { user: 'alice' }),
  patch(`${deployments}/d/scale`, merge, { spec: { replicas: 2 } }),
  put(`${deployments}/d/scale`, {
    apiVersion: 'autoscaling/v1',
    kind: 'Scale',
    metadata: { name: 'd', namespace: 'probe' },
    spec: { replicas: 1 },
  }),
  patch(`${deployments}/d`, json('json-patch+json'), [{ op: 'replace', path: '/spec/replicas', value: 3 }]),
  patch(`${deployments}/d`, json('strategic-merge-patch+json'), { metadata: { labels: { z: '1' } } }),
  patch(`${deployments}/d?fieldManager=`, apply, deployment('d')),
  patch(`${deployments}/d`, json('json'), {}),
  patch(`${configMaps}/none`, merge, { data: { a: '1' } }),
  post(at('asked', 'configmaps'), configMap('a')),
  get(at('asked', 'configmaps?watch=1&timeoutSeconds=1')),

  // Options and actions.
  remove(`${configMaps}/y`, { kind: 'DeleteOptions', apiVersion: 'v1', gracePeriodSeconds: 0 }),
  remove(`${configMaps}/y`, { propagationPolicy: 'Nothing' }),
  remove(`${configMaps}/y`, { gracePeriodSeconds: 'x' }),
  remove(`${configMaps}?labelSelector=a%3Db`, { kind: 'DeleteOptions', apiVersion: 'meta.k8s.io/v1', dryRun: ['All'] }),
  post(at('probe', 'serviceaccounts'), { metadata: { name: 'robot' } }),
  post(at('probe', 'serviceaccounts/robot/token'), { spec: { expirationSeconds: 3600 } }),
  post(at('probe', 'serviceaccounts/none/token'), {}),
  post('/apis/authorization.k8s.io/v1/selfsubjectaccessreviews', {
    spec: { resourceAttributes: { verb: 'get', resource: 'pods' } },
  }),
  post(at('probe', 'localsubjectaccessreviews', '/apis/authorization.k8s.io/v1'), {
    metadata: { namespace: 'probe' },
    spec: { user: 'alice', resourceAttributes: { namespace: 'probe', verb: 'get', resource: 'pods' } },
  }),
  post(`${pods}/p/binding`, { metadata: { name: 'p' }, target: { kind: 'Node', name: 'n' } }),
  patch(`${pods}/p/status`, merge, { status: { phase: 'Running' } }),
  post(at('probe', 'poddisruptionbudgets', '/apis/policy/v1'), {
    metadata: { name: 'b' },
    spec: { minAvailable: 1, selector: { matchLabels: { app: 'a' } } },
  }),
  post(`${pods}/p/eviction`, { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name: 'p' } }),
  get(`${configMaps}?labelSelector=a%3Db`, { headers: { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' } }),
  get(configMaps, { headers: { accept: 'application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io' } }),
  get(configMaps, { headers: { accept: 'text/csv' } }),
  get(`${configMaps}?limit=x`),
  post(configMaps, 'x=y', { headers: { 'content-type': 'text/plain' } }),

  // Connections and streams.
  get(`${configMaps}?watch=1&timeoutSeconds=1`, { headers: upgrade }),
  get(`${configMaps}?watch=1&timeoutSeconds=1`, { headers: { ...upgrade, origin: '' } }),
  post(pods, pod('unbound')),
  get(`${pods}/unbound/log`),
  get(`${pods}/none/log`),
  post(`${pods}/unbound/exec?command=ls`, ''),
  get(`${pods}/unbound/exec?command=ls`, { user: 'alice' }),
  get(`${pods}/unbound/attach`),
  get(`${pods}/unbound/portforward`),
  get(`${pods}/unbound/proxy/x/y`),
  get(`${pods}/none/proxy`),
  get(`${pods}/p/exec`),

  // Users.
  get(`${configMaps}/y`, as({ 'impersonate-uid': '7', 'impersonate-extra-scopes': 'x' })),
  get(`${configMaps}/y`, { headers: { 'impersonate-group': 'dev' } }),
  get('/api/v1/watch/namespaces/probe/configmaps/y', { user: 'alice' }),
  get('/api/v1/namespaces/probe/configmaps/%zz'),
  get('/api/v1/watch'),
  { method: 'OPTIONS', path: configMaps },
  { method: 'HEAD', path: configMaps },

  // Annotations of admission.
  post(at('strict', 'pods'), pod('bad', { hostNetwork: true })),
  post(at('strict', 'pods'), pod('fair')),
  post(at('strict', 'pods?dryRun=All'), pod('fair-too')),
  patch(at('strict', 'pods/fair'), merge, { metadata: { labels: { x: 'y' } } }),
  patch(at('strict', 'pods/fair'), merge, { spec: { containers: [{ name: 'c', image: 'i:2' }] } }),
  post(at('strict', 'deployments', '/apis/apps/v1'), deployment('d')),
  post(at('strict', 'pods/fair/eviction'), { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name: 'fair' } }),
  hooked('patch'),
  hooked('patch', 'light'),
  hooked('same'),
  hooked('open-broken'),
  hooked('notes'),
  hooked('deny'),
  hooked('open-failing'),
  hooked('none'),

  // Connections: to a pod that is not scheduled.
  post(at('connected', 'pods'), pod('p')),
  post(at('connected', 'pods/p/exec?container=c&command=ls&stdout=true'), ''),
  get(at('connected', 'pods/p/exec?command=ls'), { headers: upgrade }),
  post(at('connected', 'pods/p/attach?container=c'), ''),
  post(at('connected', 'pods/p/portforward?ports=80'), ''),
  get(at('connected', 'pods/p/proxy/a/b')),
  get(at('probe', 'pods/p/proxy/a/b')),
  post(at('connected', 'pods/missing/exec?command=ls'), ''),
  patch(at('hooked', 'configmaps/patch'), merge, { data: { more: '1' } }),
]
