/** Operators that take the time or random numbers from the machine: found once, before any fault is tried. */
import { createHash, randomBytes, randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { ConfigMap, controller, resource, Secret, t, type Infer, type Reconcile } from 'coxswain'
import { explore, type ExploreOptions, type ExploreReport } from 'coxswain/testing'

const App = resource('example.dev/v1', 'App', {
  spec: t.object({}),
  status: t.object({ text: t.string().optional(), conditions: t.conditions().optional() }),
})
type App = Infer<typeof App>

const exploring = (run: Reconcile<App>, more: Partial<ExploreOptions> = {}): Promise<ExploreReport> => {
  const apps = controller(App)
    .owns(ConfigMap, Secret)
    .reconcile(async (context) => {
      await run(context)
      context.status.condition({ type: 'Ready', status: true, reason: 'Done' })
    })
  const app = { apiVersion: 'example.dev/v1', kind: 'App', metadata: { name: 'a' }, spec: {} }
  const steps = [{ name: 'create', act: (cluster) => cluster.apply(app) }] satisfies ExploreOptions['steps']
  return explore({ cluster: { controllers: [apps] }, steps, faults: ['crash-after', 'error'], ...more })
}

/** A Secret with a password, unless there is one. */
const withPassword =
  (made: (context: Parameters<Reconcile<App>>[0]) => string): Reconcile<App> =>
  async (context) => {
    const { get, apply } = context
    const password = (await get(Secret, 'a'))?.data?.['password'] ?? Buffer.from(made(context)).toString('base64')
    await apply(Secret, { metadata: { name: 'a' }, data: { password } })
  }

const fromBytes = withPassword(() => randomBytes(9).toString('hex'))
const once =
  (text: () => string): Reconcile<App> =>
  ({ object, status }) =>
    status.set({ text: object.status?.text ?? text() })

describe('an operator that takes randomness or the time from the machine', () => {
  it('an operator that takes randomness from the machine is reported once, with field, place and remedy', async () => {
    const report = await exploring(fromBytes)
    expect([report.tried, report.failures.map(({ id, problems }) => [id, problems.length])]).toEqual([
      0,
      [['create/0/none', 1]],
    ])
    const lines = report.failures[0]?.problems[0]?.split('\n    ')
    expect(lines).toEqual([
      expect.stringMatching(/^in a second new cluster: v1 Secret default\/a: data\.password: "\w+" instead of "\w+"$/),
      'the operator is not deterministic: it asks the machine for the time or for random numbers',
      expect.stringMatching(
        /^ {2}crypto\.randomBytes in test\/explore\/not-deterministic\.test\.ts:\d+:\d+ \(the cont/,
      ),
      'no fault is tried, since every run would differ: take them from now(), random() and uuid() of the context',
      "if it may be another value each time, ignore: ['v1 Secret data.password']",
    ])
  })

  it.each<[string, Reconcile<App>, string]>([
    ['Math.random, even of two values', once(() => (Math.random() < 0.5 ? 'heads' : 'tails')), 'Math.random in test/'],
    ['Date.now, even in whole days', once(() => String(Math.floor(Date.now() / 86_400_000))), 'Date.now in test/'],
    ['new Date', once(() => String(new Date().getMonth())), 'new Date in test/'],
    ['the age of an object', ageOf, 'Date.now in test/'],
    ['crypto.randomUUID of the name', namedAtRandom, 'crypto.randomUUID in test/'],
    [
      'after an await',
      async (context) => {
        await Promise.resolve()
        await fromBytes(context)
      },
      'crypto.randomBytes in test/',
    ],
  ])('an operator that takes from the machine is found: %s', async (_, run, source) => {
    const report = await exploring(run)
    expect(report.tried).toBe(0)
    expect(report.failures.flatMap(({ problems }) => problems).join('\n')).toContain(`  ${source}`)
  })

  it('an operator that takes randomness from the machine is explored if that field may differ', async () => {
    const report = await exploring(fromBytes, { ignore: ['v1 Secret data.password'] })
    expect(report.failures, report.text).toEqual([])
    expect(report.tried).toBeGreaterThan(1)
  })

  it('an operator that takes time from the machine for its log only is explored', async () => {
    const report = await exploring(async (context) => {
      const startedAt = Date.now()
      await fixed(context)
      context.log.info('applied', { ms: Date.now() - startedAt, at: new Date().toISOString() })
    })
    expect(report.failures, report.text).toEqual([])
    expect(report.tried).toBeGreaterThan(1)
  })

  it('an operator that takes ids and the time from the context is explored', async () => {
    const report = await exploring(({ object, status, now, random, uuid }) => {
      const hour = Math.floor(now() / 3_600_000)
      status.set({ text: object.status?.text ?? `${uuid()} ${hour} ${random() < 1 ? 'yes' : 'no'}` })
    })
    expect(report.failures, report.text).toEqual([])
    expect(report.tried).toBeGreaterThan(1)
  })

  it('what the machine answers is as before after an exploration', async () => {
    const functions = (): unknown[] => [
      Date,
      Reflect.get(Date, 'now'),
      Reflect.get(Math, 'random'),
      Reflect.get(crypto, 'randomUUID'),
      Reflect.get(performance, 'now'),
    ]
    const before = functions()
    await exploring(fromBytes)
    for (const [index, each] of functions().entries()) expect(each).toBe(before[index])
  })
})

async function ageOf({ object, apply }: Parameters<Reconcile<App>>[0]): Promise<void> {
  const isOld = Date.now() - Date.parse(object.metadata.creationTimestamp ?? '') > 600_000
  await apply(ConfigMap, { metadata: { name: 'a' }, data: { isOld: String(isOld) } })
}

async function namedAtRandom({ owned, apply }: Parameters<Reconcile<App>>[0]): Promise<void> {
  if ((await owned(ConfigMap)).length === 0) await apply(ConfigMap, { metadata: { name: randomUUID() } })
}

async function fixed({ apply, object }: Parameters<Reconcile<App>>[0]): Promise<void> {
  const text = createHash('sha256').update(object.metadata.name).digest('hex')
  await apply(ConfigMap, { metadata: { name: 'a' }, data: { text } })
}
