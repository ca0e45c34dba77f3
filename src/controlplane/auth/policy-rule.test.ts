import { describe, expect, it } from 'vitest'
import type { RequestInfo, ResourceRequest, RequestVerb } from '../registry/request-info.ts'
import { CompiledRoles } from './compiled-role.ts'
import { describeRights, missingRights, ruleAllows, type PolicyRule } from './policy-rule.ts'

function ask(verb: string, resource: string, more: Partial<ResourceRequest> = {}): RequestInfo {
  return {
    isResource: true,
    verb: verb as RequestVerb,
    group: '',
    version: 'v1',
    namespace: '',
    resource,
    subresource: '',
    name: '',
    rest: '',
    form: 'plain',
    ...more,
  }
}

const path = (verb: string, to: string): RequestInfo => ({ isResource: false, verb, path: to })

const pods: PolicyRule = { verbs: ['get', 'list'], apiGroups: [''], resources: ['pods', 'pods/log'] }

describe.each([
  ['a rule by itself', ruleAllows],
  [
    'a compiled role',
    (rule: PolicyRule, request: RequestInfo) => new CompiledRoles().allow('key', [rule as never], request),
  ],
])('%s', (_title, allows) => {
  it.each<[boolean, PolicyRule, RequestInfo]>([
    [true, pods, ask('get', 'pods')],
    [true, pods, ask('get', 'pods', { subresource: 'log' })],
    [false, pods, ask('get', 'pods', { subresource: 'status' })],
    [false, pods, ask('delete', 'pods')],
    [false, pods, ask('get', 'pods', { group: 'apps' })],
    [false, pods, path('get', '/pods')],
    [true, { ...pods, verbs: ['*'] }, ask('anything', 'pods')],
    [true, { ...pods, apiGroups: ['*'] }, ask('get', 'pods', { group: 'apps' })],
    [true, { ...pods, resources: ['*'] }, ask('get', 'nodes', { subresource: 'x' })],
    [true, { ...pods, resources: ['*/scale'] }, ask('get', 'anything', { subresource: 'scale' })],
    [false, { ...pods, resources: ['*/scale'] }, ask('get', 'anything')],
    [false, { ...pods, resources: ['*/scale'] }, ask('get', 'anything', { subresource: 'xscale' })],
    [true, { ...pods, resourceNames: ['a', 'b'] }, ask('get', 'pods', { name: 'b' })],
    [false, { ...pods, resourceNames: ['a', 'b'] }, ask('get', 'pods', { name: 'c' })],
    [false, { ...pods, resourceNames: ['a', 'b'] }, ask('list', 'pods')],
    [true, { verbs: ['get'], nonResourceURLs: ['/healthz'] }, path('get', '/healthz')],
    [false, { verbs: ['get'], nonResourceURLs: ['/healthz'] }, path('get', '/healthz/')],
    [true, { verbs: ['get'], nonResourceURLs: ['/api/*'] }, path('get', '/api/v1')],
    [false, { verbs: ['get'], nonResourceURLs: ['/api/*'] }, path('get', '/api')],
    [true, { verbs: ['get'], nonResourceURLs: ['*'] }, path('get', '/anything')],
    [false, { verbs: ['get'], nonResourceURLs: ['/a*b'] }, path('get', '/axb')],
    [false, {}, ask('get', 'pods')],
    [false, pods, ask('get', '__proto__')],
  ])('%s: %j of %j', (expected, rule, request) => {
    expect(allows(rule, request)).toBe(expected)
  })
})

describe('missing rights', () => {
  const missing = (owned: PolicyRule[], wanted: PolicyRule[]) => describeRights(missingRights(owned, wanted))

  it('missing rights are none where every single right is covered, by several rules if need be', () => {
    expect(missing([pods], [{ ...pods, resources: ['pods'] }])).toBe('')
    expect(
      missing(
        [
          { ...pods, verbs: ['get'] },
          { ...pods, verbs: ['list'] },
        ],
        [pods],
      ),
    ).toBe('')
    expect(missing([{ ...pods, resources: ['*/log', 'pods'] }], [pods])).toBe('')
    expect(
      missing([{ verbs: ['*'], nonResourceURLs: ['/a/*'] }], [{ verbs: ['get'], nonResourceURLs: ['/a/b', '/a/*'] }]),
    ).toBe('')
  })

  it('missing rights are listed a line each, verbs of one target together', () => {
    const wanted: PolicyRule[] = [
      { verbs: ['get', 'delete'], apiGroups: [''], resources: ['secrets', 'pods'] },
      { verbs: ['get'], apiGroups: ['apps'], resources: ['x'], resourceNames: ['a', 'b'] },
      { verbs: ['get', 'post'], nonResourceURLs: ['/foo'] },
    ]
    expect(missing([pods], wanted).split('\n')).toEqual([
      '{APIGroups:[""], Resources:["pods"], Verbs:["delete"]}',
      '{APIGroups:[""], Resources:["secrets"], Verbs:["get" "delete"]}',
      '{APIGroups:["apps"], Resources:["x"], ResourceNames:["a"], Verbs:["get"]}',
      '{APIGroups:["apps"], Resources:["x"], ResourceNames:["b"], Verbs:["get"]}',
      '{NonResourceURLs:["/foo"], Verbs:["get"]}',
      '{NonResourceURLs:["/foo"], Verbs:["post"]}',
    ])
  })

  it('a rule for some names does not cover all names, nor a star of one kind everything', () => {
    expect(missing([{ ...pods, resourceNames: ['a'] }], [{ ...pods, verbs: ['get'], resources: ['pods'] }])).toContain(
      'Resources:["pods"]',
    )
    expect(missing([pods], [{ ...pods, verbs: ['*'], resources: ['pods'] }])).toContain('Verbs:["*"]')
    expect(
      missing([{ verbs: ['get'], nonResourceURLs: ['/a'] }], [{ verbs: ['get'], nonResourceURLs: ['/*'] }]),
    ).toContain('"/*"')
  })
})
