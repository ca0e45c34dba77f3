/** Impersonation of users, groups, uids, extras and service accounts, and its rejections. */
import type { Case, Topic } from '../case.ts'
import { configMap, object } from '../objects.ts'
import { asAlice, clusterResource, get, informed, resource } from '../steps.ts'
import {
  anonymously,
  binding,
  bindings,
  grant,
  own,
  rule,
  rulesReview,
  selfReview,
  user,
  whoAmI,
  withAuthorization,
} from './access-objects.ts'

/** Headers; several values are separated by line breaks. */
const identities: readonly Record<string, string>[] = [
  { 'impersonate-user': 'bob' },
  {
    'impersonate-user': 'bob',
    'impersonate-group': 'dev\na, b',
    'impersonate-extra-scopes': 'x\ny',
    'impersonate-extra-acme.com%2Fproject': 'z',
    'impersonate-uid': 'x77',
  },
  { 'impersonate-group': 'dev' },
  { 'impersonate-group': 'dev\nops' },
  { 'impersonate-uid': '5' },
  { 'impersonate-extra-foo': 'x' },
  { 'impersonate-group': 'dev', 'impersonate-uid': '5', 'impersonate-extra-foo': '7' },
  { 'impersonate-user': 'system:serviceaccount:foo:bar' },
  { 'impersonate-user': 'system:serviceaccount:foo' },
  { 'impersonate-user': 'system:serviceaccount:foo:bar:baz' },
  { 'impersonate-user': 'system:serviceaccount:Foo:bar' },
  { 'impersonate-user': 'system:serviceaccount:foo:bar', 'impersonate-group': 'x' },
  { 'impersonate-user': 'system:anonymous' },
  { 'impersonate-user': 'system:anonymous', 'impersonate-group': 'system:authenticated' },
  { 'impersonate-user': 'bob', 'impersonate-group': 'system:unauthenticated' },
  { 'impersonate-user': 'bob', 'impersonate-group': 'system:authenticated' },
  { 'impersonate-user': 'bob', 'impersonate-group': 'system:masters' },
  { 'impersonate-user': 'bob', 'impersonate-group': 'b\na\nb' },
  { 'impersonate-user': '' },
  { 'impersonate-user': 'a"b' },
  { 'impersonate-user': 'a<b>&' },
  { 'impersonate-user': 'system:node:x' },
  { 'impersonate-user': 'bob', 'impersonate-extra-a%zz': 'x' },
  { 'impersonate-user': 'bob', 'impersonate-extra-': 'x' },
  { 'impersonate-user': 'bob', 'impersonate-extra-A-B': 'x' },
  { 'impersonate-user': 'bob', 'impersonate-extra-a': '' },
  { 'impersonate-user': 'bob', 'impersonate-uid': '' },
  { 'impersonate-user': 'bob', 'impersonate-group': '' },
  { 'impersonate-other': 'x' },
  { 'impersonate-user': 'bob', 'impersonate-other': 'x' },
]

const ann = own('ann')
const by = (headers: Record<string, string>) => (step: ReturnType<typeof whoAmI>) => ({
  ...step,
  headers: { ...step.headers, ...headers },
})
/**
 * The request impersonates ann, who therefore cannot impersonate others in it: a review asks for her rights instead.
 */
const may = (text: string, namespace = '') =>
  by({ 'impersonate-user': ann })(
    selfReview({
      resourceAttributes: {
        verb: 'impersonate',
        resource: text.split(' ')[0] ?? '',
        name: text.split(' ')[1] ?? '',
        group: text.split(' ')[2] ?? '',
        subresource: text.split(' ')[3] ?? '',
        namespace,
      },
    }),
  )

const cases: readonly Case[] = [
  { name: 'identities', steps: identities.map((headers) => whoAmI(headers)) },
  { name: 'identities that are refused', steps: identities.map((headers) => asAlice(whoAmI(headers))) },
  {
    name: 'what they may',
    steps: identities
      .map((headers) => get('/api/v1/nodes?labelSelector=none%3D{{ns}}', { headers }))
      .filter(({ headers }) => headers?.['impersonate-group'] !== 'system:masters'),
  },
  {
    name: 'without a token, or with a wrong one',
    steps: [
      anonymously(whoAmI({ 'impersonate-user': 'bob' })),
      anonymously(get('/version', { headers: { 'impersonate-user': 'bob' } })),
      anonymously(get('/version', { headers: { 'impersonate-group': 'dev' } })),
      withAuthorization('Bearer nope', get('/version', { headers: { 'impersonate-user': 'bob' } })),
      asAlice(get('/version', { headers: { 'impersonate-user': 'alice' } })),
      asAlice(get('/healthz', { headers: { 'impersonate-group': 'system:masters' } })),
      asAlice(get('/nope', { headers: { 'impersonate-user': 'bob' } })),
      asAlice(get('/api/v1/watch', { headers: { 'impersonate-user': 'bob' } })),
    ],
  },
  {
    name: 'writes in the name of others',
    steps: [
      ...grant('maps', [rule([''], ['configmaps'], ['*'])], [user(ann)]),
      by({ 'impersonate-user': ann })(resource('configmaps').create(configMap('c'))),
      by({ 'impersonate-user': ann })(resource('configmaps').merge('c', { data: { a: '2' } })),
      by({ 'impersonate-user': own('eve') })(resource('configmaps').delete('c')),
      by({ 'impersonate-user': ann, 'impersonate-uid': 'u', 'impersonate-extra-a': 'b' })(
        resource('configmaps').delete('c'),
      ),
      by({ 'impersonate-user': ann })(
        clusterResource('certificatesigningrequests', 'certificates.k8s.io/v1').create(
          object('certificates.k8s.io/v1', 'CertificateSigningRequest', '{{ns}}'),
        ),
      ),
    ],
  },
  {
    name: 'the right to impersonate',
    steps: [
      ...grant(
        'imp',
        [
          rule([''], ['users'], ['impersonate'], ['bob']),
          rule([''], ['groups'], ['impersonate'], ['dev']),
          rule(['authentication.k8s.io'], ['userextras/scopes'], ['impersonate'], ['x']),
          rule(['authentication.k8s.io'], ['uids'], ['impersonate']),
        ],
        [user(ann)],
      ),
      ...[
        'users bob',
        'users eve',
        'users',
        'groups dev',
        'groups ops',
        'userextras x authentication.k8s.io scopes',
        'userextras y authentication.k8s.io scopes',
        'userextras x authentication.k8s.io other',
        'uids 5 authentication.k8s.io',
        'uids 5',
      ].map((text) => may(text)),
      informed(bindings.create(binding('sa', 'ClusterRole', 'system:aggregate-to-edit', [user(ann)]))),
      may('serviceaccounts bot', '{{ns}}'),
      may('serviceaccounts bot', 'elsewhere'),
      by({ 'impersonate-user': ann })(rulesReview({ namespace: 'default' })),
    ],
  },
]

export const impersonation: Topic = { name: 'access-impersonation', cases }
