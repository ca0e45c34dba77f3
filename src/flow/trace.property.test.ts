/** Whatever steps do, their trace is well nested. */
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { pause } from '../env/pause.ts'
import { simulatedEnv, type SimulatedEnv } from '../env/simulated.ts'
import { branch, parallel, pipeline, when } from './compose.ts'
import { retried, timed } from './decorators.ts'
import { execute } from './execute.ts'
import { done, wait } from './outcome.ts'
import { currentScope } from './scope.ts'
import { step, type Step } from './step.ts'
import type { Trace, TraceEntry } from './trace.ts'
import { emitSpans } from './spans.ts'
import { formatTraces, parseTraces } from './trace-file.ts'

type Leaf = {
  readonly type: 'leaf'
  readonly takes: number
  readonly end: 'next' | 'done' | 'wait' | 'throw'
  readonly heeds: boolean
  readonly leaves: number
}
type Tree =
  | Leaf
  | { readonly type: 'pipeline' | 'parallel' | 'when' | 'branch'; readonly parts: readonly Tree[] }
  | { readonly type: 'timed' | 'retried'; readonly ms: number; readonly part: Tree }

const { tree } = fc.letrec<{ tree: Tree }>((tie) => ({
  tree: fc.oneof(
    { depthSize: 'small' },
    fc.record({
      type: fc.constant('leaf' as const),
      takes: fc.integer({ min: 0, max: 30 }),
      heeds: fc.boolean(),
      leaves: fc.integer({ min: 0, max: 40 }),
      end: fc.constantFrom('next' as const, 'next' as const, 'done' as const, 'wait' as const, 'throw' as const),
    }),
    fc.record({
      type: fc.constantFrom('pipeline' as const, 'parallel' as const, 'when' as const, 'branch' as const),
      parts: fc.array(tie('tree'), { minLength: 1, maxLength: 3 }),
    }),
    fc.record({
      type: fc.constantFrom('timed' as const, 'retried' as const),
      ms: fc.integer({ min: 1, max: 50 }),
      part: tie('tree'),
    }),
  ),
}))

function build(env: SimulatedEnv, part: Tree): Step<object> {
  switch (part.type) {
    case 'leaf':
      return step('leaf', async (_context, { signal, note }) => {
        note({ takes: part.takes })
        // A call that the step does not await may end after the step, or never.
        const call = currentScope()?.frame?.call({ verb: 'get', kind: 'Pod', name: 'a' })
        void env.after(part.leaves, () => {
          call?.end({ outcome: 'read' })
          note({ late: true })
        })
        await pause(env, part.takes, part.heeds ? signal : undefined)
        if (part.heeds) signal.throwIfAborted()
        if (part.end === 'throw') throw new Error('leaf')
        return part.end === 'done' ? done() : part.end === 'wait' ? wait(1, 'leaf') : undefined
      })
    case 'timed':
      return timed(part.ms, build(env, part.part))
    case 'retried':
      return retried({ maxAttempts: 2, backoff: { baseMs: part.ms } }, build(env, part.part))
    default: {
      const [first, ...rest] = part.parts.map((each) => build(env, each)) as [Step<object>, ...Step<object>[]]
      if (part.type === 'pipeline') return pipeline('pipeline', first, ...rest)
      if (part.type === 'parallel') return parallel('parallel', first, ...rest)
      return part.type === 'when'
        ? when('when', () => rest.length === 0, first)
        : branch('branch', () => 'a' as const, { a: first })
    }
  }
}

/** Each entry lies within its parent. */
function check(entries: readonly TraceEntry[], from: number, to: number): void {
  let last = from
  for (const entry of entries) {
    const end = entry.at + ('ms' in entry ? entry.ms : 0)
    expect(entry.at).toBeGreaterThanOrEqual(last)
    expect(end).toBeLessThanOrEqual(to)
    last = entry.at
    if (entry.type === 'step') check(entry.entries, entry.at, end)
  }
}

it('a trace is well nested under throws, timeouts and aborts, in its file and as spans', async () => {
  await fc.assert(
    fc.asyncProperty(tree, fc.integer({ min: 0, max: 200 }), async (whole, abortAfter) => {
      const env = simulatedEnv()
      const stop = new AbortController()
      env.after(abortAfter, () => stop.abort(new Error('shutdown')))
      let trace: Trace | undefined
      const running = execute(
        build(env, whole),
        {},
        { env, signal: stop.signal, onTrace: (made) => (trace = made) },
      ).then(
        () => 'ended',
        () => 'failed',
      )
      await env.advanceAsync(10_000)
      const kept = JSON.stringify(trace)
      check(trace!.entries, 0, trace!.ms)
      expect(trace!.result === 'error' ? 'failed' : 'ended').toBe(await running)
      expect(parseTraces(formatTraces([trace!]))).toEqual([JSON.parse(kept)])

      const open: number[] = []
      let most = 0
      emitSpans(trace!, {
        startSpan: (_name, _attributes, at) => {
          const id = ++most
          expect(at).toBeGreaterThanOrEqual(trace!.started)
          return {
            within: (work) => {
              open.push(id)
              return work()
            },
            end: () => expect(open.pop()).toBe(id),
          }
        },
      })
      expect(open).toEqual([])
      // Calls that end after the run do not change the trace.
      await env.advanceAsync(10_000)
      expect(JSON.stringify(trace)).toBe(kept)
    }),
    { numRuns: 300 },
  )
})
