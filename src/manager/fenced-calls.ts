/** Begins external calls that may change something only while this replica may write, as `fenced-transport.ts` does. */
import type { CarryOut } from '../external/external.ts'
import { NotLeaderError } from './fenced-transport.ts'

export function fencedCalls(carryOut: CarryOut, mayWrite: () => boolean): CarryOut {
  return async (call) => {
    if (!call.isRead && !mayWrite()) throw new NotLeaderError()
    return carryOut(call)
  }
}
