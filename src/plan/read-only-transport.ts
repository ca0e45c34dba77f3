/** A transport that sends only reads, and access reviews, which change nothing either. */
import { TransportError, type Transport, type TransportRequest } from '../client/transport.ts'

export function readOnlyTransport(inner: Transport): Transport {
  return {
    ...(inner.host === undefined ? {} : { host: inner.host }),
    request(request) {
      if (request.method === 'GET' || isAccessReview(request)) return inner.request(request)
      return Promise.reject(
        new TransportError('CLOSED', `only reads are sent: ${request.method} ${request.path} was not`, false),
      )
    },
    close: () => inner.close(),
  }
}

function isAccessReview({ method, path }: TransportRequest): boolean {
  return method === 'POST' && /^\/apis\/authorization\.k8s\.io\/v1\/(self)?subjectaccessreviews(\?|$)/.test(path)
}
