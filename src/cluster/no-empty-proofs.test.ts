/** `settle()` neither resolves while the operator fails, nor hangs while it loops. */
import { afterEach, describe, expect, it } from 'vitest'
import { controller } from '../controller/builder.ts'
import type { ControllerDefinition } from '../controller/definition.ts'
import { PermanentError } from '../controller/errors.ts'
import { requeueAfter } from '../controller/result.ts'
import { exponentialLimiter } from '../queue/limiters.ts'
import { simulatedEnv } from '../env/simulated.ts'
import { ConfigMap } from '../schema/builtin/kinds.ts'
import { resource } from '../schema/resource.ts'
import { t } from '../schema/t.ts'
import type { Embedded } from './embedded-handle.ts'
import { embedded } from './embedded.ts'
import { NotSettledError, settle } from './settle.ts'

const App = resource('example.dev/v1', 'App', {
  spec: t.object({ text: t.string() }),
  status: t.object({ n: t.int().optional(), conditions: t.conditions().optional() }),
})
const app = { apiVersion: 'example.dev/v1', kind: 'App', metadata: { name: 'a' }, spec: { text: 'one' } }

let cluster: Embedded | undefined
afterEach(async () => {
  await cluster?.stop()
  cluster = undefined
})

async function started(...controllers: readonly ControllerDefinition[]): Promise<Embedded> {
  cluster = await embedded({ controllers })
  await cluster.apply(app)
  return cluster
}

const failure = (running: Embedded): Promise<Error> =>
  running.settle().then(
    () => {
      throw new Error('it settled')
    },
    (error: Error) => error,
  )

describe('a key that keeps failing', () => {
  const failing = controller(App).reconcile(() => {
    throw new Error('the database is down')
  })

  it('a key that keeps failing is an error of settle that names the key, the error and the line', async () => {
    const running = await started(failing)
    const error = await failure(running)
    expect(error).toBeInstanceOf(NotSettledError)
    expect(error.message).toMatch(
      /^a key keeps failing, .*\n {2}App default\/a, controller app: failed \d\d times in a row/,
    )
    expect(error.message).toMatch(
      /with Error: the database is down\n {4}at src\/cluster\/no-empty-proofs\.test\.ts:\d+:\d+\n/,
    )
    expect(error.message).toMatch(/\n {4}> \d+ \| {5}throw new Error\('the database is down'\)\n {9}\| {11}\^\n/)
    expect(error.cause).toMatchObject({ message: 'the database is down' })
    expect(running.failing).toMatchObject([{ controller: 'app', object: 'App default/a' }])
  })

  it('a key that keeps failing counts however long its backoff is', async () => {
    const limiter = exponentialLimiter(simulatedEnv(), { baseMs: 86_400_000, maxMs: 86_400_000 })
    const slow = controller(App)
      .options({ limiter })
      .reconcile(() => {
        throw new Error('later')
      })
    expect((await failure(await started(slow))).message).toContain('failed once, the last time with Error: later')
  })

  it('a key that keeps failing in a short backoff is named when time is over', async () => {
    const limiter = exponentialLimiter(simulatedEnv(), { baseMs: 10_000, maxMs: 10_000 })
    const quick = controller(App)
      .options({ limiter })
      .reconcile(() => {
        throw new Error('again')
      })
    expect((await failure(await started(quick))).message).toContain('the last time with Error: again')
  })

  it('a key that keeps failing may, if the test says so', async () => {
    await (await started(failing)).settle({ allowFailing: true })
  })

  it('a forgotten declaration is such a failure', async () => {
    const forgotten = controller(App).reconcile(
      async ({ apply }) => void (await apply(ConfigMap, { metadata: { name: 'a' } })),
    )
    const { message } = await failure(await started(forgotten))
    expect(message).toMatch(/UndeclaredKindError: .*\n {4}at src\/cluster\/no-empty-proofs\.test\.ts:/s)
  })

  it('a key that recovers, a terminal error, a requeue and a lost race are not failures', async () => {
    let runs = 0
    const fine = controller(App).reconcile(async ({ object, client, status }) => {
      if (runs++ < 3) throw new Error('not yet')
      status.condition({ type: 'Ready', status: false, reason: 'Wrong' })
      if (object.spec.text === 'one') throw new PermanentError('never')
      if (runs++ < 9)
        await client.update(App, { ...app, metadata: { ...app.metadata, namespace: 'default', resourceVersion: '1' } })
      return requeueAfter(3_600_000)
    })
    const running = await started(fine)
    await running.settle()
    await running.apply({ ...app, spec: { text: 'two' } } as never)
    await running.settle()
    expect(running.failing).toEqual([])
    expect(runs).toBeGreaterThan(8)
  })
})

describe('a reconcile loop', () => {
  it('a reconcile loop fails fast, with the field, its values and the line that sets it', async () => {
    let n = 0
    const counting = controller(App).reconcile(({ status }) => status.set({ n: n++ }))
    const { message } = await failure(await started(counting))
    expect(message).toMatch(
      /^App default\/a is in a reconcile loop: \d+ writes within a minute change\n {2}status\.n: \d+ → /,
    )
    expect(message).toMatch(/\n {2}status\.set in src\/cluster\/no-empty-proofs\.test\.ts:\d+:\d+ \(controller app\)$/)
    expect(n).toBeLessThan(5000)
  })

  it('a reconcile loop of two controllers that fight over a field names both', async () => {
    const wanting = (name: string, n: number): ControllerDefinition =>
      controller(App)
        .named(name)
        .reconcile(({ status }) => status.set({ n }))
    const { message } = await failure(await started(wanting('first', 1), wanting('second', 2)))
    expect(message).toMatch(/status\.n: (1 → 2|2 → 1) → /)
    expect(message).toContain('(controller first)')
    expect(message).toContain('(controller second)')
  })

  it('a reconcile loop by calls of the client is found, too', async () => {
    let n = 0
    const counting = controller(App).reconcile(async ({ client, key }) => {
      await client.patch(App, key, { type: 'merge', patch: { status: { n: n++ } } }, { subresource: 'status' })
    })
    const { message } = await failure(await started(counting))
    expect(message).toMatch(/client\.patch in src\/cluster\/no-empty-proofs\.test\.ts:\d+:\d+/)
  })

  it('a reconcile loop is not a flow of many steps that ends', async () => {
    const steps = controller(App).reconcile(({ object, status }) => {
      status.set({ n: Math.min(30, (object.status?.n ?? 0) + 1) })
    })
    await (await started(steps)).settle()
  })
})

it('settle waits for the retries of runs that lose several races in a row, and write nothing', async () => {
  let conflicts = 3
  cluster = await embedded({
    controllers: [
      controller(App)
        .owns(ConfigMap)
        .reconcile(async ({ apply }) => void (await apply(ConfigMap, { metadata: { name: 'a' } }))),
    ],
    faults: ({ method, path }) =>
      method === 'PATCH' && path.includes('/configmaps') && conflicts-- > 0
        ? { type: 'answer', status: 409 }
        : undefined,
  })
  await cluster.apply(app)
  await cluster.settle()
  expect(await cluster.client.get(ConfigMap, { namespace: 'default', name: 'a' })).toMatchObject({ kind: 'ConfigMap' })
})

it('a key that is due and that nothing runs is an error of settle, which would wait for ever', async () => {
  const env = simulatedEnv()
  const late = { name: 'late', depth: 0, processingCount: 0, waitingCount: 1, dueTimes: () => [0] } as never
  await expect(
    settle({ env, programs: [{ queues: [late] }], revision: () => 0, flush: () => Promise.resolve() }),
  ).rejects.toThrow('a key is due, and nothing runs it: late (0 ready, 0 in hand, 1 waiting)')
})
