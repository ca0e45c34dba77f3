/**
 * `operator()`: a whole operator as one value, the default export of its module. Importing it runs nothing: `coxswain
 * run MODULE` runs it, `coxswain manifests MODULE` generates its manifests, and a program of its own calls `run()`.
 */
import type { OperatorDefinition } from '../manager/operator-definition.ts'
import type { ManifestOptions, Manifests } from '../manifests/manifests.ts'
import { run, type Surroundings } from './run-operator.ts'

export interface Operator extends OperatorDefinition {
  /** Runs the program until it is stopped; `process.exitCode` then has the result. Does not reject. */
  run(this: void, surroundings?: Surroundings): Promise<void>
  /** The manifests for a cluster: CRDs, RBAC, workload. */
  manifests(this: void, options?: ManifestOptions): Promise<Manifests>
}

/**
 * ```ts
 * export default operator({ name: 'webapp', version: '1.0.0', controllers: [webAppController()] })
 * ```
 * Throws for a name that objects cannot have.
 */
export function operator(definition: OperatorDefinition): Operator {
  const { name } = definition
  if (!/^[a-z]([-a-z0-9]*[a-z0-9])?$/.test(name) || name.length > 50) {
    throw new Error(
      `"${name}" cannot name an operator: use lower-case letters, digits and dashes, beginning with a ` +
        'letter, 50 at most',
    )
  }
  return {
    ...definition,
    run: (surroundings = {}) => run({ ...definition, ...surroundings }),
    // Loaded on demand: an operator in a cluster does not need it.
    manifests: async (options) => (await import('../manifests/manifests.ts')).operatorManifests(definition, options),
  }
}
