/**
 * External calls with injected faults. They are calls of the operator like requests to the API, and the same plan
 * decides for both: it sees them as a request whose path is `registry.ensure`, a GET if it only reads.
 */
import type { TransportRequest } from '../client/transport.ts'
import type { Env } from '../env/env.ts'
import { pause } from '../env/pause.ts'
import type { CarryOut, ExternalCall } from '../external/external.ts'
import type { Fault } from './faulty-transport.ts'

/** What a fault plan sees of an external call. */
export function asRequest({
  system,
  method,
  isRead,
}: Pick<ExternalCall, 'system' | 'method' | 'isRead'>): TransportRequest {
  return { method: isRead ? 'GET' : 'POST', path: `${system.name}.${method}` }
}

/** Whether a request that a fault plan sees is an external call. */
export function isExternalCall({ path }: Pick<TransportRequest, 'path'>): boolean {
  return !path.startsWith('/')
}

export interface CallFaults {
  readonly env: Env
  readonly plan: (request: TransportRequest) => Fault | undefined
  /** Implements the fault `crash`. */
  readonly die: () => void
}

/** Faults of watches, and those that only an API server knows, do nothing. */
export function faultyCalls(carryOut: CarryOut, { env, plan, die }: CallFaults): CarryOut {
  return async (call) => {
    const fault = plan(asRequest(call))
    switch (fault?.type) {
      case undefined:
      case 'hold-watches':
      case 'cut-watch':
      case 'stale':
      case 'elsewhere':
      case 'expired':
      case 'frames':
      case 'late':
      case 'meanwhile':
      case 'stall':
        return carryOut(call)
      case 'crash':
        if (fault.when === 'after') await done(carryOut(call))
        die()
        throw failure('the program has died')
      case 'refuse':
        throw failure('connection refused')
      case 'drop-before':
        throw failure('connection reset')
      case 'drop-after':
        await done(carryOut(call))
        throw failure('connection reset after the call was made')
      case 'delay':
        await pause(env, fault.ms, call.signal)
        return carryOut(call)
      case 'duplicate':
        await done(carryOut(call))
        return carryOut(call)
      case 'answer':
        throw failure(`the system answers ${fault.status}`)
    }
  }
}

/** Whatever it answers is lost. */
async function done(call: Promise<unknown>): Promise<void> {
  await call.catch(() => undefined)
}

function failure(message: string): Error {
  return new Error(`${message} (injected fault)`)
}
