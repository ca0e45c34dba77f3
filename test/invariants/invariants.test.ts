/**
 * Tests the controllers, the scheduler and the kubelets with random users, crashes, conflicts and delays, in simulated
 * time. Failures are shrunk to a short sequence of actions. `settings.ts` says how to play many, or one of them.
 */
import fc from 'fast-check'
import { test } from 'vitest'
import { daemonSetStory, story } from './actions.ts'
import { crashAfter, jobStory } from './job-actions.ts'
import { play } from './play.ts'
import { settings, timeout } from './settings.ts'
import { statefulSets, statefulSetStory } from './stateful-sets.ts'

test('invariants hold whatever users do and whoever crashes', { timeout }, async () => {
  const property = fc.asyncProperty(story, fc.nat({ max: 1000 }), (actions, seed) => play(actions, seed))
  await fc.assert(property, settings(12))
})

test('invariants of StatefulSets hold whatever users do and whoever crashes', { timeout }, async () => {
  const property = fc.asyncProperty(statefulSetStory, fc.nat({ max: 1000 }), (actions, seed) =>
    play(actions, seed, statefulSets),
  )
  await fc.assert(property, settings(2))
})

test('invariants hold for DaemonSets whatever users do and whoever crashes', { timeout }, async () => {
  const property = fc.asyncProperty(daemonSetStory, fc.nat({ max: 1000 }), (actions, seed) => play(actions, seed))
  await fc.assert(property, settings(5))
})

test('Jobs count every pod once, whoever crashes', { timeout }, async () => {
  const property = fc.asyncProperty(jobStory, fc.nat({ max: 1000 }), (actions, seed) => play(actions, seed))
  await fc.assert(property, settings(6))
})

test.each([0, 1, 2, 3, 4, 5, 6, 7])('a Job counts its pod after a crash at write %i', async (writes) => {
  await play(crashAfter(writes), writes)
})
