/** The explorations that a module exports: values with a `cluster` and `steps`, as `explore` takes them. */
import type * as Testing from '../testing/index.ts'
import { UsageError } from './command.ts'
import { importBeside, importModule } from './operator-module.ts'

export interface Exploration {
  readonly options: Testing.ExploreOptions
  /** The module's own copy of the explorer: values of two copies are not compatible. */
  readonly testing: typeof Testing
}

/** `scenario`: the name of an export. Default: the default export, or the only one. */
export async function loadExploration(path: string, scenario: string | undefined): Promise<Exploration> {
  const { file, exports } = await importModule(path)
  const found = new Map(Object.entries(exports).filter(([, value]) => isExploration(value)))
  if (found.size === 0)
    throw new UsageError(
      `${file} exports no exploration: write export default { cluster: { controllers }, steps: [ … ] } ` +
        '(see docs/how-to/explore-in-ci.md)',
    )
  const name = scenario ?? (found.has('default') ? 'default' : found.size === 1 ? [...found.keys()][0] : undefined)
  const options = found.get(name ?? '')
  if (options === undefined)
    throw new UsageError(
      `${name === undefined ? 'give a SCENARIO' : `${file} has no scenario ${name}`}: ${[...found.keys()].join(', ')}`,
    )
  return {
    options: options as Testing.ExploreOptions,
    testing: await importBeside<typeof Testing>(file, 'coxswain/testing'),
  }
}

function isExploration(value: unknown): value is Testing.ExploreOptions {
  const { cluster, steps } = (value ?? {}) as Partial<Record<keyof Testing.ExploreOptions, unknown>>
  return typeof cluster === 'object' && cluster !== null && Array.isArray(steps)
}
