/** Reviews, token requests and escalation checks, through a control plane with RBAC. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Json, JsonObject } from '../../api/json.ts'
import { simulatedEnv } from '../../env/simulated.ts'
import { createControlPlane, type ControlPlane } from '../control-plane.ts'
import type { InProcessTransport } from './in-process.ts'

let plane: ControlPlane
let admin: InProcessTransport
let ada: InProcessTransport
const env = simulatedEnv()

beforeEach(() => {
  plane = createControlPlane({
    env,
    authorization: 'RBAC',
    tokens: [{ token: 's3cret', user: { name: 'ada', uid: '1', groups: [] } }],
  })
  admin = plane.transport()
  ada = plane.transport({ name: 'ada', uid: '1', groups: ['system:authenticated'] })
})

afterEach(() => plane.close())

type Answer = JsonObject & { status: JsonObject; message?: string; code?: number }

async function post(
  as: InProcessTransport,
  path: string,
  body: Json,
  headers: Record<string, string> = {},
): Promise<Answer> {
  return (await as({ method: 'POST', path, body, headers })).body as unknown as Answer
}

const access = '/apis/authorization.k8s.io/v1'
const identity = '/apis/authentication.k8s.io/v1'
const rbac = '/apis/rbac.authorization.k8s.io/v1'
const accounts = '/api/v1/namespaces/default/serviceaccounts'

async function allow(user: string, rules: Json, name = `for-${user}`): Promise<void> {
  await post(admin, `${rbac}/clusterroles`, { metadata: { name }, rules })
  await post(admin, `${rbac}/clusterrolebindings`, {
    metadata: { name },
    roleRef: { kind: 'ClusterRole', name },
    subjects: [{ kind: 'User', name: user }],
  })
}

describe('access reviews', () => {
  it('access reviews say whether, and why', async () => {
    const review = await post(ada, `${access}/selfsubjectaccessreviews`, {
      spec: { nonResourceAttributes: { path: '/api', verb: 'get' } },
    })
    expect(review.status).toEqual({
      allowed: true,
      reason:
        'RBAC: allowed by ClusterRoleBinding "system:discovery" of ClusterRole "system:discovery" to Group ' +
        '"system:authenticated"',
    })
    const other = await post(admin, `${access}/subjectaccessreviews`, {
      spec: { user: 'bob', resourceAttributes: { verb: 'get', resource: 'pods' } },
    })
    expect(other.status).toEqual({ allowed: false })
  })

  it('access reviews are refused with all that is wrong', async () => {
    const { message } = await post(admin, `${access}/subjectaccessreviews`, { metadata: { name: 'x' }, spec: {} })
    const start = /^\.authorization\.k8s\.io "" is invalid: \[spec\.resourceAttributes: .*, spec\.user: .*, /
    const end = /metadata: Invalid value: \{"name":"x"\}: must be empty\]$/
    expect(message).toMatch(new RegExp(start.source + end.source))
  })

  it('access reviews tell of selectors that could not be read', async () => {
    const spec = {
      resourceAttributes: {
        verb: 'list',
        resource: 'pods',
        fieldSelector: { rawSelector: 'x' },
        labelSelector: {
          requirements: [
            { key: 'a', operator: 'New' },
            { key: 'a', operator: 'Exists' },
          ],
        },
      },
    }
    expect((await post(ada, `${access}/selfsubjectaccessreviews`, { spec })).status).toEqual({
      allowed: false,
      evaluationError:
        'spec.resourceAttributes.fieldSelector ignored due to parse error; ' +
        'spec.resourceAttributes.labelSelector partially ignored due to parse error',
    })
  })

  it('access reviews list all rules of a user', async () => {
    const { status } = await post(ada, `${access}/selfsubjectrulesreviews`, { spec: { namespace: 'default' } })
    expect(status).toMatchObject({ incomplete: false, resourceRules: [{ verbs: ['create'] }, { verbs: ['create'] }] })
    expect((await post(ada, `${access}/selfsubjectrulesreviews`, { spec: {} })).message).toBe('no namespace on request')
  })
})

describe('identity reviews', () => {
  it('identity reviews report who the sender is, also when acting as another', async () => {
    const headers = { 'impersonate-user': 'bob', 'impersonate-group': 'dev' }
    expect((await post(admin, `${identity}/selfsubjectreviews`, {}, headers)).status).toEqual({
      userInfo: { username: 'bob', groups: ['dev', 'system:authenticated'] },
    })
    expect((await post(ada, `${identity}/selfsubjectreviews`, {}, headers)).message).toBe(
      'users "bob" is forbidden: User "ada" cannot impersonate resource "users" in API group "" at the cluster scope',
    )
  })

  it('identity reviews report who bears a token', async () => {
    const review = (token: string) => post(admin, `${identity}/tokenreviews`, { spec: { token } })
    expect((await review('s3cret')).status).toMatchObject({
      authenticated: true,
      user: { username: 'ada', groups: ['system:authenticated'] },
    })
    expect((await review('wrong')).status).toEqual({ user: {}, error: 'invalid bearer token' })
  })
})

describe('token requests', () => {
  const ask = (spec: JsonObject) => post(admin, `${accounts}/robot/token`, { spec })

  beforeEach(() => post(admin, accounts, { metadata: { name: 'robot' } }))

  it('token requests give a token that logs in until it expires', async () => {
    const { spec, status } = await ask({ expirationSeconds: 600 })
    expect(spec).toEqual({
      audiences: ['https://kubernetes.default.svc'],
      expirationSeconds: 600,
      boundObjectRef: null,
    })
    const headers = { authorization: `Bearer ${String(status['token'])}` }
    expect(plane.authenticate(headers).name).toBe('system:serviceaccount:default:robot')
    env.advance(661_000)
    expect(() => plane.authenticate(headers)).toThrow('Unauthorized')
  })

  it('token requests give a token that ends with what it is bound to', async () => {
    await post(admin, '/api/v1/namespaces/default/secrets', { metadata: { name: 's' } })
    const { status } = await ask({ boundObjectRef: { kind: 'Secret', apiVersion: 'v1', name: 's' } })
    const headers = { authorization: `Bearer ${String(status['token'])}` }
    expect(plane.authenticate(headers).name).toBe('system:serviceaccount:default:robot')
    await admin({ method: 'DELETE', path: '/api/v1/namespaces/default/secrets/s' })
    expect(() => plane.authenticate(headers)).toThrow('Unauthorized')
  })

  it.each<[JsonObject, string]>([
    [
      { expirationSeconds: 599 },
      'spec.expirationSeconds: Invalid value: 599: may not specify a duration less than 10 minutes',
    ],
    [{ expirationSeconds: 2 ** 32 + 1 }, 'may not specify a duration larger than 2^32 seconds'],
    [{ boundObjectRef: { kind: 'Pod', name: 'p' } }, 'pods "p" not found'],
    [{ boundObjectRef: { kind: 'Secret' } }, 'Name parameter required.'],
    [
      { boundObjectRef: { kind: 'Deployment', apiVersion: 'apps/v1', name: 'd' } },
      'cannot bind token to object of type apps/v1, Kind=Deployment',
    ],
  ])('refuse %j', async (spec, message) => {
    expect((await ask(spec)).message).toContain(message)
  })

  it('token requests show their issuer and its key', async () => {
    const { body } = await admin({ method: 'GET', path: '/.well-known/openid-configuration' })
    expect(JSON.parse(body as string)).toMatchObject({
      issuer: 'https://kubernetes.default.svc',
      id_token_signing_alg_values_supported: ['ES256'],
    })
    const keys = await admin({ method: 'GET', path: '/openid/v1/jwks' })
    expect(JSON.parse(keys.body as string)).toMatchObject({ keys: [{ kty: 'EC', alg: 'ES256', use: 'sig' }] })
    expect(keys.headers).toMatchObject({
      'content-type': 'application/jwk-set+json',
      'cache-control': 'public, max-age=3600',
    })
  })
})

describe('giving rights away', () => {
  const secrets = [{ verbs: ['get'], apiGroups: [''], resources: ['secrets'] }]
  const writeRoles = {
    verbs: ['create', 'update', 'patch', 'get'],
    apiGroups: ['rbac.authorization.k8s.io'],
    resources: ['*'],
  }

  beforeEach(() => allow('ada', [writeRoles]))

  it('giving rights away is refused for rights that one does not have', async () => {
    const made = await post(ada, `${rbac}/clusterroles`, { metadata: { name: 'x' }, rules: secrets })
    expect(made).toMatchObject({
      code: 403,
      message:
        'clusterroles.rbac.authorization.k8s.io "x" is forbidden: user "ada" ' +
        '(groups=["system:authenticated"]) is attempting to grant RBAC ' +
        'permissions not currently held:\n{APIGroups:[""], Resources:["secrets"], Verbs:["get"]}',
    })
    await allow('ada', secrets, 'secrets')
    expect((await post(ada, `${rbac}/clusterroles`, { metadata: { name: 'x' }, rules: secrets })).code).toBeUndefined()
  })

  it('giving rights away by a binding is giving the rules of its role', async () => {
    const bind = (kind: string, name: string) =>
      post(ada, `${rbac}/namespaces/default/rolebindings`, { metadata: { name: 'b' }, roleRef: { kind, name } })
    expect((await bind('ClusterRole', 'cluster-admin')).message).toContain('{NonResourceURLs:["*"], Verbs:["*"]}')
    expect((await bind('Role', 'none')).message).toBe('rolebindings.rbac.authorization.k8s.io "none" not found')
    expect((await bind('Other', 'x')).message).toBe('unsupported role reference kind: "Other"')
    await allow(
      'ada',
      [
        {
          verbs: ['bind'],
          apiGroups: ['rbac.authorization.k8s.io'],
          resources: ['clusterroles'],
          resourceNames: ['cluster-admin'],
        },
      ],
      'bind',
    )
    expect((await bind('ClusterRole', 'cluster-admin')).code).toBeUndefined()
  })

  it('giving rights away is allowed to whom may escalate, and by gathering rules only to administrators', async () => {
    const gather = { metadata: { name: 'y' }, aggregationRule: { clusterRoleSelectors: [{}] } }
    expect((await post(ada, `${rbac}/clusterroles`, gather)).message).toContain(
      'must have cluster-admin privileges to use the aggregationRule',
    )
    await allow(
      'ada',
      [{ verbs: ['escalate'], apiGroups: ['rbac.authorization.k8s.io'], resources: ['clusterroles'] }],
      'escalate',
    )
    expect((await post(ada, `${rbac}/clusterroles`, { metadata: { name: 'x' }, rules: secrets })).code).toBeUndefined()
    expect((await post(ada, `${rbac}/clusterroles`, gather)).code).toBeUndefined()
  })

  it('giving rights away comes before conflicts, and does not stop the collection of garbage', async () => {
    const patch = (body: JsonObject) =>
      ada({
        method: 'PATCH',
        path: `${rbac}/clusterroles/cluster-admin`,
        headers: { 'content-type': 'application/merge-patch+json' },
        body,
      })
    expect((await patch({ metadata: { resourceVersion: '1', labels: { a: 'b' } } })).status).toBe(403)
    expect((await patch({ metadata: { finalizers: ['a.b/c'] } })).status).toBe(200)
  })
})

describe('authorization', () => {
  it('authorization asks for the right to create when an update would', async () => {
    await allow('ada', [
      { verbs: ['update', 'patch'], apiGroups: ['', 'coordination.k8s.io'], resources: ['configmaps', 'leases'] },
    ])
    const put = await ada({
      method: 'PUT',
      path: '/apis/coordination.k8s.io/v1/namespaces/default/leases/l',
      body: { metadata: { name: 'l' }, spec: {} },
    })
    expect(put.body).toMatchObject({
      message:
        'leases.coordination.k8s.io "l" is forbidden: User "ada" cannot create resource "leases" in API ' +
        'group "coordination.k8s.io" in the namespace "default"',
    })
    const applied = await ada({
      method: 'PATCH',
      path: '/api/v1/namespaces/default/configmaps/c?fieldManager=m',
      headers: { 'content-type': 'application/apply-patch+yaml' },
      body: '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"c"}}',
    })
    expect(applied.status).toBe(403)
  })

  it('authorization comes before the question whether there is such a resource', async () => {
    expect((await ada({ method: 'GET', path: '/apis/none.io/v1/things' })).status).toBe(403)
    expect((await admin({ method: 'GET', path: '/apis/none.io/v1/things' })).status).toBe(404)
    expect((await ada({ method: 'GET', path: '/none' })).status).toBe(403)
  })

  it('authorization leaves reviews one path and one method', async () => {
    const status = async (method: string, path: string) => (await admin({ method, path, body: {} })).status
    expect(await status('GET', `${access}/selfsubjectaccessreviews`)).toBe(405)
    expect(await status('POST', `${access}/selfsubjectaccessreviews/x`)).toBe(404)
    expect(await status('POST', `${access}/localsubjectaccessreviews`)).toBe(404)
    expect(await status('GET', `${accounts}/x/token`)).toBe(405)
  })
})
