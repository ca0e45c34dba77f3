/**
 * How many stories the invariants play. By default a few, always the same, and in `npm test` a third of them.
 * `COXSWAIN_INVARIANTS=1000` plays this many with new seeds, or with `COXSWAIN_INVARIANTS_SEED`. A failure names its
 * test, seed and path: with `COXSWAIN_INVARIANTS_PATH` and `vitest -t TEST` only that story is played.
 */
import { isLong } from '../long.ts'

const { COXSWAIN_INVARIANTS: many, COXSWAIN_INVARIANTS_SEED: seed, COXSWAIN_INVARIANTS_PATH: path } = process.env

/** Without a limit for many stories. */
export const timeout = many === undefined ? 240_000 : 0

/** `few`: the number of stories by default. */
export function settings(few: number): { readonly numRuns: number; readonly seed?: number; readonly path?: string } {
  if (many === undefined) return { numRuns: isLong ? few : Math.ceil(few / 3), seed: 7 }
  const fixed = seed === undefined ? {} : { seed: Number(seed) }
  return path === undefined ? { numRuns: Number(many), ...fixed } : { numRuns: 1, ...fixed, path }
}
