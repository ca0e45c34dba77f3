import { afterEach, describe, expect, it } from 'vitest'
import type { JsonObject } from '../../api/json.ts'
import type { KubeObject } from '../../api/object.ts'
import { simulatedEnv } from '../../env/simulated.ts'
import type { RequestInfo, RequestVerb } from '../registry/request-info.ts'
import type { UserInfo } from '../contract/resource.ts'
import { MemoryStore } from '../storage/memory-store.ts'
import { forbidden } from './authorizer.ts'
import { RbacAuthorizer } from './rbac-authorizer.ts'

const stores: MemoryStore[] = []

afterEach(() => {
  for (const store of stores.splice(0)) store.close()
})

function setup() {
  const store = new MemoryStore({ env: simulatedEnv() })
  stores.push(store)
  const put = (key: string, fields: JsonObject) => {
    const [, , plural = '', ...rest] = key.split('/')
    const metadata = { name: rest.at(-1) ?? '', ...(rest.length > 1 ? { namespace: rest[0] as string } : {}) }
    store.put(key, store.get(key)?.revision ?? 0, () => ({ kind: plural, apiVersion: 'v1', metadata, ...fields }))
  }
  return { store, put, authorizer: new RbacAuthorizer(store) }
}

const user = (name: string, ...groups: string[]): UserInfo => ({ name, uid: '', groups })

function ask(verb: string, resource: string, namespace = ''): RequestInfo {
  return {
    isResource: true,
    verb: verb as RequestVerb,
    group: '',
    version: 'v1',
    namespace,
    resource,
    subresource: '',
    name: '',
    rest: '',
    form: 'plain',
  }
}

const readPods = [{ verbs: ['get'], apiGroups: [''], resources: ['pods'] }]

function bind(kind: string, role: string, ...subjects: JsonObject[]): JsonObject {
  return { roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind, name: role }, subjects }
}

describe('RbacAuthorizer', () => {
  it('RbacAuthorizer asks nobody about the masters', () => {
    expect(setup().authorizer.decide(user('x', 'system:masters'), ask('get', 'pods'))).toEqual({
      allowed: true,
      reason: '',
    })
  })

  it('RbacAuthorizer follows bindings of users, groups and service accounts, and reports by which', () => {
    const { put, authorizer } = setup()
    put('/registry/clusterroles/reader', { rules: readPods })
    put(
      '/registry/clusterrolebindings/all',
      bind('ClusterRole', 'reader', { kind: 'User', name: 'ada' }, { kind: 'Group', name: 'dev' }),
    )
    put('/registry/rolebindings/ns/own', bind('ClusterRole', 'reader', { kind: 'ServiceAccount', name: 'robot' }))
    const robot = user('system:serviceaccount:ns:robot')
    expect(authorizer.decide(user('ada'), ask('get', 'pods')).reason).toBe(
      'RBAC: allowed by ClusterRoleBinding "all" of ClusterRole "reader" to User "ada"',
    )
    expect(authorizer.allows(user('bob', 'dev'), ask('get', 'pods', 'other'))).toBe(true)
    expect(authorizer.allows(user('bob', 'ops'), ask('get', 'pods', 'other'))).toBe(false)
    expect(authorizer.allows(user('dev'), ask('get', 'pods'))).toBe(false)
    expect(authorizer.decide(robot, ask('get', 'pods', 'ns')).reason).toBe(
      'RBAC: allowed by RoleBinding "own/ns" of ClusterRole "reader" to ServiceAccount "robot/ns"',
    )
    expect(authorizer.allows(robot, ask('get', 'pods', 'other'))).toBe(false)
    expect(authorizer.allows(robot, ask('get', 'pods'))).toBe(false)
  })

  it('RbacAuthorizer sees changes of roles and bindings at once', () => {
    const { store, put, authorizer } = setup()
    const question = ask('get', 'pods', 'ns')
    const ada = user('ada')
    put('/registry/rolebindings/ns/b', bind('Role', 'r', { kind: 'User', name: 'ada' }))
    expect(authorizer.allows(ada, question)).toBe(false)
    put('/registry/roles/ns/r', { rules: readPods })
    expect(authorizer.allows(ada, question)).toBe(true)
    put('/registry/roles/ns/r', { rules: [] })
    expect(authorizer.allows(ada, question)).toBe(false)
    put('/registry/roles/ns/r', { rules: readPods })
    put('/registry/rolebindings/ns/b', bind('Role', 'r', { kind: 'User', name: 'bob' }))
    expect(authorizer.allows(ada, question)).toBe(false)
    put('/registry/clusterroles/r', { rules: readPods })
    put('/registry/clusterrolebindings/b', bind('ClusterRole', 'r', { kind: 'User', name: 'ada' }))
    expect(authorizer.allows(ada, question)).toBe(true)
    const { revision, object } = store.get('/registry/clusterrolebindings/b') as {
      revision: number
      object: KubeObject
    }
    store.delete('/registry/clusterrolebindings/b', revision, () => object)
    expect(authorizer.allows(ada, question)).toBe(false)
  })

  it('RbacAuthorizer says which roles are missing, each once', () => {
    const { put, authorizer } = setup()
    put('/registry/clusterrolebindings/a', bind('ClusterRole', 'gone', { kind: 'User', name: 'ada' }))
    const one = 'RBAC: clusterrole.rbac.authorization.k8s.io "gone" not found'
    expect(authorizer.decide(user('ada'), ask('get', 'pods'))).toEqual({ allowed: false, reason: one })
    put('/registry/clusterrolebindings/b', bind('ClusterRole', 'gone', { kind: 'User', name: 'ada' }))
    expect(authorizer.decide(user('ada'), ask('get', 'pods')).reason).toBe(one)
    put('/registry/rolebindings/ns/c', bind('Role', 'too', { kind: 'User', name: 'ada' }))
    const { reason } = authorizer.decide(user('ada'), ask('get', 'pods', 'ns'))
    expect(reason).toBe(
      'RBAC: [clusterrole.rbac.authorization.k8s.io "gone" not found, role.rbac.authorization.k8s.io "too" not found]',
    )
    expect(authorizer.rulesFor(user('ada'), 'ns').errors).toHaveLength(3)
  })

  it('RbacAuthorizer answers the quick and the long way alike', () => {
    const { put, authorizer } = setup()
    put('/registry/clusterroles/a', { rules: [{ verbs: ['get'], nonResourceURLs: ['/x/*'] }] })
    put('/registry/clusterroles/b', {
      rules: [...readPods, { verbs: ['*'], apiGroups: ['*'], resources: ['*/scale'] }],
    })
    put('/registry/clusterrolebindings/a', bind('ClusterRole', 'a', { kind: 'Group', name: 'g' }))
    put('/registry/rolebindings/ns/b', bind('ClusterRole', 'b', { kind: 'User', name: 'u' }))
    const questions: RequestInfo[] = [
      { isResource: false, verb: 'get', path: '/x/y' },
      { isResource: false, verb: 'get', path: '/y' },
      ask('get', 'pods'),
      ask('get', 'pods', 'ns'),
      ask('list', 'pods', 'ns'),
    ]
    const answers = questions.map((question) => authorizer.allows(user('u', 'g'), question))
    expect(answers).toEqual([true, false, false, true, false])
    expect(questions.map((question) => authorizer.decide(user('u', 'g'), question).allowed)).toEqual(answers)
  })
})

describe('forbidden', () => {
  it('forbidden escapes what could be markup in what the client sent, but not in the name', () => {
    const error = forbidden(user('<b>'), { ...(ask('get', 'a&b', 'n') as object), name: '<x>' } as RequestInfo, '')
    expect(error.message).toBe(
      'a&b "<x>" is forbidden: User "&lt;b&gt;" cannot get resource "a&amp;b" in API group "" in the namespace "n"',
    )
  })

  it('forbidden speaks of paths without details', () => {
    const { status } = forbidden(user('ada'), { isResource: false, verb: 'post', path: '/foo' }, 'why')
    expect(status).toMatchObject({
      message: 'forbidden: User "ada" cannot post path "/foo": why',
      details: {},
      code: 403,
    })
  })
})
