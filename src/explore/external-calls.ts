/** External calls of the operator, which are numbered with its requests. */
import type { TransportRequest } from '../client/transport.ts'
import { isExternalCall } from '../cluster/faulty-calls.ts'

/** The names of the faults that can happen at an external call. The others need an API server. */
export const externalFaults: ReadonlySet<string> = new Set([
  'crash-before',
  'crash-after',
  'error',
  'lost-call',
  'lost-reply',
])

/** How many of these calls may change something in an external system. */
export function countExternalWrites(calls: readonly TransportRequest[]): number {
  return calls.filter((call) => isExternalCall(call) && call.method !== 'GET').length
}
