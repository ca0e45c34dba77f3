import { describe, expect, it } from 'vitest'
import { simulatedEnv } from '../env/simulated.ts'
import { pipeline } from './compose.ts'
import { execute } from './execute.ts'
import { fieldChanges } from './field-changes.ts'
import { emitSpans } from './spans.ts'
import { currentScope } from './scope.ts'
import { step } from './step.ts'
import { formatTraces, parseTraces, TraceFileError } from './trace-file.ts'
import { traceLines } from './trace-lines.ts'
import { TraceRing } from './trace-ring.ts'
import { traceVersion, type StepTrace, type Trace } from './trace.ts'
import { done, wait } from './outcome.ts'

const trace = (fields: Partial<Trace> = {}): Trace => ({
  version: traceVersion,
  id: 'a',
  attempt: 1,
  triggers: [],
  triggerCount: 0,
  started: 0,
  ms: 0,
  result: 'done',
  entries: [],
  dropped: 0,
  ...fields,
})

describe('a run', () => {
  it('a traced run that does more than anybody reads is cut off, and says by how much', async () => {
    const busy = step('busy', () => {
      for (let count = 0; count < 600; count++)
        currentScope()?.frame?.event({ eventType: 'Normal', reason: 'Busy', message: 'x' })
    })
    const made = (await execute(pipeline('all', busy, busy), {}, { env: simulatedEnv() })).trace
    expect((made.entries[0] as StepTrace).entries).toHaveLength(1)
    expect(made.dropped).toBe(3 + 1200 - 500)
    expect(traceLines(made).at(-1)).toBe(`  ${made.dropped} more are not shown`)
  })

  it('a traced run finds its scope inside, and only there', async () => {
    expect(currentScope()).toBeUndefined()
    await execute(
      step('inside', () => {
        expect(currentScope()).toBeDefined()
      }),
      {},
      { env: simulatedEnv() },
    )
    expect(currentScope()).toBeUndefined()
  })
})

describe('a ring', () => {
  it('a trace ring keeps the last ones, by count', () => {
    const ring = new TraceRing({ maxCount: 2 })
    for (const id of ['a', 'b', 'c']) ring.add(trace({ id }))
    expect(ring.traces.map(({ id }) => id)).toEqual(['b', 'c'])
  })

  it('a trace ring keeps the last ones, by bytes, and none that is larger alone', () => {
    const size = JSON.stringify(trace()).length
    const ring = new TraceRing({ maxBytes: 2 * size + 10 })
    for (const id of ['a', 'b', 'c']) ring.add(trace({ id }))
    expect(ring.traces.map(({ id }) => id)).toEqual(['b', 'c'])
    expect(ring.size).toBe(2 * size)
    ring.add(trace({ id: 'x'.repeat(3 * size) }))
    expect(ring.traces).toEqual([])
    expect(ring.size).toBe(0)
    expect(() => new TraceRing({ maxCount: 0 })).toThrow(RangeError)
  })

  it('a trace ring notifies listeners of each trace that it keeps', () => {
    const ring = new TraceRing({ keep: ({ result }) => result === 'error' })
    const seen: string[] = []
    const stop = ring.subscribe(({ id }) => seen.push(id))
    ring.add(trace({ id: 'quiet' }))
    ring.add(trace({ id: 'loud', result: 'error' }))
    stop()
    ring.add(trace({ id: 'late', result: 'error' }))
    expect(seen).toEqual(['loud'])
    expect(ring.traces.map(({ id }) => id)).toEqual(['loud', 'late'])
  })
})

describe('a file of traces', () => {
  it('a trace file is read as it was written, also joined, and with its last line cut off', () => {
    const text = formatTraces([trace({ id: 'a' }), trace({ id: 'b' })])
    expect(parseTraces(`${text}\n${text}`).map(({ id }) => id)).toEqual(['a', 'b', 'a', 'b'])
    expect(parseTraces(text.slice(0, -20)).map(({ id }) => id)).toEqual(['a'])
    expect(parseTraces('')).toEqual([])
  })

  it('a trace file of another version, or of something else, is refused by line', () => {
    const read = (line: string) => () => parseTraces(`${formatTraces([trace()])}${line}\n`)
    expect(read('{"version":"coxswain.dev/trace/v2","id":"a","entries":[]}')).toThrow(
      'line 2 of the trace file has the version coxswain.dev/trace/v2; this program reads coxswain.dev/trace/v1',
    )
    expect(read('{}')).toThrow('line 2 of the trace file has no version; this program reads coxswain.dev/trace/v1')
    expect(read('[1]')).toThrow(TraceFileError)
    expect(read('nonsense')).toThrow('line 2 of the trace file is no JSON object')
    expect(read(`{"version":"${traceVersion}"}`)).toThrow('lacks an id or entries')
  })
})

describe('changes', () => {
  it('traced field changes are listed by field, and list items by their key', () => {
    const container = (image: string, value: string) => ({
      name: 'web',
      image,
      env: [
        { name: 'MODE', value: 'a' },
        { name: 'DB_PASSWORD', value },
      ],
    })
    const before = {
      kind: 'Deployment',
      metadata: { name: 'a', resourceVersion: '1', labels: { a: '1' } },
      spec: { replicas: 1, containers: [container('nginx:1', 'old')] },
    }
    const after = {
      kind: 'Deployment',
      metadata: { name: 'a', resourceVersion: '2', labels: {} },
      spec: { replicas: 3, containers: [container('nginx:2', 'new'), { name: 'side' }] },
    }
    expect(fieldChanges('Deployment', before, after)).toEqual([
      { path: 'metadata.labels.a', before: '"1"', after: undefined },
      { path: 'spec.replicas', before: '1', after: '3' },
      { path: 'spec.containers[name=web].image', before: '"nginx:1"', after: '"nginx:2"' },
      { path: 'spec.containers[name=web].env[name=DB_PASSWORD].value', before: '***', after: '***' },
      { path: 'spec.containers[name=side]', before: undefined, after: '{"name":"side"}' },
    ])
  })

  it('traced field changes never show what is secret', () => {
    const text = JSON.stringify([
      fieldChanges(
        'Secret',
        { kind: 'Secret', data: { a: 'czNjcjN0' } },
        { kind: 'Secret', data: { a: 'czNjcjN0Mg==', b: 'czNjcjN0' }, stringData: { c: 's3cr3t' } },
      ),
      fieldChanges('Secret', undefined, { kind: 'Secret', data: { a: 'czNjcjN0' }, stringData: { c: 's3cr3t' } }),
      fieldChanges('Pod', undefined, {
        kind: 'Pod',
        spec: { containers: [{ env: [{ name: 'API_TOKEN', value: 's3cr3t' }] }], password: 's3cr3t' },
      }),
      fieldChanges(
        'X',
        { metadata: { annotations: {} } },
        { metadata: { annotations: { 'kubectl.kubernetes.io/last-applied-configuration': '{"data":"s3cr3t"}' } } },
      ),
    ])
    expect(text).not.toContain('s3cr3t')
    expect(text).not.toContain('czNjcjN0')
    expect(fieldChanges('Pod', {}, { spec: { imagePullSecrets: [{ name: 'registry' }] } })[0]?.after).toBe(
      '{"imagePullSecrets":[{"name":"registry"}]}',
    )
  })

  it('traced field changes are few, and each is short', () => {
    const many = Object.fromEntries(Array.from({ length: 100 }, (_, index) => [`field${index}`, 'x'.repeat(1000)]))
    const found = fieldChanges('X', {}, { spec: many, ...many })
    expect(found).toHaveLength(16)
    expect(Math.max(...found.map(({ after = '' }) => after.length))).toBe(120)
    expect(fieldChanges('X', { spec: 1 }, undefined)).toEqual([])
  })
})

describe('lines', () => {
  const full = trace({
    controller: 'webapp',
    namespace: 'default',
    name: 'hello',
    attempt: 2,
    ms: 12,
    result: 'wait',
    after: 30_000,
    triggerCount: 3,
    triggers: [{ verb: 'update', kind: 'Deployment', namespace: 'default', name: 'hello', changed: ['status'] }],
    entries: [
      {
        type: 'step',
        name: 'sync',
        at: 0,
        ms: 10,
        outcome: 'wait',
        why: 'not ready',
        after: 5000,
        inputs: { image: 'nginx:1' },
        notes: { ready: 1 },
        entries: [
          {
            type: 'call',
            verb: 'apply',
            kind: 'Deployment',
            namespace: 'default',
            name: 'hello',
            at: 1,
            ms: 3,
            sent: true,
            outcome: 'drift',
            culprit: 'kubectl',
            changes: [{ path: 'spec.replicas', before: '5', after: '2' }],
          },
          {
            type: 'call',
            verb: 'apply',
            kind: 'Service',
            namespace: 'default',
            name: 'hello',
            at: 4,
            ms: 0,
            sent: false,
            outcome: 'unchanged',
            changes: [],
          },
          { type: 'event', eventType: 'Normal', reason: 'Synced', message: 'all well', at: 5 },
          { type: 'transition', machine: 'webapp', from: 'Creating', to: 'Running', why: 'ready', at: 5 },
          {
            type: 'step',
            name: 'health',
            at: 6,
            ms: 0,
            outcome: 'error',
            error: { name: 'Error', message: 'no\nanswer' },
            entries: [],
          },
        ],
      },
    ],
  })

  it('trace lines describe a run, one thing each', () => {
    expect(traceLines(full)).toEqual([
      'webapp default/hello: update Deployment hello (status) and 2 more, attempt 2  12 ms, again in 30 s',
      '  sync  (image=nginx:1 ready=1)  wait 5 s: not ready  10 ms',
      '    apply Deployment hello  drift by kubectl  3 ms  spec.replicas 5 → 2',
      '    apply Service hello  unchanged, nothing sent',
      '    event Synced: all well',
      '    Creating → Running: ready',
      '    health  failed: no answer',
    ])
    expect(traceLines(full, { width: 40 })[0]).toBe('webapp default/hello: update Deployment…')
  })

  it('trace lines are spans, too, each with its times', () => {
    const spans: string[] = []
    let depth = 0
    emitSpans(
      { ...full, started: 1000 },
      {
        startSpan: (name, attributes, at) => {
          const index = spans.push('') - 1
          const level = depth
          return {
            within: (work) => {
              depth++
              const result = work()
              depth--
              return result
            },
            end: (error, until) => {
              const { step: title = attributes['verb'] ?? attributes['reason'] ?? attributes['to'] ?? '' } = attributes
              spans[index] =
                `${'  '.repeat(level)}${name} ${String(title)} ` +
                `${String(at)}-${String(until)}${error instanceof Error ? ` ${error.message}` : ''}`
            },
          }
        },
      },
    )
    expect(spans).toEqual([
      'run  1000-1012',
      '  step sync 1000-1010',
      '    call apply 1001-1004',
      '    call apply 1004-1004',
      '    event Synced 1005-1005',
      '    transition Running 1005-1005',
      '    step health 1006-1006 no\nanswer',
    ])
  })

  it('trace lines show how a step ended', async () => {
    const ended = async (
      outcome: ReturnType<typeof done> | ReturnType<typeof wait> | undefined,
    ): Promise<string | undefined> =>
      traceLines(
        (
          await execute(
            step('x', () => outcome),
            {},
            { env: simulatedEnv() },
          )
        ).trace,
      )[1]
    expect(await ended(undefined)).toBe('  x')
    expect(await ended(done())).toBe('  x  done')
    expect(await ended(done('enough'))).toBe('  x  done: enough')
    expect(await ended(wait(600_000, 'a while'))).toBe('  x  wait 10 min: a while')
  })
})
