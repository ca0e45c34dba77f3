/**
 * What is there before the first client comes: the system namespaces and, where somebody consults them, the roles without
 * which nobody can look around.
 */
import type { Json, JsonObject } from '../api/json.ts'
import { timestamp, type Env } from '../env/env.ts'
import { mastersGroup } from './auth/tokens.ts'
import type { ApiRequest, ApiResponse } from './registry/request.ts'
import type { UserInfo } from './registry/resource.ts'

/** The server itself, as a user. */
export const systemUser: UserInfo = { name: 'system:apiserver', uid: '', groups: [mastersGroup] }

const rbacGroup = 'rbac.authorization.k8s.io'
const rolesPath = `/apis/${rbacGroup}/v1/clusterroles`
const bindingsPath = `/apis/${rbacGroup}/v1/clusterrolebindings`

const publicPaths = ['/healthz', '/livez', '/readyz', '/version', '/version/']
const discoveryPaths = ['/api', '/api/*', '/apis', '/apis/*', ...publicPaths, '/openapi', '/openapi/*']

/** Creates each object; one that a durable store already has is left alone. */
export function bootstrap(
  handle: (request: ApiRequest) => ApiResponse | Promise<ApiResponse>, env: Env, withRoles: boolean,
): void {
  for (const [path, object] of withRoles ? [...basics(env), ...roles()] : basics(env)) {
    const response = handle({
      method: 'POST', path, query: new URLSearchParams(), headers: { 'user-agent': 'kube-apiserver' }, user: systemUser, body: object,
    })
    if (response instanceof Promise || (response.status !== 201 && response.status !== 409)) {
      throw new Error(`the control plane cannot create what it needs: POST ${path}: ${JSON.stringify((response as { body?: Json }).body)}`)
    }
  }
}

function* basics(env: Env): Iterable<[path: string, object: JsonObject]> {
  for (const name of ['kube-system', 'kube-public', 'kube-node-lease', 'default']) {
    yield ['/api/v1/namespaces', { metadata: { name } }]
  }
  yield [
    '/api/v1/namespaces/kube-system/configmaps',
    {
      metadata: { name: 'kube-apiserver-legacy-service-account-token-tracking' },
      data: { since: timestamp(env.now()).slice(0, 10) },
    },
  ]
}

function* roles(): Iterable<[path: string, object: JsonObject]> {
  yield [rolesPath, role('cluster-admin', [
    { verbs: ['*'], apiGroups: ['*'], resources: ['*'] },
    { verbs: ['*'], nonResourceURLs: ['*'] },
  ])]
  yield [rolesPath, role('system:discovery', [{ verbs: ['get'], nonResourceURLs: discoveryPaths }])]
  yield [rolesPath, role('system:public-info-viewer', [{ verbs: ['get'], nonResourceURLs: publicPaths }])]
  yield [rolesPath, role('system:basic-user', [
    { verbs: ['create'], apiGroups: ['authorization.k8s.io'], resources: ['selfsubjectaccessreviews', 'selfsubjectrulesreviews'] },
    { verbs: ['create'], apiGroups: ['authentication.k8s.io'], resources: ['selfsubjectreviews'] },
  ])]
  yield [bindingsPath, binding('cluster-admin', [mastersGroup])]
  yield [bindingsPath, binding('system:discovery', ['system:authenticated'])]
  yield [bindingsPath, binding('system:basic-user', ['system:authenticated'])]
  yield [bindingsPath, binding('system:public-info-viewer', ['system:authenticated', 'system:unauthenticated'])]
}

const metadata = (name: string): JsonObject => ({
  name,
  labels: { 'kubernetes.io/bootstrapping': 'rbac-defaults' },
  annotations: { [`${rbacGroup}/autoupdate`]: 'true' },
})

function role(name: string, rules: JsonObject[]): JsonObject {
  return { metadata: metadata(name), rules }
}

function binding(name: string, groups: string[]): JsonObject {
  return {
    metadata: metadata(name),
    roleRef: { apiGroup: rbacGroup, kind: 'ClusterRole', name },
    subjects: groups.map((group) => ({ apiGroup: rbacGroup, kind: 'Group', name: group })),
  }
}
