/**
 * What an operator is, before it runs: a value, which `operator()` makes. From it the program is run and its manifests
 * are made.
 */
import type { Access } from '../controller/access.ts'
import type { ConfigurationSources } from './configuration.ts'
import type { OperatorRuntimeOptions } from './operator-runtime.ts'

export interface OperatorDefinition extends Pick<
  OperatorRuntimeOptions,
  'controllers' | 'tasks' | 'webhooks' | 'tracer' | 'healthChecks' | 'readyChecks'
> {
  /** In help, the lease, the user agent and the names of its manifests: lower-case letters, digits and dashes. */
  readonly name: string
  /** For `--version`, and of the image in the manifests. */
  readonly version?: string | undefined
  /** Default settings, as on a command line: `{ 'leader-elect': 'true' }`. Default: `docs/reference/manager.md`. */
  readonly defaults?: ConfigurationSources['defaults']
  /** What tasks ask of the server. That of controllers is known from what they declare. Default: nothing. */
  readonly access?: readonly Access[] | undefined
  /** Definitions to install beside those of the kinds that the controllers reconcile. Default: none. */
  readonly crds?: readonly object[] | undefined
}
