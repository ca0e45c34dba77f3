/** Statuses that a run postpones to a later run. */
import { describe, expect, it } from 'vitest'
import { requeueAfter } from './result.ts'
import { App, app, bareApps, key, start, stopAfterEach } from './testdata/app.ts'

stopAfterEach()

const statusWrites = (writes: readonly string[]): number => writes.filter((write) => write.endsWith('/status')).length

describe('a status that is postponed', () => {
  it('a status that is postponed is written once, by the run that leads to something else', async () => {
    const all = await start(
      bareApps.reconcile(({ object, status }) => {
        status.set({ phase: object.spec.text })
        if (object.spec.text !== 'done') status.postpone(1000)
      }),
    )
    await all.client.create(App, app('a', 'under way'))
    await all.env.advanceAsync(500)
    expect((await all.client.get(App, key('a'))).status).toBeUndefined()
    await all.client.patch(App, key('a'), { type: 'merge', patch: { spec: { text: 'done' } } })
    await all.settle()
    expect((await all.client.get(App, key('a'))).status?.phase).toBe('done')
    await all.env.advanceAsync(60_000)
    expect(statusWrites(all.writes)).toBe(1)
  })

  it('a status that is postponed is written when its time is over, however often it is postponed', async () => {
    const runs: [number, boolean][] = []
    const all = await start(
      bareApps.reconcile(({ object, status, now }) => {
        status.set({ phase: object.spec.text })
        runs.push([now(), status.postpone(1000)])
        return requeueAfter(400)
      }),
    )
    await all.client.create(App, app('a'))
    await all.env.advanceAsync(900)
    expect((await all.client.get(App, key('a'))).status).toBeUndefined()
    await all.env.advanceAsync(200)
    expect((await all.client.get(App, key('a'))).status?.phase).toBe('hello')
    const [[from] = [0]] = runs
    expect(runs.slice(0, 4).map(([time, isPostponed]) => [time - from, isPostponed])).toEqual([
      [0, true],
      [400, true],
      [800, true],
      [1000, false],
    ])
    expect(statusWrites(all.writes)).toBe(1)
  })

  it('a postponed status requeues the key in time, whatever the run asked for', async () => {
    for (const wish of [undefined, 30_000]) {
      const times: number[] = []
      const all = await start(
        bareApps.options({ reconcileOwnWrites: 'ifRequeuedSoon' }).reconcile(({ status, now }) => {
          times.push(now())
          status.set({ phase: 'A' })
          status.postpone(1000)
          return wish === undefined ? undefined : requeueAfter(wish)
        }),
      )
      await all.client.create(App, app('a'))
      await all.env.advanceAsync(2000)
      expect(times.map((time) => time - (times[0] ?? 0))).toEqual([0, 1000])
      expect((await all.client.get(App, key('a'))).status?.phase).toBe('A')
    }
  })

  it('a status that is postponed can be postponed again once it was written', async () => {
    const all = await start(
      bareApps.reconcile(({ object, status }) => {
        status.set({ phase: object.spec.text })
        status.postpone(1000)
      }),
    )
    await all.client.create(App, app('a', 'one'))
    await all.env.advanceAsync(10_000)
    await all.client.patch(App, key('a'), { type: 'merge', patch: { spec: { text: 'two' } } })
    await all.env.advanceAsync(900)
    expect((await all.client.get(App, key('a'))).status?.phase).toBe('one')
    await all.env.advanceAsync(200)
    expect((await all.client.get(App, key('a'))).status?.phase).toBe('two')
  })

  it('a status that is postponed but unchanged does not requeue the key', async () => {
    let runs = 0
    const all = await start(
      bareApps.reconcile(({ status }) => {
        runs++
        status.set({ phase: 'A' })
        status.postpone(1000)
      }),
    )
    await all.client.create(App, app('a'))
    await all.env.advanceAsync(3_600_000)
    expect(runs).toBe(3)
    expect(statusWrites(all.writes)).toBe(1)
  })

  it('a status that is postponed is written by a run that throws', async () => {
    const all = await start(
      bareApps.reconcile(({ status }) => {
        status.set({ phase: 'Failing' })
        status.postpone(60_000)
        throw new Error('no')
      }),
    )
    await all.client.create(App, app('a'))
    await all.settle()
    expect((await all.client.get(App, key('a'))).status?.phase).toBe('Failing')
  })

  it('a status that is postponed is computed again by the next process', async () => {
    const postponing = (ms: number) =>
      bareApps.reconcile(({ status }) => {
        status.set({ phase: `after ${ms}` })
        status.postpone(ms)
      })
    const all = await start(postponing(60_000))
    await all.client.create(App, app('a'))
    await all.settle()
    await all.restart(postponing(1000))
    await all.env.advanceAsync(1500)
    expect((await all.client.get(App, key('a'))).status?.phase).toBe('after 1000')
    expect(statusWrites(all.writes)).toBe(1)
  })

  it('a status that is postponed may wait for ever for something else to happen', async () => {
    let runs = 0
    const all = await start(
      bareApps.reconcile(({ object, status }) => {
        runs++
        status.set({ phase: object.spec.text })
        if (object.spec.text !== 'done') status.postpone(Infinity)
      }),
    )
    await all.client.create(App, app('a', 'quiet'))
    await all.env.advanceAsync(3_600_000)
    expect([runs, statusWrites(all.writes)]).toEqual([1, 0])
    await all.client.patch(App, key('a'), { type: 'merge', patch: { spec: { text: 'done' } } })
    await all.settle()
    expect((await all.client.get(App, key('a'))).status?.phase).toBe('done')
  })

  it('a status that is postponed needs a time', async () => {
    const all = await start(bareApps.reconcile(({ status }) => void status.postpone(Number.NaN)))
    await all.client.create(App, app('a'))
    await all.settle()
    expect(all.logs.join('\n')).toContain('status.postpone(NaN): give a number of milliseconds')
  })
})
