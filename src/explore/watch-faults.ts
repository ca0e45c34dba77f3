/** The faults of an event of a watch. */
import { isQuiet } from './expectations.ts'
import { neverGivenUp, staleMs, type WatchFault } from './fault.ts'
import { frameAt, type Frame } from './point.ts'

/** Shorter than a read waits for the operator's own writes (5 s), so that the read succeeds late. */
const delayMs = 2_000

/** A constant lag, from the first event on. It needs an event that has not come when the first one arrives. */
const lag = <K extends number>(events: K) =>
  ({
    happens: `the watch is ${events} event${events === 1 ? '' : 's'} behind from here on, each for at most 8 s`,
    isPossible: ({ resource, index }, { twin }) =>
      index === 1 && twin.points.filter((point) => frameAt(point)?.resource === resource).length > events,
    at: ({ resource }, run) => {
      run.waitAfterEvents(resource, staleMs)
      return { type: 'lag', events, ms: staleMs }
    },
  }) satisfies WatchFault

export const watchFaults = {
  'watch-cut': {
    happens: 'the connection of the watch breaks before the event arrives',
    at: (_, run) => {
      run.waitForWatches()
      return { type: 'cut' }
    },
  },
  'watch-delayed': {
    happens: `the event and those after it arrive ${delayMs / 1000} s later`,
    at: (_, run) => {
      run.wait(delayMs)
      return { type: 'delay', ms: delayMs }
    },
  },
  'watch-duplicated': {
    happens: 'the event arrives twice',
    at: () => ({ type: 'duplicate' }),
  },
  'watch-expired': {
    happens:
      'instead of the event comes an error, 410: the version is too old; the watch ends, and one that resumes at ' +
      'this version ends in the same way',
    at: ({ resource }: Frame, run) => {
      run.expire(resource)
      run.waitForWatches()
      return { type: 'expire' }
    },
  },
  'watch-compacted': {
    happens: 'the connection of the watch breaks before the event arrives, and the server refuses to resume it: 410',
    at: ({ resource }: Frame, run) => {
      run.compact(resource)
      run.waitForWatches()
      return { type: 'cut' }
    },
  },
  'watch-bookmarks': {
    happens: 'a bookmark of the version before the event is the last that comes; the server ends the watch',
    at: (_, run) => {
      run.waitForWatches()
      return { type: 'bookmark' }
    },
  },
  'watch-silent': {
    happens: 'nothing arrives on this watch any more, and the connection stays open',
    // Noticed after minutes: of two ways to fail, the other one may come first.
    isPossible: (_, { step }) => isQuiet(step.expects ?? 'ready'),
    at: ({ resource }: Frame, run) => ({
      type: 'silence',
      ended: run.waitFor(neverGivenUp(`the watch of ${resource}, which is silent`)),
    }),
  },
  'stale-by-1': lag(1),
  'stale-by-2': lag(2),
  'stale-by-3': lag(3),
  'stale-by-4': lag(4),
  'stale-by-5': lag(5),
  'stale-by-6': lag(6),
  'stale-by-7': lag(7),
  'stale-by-8': lag(8),
} as const satisfies Readonly<Record<string, WatchFault>>
