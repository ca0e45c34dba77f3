/** The review APIs: SubjectAccessReview and its variants, rules reviews, SelfSubjectReview, TokenReview. */
import type { Json, JsonObject } from '../../../src/api/json.ts'
import type { Case, Step, Topic } from '../case.ts'
import { as, asAlice, request } from '../steps.ts'
import {
  attributes,
  authentication,
  authorization,
  localReview,
  own,
  rulesReview,
  selfReview,
  subjectReview,
  tokenReview,
  whoAmI,
} from './access-objects.ts'

const places = [
  `${authorization}/selfsubjectaccessreviews`,
  `${authorization}/selfsubjectaccessreviews/x`,
  `${authorization}/subjectaccessreviews`,
  `${authorization}/selfsubjectrulesreviews`,
  `${authorization}/namespaces/{{ns}}/localsubjectaccessreviews`,
  `${authorization}/localsubjectaccessreviews`,
  `${authorization}/namespaces/{{ns}}/localsubjectaccessreviews/x`,
  `${authorization}/namespaces/{{ns}}/selfsubjectaccessreviews`,
  `${authentication}/tokenreviews`,
  `${authentication}/tokenreviews/x`,
  `${authentication}/selfsubjectreviews`,
  '/api/v1/namespaces/{{ns}}/serviceaccounts/x/token',
]

const onPlaces = (method: string, headers: Record<string, string> = {}): Step[] => {
  return places.map((path) => request(method, path, method === 'GET' ? undefined : {}, { headers }))
}

const pods = { verb: 'get', resource: 'pods' }
const mine = (more: JsonObject, query = ''): Step => asAlice(selfReview({ resourceAttributes: pods }, more, query))

const specs: readonly Json[] = [
  { resourceAttributes: pods },
  { nonResourceAttributes: { path: '/api', verb: 'get' } },
  { nonResourceAttributes: { path: '/apix', verb: 'get' } },
  { resourceAttributes: {} },
  { nonResourceAttributes: {} },
  {},
  null,
  { resourceAttributes: pods, nonResourceAttributes: { path: '/a' } },
  { resourceAttributes: 'x' },
  { resourceAttributes: pods, foo: 1 },
  { resourceAttributes: { ...pods, version: 'v1', group: 'g', name: 'n', subresource: 's', namespace: 'm' } },
]

const selectors: readonly JsonObject[] = [
  {},
  { rawSelector: 'a=b' },
  { rawSelector: 'a=,,=' },
  { rawSelector: 'a in (b' },
  { rawSelector: 'a=b', requirements: [{ key: 'a', operator: 'In', values: ['b'] }] },
  ...(
    [
      [{ key: 'a', operator: 'In', values: ['b'] }],
      [{ key: 'a', operator: 'In', values: ['b', 'c'] }],
      [{ key: 'a', operator: 'In' }],
      [{ key: 'a', operator: 'Exists', values: ['b'] }],
      [{ key: 'a', operator: 'Exists' }],
      [
        { key: 'a', operator: 'DoesNotExist' },
        { key: 'x', operator: 'NotIn', values: ['y'] },
      ],
      [{ key: 'a', operator: 'Foo' }],
      [
        { key: 'a', operator: 'Foo' },
        { key: 'b', operator: 'In', values: ['c'] },
      ],
      [{ key: '', operator: 'In', values: ['b'] }],
      [{ key: '-a', operator: 'In', values: ['b b'] }],
    ] as JsonObject[][]
  ).map((requirements) => ({ requirements })),
]

/** Users that the server has from the start. */
const known: readonly JsonObject[] = [
  { user: 'system:kube-scheduler', resourceAttributes: attributes('create -/pods/binding', 'x') },
  {
    user: 'system:serviceaccount:kube-system:deployment-controller',
    resourceAttributes: attributes('create apps/replicasets', 'x'),
  },
  { user: 'system:serviceaccount:kube-system:job-controller', resourceAttributes: attributes('delete -/pods', 'x') },
  {
    user: 'system:kube-controller-manager',
    resourceAttributes: attributes('update coordination.k8s.io/leases//kube-controller-manager', 'kube-system'),
  },
  {
    user: 'system:kube-controller-manager',
    resourceAttributes: attributes('get -/configmaps//extension-apiserver-authentication', 'kube-system'),
  },
  { user: 'system:kube-proxy', resourceAttributes: attributes('watch discovery.k8s.io/endpointslices', '') },
  { user: 'system:node:n', groups: ['system:nodes'], resourceAttributes: attributes('get -/pods', '') },
  { groups: ['system:monitoring'], nonResourceAttributes: { path: '/metrics', verb: 'get' } },
  { groups: ['system:masters'], resourceAttributes: attributes('get -/pods', '') },
  { groups: ['system:authenticated'], nonResourceAttributes: { path: '/openapi/v2', verb: 'get' } },
  { groups: ['system:unauthenticated'], nonResourceAttributes: { path: '/version', verb: 'get' } },
  { groups: ['system:serviceaccounts'], nonResourceAttributes: { path: '/openid/v1/jwks', verb: 'get' } },
  {
    user: 'x',
    groups: ['system:authenticated'],
    resourceAttributes: attributes('create authorization.k8s.io/selfsubjectaccessreviews', ''),
  },
]

const here = { ...pods, namespace: '{{ns}}' }

const cases: readonly Case[] = [
  {
    name: 'methods',
    steps: [
      ...onPlaces('GET'),
      ...onPlaces('PUT'),
      ...onPlaces('DELETE'),
      ...onPlaces('PATCH', { 'content-type': 'application/merge-patch+json' }),
      ...onPlaces('POST'),
    ],
  },
  { name: 'of the administrator', steps: specs.map((spec) => selfReview(spec)) },
  { name: 'of a user without rights', steps: specs.map((spec) => asAlice(selfReview(spec))) },
  {
    name: 'bodies',
    steps: [
      mine({ metadata: { name: 'x' } }),
      mine({ metadata: { namespace: 'x', uid: 'y', creationTimestamp: null } }),
      mine({ metadata: { labels: { a: 'b' }, annotations: { c: 'd' }, finalizers: ['a'], generateName: 'g' } }),
      mine({ kind: 'Foo' }),
      mine({ kind: 'SubjectAccessReview', apiVersion: 'authorization.k8s.io/v1' }),
      mine({ apiVersion: 'authorization.k8s.io/v1beta1', kind: 'SelfSubjectAccessReview' }),
      mine({ apiVersion: 'v1', kind: 'Pod' }),
      mine({ apiVersion: 'authorization.k8s.io/v1', kind: 'SelfSubjectAccessReview' }),
      mine({ status: { allowed: true, denied: true, reason: 'x', evaluationError: 'y' } }),
      mine({ foo: 1 }),
      mine({ foo: 1 }, '?fieldValidation=Strict'),
      mine({ foo: 1 }, '?fieldValidation=Ignore'),
      mine({}, '?dryRun=All'),
      mine({}, '?dryRun=foo'),
      mine({}, '?fieldManager=me'),
      mine({}, '?fieldValidation=Odd'),
      mine({}, '?pretty=true'),
      ...['', '{', '[]', 'null', '5'].map((body) =>
        asAlice(request('POST', `${authorization}/selfsubjectaccessreviews`, body)),
      ),
      asAlice(whoAmI({}, { metadata: { name: 'x', labels: { a: 'b' } } })),
      asAlice(whoAmI({}, { kind: 'x' })),
      asAlice(whoAmI({}, { status: { userInfo: { username: 'eve' } } })),
      asAlice(whoAmI({}, { apiVersion: 'authentication.k8s.io/v1beta1', kind: 'SelfSubjectReview' })),
      asAlice(whoAmI({ accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' })),
      whoAmI(),
      asAlice(whoAmI()),
      whoAmI({ 'content-type': 'application/yaml' }),
      asAlice(whoAmI({ accept: 'application/yaml' })),
    ],
  },
  {
    name: 'field selectors',
    steps: selectors.map((fieldSelector) => asAlice(selfReview({ resourceAttributes: { ...pods, fieldSelector } }))),
  },
  {
    name: 'label selectors',
    steps: selectors.map((labelSelector) => asAlice(selfReview({ resourceAttributes: { ...pods, labelSelector } }))),
  },
  {
    name: 'of other subjects',
    steps: [
      ...known.map((spec) => subjectReview(spec)),
      subjectReview({}),
      subjectReview({ user: own('x') }),
      subjectReview({ user: own('x'), resourceAttributes: pods }),
      subjectReview({ groups: [], resourceAttributes: pods }),
      subjectReview({
        user: own('x'),
        uid: 'u',
        extra: { a: ['b', 'c'] },
        resourceAttributes: { ...pods, subresource: 'log', name: 'n', namespace: 'm', group: 'g', version: 'v' },
      }),
      subjectReview({ user: own('x'), nonResourceAttributes: { path: '/', verb: 'get' } }),
      subjectReview({ user: own('x'), resourceAttributes: pods, nonResourceAttributes: { path: '/' } }),
      subjectReview({ user: own('x'), resourceAttributes: pods }, { metadata: { name: 'x' } }),
    ],
  },
  {
    name: 'in a namespace',
    steps: [
      localReview({}),
      localReview({ user: 'a', resourceAttributes: pods }),
      localReview({ user: own('a'), resourceAttributes: here }),
      localReview({ user: 'a', resourceAttributes: { ...pods, namespace: 'bar' } }),
      localReview({ user: 'a', nonResourceAttributes: { path: '/a', verb: 'b' } }),
      localReview({ user: own('a'), resourceAttributes: here }, { metadata: { namespace: 'bar' } }),
      localReview({ user: own('a'), resourceAttributes: here }, { metadata: { namespace: '{{ns}}', name: 'x' } }),
      localReview({ user: own('a'), resourceAttributes: here }, { metadata: { namespace: '{{ns}}' } }),
      localReview({ user: 'a', groups: ['system:masters'], resourceAttributes: here }),
      asAlice(localReview({ user: 'a', resourceAttributes: here })),
    ],
  },
  {
    name: 'rules of a user',
    steps: [
      rulesReview({ namespace: 'default' }),
      rulesReview({}),
      rulesReview({ namespace: '' }),
      rulesReview({ namespace: '{{ns}}' }, { metadata: { name: 'x' } }),
      asAlice(rulesReview({ namespace: '{{ns}}' })),
      asAlice(rulesReview({})),
      as('system:kube-controller-manager', rulesReview({ namespace: 'kube-system' })),
      as('system:kube-scheduler', rulesReview({ namespace: 'kube-system' })),
      as('system:serviceaccount:kube-system:bootstrap-signer', rulesReview({ namespace: 'kube-public' })),
      as('system:anonymous', rulesReview({ namespace: 'default' })),
      as(own('x'), rulesReview({ namespace: 'default' }), 'system:masters'),
    ],
  },
  {
    name: 'whose token is it',
    steps: [
      ...['admintoken', 'alicetoken', 'nope', '', 'a b', 'a.b.c', 'alicetoken x'].flatMap((token) => [
        tokenReview({ token }),
        tokenReview({ token, audiences: ['foo'] }),
        tokenReview({ token, audiences: ['foo', 'https://kubernetes.default.svc'] }),
      ]),
      tokenReview(
        { token: 'alicetoken' },
        { metadata: { name: 'x' }, status: { authenticated: false, error: 'no', user: { username: 'x' } } },
      ),
      tokenReview({}),
      tokenReview({ token: 'x', audiences: [] }),
      tokenReview({ token: 5 }),
      tokenReview({
        token: 'eyJhbGciOiJSUzI1NiIsImtpZCI6ImZvbyJ9.eyJpc3MiOiJodHRwczovL2t1YmVybmV0ZXMuZGVmYXVsdC5zdmMifQ.AAAA',
      }),
      asAlice(tokenReview({ token: 'alicetoken' })),
    ],
  },
]

export const reviews: Topic = { name: 'access-reviews', cases }
