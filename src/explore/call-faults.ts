/** The faults of a call: what the server, the connection or the process does in it. */
import type { TransportRequest } from '../client/transport.ts'
import { faultedResource } from '../cluster/faulty-watches.ts'
import { neverGivenUp, staleMs, type CallFault } from './fault.ts'

/** Longer than any retry that does not respect it. */
const pauseSeconds = 2

export const isRead = ({ method }: TransportRequest): boolean => method === 'GET'
export const isWatch = ({ stream }: TransportRequest): boolean => stream === true
const isWrite = (request: TransportRequest): boolean => !isRead(request)

export const callFaults = {
  'crash-before': {
    happens: 'the process dies before the server reads the call; another one is started',
    at: () => ({ type: 'crash', when: 'before' }),
  },
  'crash-after': {
    happens: 'the server has done it, and the process dies before it hears of it; another one is started',
    at: () => ({ type: 'crash', when: 'after' }),
  },
  'slow-start': {
    happens:
      'the process dies before the server reads the call; another one is started, and its cache of the kind that is ' +
      `called for is filled ${staleMs / 1000} s later than the others`,
    isPossible: (request) => !isWatch(request) && faultedResource(request.path) !== 'events',
    at: ({ path }, run) => {
      run.delayFirstRead(faultedResource(path), staleMs)
      return { type: 'crash', when: 'before' }
    },
  },
  'time-travel': {
    happens:
      'the server has done it, and the process dies; another one is started, which for 8 s reads from a server that ' +
      'is as far behind as the act of the step before',
    isPossible: (_, { past }) => past !== undefined,
    at: (_, run) => {
      run.readFromThePast(staleMs)
      return { type: 'crash', when: 'after' }
    },
  },
  'late-arrival': {
    happens: 'the process dies; another one is started, and when that one is done the server reads the call',
    isPossible: isWrite,
    at: (_, run) => ({ type: 'late', onTheWay: (send) => run.later(send) }),
  },
  'later-arrival': {
    happens: 'the process dies; another one is started, and the server reads the call when the next step is done',
    isPossible: ({ method }) => method === 'PATCH' || method === 'PUT',
    edit: ({ next }) => next,
    at: ({ path }, run) => ({
      type: 'late',
      onTheWay: (send) =>
        run.later(async () => {
          // To make again what was deleted meanwhile is nothing that an operator could prevent.
          const { status } = await run.cluster.plane.transport()({ method: 'GET', path: path.replace(/\?.*/, '') })
          if (status === 200) await send()
        }),
    }),
  },
  conflict: {
    happens: 'the server does nothing and answers 409: somebody else was faster',
    isPossible: isWrite,
    at: () => ({ type: 'answer', status: 409 }),
  },
  error: {
    happens: 'the server does nothing and answers 500',
    at: () => ({ type: 'answer', status: 500 }),
  },
  unavailable: {
    happens: 'the server does nothing and answers 503',
    at: () => ({ type: 'answer', status: 503 }),
  },
  'too-many-requests': {
    happens: `the server does nothing, answers 429, and asks for a pause of ${pauseSeconds} s`,
    at: (request, run) => {
      run.askForPause(request, pauseSeconds)
      return { type: 'answer', status: 429, retryAfter: pauseSeconds }
    },
  },
  'lost-call': {
    happens: 'the connection breaks before the server reads the call',
    at: () => ({ type: 'drop-before' }),
  },
  'lost-reply': {
    happens: 'the server has done it, and the connection breaks before it can say so',
    at: () => ({ type: 'drop-after' }),
  },
  stall: {
    happens: 'the server does nothing and does not answer either',
    at: ({ method, path }, run) => ({
      type: 'stall',
      ended: run.waitFor(neverGivenUp(`${method} ${path}, which gets no answer`)),
    }),
  },
  'stale-cache': {
    happens: `all watches are ${staleMs / 1000} s behind from here on`,
    isPossible: (request) => !isWatch(request),
    at: (_, run) => {
      run.wait(staleMs)
      return { type: 'hold-watches', ms: staleMs }
    },
  },
  'stale-kind': {
    happens: `the watch of the kind that is called for is ${staleMs / 1000} s behind from here on, and no other`,
    // Nobody watches events.
    isPossible: (request) => !isWatch(request) && faultedResource(request.path) !== 'events',
    at: (request, run) => {
      run.wait(staleMs)
      return { type: 'hold-watches', ms: staleMs, of: faultedResource(request.path) }
    },
  },
} as const satisfies Readonly<Record<string, CallFault>>
