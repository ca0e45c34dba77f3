/**
 * The definition of an operator: a value that `operator()` creates, to run the program and to generate its manifests.
 */
import type { Access } from '../controller/access.ts'
import type { ConfigurationSources } from './configuration.ts'
import type { OperatorRuntimeOptions } from './operator-runtime.ts'

export interface OperatorDefinition extends Pick<
  OperatorRuntimeOptions,
  'controllers' | 'tasks' | 'webhooks' | 'tracer' | 'healthChecks' | 'readyChecks'
> {
  /** Used in help, the lease, the user agent and the names of manifests: lower-case letters, digits and dashes. */
  readonly name: string
  /** For `--version`, and for the image in the manifests. */
  readonly version?: string | undefined
  /** Default settings, as on a command line: `{ 'leader-elect': 'true' }`. Default: `docs/reference/manager.md`. */
  readonly defaults?: ConfigurationSources['defaults']
  /** The permissions of tasks. Those of controllers follow from their declarations. Default: none. */
  readonly access?: readonly Access[] | undefined
  /** CRDs to install besides those of the kinds that the controllers reconcile. Default: none. */
  readonly crds?: readonly object[] | undefined
}
