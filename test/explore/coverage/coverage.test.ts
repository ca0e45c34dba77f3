/** What `npm test` says about its explorations. */
import { controller, ConfigMap } from 'coxswain'
import { explore } from 'coxswain/testing'
import { expect, it } from 'vitest'
import { addExplored, exploredText } from './explored.ts'

const labelling = controller(ConfigMap).reconcile(async ({ object, client }) => {
  const { namespace = '', name, labels } = object.metadata
  if (labels?.['seen'] === 'yes') return
  await client.patch(
    ConfigMap,
    { namespace, name },
    { type: 'merge', patch: { metadata: { labels: { seen: 'yes' } } } },
  )
})

it('an exploration is noted with its test', async ({ task }) => {
  const options = {
    cluster: { controllers: () => [labelling] },
    steps: [
      {
        name: 'create',
        act: ({ client }: Parameters<Parameters<typeof explore>[0]['steps'][0]['act']>[0]) =>
          client.create(ConfigMap, { metadata: { namespace: 'default', name: 'a' } }).then(() => undefined),
      },
    ],
    atMost: 2,
  }
  const report = await explore(options)
  expect(report.failures, report.text).toEqual([])
  expect(task.meta.explored).toEqual({
    explorations: 1,
    schedules: 2,
    singles: report.coverage.singles,
    operations: { tried: 0, total: 0 },
    took: report.took,
  })
  expect(report.coverage.singles.total).toBeGreaterThan(2)
  await explore(options)
  expect(task.meta.explored).toMatchObject({ explorations: 2, schedules: 4 })
})

it('explorations are added up, and told in a line', () => {
  const one = {
    explorations: 1,
    schedules: 20,
    singles: { tried: 12, total: 1234 },
    operations: { tried: 3, total: 7 },
    took: 1500,
  }
  expect(exploredText(addExplored(addExplored(undefined, one), one))).toBe(
    '2 explorations, 40 schedules in 3.0 s: 24 of 2,468 single faults, 6 of 14 operations on specs',
  )
})
