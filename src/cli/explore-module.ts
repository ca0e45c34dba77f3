/** The explorations that a module exports: values with a `cluster` and `steps`, as `explore` takes them. */
import type * as Testing from '../testing/index.ts'
import { UsageError } from './command.ts'
import { importBeside, importModule } from './operator-module.ts'

export interface Exploration {
  readonly options: Testing.ExploreOptions
  /** The module's own copy of the explorer: values of two copies are not compatible. */
  readonly testing: typeof Testing
}

/** What `coxswain explore --spec` plays. */
export interface SpecExploration {
  readonly options: Testing.ExploreSpecOptions
  readonly testing: typeof Testing
}

/** `scenario`: the name of an export. Default: the default export, or the only one. */
export function loadExploration(path: string, scenario: string | undefined): Promise<Exploration> {
  const form = 'exploration: write export default { cluster: { controllers }, steps: [ … ] }'
  return load(path, scenario, form, ({ steps }) => Array.isArray(steps))
}

export function loadSpecExploration(path: string, scenario: string | undefined): Promise<SpecExploration> {
  const form = 'exploration of a spec: write export default { cluster: { controllers }, kind, sample: { … } }'
  return load(path, scenario, form, ({ kind, sample }) => kind !== undefined && sample !== undefined)
}

async function load<Options>(
  path: string,
  scenario: string | undefined,
  form: string,
  isOne: (value: Readonly<Record<string, unknown>>) => boolean,
): Promise<{ readonly options: Options; readonly testing: typeof Testing }> {
  const { file, exports } = await importModule(path)
  const isWanted = (value: unknown): boolean => {
    const { cluster, ...rest } = (value ?? {}) as Readonly<Record<string, unknown>>
    return typeof cluster === 'object' && cluster !== null && isOne(rest)
  }
  const found = new Map(Object.entries(exports).filter(([, value]) => isWanted(value)))
  if (found.size === 0) throw new UsageError(`${file} exports no ${form} (see docs/how-to/explore-in-ci.md)`)
  const name = scenario ?? (found.has('default') ? 'default' : found.size === 1 ? [...found.keys()][0] : undefined)
  const options = found.get(name ?? '')
  if (options === undefined)
    throw new UsageError(
      `${name === undefined ? 'give a SCENARIO' : `${file} has no scenario ${name}`}: ${[...found.keys()].join(', ')}`,
    )
  return { options: options as Options, testing: await importBeside<typeof Testing>(file, 'coxswain/testing') }
}
