/** Tokens of service accounts: how they are requested, their claims, the rights that they give, and their expiry. */
import type { Json, JsonObject } from '../../../src/api/json.ts'
import type { Case, Step, Topic } from '../case.ts'
import { object, pod } from '../objects.ts'
import { asAlice, get, informed, prepared, request, resource } from '../steps.ts'
import {
  account,
  authentication,
  grantHere,
  rule,
  rulesReview,
  tokenReview,
  whoAmI,
  withAuthorization,
} from './access-objects.ts'

const accounts = resource('serviceaccounts')
const path = '/api/v1/namespaces/{{ns}}/serviceaccounts/sa/token'
const token = (body: Json, query = ''): Step => request('POST', `${path}${query}`, body)
const made = (spec: JsonObject): Step => token({ spec })
const bound = (kind: string, name: string, more: JsonObject = {}): JsonObject => ({
  boundObjectRef: { kind, apiVersion: 'v1', name, ...more },
})

/** A service account, a secret, a pod of this account and a pod of another account. */
const surroundings: readonly Step[] = [
  prepared(accounts.create(object('v1', 'ServiceAccount', 'sa'))),
  prepared(resource('secrets').create(object('v1', 'Secret', 'one'))),
  prepared(
    resource('pods').create(
      pod('p', { serviceAccountName: 'sa', automountServiceAccountToken: false, nodeName: 'no-node' }),
    ),
  ),
  informed(
    prepared(resource('pods').create(pod('q', { serviceAccountName: 'other', automountServiceAccountToken: false }))),
  ),
]
/** The index of the first step after them. */
const first = surroundings.length

const issued = (step: number): string => `{{${step}.status.token}}`
const bearing = (step: number, asked: Step): Step => withAuthorization(`Bearer ${issued(step)}`, asked)

const cases: readonly Case[] = [
  {
    name: 'requests',
    steps: [
      ...surroundings,
      token({}),
      ...(
        [
          {},
          { audiences: ['a', 'b'] },
          { audiences: [] },
          { audiences: [''] },
          { audiences: 'a' },
          { expirationSeconds: 599 },
          { expirationSeconds: 600 },
          { expirationSeconds: 3607 },
          { expirationSeconds: 4_294_967_296 },
          { expirationSeconds: 4_294_967_297 },
          { expirationSeconds: 0 },
          { expirationSeconds: -1 },
          { expirationSeconds: 'x' },
          { expirationSeconds: null },
          { foo: 1 },
        ] as JsonObject[]
      ).map(made),
    ],
  },
  {
    name: 'bound to objects',
    steps: [
      ...surroundings,
      ...(
        [
          { boundObjectRef: null },
          { boundObjectRef: {} },
          bound('Pod', 'p'),
          bound('Pod', 'q'),
          bound('Pod', 'nope'),
          bound('Secret', 'one'),
          bound('Secret', 'one', { uid: 'x' }),
          bound('Secret', 'one', { apiVersion: 'a/b/c' }),
          bound('Secret', ''),
          bound('Foo', 'x', { apiVersion: 'a/b' }),
          bound('ConfigMap', 'x'),
          bound('Node', 'x'),
          { boundObjectRef: { kind: 'Node', name: 'x' } },
          { audiences: ['x'], expirationSeconds: 5, boundObjectRef: { kind: 'Pod', name: 'nope' } },
          { expirationSeconds: 3607, ...bound('Pod', 'p') },
          { expirationSeconds: 3607, audiences: ['x'], ...bound('Pod', 'p') },
          { expirationSeconds: 7200, ...bound('Pod', 'p') },
        ] as JsonObject[]
      ).map(made),
    ],
  },
  {
    name: 'bodies',
    steps: [
      ...surroundings,
      ...(
        [
          { metadata: { name: 'x' } },
          { metadata: { name: 'sa' } },
          { metadata: { namespace: '{{ns}}' } },
          { metadata: { namespace: 'x' } },
          { metadata: { uid: 'x' } },
          { metadata: { labels: { a: 'b' }, annotations: { c: 'd' } } },
          { status: { token: 'x' } },
          { kind: 'TokenRequest', apiVersion: 'authentication.k8s.io/v1' },
          { kind: 'TokenRequest', apiVersion: 'v1' },
          { kind: 'TokenReview', apiVersion: 'authentication.k8s.io/v1' },
          '',
          '[]',
          '{',
          'null',
        ] as Json[]
      ).map((body) => token(body)),
      token({}, '?dryRun=All'),
      token({ spec: { a: 1 } }, '?fieldValidation=Strict'),
      request('POST', '/api/v1/namespaces/{{ns}}/serviceaccounts/nope/token', {}),
      request('POST', '/api/v1/namespaces/nowhere/serviceaccounts/nope/token', {}),
      asAlice(token({})),
      get(path),
      request('PUT', path, {}),
      request('DELETE', path),
      request('PATCH', path, {}, { headers: { 'content-type': 'application/merge-patch+json' } }),
    ],
  },
  {
    name: 'bearers',
    steps: [
      ...surroundings,
      made({}),
      made(bound('Pod', 'p')),
      made(bound('Secret', 'one')),
      made({ audiences: ['x', 'y'] }),
      ...[0, 1, 2, 3].flatMap((i) => [
        bearing(first + i, whoAmI()),
        tokenReview({ token: issued(first + i) }),
        tokenReview({ token: issued(first + i), audiences: ['x', 'z'] }),
        bearing(first + i, get('/api/v1/namespaces/{{ns}}/pods')),
      ]),
    ],
  },
  {
    name: 'what a bearer may',
    steps: [
      ...surroundings,
      made({}),
      ...grantHere('jobs', [rule(['batch'], ['jobs'], ['get', 'list'])], [account('sa')]),
      ...[
        '/apis/batch/v1/namespaces/{{ns}}/jobs',
        '/apis/batch/v1/namespaces/default/jobs',
        '/api/v1/namespaces/{{ns}}/secrets/one',
        '/api/v1/namespaces/{{ns}}/pods/p',
        '/api',
        '/nope',
        '/.well-known/openid-configuration',
      ].map((at) => bearing(first, get(at))),
      bearing(first, token({})),
      bearing(first, rulesReview({ namespace: '{{ns}}' })),
    ],
  },
  {
    name: 'tokens that were changed',
    steps: [
      ...surroundings,
      made({}),
      ...['x', '.x', 'AA', ' x'].flatMap((tail) => [
        withAuthorization(`Bearer ${issued(first)}${tail}`, get('/api')),
        tokenReview({ token: `${issued(first)}${tail}` }),
      ]),
    ],
  },
  {
    // Tokens that were not used before: a real server caches authentications for ten seconds.
    name: 'tokens of what is gone',
    steps: [
      ...surroundings,
      made({}),
      made(bound('Pod', 'p')),
      made(bound('Secret', 'one')),
      prepared(resource('pods').delete('p', 'gracePeriodSeconds=0')),
      informed(resource('secrets').delete('one')),
      tokenReview({ token: issued(first + 1) }),
      bearing(first + 1, whoAmI()),
      tokenReview({ token: issued(first + 2) }),
      bearing(first + 2, whoAmI()),
      informed(accounts.delete('sa')),
      tokenReview({ token: issued(first) }),
      bearing(first, whoAmI()),
      token({}),
    ],
  },
  {
    name: 'an account anew',
    steps: [
      ...surroundings,
      made({}),
      informed(accounts.delete('sa')),
      informed(accounts.create(object('v1', 'ServiceAccount', 'sa'))),
      tokenReview({ token: issued(first) }),
      bearing(first, whoAmI()),
      made({}),
      tokenReview({ token: issued(first + 5) }),
    ],
  },
  {
    name: 'the issuer',
    steps: [
      ...[
        '/.well-known/openid-configuration',
        '/openid/v1/jwks',
        '/openid/v1/jwks/',
        '/openid/v1',
        '/openid/v1/jwks/x',
      ].flatMap((at) => [
        asAlice(get(at)),
        request('POST', at),
        ...(at === '/openid/v1/jwks' ? [] : [get(at, { headers: { accept: 'text/plain' } })]),
      ]),
      request('POST', `${authentication}/tokenrequests`, {}),
    ],
  },
]

export const tokens: Topic = { name: 'access-tokens', cases }
