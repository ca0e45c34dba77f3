/**
 * The services that the server offers admission plugins: its authorizer, webhooks, and writes as the server's own user.
 */
import type { Json } from '../../api/json.ts'
import type { KubeObject } from '../../api/object.ts'
import type { Status } from '../../api/status.ts'
import type { AdmissionServices, WebhookServices } from '../admission/plugin.ts'
import type { Authorizer } from '../auth/authorizer.ts'
import { systemUser } from '../auth/user-names.ts'
import type { ApiRequest, ApiResponse } from '../contract/request.ts'
import type { RequestVerb } from '../registry/request-info.ts'

export function admissionServices(
  handle: (request: ApiRequest) => ApiResponse | Promise<ApiResponse>,
  authorizer: Authorizer,
  webhooks: WebhookServices,
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
    writeStatus: (plural, object) => {
      const { namespace, name } = object.metadata
      return write('PUT', `/api/v1/namespaces/${namespace}/${plural}/${name}/status`, object)
    },
    create: (plural, object) => write('POST', `/api/v1/${plural}`, object),
  }
}
