/**
 * The settings of a program that runs controllers: one table for flags, environment variables, file, help and reference
 * page.
 */

/** `count`: a whole number. `duration`: `500ms`, `30s`, `1h30m`. */
export type SettingType = 'text' | 'list' | 'flag' | 'number' | 'count' | 'duration'

export interface Setting {
  readonly type: SettingType
  /** As written on the command line. '': none. */
  readonly default: string
  readonly help: string
  /** The only accepted values. */
  readonly choices?: readonly string[]
  /** Further environment variables besides `COXSWAIN_` with the name. */
  readonly variables?: readonly string[]
}

/** Names and defaults of controller-runtime and kubebuilder, if they have one. */
export const settings = {
  config: {
    type: 'text',
    default: '',
    help: 'a YAML or JSON file with any of these settings; flags and environment variables go before it',
  },
  kubeconfig: {
    type: 'text',
    default: '',
    help: "the cluster; else KUBECONFIG, the pod's service account, or the kubeconfig in the home folder",
  },
  context: { type: 'text', default: '', help: 'which context of the kubeconfig' },
  namespaces: {
    type: 'list',
    default: '',
    help: 'watch only these, separated by commas; else all',
    variables: ['WATCH_NAMESPACE'],
  },
  'metrics-bind-address': { type: 'text', default: ':8443', help: 'where /metrics is; 0: nowhere' },
  'metrics-secure': {
    type: 'flag',
    default: 'true',
    help:
      'beyond loopback, serve /metrics over HTTPS and only to tokens that may get it (TokenReview, ' +
      'SubjectAccessReview); false: plain HTTP, to everyone',
  },
  'metrics-cert-dir': {
    type: 'text',
    default: '',
    help: 'a folder with tls.crt and tls.key for secure metrics; else they are self-signed',
  },
  'health-probe-bind-address': { type: 'text', default: ':8081', help: 'where /healthz and /readyz are; 0: nowhere' },
  'webhook-bind-address': { type: 'text', default: ':9443', help: 'where webhooks are, if the program has some' },
  'webhook-url': {
    type: 'text',
    default: '',
    help:
      'for local runs: how the API server reaches the webhooks, as https://172.17.0.1:9443; local: at ' +
      '127.0.0.1; else by their Service',
  },
  'webhook-cert-dir': {
    type: 'text',
    default: '',
    help: 'a folder with tls.crt and tls.key for the webhooks; else they are made, renewed and trusted by themselves',
  },
  'profiling-address': {
    type: 'text',
    default: '0',
    help: 'where CPU profiles, heap snapshots and the log level are; loopback only; 0: nowhere',
  },
  'leader-elect': {
    type: 'flag',
    default: 'false',
    help: 'work only while holding a lease, so that several copies can run',
  },
  'leader-election-id': { type: 'text', default: '', help: "name of the lease; else the program's" },
  'leader-election-namespace': { type: 'text', default: '', help: "its namespace; else the pod's, or default" },
  'leader-elect-lease-duration': {
    type: 'duration',
    default: '15s',
    help: 'after how long an abandoned lease is free',
  },
  'leader-elect-renew-deadline': {
    type: 'duration',
    default: '10s',
    help: 'after how long without renewal the leader gives up',
  },
  'leader-elect-retry-period': { type: 'duration', default: '2s', help: 'time between tries' },
  shards: {
    type: 'count',
    default: '0',
    help: 'with leader-elect: let all copies work, each on its part of so many shards; 0: one copy works',
  },
  'dry-run': {
    type: 'flag',
    default: 'false',
    help:
      'log what would be written, and store nothing: writes are sent with dryRun=All, changes of external systems ' +
      'are not made; no lease, no webhooks',
  },
  'graceful-shutdown-timeout': { type: 'duration', default: '30s', help: 'time for runs in hand at the end' },
  'cache-sync-timeout': { type: 'duration', default: '2m', help: 'time for the first lists' },
  'resync-period': { type: 'duration', default: '10h', help: 'time after which everything is reconciled again' },
  'list-timeout': {
    type: 'duration',
    default: '60s',
    help: 'time for one page of a list',
    variables: ['LIST_TIMEOUT'],
  },
  'list-page-size': { type: 'count', default: '500', help: 'objects on a page of a list' },
  'informer-cache-size': {
    type: 'count',
    default: '0',
    help: 'warn when a kind has more objects than this in the cache; 0: never',
    variables: ['INFORMER_CACHE_SIZE'],
  },
  'enable-incremental-sync': {
    type: 'flag',
    default: 'true',
    help: 'let the server stream the first state instead of listing it',
    variables: ['ENABLE_INCREMENTAL_SYNC'],
  },
  concurrency: {
    type: 'count',
    default: '0',
    help: 'reconciles at the same time, for each controller that does not say; 0: one',
    variables: ['MAX_CONCURRENT_RECONCILES'],
  },
  qps: { type: 'number', default: '0', help: 'requests a second to the API server; 0: no limit' },
  burst: { type: 'count', default: '0', help: 'requests at once after a pause; 0: as many as qps' },
  'wait-for': {
    type: 'list',
    default: '',
    help: 'start only when these answer with success: URLs of health endpoints, or crd/NAME',
  },
  'log-level': {
    type: 'text',
    default: 'info',
    help: 'what is logged at least; SIGUSR2 switches to debug and back',
    choices: ['debug', 'info', 'warn', 'error'],
    variables: ['LOG_LEVEL'],
  },
  'log-format': {
    type: 'text',
    default: 'auto',
    help: 'json for machines, text for people; auto: text on a terminal, json elsewhere',
    choices: ['auto', 'json', 'text'],
  },
} as const satisfies Readonly<Record<string, Setting>>

export type SettingName = keyof typeof settings

/** The same table as a list. */
export const settingEntries = Object.entries(settings) as readonly (readonly [SettingName, Setting])[]

/** The environment variables of a setting, in order of precedence. */
export function variablesOf(name: SettingName): readonly string[] {
  const { variables = [] }: Setting = settings[name]
  return [`COXSWAIN_${name.toUpperCase().replaceAll('-', '_')}`, ...variables]
}

/** One line per setting, for `--help`. */
export function settingLines(): readonly string[] {
  return settingEntries.map(([name, { type, default: fallback, help, choices }]) => {
    const left = `  --${name}${type === 'flag' ? '' : ` ${choices?.join('|') ?? type.toUpperCase()}`}`
    return `${left.padEnd(42)} ${help}${fallback === '' ? '' : ` (${fallback})`}`
  })
}
