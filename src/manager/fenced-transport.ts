/**
 * A transport that sends writes only while this replica may write: every attempt is checked, so neither a retry after
 * Retry-After nor a wait for a rate limit or a free connection outlives the lease.
 */
import type { Transport } from '../client/transport.ts'
import { RetryableError } from '../controller/errors.ts'

/** A write was not sent, since this replica does not (or no longer) hold the lease. */
export class NotLeaderError extends RetryableError {
  constructor() {
    super('not sent: this copy of the program does not hold the lease (any more), and another one may')
    this.name = 'NotLeaderError'
  }
}

export function fencedTransport(inner: Transport, mayWrite: () => boolean): Transport {
  const guard = (): void => {
    if (!mayWrite()) throw new NotLeaderError()
  }
  return {
    host: inner.host,
    prompt: inner.prompt,
    async request(request) {
      if (request.method === 'GET') return inner.request(request)
      guard()
      return inner.request({ ...request, guard })
    },
    close: () => inner.close(),
  }
}
