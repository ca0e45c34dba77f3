/** Operators that call external systems: their calls in the runtime, and the models of tests. */
import { afterEach, describe, expect, it } from 'vitest'
import { controller } from '../controller/builder.ts'
import type { ControllerDefinition, Reconcile } from '../controller/definition.ts'
import { generationChanged } from '../controller/update-filters.ts'
import { PermanentError, RetryableError } from '../controller/errors.ts'
import type { ObjectOf } from '../schema/kind.ts'
import { external, type CarryOut } from '../external/external.ts'
import { TraceRing } from '../flow/trace-ring.ts'
import { traceLines } from '../flow/trace-lines.ts'
import { fencedCalls } from '../manager/fenced-calls.ts'
import { resource } from '../schema/resource.ts'
import { t } from '../schema/t.ts'
import type { Embedded } from './embedded-handle.ts'
import { embedded } from './embedded.ts'
import type { EmbeddedOptions } from './embedded-options.ts'
import type { FaultPlan } from './faulty-transport.ts'

const App = resource('example.dev/v1', 'App', {
  spec: t.object({ size: t.int() }),
  status: t.object({ id: t.string().optional() }),
})
type App = ObjectOf<typeof App>
const app = { apiVersion: 'example.dev/v1', kind: 'App', metadata: { name: 'a' }, spec: { size: 1 } }
const key = { namespace: 'default', name: 'a' }

interface Registry {
  ensure(request: { readonly key: string; readonly size: number }): Promise<{ readonly id: string }>
  find(key: string): Promise<{ readonly id: string } | undefined>
}

/** What the implementation does, and the signals that it got. */
let real: Partial<Registry> = {}
const signals: AbortSignal[] = []
const registry = external<Registry>('registry', {
  connect: ({ signal }) => {
    signals.push(signal)
    return real as Registry
  },
  reads: ['find'],
})

class RegistryModel implements Registry {
  readonly items: Record<string, number>

  constructor(state: Record<string, number> = {}) {
    this.items = state
  }

  ensure({ key: item, size }: { readonly key: string; readonly size: number }): Promise<{ readonly id: string }> {
    this.items[item] = size
    return Promise.resolve({ id: `id of ${item}` })
  }

  find(item: string): Promise<{ readonly id: string } | undefined> {
    return Promise.resolve(item in this.items ? { id: `id of ${item}` } : undefined)
  }

  state(): Record<string, number> {
    return this.items
  }
}
const model = registry.model((state?: Record<string, number>) => new RegistryModel(state))

const ensuring: Reconcile<App> = async ({ object, use, status }) => {
  const { id } = await use(registry).ensure({ key: object.metadata.name, size: object.spec.size })
  status.set({ id })
}
const building = controller(App).when(generationChanged).uses(registry)
const apps = building.reconcile(ensuring)

let cluster: Embedded | undefined
afterEach(async () => {
  await cluster?.stop()
  cluster = undefined
  real = {}
  signals.splice(0)
})

async function started(definition: ControllerDefinition<App>, options: EmbeddedOptions = {}): Promise<Embedded> {
  cluster = await embedded({ controllers: [definition], externals: [model], ...options })
  await cluster.apply(app)
  return cluster
}

const failureOf = (running: Embedded): Promise<Error> =>
  running.settle().then(
    () => {
      throw new Error('it settled')
    },
    (error: Error) => error.cause as Error,
  )

describe('a call of an external system', () => {
  it('a call of an external system is answered by the model of the test, traced, logged and counted', async () => {
    const traces = new TraceRing()
    const running = await started(apps, { traces })
    await running.settle()
    expect((await running.client.get(App, key)).status).toEqual({ id: 'id of a' })
    expect(running.model(model).items).toEqual({ a: 1 })
    expect(running.externalCalls).toEqual(['registry.ensure'])
    expect(traces.traces.flatMap((trace) => traceLines(trace)).join('\n')).toContain('\n  ensure registry  called\n')
    expect(running.logs.join('\n')).toMatch(/"external call".*"system":"registry","method":"ensure"/)
    const metrics = running.manager.metrics.text()
    expect(metrics).toContain('coxswain_external_calls_total{system="registry",method="ensure",result="success"} 1')
    expect(metrics).toContain('coxswain_external_call_duration_seconds_count{system="registry",method="ensure"} 1')
  })

  it('a call of an external system that fails names the system, the method and all causes', async () => {
    let calls = 0
    real = {
      ensure: () => {
        calls++
        throw new TypeError('fetch failed', { cause: new Error('connect ECONNREFUSED 127.0.0.1:1') })
      },
    }
    const running = await started(apps, { externals: [registry] })
    const error = await failureOf(running)
    expect(error).toMatchObject({ name: 'ExternalError', system: 'registry', method: 'ensure' })
    expect(error.message).toBe('registry.ensure failed: fetch failed: connect ECONNREFUSED 127.0.0.1:1')
    expect(error.cause).toBeInstanceOf(TypeError)
    expect(calls).toBeGreaterThan(3)
    expect(running.manager.metrics.text()).toContain('controller_runtime_reconcile_panics_total{controller="app"} 0')
    expect(running.manager.metrics.text()).toContain(
      `coxswain_external_calls_total{system="registry",method="ensure",result="error"} ${calls}`,
    )
  })

  it('a call of an external system decides by its cause whether and when it is retried', async () => {
    const causes = [new RetryableError('busy', { afterMs: 7000 }), new PermanentError('no')]
    const times: number[] = []
    real = {
      ensure: () => {
        times.push(cluster?.env.now() ?? 0)
        return Promise.reject(causes.shift() ?? new Error('called once more'))
      },
    }
    const running = await started(apps, { externals: [registry] })
    await running.settle()
    expect(times.map((time) => time - (times[0] ?? 0))).toEqual([0, 7000])
  })

  it('a call of an external system ends with the signal of its run, although the implementation goes on', async () => {
    real = { ensure: () => new Promise(() => undefined) }
    const limited = building.options({ reconcileTimeoutMs: 5000, maxRetries: 0 }).reconcile(ensuring)
    const running = await embedded({ controllers: [limited], externals: [registry] })
    cluster = running
    running.env.maxHoldMs = 1
    await running.apply(app)
    await running.advance(4999)
    expect(signals.map(({ aborted }) => aborted)).toEqual([false])
    await running.advance(1)
    expect(signals.map(({ aborted }) => aborted)).toEqual([true])
    expect(running.logs.join('\n')).toContain('the reconcile took longer than 5000 ms')
  })

  it('a call of an external system that is not declared names the remedy', async () => {
    const error = await failureOf(await started(controller(App).reconcile(ensuring)))
    expect(error.message).toBe(
      'the controller app uses registry and does not declare it: add .uses(registry) to the controller',
    )
  })

  it('a call of an external system that may change something is not begun without the lease', async () => {
    const made: string[] = []
    const carryOut: CarryOut = ({ method }) => Promise.resolve(made.push(method))
    const lost = fencedCalls(carryOut, () => false)
    const call = { system: registry, args: [], controller: 'app', object: 'App default/a' } as never as object
    await expect(lost({ ...call, method: 'ensure', isRead: false } as never)).rejects.toMatchObject({
      name: 'NotLeaderError',
    })
    await lost({ ...call, method: 'find', isRead: true } as never)
    expect(made).toEqual(['find'])
  })
})

describe('a model of an external system', () => {
  it('a model of an external system is required', async () => {
    await expect(embedded({ controllers: [apps] })).rejects.toThrow(
      'the controller app uses the external system registry, and the test gives none: pass externals: ' +
        '[registry.model(() => …)] with an implementation in memory, or externals: [registry] to call it',
    )
  })

  it('a model of an external system is new in each cluster, or continues from a snapshot', async () => {
    const running = await started(apps)
    await running.settle()
    const from = running.snapshot()
    expect(from.externals).toEqual({ registry: { a: 1 } })
    await running.model(model).ensure({ key: 'b', size: 2 })
    const next = await embedded({ controllers: [apps], externals: [model], from })
    expect(next.model(model).items).toEqual({ a: 1 })
    await next.stop()
    const fresh = await embedded({ controllers: [apps], externals: [model] })
    expect(fresh.model(model).items).toEqual({})
    await fresh.stop()
  })

  /** At the first external call. */
  const once = (fault: ReturnType<FaultPlan>): FaultPlan => {
    let isDone = false
    return ({ path }) => {
      if (isDone || path !== 'registry.ensure') return undefined
      isDone = true
      return fault
    }
  }

  it.each([
    ['a crash before it', { type: 'crash', when: 'before' }, 2],
    ['a crash after it', { type: 'crash', when: 'after' }, 2],
    ['a lost call', { type: 'drop-before' }, 2],
    ['a lost reply', { type: 'drop-after' }, 2],
    ['an error', { type: 'answer', status: 503 }, 2],
    ['a delay', { type: 'delay', ms: 1000 }, 1],
  ] as const)('a model of an external system survives %s', async (_, fault, calls) => {
    const running = await started(apps, { faults: once(fault) })
    await running.settle()
    expect(running.externalCalls).toHaveLength(calls)
    expect(running.model(model).items).toEqual({ a: 1 })
    expect((await running.client.get(App, key)).status).toEqual({ id: 'id of a' })
  })

  it('a model of an external system hears nothing more of a program that has died in its call', async () => {
    let caught = 0
    const stubborn = building.reconcile(async (context) => {
      try {
        await ensuring(context)
      } finally {
        caught++
      }
    })
    const running = await started(stubborn, { faults: once({ type: 'crash', when: 'after' }) })
    await running.settle()
    expect(caught).toBe(1)
  })
})
