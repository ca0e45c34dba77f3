/** The faults that can happen at one call of an operator, by name. */
import type { TransportRequest } from '../client/transport.ts'
import { faultedResource, type Fault } from '../cluster/faulty-transport.ts'

/** How far a cache lags: longer than a read waits for the operator's own writes (5 s), so that the read fails. */
export const staleMs = 8_000

interface NamedFault {
  /** The description in a report. */
  readonly happens: string
  /** Undefined: cannot happen to this call. */
  readonly fault: (request: TransportRequest) => Fault | undefined
}

const isRead = ({ method }: TransportRequest): boolean => method === 'GET'
const isWatch = ({ stream }: TransportRequest): boolean => stream === true

const faults = {
  'crash-before': {
    happens: 'the process dies before the server reads the call; another one is started',
    fault: () => ({ type: 'crash', when: 'before' }),
  },
  'crash-after': {
    happens: 'the server has done it, and the process dies before it hears of it; another one is started',
    fault: () => ({ type: 'crash', when: 'after' }),
  },
  conflict: {
    happens: 'the server does nothing and answers 409: somebody else was faster',
    fault: (request) => (isRead(request) ? undefined : { type: 'answer', status: 409 }),
  },
  error: {
    happens: 'the server does nothing and answers 500',
    fault: () => ({ type: 'answer', status: 500 }),
  },
  'lost-call': {
    happens: 'the connection breaks before the server reads the call',
    fault: () => ({ type: 'drop-before' }),
  },
  'lost-reply': {
    happens: 'the server has done it, and the connection breaks before it can say so',
    fault: () => ({ type: 'drop-after' }),
  },
  'stale-cache': {
    happens: `all watches are ${staleMs / 1000} s behind from here on`,
    fault: (request) => (isWatch(request) ? undefined : { type: 'hold-watches', ms: staleMs }),
  },
  'stale-kind': {
    happens: `the watch of the kind that is called for is ${staleMs / 1000} s behind from here on, and no other`,
    fault: (request) => {
      const of = faultedResource(request.path)
      // Nobody watches events.
      return isWatch(request) || of === 'events' ? undefined : { type: 'hold-watches', ms: staleMs, of }
    },
  },
} as const satisfies Readonly<Record<string, NamedFault>>

export type FaultName = keyof typeof faults

export const faultNames = Object.keys(faults) as readonly FaultName[]

/** The fault for a request; undefined if it cannot happen there. */
export function faultAt(name: FaultName, request: TransportRequest): Fault | undefined {
  return faults[name].fault(request)
}

/** The description of a fault. */
export function describeFault(name: FaultName): string {
  return faults[name].happens
}

export function isFaultName(text: string): text is FaultName {
  return Object.hasOwn(faults, text)
}
