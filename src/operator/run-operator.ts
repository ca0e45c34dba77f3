/**
 * `run`: a whole program from controllers. Settings come from flags, environment variables and a file; logs go to
 * stdout. Exit codes: 0 stopped gracefully, 1 failed, 2 a setting is invalid. A second SIGTERM or SIGINT ends the
 * process at once with 1.
 */
import { readFile } from 'node:fs/promises'
import { hostname } from 'node:os'
import { errorText } from '../api/error-text.ts'
import { clusterTransport } from '../client/cluster-access.ts'
import { loadAccess } from '../client/load-access.ts'
import { userAgent, packageVersion } from '../client/user-agent.ts'
import type { Transport } from '../client/transport.ts'
import { KubeconfigError } from '../client/kubeconfig-file.ts'
import { realEnv } from '../env/real.ts'
import type { TraceSink } from '../flow/trace.ts'
import {
  ConfigurationError,
  readConfiguration,
  unknownVariables,
  type Configuration,
} from '../manager/configuration.ts'
import type { OperatorDefinition } from '../manager/operator-definition.ts'
import { OperatorRuntime } from '../manager/operator-runtime.ts'
import { operatorRemedy } from '../manager/operator-remedy.ts'
import { settingLines } from '../manager/settings.ts'
import { createLogger } from '../telemetry/log-writer.ts'
import type { LogLevel } from '../telemetry/logger.ts'
import { OperatorProcess } from './operator-process.ts'

/** Replaces parts of the process and the cluster of a program, for tests and commands. */
export interface Surroundings {
  /** Default: those of the process. */
  readonly args?: readonly string[] | undefined
  /** Default: those of the process. */
  readonly variables?: Readonly<Record<string, string | undefined>> | undefined
  /** Stops the program, as SIGTERM does. */
  readonly signal?: AbortSignal | undefined
  /** Used instead of a cluster from a kubeconfig. The caller closes it. */
  readonly transport?: Transport | undefined
  /**
   * Receives a trace of each reconcile. Default: the last ones are kept if `--profiling-address` is set, otherwise none
   * is recorded.
   */
  readonly traces?: TraceSink | undefined
  /** Receives the lines of the log. Default: stdout. */
  readonly write?: ((line: string) => void) | undefined
}

export interface RunOptions extends Omit<OperatorDefinition, 'name' | 'crds'>, Surroundings {
  /** Used in help, the lease and the user agent. Default: the names of the controllers, joined by dashes. */
  readonly name?: string | undefined
}

/** Resolves when the program has ended; `process.exitCode` then has the result. Does not reject. */
export async function run(options: RunOptions): Promise<void> {
  const around = new OperatorProcess()
  let code = 1
  try {
    code = await runWithin(around, options)
  } catch (error) {
    if (error instanceof ConfigurationError) code = 2
    const choice = error instanceof KubeconfigError ? ` (${clusterChoice})` : ''
    process.stderr.write(`${programName(options)}: ${errorText(error)}${choice}\n`)
  } finally {
    around.end(code)
  }
}

const clusterChoice = '--kubeconfig FILE and --context NAME choose the cluster'

async function runWithin(around: OperatorProcess, options: RunOptions): Promise<number> {
  const { args = process.argv.slice(2), variables = process.env } = options
  const name = programName(options)
  if (args.includes('--help') || args.includes('-h')) return print(helpText(name))
  if (args.includes('--version'))
    return print(
      `${name} ${options.version ?? '(no version)'}, coxswain ${packageVersion}, node ${process.versions.node}`,
    )
  const configuration = await configure(args, variables, options.defaults)
  const env = realEnv()
  const log = createLogger({
    env,
    write: options.write ?? around.write,
    format: logFormat(configuration, options.write === undefined && process.stdout.isTTY),
    level: configuration['log-level'] as LogLevel,
  })
  around.logTo(log)
  for (const message of unknownVariables(variables)) log.warn('an environment variable is ignored', { message })
  const signal = around.stopSignal(options.signal)
  const cluster = await reach(options, configuration, variables)
  const { controllers, tasks, webhooks, tracer, traces, healthChecks, readyChecks } = options
  try {
    const program = new OperatorRuntime({
      name,
      controllers,
      tasks,
      webhooks,
      tracer,
      traces,
      healthChecks,
      readyChecks,
      configuration,
      env,
      log,
      transport: cluster.transport,
      namespace: cluster.namespace,
      instance: variables['POD_NAME'] ?? hostname(),
    })
    log.info('starting', { program: name, version: options.version, runtime: userAgent(), cluster: cluster.source })
    await program.run(signal)
    return 0
  } catch (error) {
    if (error instanceof ConfigurationError) throw error
    const fix = operatorRemedy(error, controllers, options.access)
    log.error('ended by a failure', { error, ...(fix === undefined ? {} : { fix }) })
    return 1
  } finally {
    await cluster.close()
  }
}

function logFormat(configuration: Configuration, isTerminal: boolean): 'json' | 'text' {
  const format = configuration['log-format'] as 'auto' | 'json' | 'text'
  return format === 'auto' ? (isTerminal ? 'text' : 'json') : format
}

async function configure(
  args: readonly string[],
  variables: NonNullable<RunOptions['variables']>,
  defaults: RunOptions['defaults'],
): Promise<Configuration> {
  const first = readConfiguration({ args, variables, defaults })
  const name = first.config
  return name === ''
    ? first
    : readConfiguration({ args, variables, defaults, file: { name, content: await readSettings(name) } })
}

async function readSettings(name: string): Promise<unknown> {
  let text: string
  try {
    text = await readFile(name, 'utf8')
  } catch (error) {
    throw new ConfigurationError(
      `--config: cannot read ${name}: ${(error as NodeJS.ErrnoException).code ?? String(error)}`,
    )
  }
  const { parse } = await import('yaml')
  try {
    return parse(text) as unknown
  } catch (error) {
    throw new ConfigurationError(`--config: ${name} is not valid YAML: ${(error as Error).message.split('\n')[0]}`)
  }
}

interface Cluster {
  readonly transport: Transport
  readonly namespace: string
  readonly source: string
  close(): Promise<void>
}

async function reach(
  { transport }: RunOptions,
  configuration: Configuration,
  variables: NonNullable<RunOptions['variables']>,
): Promise<Cluster> {
  if (transport !== undefined)
    return { transport, namespace: 'default', source: 'given by the program', close: () => Promise.resolve() }
  const env = realEnv()
  const { kubeconfig, context } = configuration
  const access = await loadAccess({ env, variables, kubeconfig, context: context === '' ? undefined : context })
  const made = clusterTransport(env, access)
  return { transport: made, namespace: access.namespace, source: access.source, close: () => made.close() }
}

function programName({ name, controllers }: RunOptions): string {
  return (
    name ??
    (controllers
      .map((each) => each.name)
      .join('-')
      .slice(0, 63) ||
      'operator')
  )
}

function helpText(name: string): string {
  return [
    `${name}: a Kubernetes operator`,
    '',
    'Settings, with their defaults:',
    ...settingLines(),
    `  ${'--version'.padEnd(40)} print the versions`,
    '',
    'Each setting is also an environment variable, such as COXSWAIN_LEADER_ELECT, and an entry of the file ' +
      'for --config.',
  ].join('\n')
}

function print(text: string): number {
  process.stdout.write(`${text}\n`)
  return 0
}
