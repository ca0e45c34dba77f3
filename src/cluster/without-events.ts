/** A transport by which no events are written: they count as written, which costs the server nothing. */
import type { Transport } from '../client/transport.ts'

const events = /^\/(api\/v1|apis\/events\.k8s\.io\/v1)\/namespaces\/[^/]+\/events\b/

export function withoutEvents(inner: Transport): Transport {
  return {
    ...inner,
    request: (request) =>
      request.method !== 'GET' && events.test(request.path)
        ? Promise.resolve({ status: 200, headers: {}, body: request.body ?? null })
        : inner.request(request),
  }
}
