/** A transport that sends only reads: a plan changes nothing. */
import { TransportError, type Transport } from '../client/transport.ts'

export function readOnlyTransport(inner: Transport): Transport {
  return {
    ...(inner.host === undefined ? {} : { host: inner.host }),
    request(request) {
      if (request.method === 'GET') return inner.request(request)
      return Promise.reject(
        new TransportError('CLOSED', `a plan writes nothing: ${request.method} ${request.path} was not sent`, false),
      )
    },
    close: () => inner.close(),
  }
}
