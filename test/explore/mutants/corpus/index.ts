/**
 * The corpus. It was written by reading the code, before the explorer ran against any of it, and is not edited
 * afterwards: a mutant that is not found stays, and `survivors.ts` says why. Only `find` and `file` follow the code
 * when it moves.
 */
import type { Mutant } from './mutant.ts'
import { runtimeObjects } from './runtime-objects.ts'
import { runtimeRuns } from './runtime-runs.ts'
import { webappChildren } from './webapp-children.ts'
import { webappState } from './webapp-state.ts'

export type { Mutant, MistakeClass } from './mutant.ts'

export const mutants: readonly Mutant[] = [...webappChildren, ...webappState, ...runtimeRuns, ...runtimeObjects]
