/**
 * Authorization of every method on every form of a path, for users who hold exactly one verb. Writes are dry runs, so
 * that each request finds the same objects; lists select the objects of the case.
 */
import type { Json, JsonObject } from '../../../src/api/json.ts'
import type { Case, Step, Topic } from '../case.ts'
import { configMap, pod } from '../objects.ts'
import { as, define, prepared, request, resource, thing, thingDefinition, things } from '../steps.ts'
import {
  binding,
  bindings,
  clusterBindings,
  clusterRoles,
  own,
  role,
  roles,
  rule,
  tokenReview,
  user,
  whoAmI,
  withAuthorization,
} from './access-objects.ts'

const verbs = ['get', 'list', 'watch', 'create', 'update', 'patch', 'delete', 'deletecollection']
const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']

/** A user for each verb, named by it, who may do this to all resources. */
const usersOf = (names: readonly string[], rules: (verb: string) => Json): Step[] =>
  names.flatMap((verb, i) => {
    const name = `{{ns}}-${verb}`
    const bound = clusterBindings.create(binding(name, 'ClusterRole', name, [user(own(verb))]))
    return [
      prepared(clusterRoles.create(role(name, rules(verb)))),
      prepared(i === names.length - 1 ? { ...bound, settle: 'informed' } : bound),
    ]
  })
const onResources = (verb: string): Json => [rule(['*'], ['*'], [verb === 'all' ? '*' : verb])]
const oneVerbEach = usersOf([...verbs, 'proxy', 'all'], onResources)

const labels = { of: '{{ns}}' }
const selected = 'labelSelector=of%3D{{ns}}'

/** What a request sends besides its path. */
interface Bodies {
  readonly POST: Json
  readonly PUT: Json
}

function sent(method: string, path: string, bodies: Bodies, query = selected): Step {
  const whole = `${path}${path.includes('?') ? '&' : '?'}${query}&dryRun=All&timeoutSeconds=1`
  if (method === 'PATCH')
    return request(method, whole, {}, { headers: { 'content-type': 'application/merge-patch+json' } })
  return request(method, whole, method === 'POST' || method === 'PUT' ? bodies[method] : undefined)
}

/** Whether the answer may be a stream. */
const isWatch = (path: string): boolean => /watch/.test(path.replace('%77', 'w')) && !isNowhere.test(path)
const isNowhere = /^\/\/|\/\/watch|watch\/(\/|watch|proxy)|proxy\/watch/

/** Every method by each of the users; methods without a verb of their own by a few. */
function byEach(paths: readonly string[], bodies: Bodies, query?: string): Step[] {
  return paths.flatMap((path) => {
    const users = path.includes('/proxy') ? [...verbs, 'proxy'] : verbs
    const steps = methods.flatMap((method) =>
      users.map((verb) => {
        const step = as(own(verb), sent(method, path, bodies, query))
        return verb === 'watch' && isWatch(path) ? { ...step, watch: { events: undefined } } : step
      }),
    )
    const others = as(own('all'), sent('OPTIONS', path, bodies, query))
    if (isWatch(path)) return [...steps, { ...others, watch: { events: undefined } }]
    return [...steps, ...['get', 'list'].map((verb) => as(own(verb), sent('HEAD', path, bodies, query))), others]
  })
}

/** The forms of the paths of a namespaced resource, which has the object `a`. */
const plainForms = (root: string, plural: string): string[] => {
  const here = `${root}/namespaces/{{ns}}/${plural}`
  return [`${root}/${plural}`, here, `${here}/`, `${here}/a`, `${here}/a/`, `${here}/a?watch=1`, `${here}?watch=1`]
}
const oddForms = (root: string, plural: string): string[] => {
  const here = `${root}/namespaces/{{ns}}/${plural}`
  return [
    `${here}//`,
    `${here}//a`,
    `${root}/namespaces//${plural}`,
    `${root}/namespaces//${plural}/a`,
    `${root}/namespaces/{{ns}}//${plural}`,
    `${root}//namespaces/{{ns}}/${plural}`,
    `/${here}`,
    here.replace(root, root.replace(/\/v1$/, '//v1')),
    here.replace('/', '/%2F'),
    `${here}%2Fa`,
    here.replace('namespaces/', 'namespaces%2F'),
    `${root}/proxy/namespaces/{{ns}}/${plural}/a`,
    `${root}/proxy/${plural}`,
    `${here}/a/status`,
    `${here}//status`,
    `${here}/a//status`,
    `${here}/a/other`,
  ]
}
const watchForms = (root: string, plural: string): string[] => {
  const here = `${root}/watch/namespaces/{{ns}}/${plural}`
  return [
    `${root}/watch/${plural}`,
    here,
    `${here}/`,
    `${here}/a`,
    `${root}/watch/${plural}/a`,
    `${here}//a`,
    `${here}/a/status`,
    `${here}//status`,
    `${root}/watch/namespaces//${plural}`,
    `${root}/watch/namespaces//${plural}/a`,
    `${root}/watch//${plural}`,
    `${root}//watch/${plural}`,
    `${root}/watch/watch/${plural}`,
    `${root}/watch/proxy/${plural}`,
    `${root}/proxy/watch/${plural}`,
    `${root}/%77atch/namespaces/{{ns}}/${plural}/a`,
    `${root}%2Fwatch%2F${plural}`,
    `/${here}`,
  ]
}

const maps: Bodies = { POST: configMap('b', {}, { labels }), PUT: configMap('a', {}, { labels }) }
const customs: Bodies = { POST: thing('b', {}, { labels }), PUT: thing('a', {}, { labels }) }
const pods: Bodies = { POST: pod('b', {}, { labels }), PUT: pod('a', {}, { labels }) }

const mapsReady = [...oneVerbEach, prepared(resource('configmaps').create(maps.PUT))]
const more: JsonObject = {
  subresources: { status: {}, scale: { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.replicas' } },
}
const customsReady = [
  {
    ...define(thingDefinition({ spec: { type: 'object', properties: { replicas: { type: 'integer' } } } }, more)),
    setup: true,
  },
  ...oneVerbEach,
  prepared(things.create(customs.PUT)),
]
const podsReady = [...oneVerbEach, prepared(resource('pods').create(pods.PUT))]

const group = '/apis/{{ns}}.example.com/v1'
const podPath = '/api/v1/namespaces/{{ns}}/pods'

const objects: readonly Case[] = [
  { name: 'config maps', steps: [...mapsReady, ...byEach(plainForms('/api/v1', 'configmaps'), maps)] },
  { name: 'config maps, odd paths', steps: [...mapsReady, ...byEach(oddForms('/api/v1', 'configmaps'), maps)] },
  { name: 'config maps below watch', steps: [...mapsReady, ...byEach(watchForms('/api/v1', 'configmaps'), maps)] },
  { name: 'custom resources', steps: [...customsReady, ...byEach(plainForms(group, 'things'), customs)] },
  { name: 'custom resources, odd paths', steps: [...customsReady, ...byEach(oddForms(group, 'things'), customs)] },
  { name: 'custom resources below watch', steps: [...customsReady, ...byEach(watchForms(group, 'things'), customs)] },
  {
    name: 'subresources of pods',
    steps: [
      ...podsReady,
      ...byEach(
        (
          '/a/status /a/status/ /a/status/x //status /a//status /a%2Fstatus /a/ephemeralcontainers ' +
          '/a/proxy /a/proxy/x //proxy /a/log //log /a/exec //exec /a/attach /a/portforward'
        )
          .split(' ')
          .map((below) => podPath + below),
        pods,
      ),
      ...byEach([`${podPath}/a/eviction`, `${podPath}//eviction`], {
        POST: { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name: 'a' } },
        PUT: {},
      }),
      ...byEach([`${podPath}/a/binding`, '/api/v1/namespaces/{{ns}}/bindings'], {
        POST: { metadata: { name: 'a' }, target: { kind: 'Node', name: 'n' } },
        PUT: {},
      }),
    ],
  },
  {
    name: 'connections',
    steps: [
      ...podsReady,
      ...['/a/proxy', '/a/proxy/x', '/none/proxy', '/a/exec', '/none/exec', '/a/attach', '/a/portforward'].flatMap(
        (below) =>
          [...methods, 'HEAD', 'OPTIONS'].flatMap((method) =>
            ['get', 'create', 'all'].map((who) => as(own(who), request(method, podPath + below))),
          ),
      ),
      ...['/api/v1/nodes/none/proxy', '/api/v1/nodes//proxy', '/api/v1/namespaces/{{ns}}/services//proxy'].flatMap(
        (path) => [...methods, 'HEAD', 'OPTIONS'].map((method) => as(own('all'), request(method, path))),
      ),
    ],
  },
  {
    name: 'blank namespaces',
    steps: [
      ...oneVerbEach,
      ...['configmaps', 'pods', 'serviceaccounts', 'bindings', 'events'].flatMap((plural) => {
        const path = `/api/v1/namespaces//${plural}`
        return [
          ...[{}, { metadata: { name: 'b' } }, { metadata: { name: 'B', namespace: '{{ns}}' } }, '{', []].map((body) =>
            as(own('all'), request('POST', path, body)),
          ),
          as(own('all'), request('PUT', `${path}/a`, '{')),
          as(own('all'), request('PATCH', `${path}/a`, '{')),
          as(own('all'), request('DELETE', `${path}/a`, '{')),
        ]
      }),
      as(own('all'), request('POST', '/api/v1/namespaces//pods', pod('b'))),
      ...['pods/a/eviction', 'pods/a/binding', 'bindings'].flatMap((below) =>
        [{}, { metadata: { name: 'a' } }, { metadata: { name: 'a' }, target: { kind: 'Node', name: 'n' } }].map(
          (body) => as(own('all'), request('POST', `/api/v1/namespaces//${below}`, body)),
        ),
      ),
      as(own('all'), request('POST', '/api/v1/namespaces/{{ns}}/bindings', {})),
      ...['pods/a', 'pods/a/status', 'pods/a/log', 'pods/a/exec', 'replicationcontrollers/a/scale'].map((below) =>
        as(own('all'), request('GET', `/api/v1/namespaces//${below}`)),
      ),
      as(own('all'), request('DELETE', '/api/v1/namespaces//configmaps?labelSelector=of%3Dnone')),
      as(own('all'), request('DELETE', '/api/v1/namespaces//configmaps?labelSelector=of%3Dnone', '{')),
      as(own('all'), request('POST', '/api/v1/namespaces//serviceaccounts/a/token', {})),
      as(own('all'), request('POST', '/apis/authorization.k8s.io/v1/namespaces//localsubjectaccessreviews', {})),
      as(own('all'), request('POST', '/apis/apps/v1/namespaces//deployments', { metadata: { name: 'a' } })),
    ],
  },
  {
    name: 'subresources below watch',
    steps: [
      ...podsReady,
      ...byEach(
        ['status', 'log', 'exec', 'eviction', 'binding', 'proxy/x'].map(
          (below) => `/api/v1/watch/namespaces/{{ns}}/pods/a/${below}`,
        ),
        pods,
      ),
      ...byEach(
        ['', 'watch/'].map((word) => `/api/v1/${word}namespaces/{{ns}}/serviceaccounts/none/token`),
        { POST: { spec: {} }, PUT: {} },
      ),
      ...byEach(['/apis/rbac.authorization.k8s.io/v1/watch/clusterrolebindings/none'], { POST: {}, PUT: {} }),
    ],
  },
  {
    name: 'namespaces',
    steps: [
      ...oneVerbEach,
      ...byEach(
        (
          ' / // /{{ns}} /{{ns}}/ /{{ns}}/status /{{ns}}/finalize /{{ns}}/other //status //finalize /{{ns}}//status ' +
          '/{{ns}}/status/x /{{ns}}?watch=1 ?watch=1'
        )
          .split(' ')
          .map((below) => `/api/v1/namespaces${below}`),
        { POST: { metadata: { name: '{{ns}}-b' } }, PUT: { metadata: { name: '{{ns}}' } } },
        'labelSelector=kubernetes.io%2Fmetadata.name%3D{{ns}}',
      ),
      ...byEach(
        ['', '/{{ns}}', '/{{ns}}/status', '/{{ns}}/finalize', '//finalize'].flatMap((below) => [
          `/api/v1/watch/namespaces${below}`,
          `/api/v1/proxy/namespaces${below}`,
        ]),
        { POST: { metadata: { name: '{{ns}}-b' } }, PUT: { metadata: { name: '{{ns}}' } } },
        'labelSelector=kubernetes.io%2Fmetadata.name%3D{{ns}}',
      ),
    ],
  },
]

/** A user with all verbs in one namespace, and one with all verbs on one name. */
const limited: readonly Step[] = [
  prepared(roles.create(role('here', [rule(['*'], ['*'], ['*'])]))),
  prepared(bindings.create(binding('here', 'Role', 'here', [user(own('here'))]))),
  ...usersOf(['named'], () => [rule(['*'], ['*'], ['*'], ['a'])]),
]
const nameForms = (root: string, plural: string): string[] => {
  const name = 'fieldSelector=metadata.name'
  return [
    `${root}/namespaces/{{ns}}/${plural}`,
    `${root}/${plural}`,
    `${root}/watch/namespaces/{{ns}}/${plural}`,
  ].flatMap((path) => [
    `${path}?${name}%3Da`,
    `${path}?${name}%3D%3Da&watch=1`,
    `${path}?${name}%3Db`,
    `${path}?${name}!%3Da`,
    `${path}?${name}%3Da,metadata.name%3Db`,
    `${path}?${name}%3Db,metadata.name%3Da`,
    `${path}?${name}%3Da&watch=FALSE`,
    `${path}?${name}%3Da&watch=`,
    `${path}?${name}%3Da&limit=x`,
    `${path}?${name}%3Da&limit=x&watch=0`,
    `${path}?${name}%3Da&fieldSelector=`,
    `${path}/a?${name}%3Da`,
    `${path}/a?${name}%3Db`,
    `${path}/a?fieldSelector=metadata.namespace%3D{{ns}}`,
  ])
}
/** A watch by the selector's name has a stream for an answer. */
const limitedTo = (who: string, paths: readonly string[], bodies: Bodies): Step[] =>
  paths.flatMap((path) => [
    { ...as(own(who), sent('GET', path, bodies)), ...(isWatch(path) ? { watch: { events: undefined } } : {}) },
    ...(isWatch(path) ? [] : [as(own(who), sent('DELETE', path, bodies))]),
  ])
const allForms = (root: string, plural: string): string[] => [
  ...plainForms(root, plural),
  ...oddForms(root, plural),
  ...watchForms(root, plural),
]

const limits: readonly Case[] = [
  {
    name: 'rights on one name',
    steps: [
      ...limited,
      prepared(resource('configmaps').create(maps.PUT)),
      prepared(resource('configmaps').create(maps.POST)),
      ...limitedTo('named', [...nameForms('/api/v1', 'configmaps'), ...allForms('/api/v1', 'configmaps')], maps),
    ],
  },
  {
    name: 'rights on one name of a custom resource',
    steps: [
      ...customsReady.slice(0, 1),
      ...limited,
      prepared(things.create(customs.PUT)),
      prepared(things.create(customs.POST)),
      ...limitedTo('named', [...nameForms(group, 'things'), ...allForms(group, 'things')], customs),
    ],
  },
  {
    name: 'rights in one namespace',
    steps: [
      ...customsReady.slice(0, 1),
      ...limited,
      prepared(resource('configmaps').create(maps.PUT)),
      prepared(things.create(customs.PUT)),
      ...limitedTo('here', allForms('/api/v1', 'configmaps'), maps),
      ...limitedTo('here', allForms(group, 'things'), customs),
    ],
  },
]

const pathVerbs = ['get', 'head', 'post', 'put', 'patch', 'delete', 'options']
const elsewhere: readonly Case[] = [
  {
    name: 'paths without resources',
    steps: [
      ...usersOf(pathVerbs, (verb) => [{ nonResourceURLs: ['*'], verbs: [verb] }]),
      ...[
        '/livez/ping',
        '/livez/ping/',
        '//livez/ping',
        '/livez//ping',
        '/%6Civez/ping',
        '/nowhere',
        '//api',
        '//api/v1',
      ].flatMap((path) =>
        pathVerbs.flatMap((verb) => pathVerbs.map((by) => as(own(by), request(verb.toUpperCase(), path)))),
      ),
    ],
  },
  {
    name: 'unfinished paths',
    steps: [
      ...oneVerbEach,
      ...['/api/v1/watch/', '/api/v1/watch//', '/api/v1/proxy//', '/apis/apps/v1/proxy', '//api/v1/watch'].flatMap(
        (path) => ['GET', 'POST', 'DELETE'].map((method) => as(own('watch'), request(method, path))),
      ),
      ...[
        '/api/v1/namespaces/{{ns}}/watch',
        '/api/v1/namespaces/{{ns}}/proxy',
        '/apis//v1/configmaps',
        '/apis/apps//deployments',
      ].flatMap((path) =>
        ['list', 'watch', 'proxy'].map((verb) => as(own(verb), request('GET', `${path}?${selected}`))),
      ),
    ],
  },
  {
    name: 'tokens with more behind them',
    steps: [
      prepared(resource('serviceaccounts').create({ metadata: { name: 'bot' } })),
      request('POST', '/api/v1/namespaces/{{ns}}/serviceaccounts/bot/token', { spec: {} }),
      ...['', '!!', '=', '==', '.', '.x', '%20', '+', '/', ' x'].map((end) =>
        withAuthorization(`Bearer {{1.status.token}}${end}`, whoAmI()),
      ),
      ...['!!', '=', '\n', ' '].map((end) => tokenReview({ token: `{{1.status.token}}${end}` })),
    ],
  },
]

export const paths: Topic = { name: 'access-paths', cases: [...objects, ...limits, ...elsewhere] }
