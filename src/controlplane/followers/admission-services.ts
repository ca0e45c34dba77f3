/**
 * The services that the server offers admission plugins: its authorizer, webhooks, policies, writes as the server's own
 * user, and waiting for service accounts.
 */
import type { Json } from '../../api/json.ts'
import type { KubeObject } from '../../api/object.ts'
import type { Status } from '../../api/status.ts'
import type { AdmissionServices, PolicyServices, WebhookServices } from '../admission/plugin.ts'
import type { Authorizer } from '../auth/authorizer.ts'
import { systemUser } from '../auth/user-names.ts'
import type { Env } from '../../env/env.ts'
import type { ApiRequest, ApiResponse } from '../contract/request.ts'
import type { RequestVerb } from '../registry/request-info.ts'
import type { Store } from '../storage/store.ts'

/** As upstream: it looks ten times, at an interval of 100 to 200 ms that is drawn once. */
const accountIntervals = 9
const minIntervalMs = 100
const maxIntervalMs = 200

export function admissionServices(
  env: Env,
  store: Store,
  handle: (request: ApiRequest) => ApiResponse | Promise<ApiResponse>,
  authorizer: Authorizer,
  webhooks: WebhookServices,
  policies: PolicyServices,
): AdmissionServices {
  const write = (method: string, path: string, object: KubeObject): Status | undefined => {
    const response = handle({
      method,
      path,
      query: new URLSearchParams(),
      headers: { 'user-agent': 'kube-apiserver' },
      user: systemUser,
      body: object,
    })
    if (response instanceof Promise) throw new Error(`${method} ${path} must be synchronous`)
    return response.status < 400 ? undefined : ((response as { body?: Json }).body as Status)
  }
  return {
    webhooks,
    policies,
    isOwn: (user) => user === systemUser,
    authorizes: (user, verb, group, resource, name) =>
      authorizer.allows(user, {
        isResource: true,
        verb: verb as RequestVerb,
        group,
        version: '*',
        namespace: '',
        resource,
        subresource: '',
        name,
        rest: '',
        form: 'plain',
      }),
    decide: (user, request) => authorizer.decide(user, request),
    writeStatus: (plural, object) => {
      const { namespace, name } = object.metadata
      return write('PUT', `/api/v1/namespaces/${namespace}/${plural}/${name}/status`, object)
    },
    create: (plural, object) => write('POST', `/api/v1/${plural}`, object),
    awaitAccount: (namespace, name) => awaitAccount(env, store, namespace, name),
  }
}

function awaitAccount(env: Env, store: Store, namespace: string, name: string): Promise<void> {
  const intervalMs = minIntervalMs + env.random() * (maxIntervalMs - minIntervalMs)
  return new Promise((resolve) => {
    const end = (): void => {
      watch.stop()
      timer.cancel()
      resolve()
    }
    const timer = env.after(accountIntervals * intervalMs, end)
    const watch = store.watch(`/registry/serviceaccounts/${namespace}/`, store.revision, ({ type, current }) => {
      if (type === 'put' && current.object.metadata.name === name) end()
    })
  })
}
