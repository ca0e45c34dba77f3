import { afterEach, describe, expect, it } from 'vitest'
import { apiError } from '../api/status.ts'
import { pause } from '../env/pause.ts'
import { parallel, pipeline } from '../flow/compose.ts'
import { timed } from '../flow/decorators.ts'
import { machine } from '../flow/machine.ts'
import { done, goto, wait } from '../flow/outcome.ts'
import { currentScope } from '../flow/scope.ts'
import { step, type Step } from '../flow/step.ts'
import { traceLines } from '../flow/trace-lines.ts'
import { TraceRing } from '../flow/trace-ring.ts'
import type { CallTrace, StepTrace, TraceEntry } from '../flow/trace.ts'
import { ConfigMap, Secret } from '../schema/builtin/kinds.ts'
import { resource } from '../schema/resource.ts'
import { t } from '../schema/t.ts'
import type { InputOf, ObjectOf } from '../schema/kind.ts'
import { embedded, type Embedded } from '../testing/index.ts'
import { controller } from './builder.ts'
import type { ReconcileContext } from './context.ts'
import type { ControllerDefinition } from './definition.ts'
import { classify, PermanentError, RetryableError } from './errors.ts'
import { flow } from './flow.ts'

const App = resource('test.io/v1', 'App', {
  spec: t.object({ text: t.string() }),
  status: t.object({ observedGeneration: t.int64().optional(), phase: t.string().optional() }),
})
type App = ObjectOf<typeof App>
type Context = ReconcileContext<App>

const app: InputOf<typeof App> & { apiVersion: string; kind: string } = {
  apiVersion: 'test.io/v1',
  kind: 'App',
  metadata: { name: 'a', namespace: 'default' },
  spec: { text: 'x' },
}
const key = { namespace: 'default', name: 'a' }

let cluster: Embedded | undefined
afterEach(() => cluster?.stop())

async function started(...controllers: ControllerDefinition[]): Promise<{ cluster: Embedded; ring: TraceRing }> {
  const ring = new TraceRing()
  cluster = await embedded({ controllers, traces: ring })
  return { cluster, ring }
}

async function applyText({ object, apply }: Context): Promise<void> {
  await apply(ConfigMap, { metadata: { name: object.metadata.name }, data: { text: object.spec.text } })
}

function calls(entries: readonly TraceEntry[]): CallTrace[] {
  return entries.flatMap((entry) =>
    entry.type === 'step' ? calls(entry.entries) : entry.type === 'call' ? [entry] : [],
  )
}

describe('a flow as a reconcile', () => {
  const lifecycle = machine({
    name: 'lifecycle',
    initial: 'Pending',
    phase: ({ status }: Context) => status.current.phase,
    onTransition: ({ status, event }: Context, { to, why }) => {
      status.set({ phase: to })
      event('Normal', to, why)
    },
    phases: {
      Pending: {
        run: pipeline(
          'pending',
          applyText,
          step('begin', () => goto('Running', 'the text is there')),
        ),
        to: ['Running'],
      },
      Running: {
        run: pipeline(
          'running',
          applyText,
          step('rest', () => wait(30_000, 'look again')),
        ),
        to: [],
      },
    },
  })
  const apps = controller(App)
    .owns(ConfigMap)
    .finalizer('test.io/app', flow(step('cleanUp', () => done())))
    .reconcile(flow(lifecycle))

  it('a flow reconciles, and each run is a trace with its steps, calls, events and transitions', async () => {
    const { cluster, ring } = await started(apps)
    await cluster.apply(app)
    await cluster.settle({ patienceMs: 1000 })
    expect((await cluster.client.get(App, key)).status?.phase).toBe('Running')
    const [first] = ring.traces
    expect(first).toMatchObject({
      controller: 'app',
      kind: 'App',
      namespace: 'default',
      name: 'a',
      attempt: 1,
      result: 'wait',
      after: 30_000,
    })
    expect(traceLines(first!)).toEqual([
      'app default/a: add App a, again in 30 s',
      '  patch App a  updated  metadata.finalizers = ["test.io/app"]',
      '  lifecycle',
      '    pending',
      '      applyText',
      '        apply ConfigMap a  created',
      '      begin  to Running: the text is there',
      '    Pending → Running: the text is there',
      '    event Running: the text is there',
      '    running',
      '      applyText',
      '        apply ConfigMap a  unchanged, nothing sent',
      '      rest  wait 30 s: look again',
      '  patch App/status a  updated  status.phase = "Running", status.observedGeneration = 1',
    ])
  })

  it('the trace of a flow shows drift, its author and the field', async () => {
    const { cluster, ring } = await started(apps)
    await cluster.apply(app)
    await cluster.settle({ patienceMs: 1000 })
    await cluster.client.patch(
      ConfigMap,
      key,
      { type: 'merge', patch: { data: { text: 'y' } } },
      { fieldManager: 'somebody' },
    )
    await cluster.settle({ patienceMs: 1000 })
    const drift = ring.traces.flatMap(({ entries }) => calls(entries)).find(({ outcome }) => outcome === 'drift')
    expect(drift).toMatchObject({
      verb: 'apply',
      kind: 'ConfigMap',
      name: 'a',
      sent: true,
      culprit: 'somebody',
      changes: [{ path: 'data.text', before: '"y"', after: '"x"' }],
    })
    expect(ring.traces.at(-1)?.triggers[0]).toMatchObject({ kind: 'ConfigMap', name: 'a' })
  })

  it('a flow as a reconcile lets the object go when its cleanup is done, and not while it waits', async () => {
    let left = 2
    const patient = controller(App)
      .finalizer('test.io/app', flow(step('cleanUp', () => (left-- > 0 ? wait(1000, 'something is left') : undefined))))
      .reconcile(() => undefined)
    const { cluster, ring } = await started(patient)
    await cluster.apply(app)
    await cluster.settle()
    await cluster.client.delete(App, key)
    await cluster.advance(1500)
    expect((await cluster.client.get(App, key)).metadata.deletionTimestamp).toBeDefined()
    await cluster.settle()
    await expect(cluster.client.get(App, key)).rejects.toThrow('not found')
    expect(ring.traces.slice(-4).map(({ result }) => result)).toEqual(['wait', 'wait', 'done', 'done'])
  })

  it('the trace of a flow shows a failed call in the step that made it', async () => {
    const wrong = step(
      'wrong',
      async ({ client }: Context) => void (await client.get(Secret, { namespace: 'default', name: 'none' })),
    )
    const { cluster, ring } = await started(
      controller(App)
        .options({ maxRetries: 0 })
        .reconcile(flow(pipeline('all', wrong))),
    )
    await cluster.apply(app)
    await cluster.settle()
    const [trace] = ring.traces
    expect(trace).toMatchObject({ result: 'error', error: { name: 'ApiError', message: 'secrets "none" not found' } })
    expect(((trace!.entries[0] as StepTrace).entries[0] as StepTrace).entries).toMatchObject([
      { verb: 'get', kind: 'Secret', outcome: 'error 404' },
    ])
  })

  it('a flow as a reconcile never shows what a Secret holds', async () => {
    const secretive = step(
      'secretive',
      async ({ apply }: Context) =>
        void (await apply(Secret, { metadata: { name: 'a' }, stringData: { word: 's3cr3t' } })),
    )
    const { cluster, ring } = await started(controller(App).owns(Secret).reconcile(flow(secretive)))
    await cluster.apply(app)
    await cluster.settle()
    const text = JSON.stringify(ring.traces)
    expect(calls(ring.traces[0]!.entries)[0]?.changes).toContainEqual({ path: 'data', after: '***' })
    expect(text).not.toContain('s3cr3t')
    expect(text).not.toContain(Buffer.from('s3cr3t').toString('base64'))
  })

  it('a flow as a reconcile works for steps that want more than the context', async () => {
    const seen: string[] = []
    const report: Step<{ text: string }> = step('tell', ({ text }) => void seen.push(text))
    const { cluster } = await started(
      controller(App).reconcile(flow(report, ({ object }: Context) => ({ text: object.spec.text }))),
    )
    await cluster.apply(app)
    await cluster.settle()
    expect(seen).toContain('x')
  })

  it('a flow as a reconcile attributes calls of steps that run at the same time', async () => {
    const maker = (name: string): Step<Context> =>
      step(name, async ({ apply }) => void (await apply(ConfigMap, { metadata: { name } })))
    const { cluster, ring } = await started(
      controller(App)
        .owns(ConfigMap)
        .reconcile(flow(parallel('both', maker('one'), maker('two')))),
    )
    await cluster.apply(app)
    await cluster.settle()
    const [both] = ring.traces[0]!.entries as [StepTrace]
    expect(
      (both.entries as StepTrace[]).map(({ name, entries }) => [name, calls(entries).map((call) => call.name)]),
    ).toEqual([
      ['one', ['one']],
      ['two', ['two']],
    ])
  })

  it('a flow as a reconcile runs only where there is a run', async () => {
    await expect(async () => flow(applyText)({} as Context)).rejects.toThrow(
      'the flow applyText runs in a controller, or by execute()',
    )
  })
})

describe('a step whose time is over', () => {
  it('a step whose time is over loses its calls and waits, and the run goes on to fail', async () => {
    const signals: AbortSignal[] = []
    const slow = step('slow', async ({ signal, apply }: Context, { env }) => {
      signals.push(signal)
      await pause(env, 60_000, signal)
      await apply(ConfigMap, { metadata: { name: 'late' } })
    })
    const { cluster, ring } = await started(
      controller(App)
        .owns(ConfigMap)
        .options({ maxRetries: 0 })
        .reconcile(flow(timed(1000, slow))),
    )
    await cluster.apply(app)
    await cluster.advance(1001)
    await cluster.settle()
    expect(signals[0]?.aborted).toBe(true)
    expect(ring.traces[0]?.error).toEqual({
      name: 'StepTimeoutError',
      message: 'the step slow took longer than 1000 ms',
    })
    await expect(cluster.client.get(ConfigMap, { namespace: 'default', name: 'late' })).rejects.toThrow('not found')
  })
})

describe('a flow that nobody traces', () => {
  it('a flow that nobody traces does the same, and calls still end with the time of their step', async () => {
    const signals: AbortSignal[] = []
    const slow = step('slow', async ({ signal, apply }: Context, { env }) => {
      signals.push(signal)
      await pause(env, 60_000, signal)
      await apply(ConfigMap, { metadata: { name: 'late' } })
    })
    const around = { scope: false, timed: false }
    const look = (name: keyof typeof around) =>
      step('look', () => {
        around[name] = currentScope() !== undefined
      })
    const all = pipeline('all', applyText, look('scope'), timed(1000, pipeline('timed', look('timed'), slow)))
    cluster = await embedded({
      controllers: [controller(App).owns(ConfigMap).options({ maxRetries: 0 }).reconcile(flow(all))],
    })
    await cluster.apply(app)
    await cluster.advance(1001)
    await cluster.settle()
    expect((await cluster.client.get(ConfigMap, key)).data).toEqual({ text: 'x' })
    expect(new Set(signals.map(({ aborted }) => aborted))).toEqual(new Set([true]))
    expect(around).toEqual({ scope: false, timed: true })
    await expect(cluster.client.get(ConfigMap, { namespace: 'default', name: 'late' })).rejects.toThrow('not found')
  })
})

describe('what several steps throw at once', () => {
  const conflict = apiError.modified({ group: '', resource: 'pods' }, 'a')

  it('an AggregateError of several steps is retried if one of its errors is', () => {
    expect(classify(new AggregateError([new PermanentError('a'), new PermanentError('b')]))).toBe('permanent')
    expect(classify(new AggregateError([new PermanentError('a'), conflict]))).toBe('conflict')
    expect(classify(new AggregateError([new RetryableError('a'), conflict]))).toBe('retryable')
    expect(classify(new AggregateError([new TypeError('a'), new RetryableError('b')]))).toBe('bug')
    expect(classify(new AggregateError([]))).toBe('retryable')
  })
})
