import { describe, expect, it } from 'vitest'
import type { ApiRequest } from '../contract/request.ts'
import type { RequestInfo } from '../registry/request-info.ts'
import type { UserInfo } from '../contract/resource.ts'
import { alwaysAllow, type Authorizer } from './authorizer.ts'
import { actingUser } from './impersonation.ts'

const ada: UserInfo = { name: 'ada', uid: '1', groups: ['dev'] }

function request(headers: Record<string, string>, values: Record<string, string[]> = {}): ApiRequest {
  const headerValues = (name: string) => values[name] ?? [headers[name] ?? '']
  return { method: 'GET', path: '/', query: new URLSearchParams(), headers, headerValues, user: ada }
}

/** Allows everything except what `refuses` matches, and records the requests. */
function guard(refuses: (question: string) => boolean): Authorizer & { asked: string[] } {
  const asked: string[] = []
  const show = (question: RequestInfo) => {
    if (!question.isResource) return question.path
    const { verb, group, resource, subresource, namespace, name } = question
    return `${verb} ${group}/${resource}/${subresource} ${namespace}/${name}`
  }
  const allows = (_user: UserInfo, question: RequestInfo) => {
    asked.push(show(question))
    return !refuses(show(question))
  }
  return { ...alwaysAllow, allows, decide: () => ({ allowed: false, reason: '' }), asked }
}

describe('actingUser', () => {
  it('actingUser is the sender without the headers, and with an empty one', () => {
    expect(actingUser(request({ accept: 'x' }), alwaysAllow)).toBe(ada)
    expect(actingUser(request({ 'impersonate-user': '' }), alwaysAllow)).toBe(ada)
  })

  it('actingUser is put together from all headers, each asked about', () => {
    const authorizer = guard(() => false)
    const headers = {
      'impersonate-user': 'bob',
      'impersonate-group': 'a, b',
      'impersonate-uid': '7',
      'impersonate-extra-acme.com%2fx': 'y',
      'impersonate-extra-__proto__': 'z',
    }
    const user = actingUser(request(headers, { 'impersonate-group': ['a', 'b'] }), authorizer)
    expect(user).toEqual({
      name: 'bob',
      uid: '7',
      groups: ['a', 'b', 'system:authenticated'],
      extra: Object.fromEntries([
        ['acme.com/x', ['y']],
        ['__proto__', ['z']],
      ]),
    })
    expect(authorizer.asked).toEqual([
      'impersonate /users/ /bob',
      'impersonate /groups/ /a',
      'impersonate /groups/ /b',
      'impersonate authentication.k8s.io/userextras/acme.com/x /y',
      'impersonate authentication.k8s.io/userextras/__proto__ /z',
      'impersonate authentication.k8s.io/uids/ /7',
    ])
  })

  it.each([
    ['system:serviceaccount:ns:robot', ['system:serviceaccounts', 'system:serviceaccounts:ns', 'system:authenticated']],
    ['system:serviceaccount:ns:robot:x', ['system:authenticated']],
    ['system:anonymous', ['system:unauthenticated']],
  ])('actingUser gives %s the groups it always has', (name, groups) => {
    expect(actingUser(request({ 'impersonate-user': name }), alwaysAllow).groups).toEqual(groups)
  })

  it('actingUser does not say that a user is logged in where the headers say the contrary', () => {
    const headers = { 'impersonate-user': 'bob', 'impersonate-group': 'system:unauthenticated' }
    expect(actingUser(request(headers), alwaysAllow).groups).toEqual(['system:unauthenticated'])
  })

  it('actingUser refuses at the first part that is not allowed', () => {
    const authorizer = guard((question) => question.includes('groups'))
    const headers = {
      'impersonate-user': 'system:serviceaccount:ns:robot',
      'impersonate-group': 'admins',
      'impersonate-uid': '7',
    }
    expect(() => actingUser(request(headers), authorizer)).toThrow(
      'groups "admins" is forbidden: User "ada" cannot impersonate resource "groups" in API group "" at the ' +
        'cluster scope',
    )
    expect(authorizer.asked).toEqual(['impersonate /serviceaccounts/ ns/robot', 'impersonate /groups/ /admins'])
  })

  it('actingUser refuses parts of an identity without a user', () => {
    const headers = { 'impersonate-group': 'dev', 'impersonate-extra-foo': '7', 'impersonate-uid': '5' }
    expect(() => actingUser(request(headers), alwaysAllow)).toThrow(
      'requested [{Group  dev    } {UserExtra  7  authentication.k8s.io/v1  foo} ' +
        '{UID  5  authentication.k8s.io/v1  }] without impersonating a user',
    )
  })
})
