/** Checkpoints: which inputs count as unchanged, and when the runtime drops a checkpoint. */
import { describe, expect, it } from 'vitest'
import { ConfigMap } from '../schema/builtin/kinds.ts'
import { RunCheckpoint, type CheckpointInputs } from './checkpoint.ts'
import { requeueAfter } from './result.ts'
import { App, app, bareApps, key, start, stopAfterEach } from './testdata/app.ts'

stopAfterEach()

const read = (uid: string, resourceVersion: string, data = 'x') => ({ metadata: { uid, resourceVersion }, data })

describe('the inputs of a checkpoint', () => {
  const isUnchanged = (saved: CheckpointInputs, inputs: CheckpointInputs): boolean =>
    new RunCheckpoint(saved).isUnchanged(inputs)

  it.each<[string, CheckpointInputs, CheckpointInputs]>([
    ['identical values', { a: 1, b: 'x' }, { b: 'x', a: 1 }],
    ['equal JSON', { status: { phase: 'Ready', list: [1] } }, { status: { list: [1], phase: 'Ready' } }],
    ['objects of one uid and resourceVersion', { pod: read('u', '1', 'x') }, { pod: read('u', '1', 'not compared') }],
    ['lists of such objects', { pods: [read('u', '1'), read('v', '2')] }, { pods: [read('u', '1'), read('v', '2')] }],
    ['a missing value and undefined', { pod: undefined }, {}],
    ['undefined and a missing value', {}, { pod: undefined }],
  ])('the inputs of a checkpoint are unchanged for %s', (_, saved, inputs) =>
    expect(isUnchanged(saved, inputs)).toBe(true),
  )

  it.each<[string, CheckpointInputs, CheckpointInputs]>([
    ['another value', { a: 1 }, { a: 2 }],
    ['an input more', { a: 1 }, { a: 1, b: null }],
    ['an input less', { a: 1, b: 2 }, { a: 1 }],
    ['another resourceVersion', { pod: read('u', '1') }, { pod: read('u', '2') }],
    ['another uid', { pod: read('u', '1') }, { pod: read('v', '1') }],
    ['an object that is gone', { pod: read('u', '1') }, { pod: undefined }],
    ['a list in another order', { pods: [read('u', '1'), read('v', '2')] }, { pods: [read('v', '2'), read('u', '1')] }],
    ['a shorter list', { pods: [read('u', '1'), read('v', '2')] }, { pods: [read('u', '1')] }],
    ['null in place of an object', { pod: read('u', '1') }, { pod: null }],
  ])('the inputs of a checkpoint are changed by %s', (_, saved, inputs) =>
    expect(isUnchanged(saved, inputs)).toBe(false),
  )

  it('the inputs of a checkpoint are never unchanged if nothing was saved', () => {
    const checkpoint = new RunCheckpoint(undefined)
    expect([checkpoint.isSaved, checkpoint.isUnchanged({})]).toEqual([false, false])
  })

  it('a checkpoint is kept if unchanged, replaced if saved again, and dropped otherwise', () => {
    const unchanged = new RunCheckpoint({ a: 1 })
    unchanged.isUnchanged({ a: 1 })
    expect(unchanged.kept).toEqual({ a: 1 })
    const replaced = new RunCheckpoint({ a: 1 })
    replaced.isUnchanged({ a: 2 })
    expect(replaced.kept).toBeUndefined()
    replaced.save({ a: 2 })
    expect(replaced.kept).toEqual({ a: 2 })
  })
})

describe('a controller with checkpoints', () => {
  /** Checks every 30 s. With the text `fail`, its runs throw after the checkpoint was saved. */
  const checking = (runs: string[]) =>
    bareApps.reconcile(async ({ object, get, apply, checkpoint }) => {
      const { name } = object.metadata
      const inputs = { spec: object.spec, map: await get(ConfigMap, name) }
      if (checkpoint.isUnchanged(inputs)) {
        runs.push('skipped')
        return requeueAfter(30_000)
      }
      runs.push(checkpoint.isSaved ? 'changed' : 'full')
      const { outcome } = await apply(ConfigMap, { metadata: { name }, data: { text: object.spec.text } })
      if (outcome === 'unchanged') checkpoint.save(inputs)
      if (object.spec.text === 'fail') throw new Error('x')
      return requeueAfter(30_000)
    })

  it('a controller with checkpoints does its work once and then only compares, until something changes', async () => {
    const runs: string[] = []
    const all = await start(checking(runs))
    await all.client.create(App, app('a'))
    await all.settle()
    runs.length = 0
    await all.env.advanceAsync(90_000)
    expect(runs).toEqual(['skipped', 'skipped', 'skipped'])
    await all.client.patch(ConfigMap, key('a'), { type: 'merge', patch: { data: { text: 'changed' } } })
    await all.settle()
    expect((await all.client.get(ConfigMap, key('a'))).data).toEqual({ text: 'hello' })
    expect(runs.slice(3)).toEqual(['changed', 'full'])
  })

  it('a checkpoint is dropped by a run that throws, by a restart, and with its object', async () => {
    const runs: string[] = []
    const all = await start(checking(runs))
    await all.client.create(App, app('a'))
    await all.settle()
    await all.client.patch(App, key('a'), { type: 'merge', patch: { spec: { text: 'fail' } } })
    await all.settle()
    expect(runs).not.toContain('skipped')
    await all.client.patch(App, key('a'), { type: 'merge', patch: { spec: { text: 'good' } } })
    await all.settle()
    runs.length = 0
    await all.restart(checking(runs))
    expect(runs).toEqual(['full'])
    await all.client.delete(App, key('a'))
    await all.client.create(App, app('a', 'good'))
    runs.length = 0
    await all.settle()
    expect(runs).not.toContain('skipped')
  })
})
