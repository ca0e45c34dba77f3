/** Several faults in one run: pairs, random schedules, and what is left of a failure. */
import { describe, expect, it } from 'vitest'
import { controller } from '../controller/builder.ts'
import { ConfigMap } from '../schema/builtin/kinds.ts'
import { resource } from '../schema/resource.ts'
import { t } from '../schema/t.ts'
import { explore, type ExploreOptions } from './explore.ts'
import { joinReports } from './report/make-report.ts'
import type { ExploreReport } from './report/report.ts'
import type { ExploreStep } from './trial.ts'

const App = resource('example.dev/v1', 'App', {
  spec: t.object({ text: t.string() }),
  status: t.object({ observedGeneration: t.int64().optional(), phase: t.string().optional() }),
})
const app = (name: string, text: string) => ({
  apiVersion: 'example.dev/v1',
  kind: 'App',
  metadata: { name },
  spec: { text },
})
const create: ExploreStep = { name: 'create', act: (cluster) => cluster.apply(app('a', 'one')) }
const update: ExploreStep = { name: 'update', act: (cluster) => cluster.apply(app('a', 'two')) }
const second: ExploreStep = { name: 'second', act: (cluster) => cluster.apply(app('b', 'one')) }

/**
 * Notes in an annotation that it tries once more, up to so many times, and removes the note in the end: but not if all
 * tries fail, since the next run knows nothing of it. So many faults and one more are needed.
 */
const trying = (tries: number) =>
  controller(App)
    .owns(ConfigMap)
    .reconcile(async ({ object, client, status }) => {
      const { name } = object.metadata
      const key = { namespace: 'default', name }
      const note = async (tried: string | null) => {
        await client.patch(App, key, { type: 'merge', patch: { metadata: { annotations: { tried } } } })
      }
      const write = async (left: number): Promise<void> => {
        try {
          await client.apply(ConfigMap, { metadata: key, data: { text: object.spec.text } }, { force: true })
        } catch (error) {
          if (left === 0) throw error
          await note(String(left))
          await write(left - 1)
          await note(null)
        }
      }
      const noted = object.metadata.annotations?.['tried']
      if (noted !== undefined && noted !== '1') await note(null)
      await write(tries)
      status.set({ phase: 'Running' })
    })

function exploring(tries: number, more: Partial<ExploreOptions> = {}): Promise<ExploreReport> {
  return explore({
    cluster: { controllers: [trying(tries)] },
    steps: [create],
    faults: ['error'],
    ignore: ['metadata.managedFields', 'metadata.annotations'],
    ...more,
  })
}

const left = { ignore: ['metadata.managedFields'] }
const failed = ({ failures }: ExploreReport): readonly string[] => failures.map(({ id }) => id)
const withoutTimes = ({ took: _took, text: _text, ...report }: ExploreReport) => report

describe('pairs of faults', () => {
  it('find what no single fault shows', async () => {
    const single = await exploring(1, left)
    expect(failed(single), single.text).toEqual([])
    const report = await exploring(1, { ...left, pairs: 'all' })
    expect(failed(report)[0]).toBe('create/1/error+3/error')
    expect(report.failures[0]?.problems.join()).toContain('metadata.annotations')
    expect(report.failures[0]?.shrunk).toMatchObject({ id: 'create/1/error+3/error', isComplete: true })
    const { singles, pairs } = report.coverage
    expect(singles).toEqual({ tried: single.tried, total: single.tried })
    expect(pairs?.tried).toBe(pairs?.total)
    expect(report.tried).toBe(single.tried + (pairs?.tried ?? 0))
    expect(report.text).toContain(`pairs of faults: ${pairs?.tried} of ${pairs?.total} tried`)
  })

  it('are as many as allowed, and shared by processes', async () => {
    const all = await exploring(1, { pairs: 'all' })
    expect(all.failures, all.text).toEqual([])
    const parts = [0, 1].map((index) => exploring(1, { pairs: 5, part: { index, of: 2 } }))
    const joined = joinReports(await Promise.all(parts))
    expect(joined.coverage.pairs).toEqual({ ...all.coverage.pairs, tried: 5 })
    expect(joined.coverage.singles).toEqual(all.coverage.singles)
  })
})

describe('random schedules', () => {
  it('find what needs three faults, and the failure is shrunk to them', async () => {
    const report = await exploring(2, { ...left, random: 100, stopAtFirst: true })
    // Shrinking has tried to do without each of them.
    expect(report.failures.map(({ shrunk }) => [shrunk?.faults.length, shrunk?.isComplete])).toEqual([[3, true]])
    const { random } = report.coverage
    expect(random?.growth.map(({ tried }) => tried).slice(0, 3)).toEqual([0, 1, 2])
    expect(report.text).toMatch(/random schedules: \d+ tried, seed 1; \d+ states seen, \d+ of them after schedule \d+/)
  })

  it('are the same for the same seed, and differ for another one', async () => {
    const seen = async (more: Partial<ExploreOptions>) => {
      const report = await exploring(2, { faults: ['error', 'crash-after'], atMost: 2, pairs: 2, random: 5, ...more })
      return JSON.stringify(withoutTimes(report))
    }
    const once = await seen({})
    expect(await seen({})).toBe(once)
    expect(await seen({ seed: 2 })).not.toBe(once)
  })

  it('end with the real time, if asked for', async () => {
    const report = await exploring(1, { random: Infinity, budgetMs: 0 })
    expect([report.tried, report.failures]).toEqual([0, []])
    await expect(exploring(1, { random: Infinity })).rejects.toThrow('random: Infinity needs a budgetMs')
  })
})

describe('a failure that is shrunk', () => {
  const forgetful = controller(App).reconcile(async ({ object, client, status }) => {
    if (object.status?.phase === 'Running') return
    await client.create(ConfigMap, { metadata: { generateName: `${object.metadata.name}-`, namespace: 'default' } })
    status.set({ phase: 'Running' })
  })
  const shrinking = (only: string, shrink?: number) =>
    explore({ cluster: { controllers: [forgetful] }, steps: [create, update, second], only, shrink })

  it('has the fewest and simplest faults, and no step that it does not need', async () => {
    const report = await shrinking('second/1/crash-after+4/stale-cache', 60)
    expect(report.failures.map(({ id, shrunk }) => [id, shrunk?.id])).toEqual([
      ['second/1/crash-after+4/stale-cache', ',second/1/lost-reply'],
    ])
    expect(report.text).toContain('shrunk from second/1/crash-after+4/stale-cache; needs the steps: second')
    const again = await shrinking(',second/1/lost-reply')
    expect(again.steps.map(({ name }) => name)).toEqual(['second'])
    expect(again.failures[0]?.problems).toEqual(report.failures[0]?.shrunk?.problems)
    expect(again.failures[0]?.calls).toEqual(report.failures[0]?.shrunk?.calls)
  })

  it('says that the limit of attempts was reached', async () => {
    const report = await shrinking('second/1/crash-after+4/stale-cache', 2)
    expect(report.failures[0]?.shrunk).toMatchObject({ attempts: 2, isComplete: false })
    expect(report.text).toContain('not shrunk further: the limit of 2 attempts was reached')
  })
})
