import { describe, expect, it } from 'vitest'
import type { UserInfo } from '../contract/resource.ts'
import { requestInfo, type RequestInfo } from '../registry/request-info.ts'
import { AuditPolicy } from './policy.ts'

const alice: UserInfo = { name: 'alice', uid: '', groups: ['dev', 'system:authenticated'] }

function defined<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('not a request')
  return value
}

const infoOf = (method: string, path: string, query = ''): RequestInfo =>
  defined(requestInfo(method, path, new URLSearchParams(query)))

function policy(rules: readonly object[], more: object = {}): AuditPolicy {
  return new AuditPolicy({ apiVersion: 'audit.k8s.io/v1', kind: 'Policy', rules, ...more })
}

/** The level of a request under a policy whose last rule is Request, and whose first is `rule` at Metadata. */
function isMatched(rule: object, request: string, user: UserInfo | undefined = alice): boolean {
  const [method = '', path = '', query = ''] = request.split(/[ ?]/)
  const info = infoOf(method, path, query)
  const made = policy([{ level: 'Metadata', ...rule }, { level: 'Request' }])
  return made.decide(user, info)?.level === 'Metadata'
}

const pod = 'GET /api/v1/namespaces/a/pods/x'

describe('audit policies', () => {
  it.each<[boolean, object, string]>([
    [true, {}, pod],
    [true, { users: ['bob', 'alice'] }, pod],
    [false, { users: ['bob'] }, pod],
    [true, { userGroups: ['dev'] }, pod],
    [false, { userGroups: ['ops'] }, pod],
    [true, { verbs: ['get'] }, pod],
    [false, { verbs: ['list'] }, pod],
    [true, { verbs: ['watch'] }, 'GET /api/v1/pods?watch=1'],
    [true, { namespaces: ['a'] }, pod],
    [false, { namespaces: ['b'] }, pod],
    [true, { namespaces: [''] }, 'GET /api/v1/nodes'],
    [false, { namespaces: [''] }, 'GET /healthz'],
    [true, { resources: [{ group: '' }] }, pod],
    [false, { resources: [{ group: 'apps' }] }, pod],
    [true, { resources: [{ resources: ['pods'] }] }, pod],
    [false, { resources: [{ resources: ['pods'] }] }, `${pod}/log`],
    [true, { resources: [{ resources: ['pods/log'] }] }, `${pod}/log`],
    [true, { resources: [{ resources: ['pods/*'] }] }, `${pod}/log`],
    [true, { resources: [{ resources: ['*/log'] }] }, `${pod}/log`],
    [false, { resources: [{ resources: ['*/log'] }] }, pod],
    [true, { resources: [{ resources: ['*'] }] }, `${pod}/log`],
    [true, { resources: [{ resources: ['pods'], resourceNames: ['x'] }] }, pod],
    [false, { resources: [{ resources: ['pods'], resourceNames: ['y'] }] }, pod],
    [true, { nonResourceURLs: ['/healthz*'] }, 'GET /healthz/ping'],
    [true, { nonResourceURLs: ['*'] }, 'GET /version'],
    [false, { nonResourceURLs: ['/version'] }, 'GET /healthz'],
    [false, { nonResourceURLs: ['*'] }, pod],
  ])('%s: %j for %s', (matched, rule, request) => {
    expect(isMatched(rule, request)).toBe(matched)
  })

  it('a request without a user matches no rule for users', () => {
    const info = infoOf('GET', '/version')
    expect(policy([{ level: 'Metadata', users: ['alice'] }]).decide(undefined, info)).toBeUndefined()
    expect(policy([{ level: 'Metadata', userGroups: ['dev'] }]).decide(undefined, info)).toBeUndefined()
    expect(policy([{ level: 'Metadata' }]).decide(undefined, info)?.level).toBe('Metadata')
  })

  it('without a rule, and with None, nothing is recorded; stages add up; managed fields are per rule', () => {
    const info = infoOf('GET', '/version')
    expect(policy([{ level: 'Metadata', verbs: ['list'] }]).decide(alice, info)).toBeUndefined()
    expect(policy([{ level: 'None' }, { level: 'Metadata' }]).decide(alice, info)).toBeUndefined()
    const more = { omitStages: ['RequestReceived'], omitManagedFields: true }
    const both = policy([{ level: 'Metadata', omitStages: ['Panic'], omitManagedFields: false }], more)
    expect(both.decide(alice, info)).toMatchObject({ omitManagedFields: false })
    expect([...(both.decide(alice, info)?.omitStages ?? [])]).toEqual(['RequestReceived', 'Panic'])
    expect(policy([{ level: 'Metadata' }], more).decide(alice, info)?.omitManagedFields).toBe(true)
  })

  it.each<[unknown, string]>([
    ['x', 'it is not a map'],
    [
      { apiVersion: 'audit.k8s.io/v1beta1', kind: 'Policy' },
      'must be audit.k8s.io/v1 and Policy, not "audit.k8s.io/v1beta1"',
    ],
    [{ apiVersion: 'audit.k8s.io/v1', kind: 'Policy', rules: [] }, 'loaded illegal policy with 0 rules'],
  ])('%j is no policy', (value, message) => {
    expect(() => new AuditPolicy(value)).toThrow(message)
  })

  it.each<[object, string]>([
    [{}, 'rules[0].level: Required value'],
    [
      { level: 'All' },
      'rules[0].level: Unsupported value: "All": supported values: "None", "Metadata", "Request", "RequestResponse"',
    ],
    [
      { level: 'None', nonResourceURLs: ['a'] },
      'rules[0].nonResourceURLs[0]: Invalid value: "a": non-resource URL rules must begin with a \'/\' character',
    ],
    [
      { level: 'None', nonResourceURLs: ['/*/a'] },
      'rules[0].nonResourceURLs[0]: Invalid value: "/*/a": non-resource URL wildcards \'*\' must be the final',
    ],
    [
      { level: 'None', nonResourceURLs: ['/a'], namespaces: ['b'] },
      'rules cannot apply to both regular resources and non-resource URLs',
    ],
    [{ level: 'None', resources: [{ group: 'a/v1' }] }, 'rules[0].resources.group: Invalid value: "a/v1"'],
    [{ level: 'None', resources: [{ resourceNames: ['a'] }] }, 'using resourceNames requires at least one resource'],
    [
      { level: 'None', omitStages: ['Later'] },
      'allowed stages are RequestReceived,ResponseStarted,ResponseComplete,Panic',
    ],
    [{ level: 'None', users: 'alice' }, 'rules[0].users: Invalid value: "alice": must be a list of texts'],
  ])('the rule %j is invalid', (rule, message) => {
    expect(() => policy([rule])).toThrow(message)
  })
})
