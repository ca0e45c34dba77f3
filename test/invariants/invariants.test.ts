/**
 * The controllers, the scheduler and the kubelets under random users, crashes, conflicts and delays, in simulated time.
 * What is found is shrunk to a short story. `COXSWAIN_INVARIANTS=1000` tries so many, each run other ones; by default
 * few, always the same.
 */
import fc from 'fast-check'
import { test } from 'vitest'
import { story } from './actions.ts'
import { play } from './play.ts'

const many = process.env['COXSWAIN_INVARIANTS']
const settings = many === undefined ? { numRuns: 12, seed: 7 } : { numRuns: Number(many) }

test(
  'invariants hold whatever users do and whoever crashes',
  { timeout: many === undefined ? 240_000 : 0 },
  async () => {
    await fc.assert(fc.asyncProperty(story, fc.nat({ max: 1000 }), play), settings)
  },
)
