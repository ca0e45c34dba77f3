/**
 * What is there before the first client comes: the system namespaces and, where somebody consults them, the roles without
 * which nobody can look around.
 */
import type { Json, JsonObject } from '../api/json.ts'
import { timestamp, type Env } from '../env/env.ts'
import { mastersGroup } from './auth/user-names.ts'
import { createDefaultRoles } from './default-roles.ts'
import { createStartObjects } from './start-objects.ts'
import type { Backend } from './registry/call.ts'
import type { ApiRequest, ApiResponse } from './registry/request.ts'
import type { UserInfo } from './registry/resource.ts'

/** The server itself, as a user. */
export const systemUser: UserInfo = { name: 'system:apiserver', uid: '', groups: [mastersGroup] }

/** Creates each object; one that a durable store already has is left alone. */
export function bootstrap(
  handle: (request: ApiRequest) => ApiResponse | Promise<ApiResponse>, { env, store }: Backend, withRoles: boolean,
): void {
  for (const [path, object] of basics(env)) {
    const response = handle({
      method: 'POST', path, query: new URLSearchParams(), headers: { 'user-agent': 'kube-apiserver' }, user: systemUser, body: object,
    })
    if (response instanceof Promise || (response.status !== 201 && response.status !== 409)) {
      throw new Error(`the control plane cannot create what it needs: POST ${path}: ${JSON.stringify((response as { body?: Json }).body)}`)
    }
  }
  createStartObjects(store, env)
  if (withRoles) createDefaultRoles(store, env)
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
