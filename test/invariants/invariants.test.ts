/**
 * Tests the controllers, the scheduler and the kubelets with random users, crashes, conflicts and delays, in simulated
 * time. Failures are shrunk to a short sequence of actions. `COXSWAIN_INVARIANTS=1000` runs this many sequences, with
 * new seeds each time; the default is a few, always the same.
 */
import fc from 'fast-check'
import { test } from 'vitest'
import { daemonSetStory, story } from './actions.ts'
import { crashAfter, jobStory } from './job-actions.ts'
import { play } from './play.ts'
import { statefulSets, statefulSetStory } from './stateful-sets.ts'

const many = process.env['COXSWAIN_INVARIANTS']
const settings = many === undefined ? { numRuns: 12, seed: 7 } : { numRuns: Number(many) }

test(
  'invariants hold whatever users do and whoever crashes',
  { timeout: many === undefined ? 240_000 : 0 },
  async () => {
    await fc.assert(
      fc.asyncProperty(story, fc.nat({ max: 1000 }), (actions, seed) => play(actions, seed)),
      settings,
    )
  },
)

test(
  'invariants of StatefulSets hold whatever users do and whoever crashes',
  { timeout: many === undefined ? 120_000 : 0 },
  async () => {
    const property = fc.asyncProperty(statefulSetStory, fc.nat({ max: 1000 }), (actions, seed) =>
      play(actions, seed, statefulSets),
    )
    await fc.assert(property, many === undefined ? { numRuns: 2, seed: 7 } : { numRuns: Number(many) })
  },
)

test(
  'invariants hold for DaemonSets whatever users do and whoever crashes',
  { timeout: many === undefined ? 240_000 : 0 },
  async () => {
    const fewer = many === undefined ? { numRuns: 5, seed: 7 } : settings
    const property = fc.asyncProperty(daemonSetStory, fc.nat({ max: 1000 }), (actions, seed) => play(actions, seed))
    await fc.assert(property, fewer)
  },
)

test('Jobs count every pod once, whoever crashes', { timeout: many === undefined ? 240_000 : 0 }, async () => {
  const runs = many === undefined ? { ...settings, numRuns: 6 } : settings
  const property = fc.asyncProperty(jobStory, fc.nat({ max: 1000 }), (actions, seed) => play(actions, seed))
  await fc.assert(property, runs)
})

test.each([0, 1, 2, 3, 4, 5, 6, 7])('a Job counts its pod after a crash at write %i', async (writes) => {
  await play(crashAfter(writes), writes)
})
