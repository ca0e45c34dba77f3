/** Turns a context of a kubeconfig into access to its cluster. Every error has the file, the field and the fix. */
import type { Env } from '../env/env.ts'
import { impersonationHeaders, trustIn, type ClusterAccess } from './cluster-access.ts'
import type { Credentials } from './credentials.ts'
import { processExecPlugins, type ExecPlugins } from './exec-plugin.ts'
import { readExecSpec } from './exec-spec.ts'
import { FileSource } from './file-source.ts'
import {
  besides,
  flagField,
  KubeconfigError,
  mapField,
  textField,
  textsField,
  type KubeconfigEntry,
  type Kubeconfig,
} from './kubeconfig-file.ts'
import { parseProxy, proxyFromEnvironment, type EnvironmentVariables } from './proxy.ts'
import { UserCredentials, type TextOrFile } from './user-credentials.ts'
import type { Headers } from './transport.ts'

export interface ContextOptions {
  readonly env: Env
  /** Default: the current one. */
  readonly context?: string | undefined
  /** For proxies and exec plugins. Default: the process's. */
  readonly variables?: EnvironmentVariables | undefined
  /** Receives the stderr of exec plugins. Default: this process's stderr. */
  readonly onStderr?: ((chunk: Uint8Array) => void) | undefined
  /** The cache of exec plugins' credentials. Default: shared by all clients of the process. */
  readonly execPlugins?: ExecPlugins | undefined
}

/** Throws a {@link KubeconfigError}. */
export function contextAccess(config: Kubeconfig, options: ContextOptions): ClusterAccess {
  const context = chosenContext(config, options.context)
  const reader = new EntryReader(context, options.env)
  const cluster = named(config.clusters, reader.text('cluster'), 'cluster', context)
  if (cluster === undefined)
    throw new KubeconfigError(`${context.file}: context "${context.name}" names no cluster: set ${context.at}.cluster`)
  const user = named(config.users, reader.text('user'), 'user', context)
  const access = clusterPart(new EntryReader(cluster, options.env), options)
  return {
    source: `context "${context.name}" of ${context.file}`,
    namespace: reader.text('namespace') ?? 'default',
    ...access,
    ...(user === undefined
      ? { credentials: new UserCredentials({ owner: 'nobody' }), headers: {} }
      : userPart(new EntryReader(user, options.env), cluster, options)),
  }
}

function chosenContext({ contexts, currentContext, files }: Kubeconfig, wanted = currentContext): KubeconfigEntry {
  const where = files.join(', ')
  const known = contexts.size === 0 ? 'there are none' : `there are: ${[...contexts.keys()].join(', ')}`
  if (wanted === undefined) throw new KubeconfigError(`${where} has no current-context: choose a context (${known})`)
  const context = contexts.get(wanted)
  if (context === undefined) throw new KubeconfigError(`${where} has no context "${wanted}"; ${known}`)
  return context
}

function named(
  entries: ReadonlyMap<string, KubeconfigEntry>,
  name: string | undefined,
  what: string,
  context: KubeconfigEntry,
): KubeconfigEntry | undefined {
  if (name === undefined) return undefined
  const entry = entries.get(name)
  if (entry === undefined)
    throw new KubeconfigError(
      `${context.file}: context "${context.name}" names ${what} "${name}", which is not defined`,
    )
  return entry
}

function clusterPart(
  cluster: EntryReader,
  { variables = process.env }: ContextOptions,
): Pick<ClusterAccess, 'server' | 'trust' | 'proxy' | 'compression'> {
  const server = cluster.text('server')
  if (server === undefined) throw cluster.error('server', 'is missing: set it to the URL of the API server')
  if (!/^https?:$/.test(URL.canParse(server) ? new URL(server).protocol : '')) {
    throw cluster.error('server', `${JSON.stringify(server)} is not a URL of the form https://host:port`)
  }
  const ca = cluster.dataOrFile('certificate-authority')
  const insecureSkipVerify = cluster.flag('insecure-skip-tls-verify')
  if (insecureSkipVerify && ca !== undefined)
    throw cluster.error(
      'insecure-skip-tls-verify',
      'cannot be true together with a certificate authority: remove one of the two',
    )
  const proxyUrl = cluster.text('proxy-url')
  return {
    server,
    trust: trustIn(ca, { serverName: cluster.text('tls-server-name'), insecureSkipVerify }, cluster.owner('cluster')),
    proxy:
      proxyUrl === undefined
        ? proxyFromEnvironment(new URL(server), variables)
        : parseProxy(proxyUrl, (why) => cluster.error('proxy-url', why)),
    compression: cluster.flag('disable-compression') ? false : undefined,
  }
}

function userPart(
  user: EntryReader,
  cluster: KubeconfigEntry,
  options: ContextOptions,
): { credentials: Credentials; headers: Headers } {
  return { credentials: userCredentials(user, cluster, options), headers: impersonation(user) }
}

function userCredentials(user: EntryReader, cluster: KubeconfigEntry, options: ContextOptions): Credentials {
  const token = user.path('tokenFile') ?? user.text('token')
  const [name, password] = [user.text('username'), user.text('password')]
  if (token !== undefined && (name !== undefined || password !== undefined))
    throw user.error('token', 'cannot be used together with username and password: remove one of the two')
  const owner = user.owner('user')
  const provider = user.map('auth-provider')
  if (provider !== undefined) {
    throw user.error(
      'auth-provider',
      `is not supported (${String(provider['name'])}): use an exec plugin, as kubelogin or that of the cloud`,
    )
  }
  const cert = user.dataOrFile('client-certificate')
  const key = user.dataOrFile('client-key')
  if (cert !== undefined && key === undefined)
    throw user.error('client-key', 'is missing: a client certificate needs its key')
  if (key !== undefined && cert === undefined)
    throw user.error('client-certificate', 'is missing: a client key needs its certificate')
  const exec = user.map('exec')
  if (exec === undefined) {
    const basic =
      name === undefined ? undefined : `Basic ${Buffer.from(`${name}:${password ?? ''}`).toString('base64')}`
    return new UserCredentials({ owner, token, basic, cert, key })
  }
  if (token !== undefined || name !== undefined || cert !== undefined)
    throw user.error('exec', 'cannot be used together with a token, a password or a certificate: remove one of the two')
  const { spec, clusterKey } = readExecSpec(user.entry, exec, cluster)
  return (options.execPlugins ?? processExecPlugins).credentials({
    env: options.env,
    spec,
    clusterKey,
    owner,
    onStderr: options.onStderr,
    variables: options.variables,
  })
}

function impersonation(user: EntryReader): Headers {
  const [name, groups, uid, extra] = [
    user.text('as'),
    user.texts('as-groups'),
    user.text('as-uid'),
    user.map('as-user-extra'),
  ]
  if (name === undefined) {
    if (groups === undefined && uid === undefined && extra === undefined) return {}
    throw user.error('as', 'is missing: as-groups, as-uid and as-user-extra need a user to impersonate')
  }
  const lists = Object.keys(extra ?? {}).map(
    (key) => [key, textsField(extra ?? {}, key, user.entry.file, `${user.entry.at}.as-user-extra`) ?? []] as const,
  )
  return impersonationHeaders({ user: name, uid, groups, extra: Object.fromEntries(lists) })
}

/** Reads and validates the fields of one entry. Empty texts count as absent, as upstream. */
class EntryReader {
  readonly entry: KubeconfigEntry
  readonly #env: Env

  constructor(entry: KubeconfigEntry, env: Env) {
    this.entry = entry
    this.#env = env
  }

  text(name: string): string | undefined {
    return textField(this.entry.fields, name, this.entry.file, this.entry.at) || undefined
  }

  texts(name: string): string[] | undefined {
    return textsField(this.entry.fields, name, this.entry.file, this.entry.at)
  }

  flag(name: string): boolean {
    return flagField(this.entry.fields, name, this.entry.file, this.entry.at)
  }

  map(name: string) {
    return mapField(this.entry.fields, name, this.entry.file, this.entry.at)
  }

  /** A file; relative paths start in the folder of the kubeconfig. */
  path(name: string): FileSource | undefined {
    const path = this.text(name)
    if (path === undefined) return undefined
    return new FileSource(this.#env, besides(this.entry.file, path))
  }

  /** `NAME-data` as text, otherwise the file `NAME`. */
  dataOrFile(name: string): TextOrFile | undefined {
    const data = this.text(`${name}-data`)
    if (data === undefined) return this.path(name)
    const packed = data.replaceAll(/\s/g, '')
    if (/^[A-Za-z0-9+/]+={0,2}$/.test(packed) && packed.length % 4 === 0)
      return Buffer.from(packed, 'base64').toString()
    throw this.error(`${name}-data`, `is not base64: encode the PEM text, or name its file in ${name}`)
  }

  owner(what: string): string {
    return `${what} "${this.entry.name}" of ${this.entry.file}`
  }

  error(field: string, why: string): KubeconfigError {
    return new KubeconfigError(`${this.entry.file}: ${this.entry.at}.${field} ${why}`)
  }
}
