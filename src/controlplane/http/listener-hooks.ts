/** ListenerHooks: what a listener asks of the control plane. */
import type { VerifiedCertificate } from '../auth/authenticator.ts'
import { tooManyRequests } from '../api/too-many-requests.ts'
import type { ApiRequest, ApiResponse } from '../contract/request.ts'
import type { UserInfo } from '../contract/resource.ts'

export interface ListenerHooks {
  handle(request: ApiRequest): ApiResponse | Promise<ApiResponse>
  /** Throws an ApiError 401 for invalid credentials. */
  authenticate(authorization: string | undefined, certificate: VerifiedCertificate | undefined): UserInfo
  /** Called for requests with invalid credentials. */
  onUnauthenticated?: ((request: ApiRequest) => void) | undefined
  /** Called for requests of users who exceed a limit. Returns the response, with further headers. */
  onRejected?: ((request: ApiRequest, response: ApiResponse) => ApiResponse) | undefined
}

/** The response to a user who exceeds a limit. */
export function rejectionOf(hooks: ListenerHooks, request: ApiRequest): ApiResponse {
  return hooks.onRejected?.(request, tooManyRequests) ?? tooManyRequests
}
