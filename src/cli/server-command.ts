/** `coxswain server`: the embedded control plane on a port. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import {
  createControlPlane,
  enabledPlugins,
  parseTokenFile,
  PluginChoiceError,
  type ClientLimits,
  type ControlPlane,
  type PluginChoice,
  type Token,
} from '../controlplane/index.ts'
import { serviceRange } from '../controlplane/bootstrap.ts'
import { checkOptionalVersions } from '../controlplane/registry/builtin-resources.ts'
import { realEnv } from '../env/real.ts'
import { createLogger } from '../telemetry/log-writer.ts'
import { auditFlags } from './audit-flags.ts'
import { UsageError, type Command, type Io, type Values } from './command.ts'
import { kubeconfigText, writeKubeconfig } from './kubeconfig.ts'
import { clusterAdmission, controllerNames, startLiveCluster, type LiveCluster } from '../cluster/live-cluster.ts'
import { cannotListen, checkFolder, readLimits, readNodes, readPort, readToken } from './listen-options.ts'
import { readCertificates, readIssuer, readSigningKey, type CertificateSpec } from './sign-in-options.ts'

export const serverCommand: Command = {
  name: 'server',
  summary: 'run a Kubernetes API server in this process, in memory',
  options: {
    host: { type: 'string', value: 'ADDRESS', help: 'address to listen on (default 127.0.0.1)' },
    port: { type: 'string', value: 'N', help: 'port to listen on (default 0: any free port)' },
    token: { type: 'string', value: 'T', help: "the administrator's bearer token (default: a random token)" },
    'token-auth-file': { type: 'string', value: 'FILE', help: 'more users: lines of token,user,uid,"group,group"' },
    kubeconfig: {
      type: 'string',
      value: 'FILE',
      help: 'where to write the kubeconfig, once ready (default: a temporary file)',
    },
    json: {
      type: 'boolean',
      help: 'once ready, print one line of JSON with url and kubeconfig (default: a sentence)',
    },
    'no-tls': { type: 'boolean', help: 'plain HTTP (default: HTTPS with a certificate generated at start)' },
    'allow-plain-http': {
      type: 'boolean',
      help: 'allow --no-tls with a --host other than loopback: tokens are then readable on the network',
    },
    'authorization-mode': {
      type: 'string',
      value: 'MODE',
      choices: ['AlwaysAllow', 'RBAC'],
      help: 'AlwaysAllow or RBAC (default AlwaysAllow)',
    },
    'client-certificate': {
      type: 'string',
      list: true,
      value: 'USER[=GROUP+GROUP]',
      help: 'issue a client certificate and add it to the kubeconfig, with a context named after the user',
    },
    'service-account-signing-key-file': {
      type: 'string',
      value: 'FILE',
      help: 'RSA or EC private key that signs service account tokens (default: generated on first use)',
    },
    'service-account-issuer': {
      type: 'string',
      value: 'URL',
      help: 'issuer and audience of service account tokens (default https://kubernetes.default.svc)',
    },
    'service-cluster-ip-range': {
      type: 'string',
      value: 'CIDR',
      help: 'IPv4 network of the cluster IPs; ServiceCIDRs add others (default 10.0.0.0/24)',
    },
    'enable-admission-plugins': {
      type: 'string',
      list: true,
      value: 'NAMES',
      help: 'admission plugins to run besides the default ones (see docs/reference/admission.md)',
    },
    'disable-admission-plugins': {
      type: 'string',
      list: true,
      value: 'NAMES',
      help: 'default admission plugins not to run (default: none)',
    },
    'runtime-config': {
      type: 'string',
      list: true,
      value: 'GROUP/VERSION=true',
      help:
        'versions to serve that are off by default: admissionregistration.k8s.io/v1beta1, with ' +
        'MutatingAdmissionPolicies (default: none)',
    },
    controllers: {
      type: 'string',
      list: true,
      value: 'NAMES',
      help:
        'controllers to run, by the names of kube-controller-manager: all, none, or a list; -NAME removes one ' +
        '(default none)',
    },
    nodes: {
      type: 'string',
      value: 'N',
      help: 'simulated nodes with a scheduler; pods go through their life cycle, no containers run (default 0)',
    },
    ...auditFlags,
    'max-requests-inflight-per-user': {
      type: 'string',
      value: 'N',
      help: 'requests in flight of one user; beyond it 429, except for system:masters (default 1000)',
    },
    'max-watches-per-user': {
      type: 'string',
      value: 'N',
      help: 'watches of one user; beyond it 429, except for system:masters (default 1000)',
    },
    'max-buffered-mib': {
      type: 'string',
      value: 'MIB',
      help: 'output that clients have not read; beyond it the connection with most of it is closed (default 48)',
    },
    'max-buffered-mib-per-user': {
      type: 'string',
      value: 'MIB',
      help: 'the same for one user, who gets 429 when close to it (default 24)',
    },
    help: { type: 'boolean', help: 'show this help' },
  },
  examples: [
    'coxswain server',
    'coxswain server --controllers all --nodes 3',
    'coxswain server --json > server.json & # {"url":"https://127.0.0.1:41234","kubeconfig":"/tmp/…/kubeconfig"}',
    'coxswain server --port 6443 --kubeconfig ./kubeconfig',
    'coxswain server --authorization-mode RBAC --token-auth-file tokens.csv',
    'coxswain server --authorization-mode RBAC --client-certificate alice=dev+ops',
  ],
  run: (values, io) => runServer(values, io),
}

interface Settings {
  readonly host: string
  readonly port: number
  readonly token: string
  readonly tokens: readonly Token[]
  /** Default: a temporary file. */
  readonly kubeconfig: string | undefined
  readonly tls: boolean
  readonly authorization: 'AlwaysAllow' | 'RBAC'
  readonly admission: PluginChoice
  readonly runtimeConfig: readonly string[]
  readonly certificates: readonly CertificateSpec[]
  readonly serviceAccountKey: string | undefined
  readonly serviceAccountIssuer: string | undefined
  readonly serviceClusterIpRange: string | undefined
  readonly controllers: readonly string[]
  readonly nodes: number
  readonly limits: Partial<ClientLimits>
}

async function runServer(values: Values, io: Io): Promise<number> {
  const settings = readSettings(values)
  const env = realEnv()
  const { host, port, tls, token, limits } = settings
  const isAudited = Object.keys(auditFlags).some((name) => values[name] !== undefined)
  const audit = isAudited ? await (await import('./audit-log.ts')).openAuditLog(values, io, () => env.now()) : undefined
  const plane = createControlPlane({
    audit: audit?.options,
    tokens: settings.tokens,
    authorization: settings.authorization,
    admission: isBare(settings) ? settings.admission : clusterAdmission(settings.controllers, settings.admission),
    runtimeConfig: settings.runtimeConfig,
    serviceAccountKey: settings.serviceAccountKey,
    serviceAccountIssuer: settings.serviceAccountIssuer,
    serviceClusterIpRange: settings.serviceClusterIpRange,
  })
  let temporary: string | undefined
  let live: LiveCluster | undefined
  try {
    const listener = await plane.listen({ host, port, tls, limits }).catch((error: NodeJS.ErrnoException) => {
      throw new Error(cannotListen(error, host, port))
    })
    live = await startControllers(settings, plane, listener.caCert, io)
    temporary = settings.kubeconfig === undefined ? mkdtempSync(join(tmpdir(), 'coxswain-')) : undefined
    const path = settings.kubeconfig ?? join(temporary as string, 'kubeconfig')
    const certificates = settings.certificates.map(({ user, groups }) => ({
      user,
      ...listener.issueClientCertificate(user, groups),
    }))
    writeKubeconfig(path, kubeconfigText({ url: listener.url, caCert: listener.caCert, token, certificates }))
    if (!tls && !isLoopback(host)) io.error('coxswain: warning: without TLS the token is sent unencrypted')
    io.out(readyLine(listener.url, path, values['json'] === true))
    await Promise.race([io.stopped, live?.ended ?? io.stopped])
    return 0
  } finally {
    await live?.stop().catch((error: unknown) => io.error(`coxswain: ${String(error)}`))
    await plane.close()
    audit?.close()
    if (temporary !== undefined) rmSync(temporary, { recursive: true, force: true })
  }
}

/** Printed when requests are answered. */
function readyLine(url: string, kubeconfig: string, asJson: boolean): string {
  if (asJson) return JSON.stringify({ url, kubeconfig })
  return `coxswain: serving the Kubernetes API at ${url} — try: export KUBECONFIG=${kubeconfig}; kubectl get namespaces`
}

/** Neither controllers nor nodes are requested; their code is then not loaded. */
function isBare({ controllers, nodes }: Settings): boolean {
  return nodes === 0 && controllers.every((name) => name === 'none')
}

async function startControllers(
  settings: Settings,
  plane: ControlPlane,
  ca: string,
  io: Io,
): Promise<LiveCluster | undefined> {
  if (isBare(settings)) return undefined
  const { controllers, nodes } = settings
  const log = createLogger({ env: realEnv(), format: 'text', level: 'error', write: (line) => io.error(line) })
  return startLiveCluster(plane, { controllers, nodes, log, ca: ca === '' ? undefined : ca })
}

function readControllers(text: string | undefined): readonly string[] {
  if (text === undefined) return ['none']
  try {
    return controllerNames(text)
  } catch (error) {
    throw new UsageError(`--controllers: ${(error as Error).message}`)
  }
}

function readSettings(values: Values): Settings {
  const text = (name: string) => (typeof values[name] === 'string' ? values[name] : undefined)
  const port = readPort(text('port'))
  const authorization = text('authorization-mode') ?? 'AlwaysAllow'
  if (authorization !== 'AlwaysAllow' && authorization !== 'RBAC') {
    throw new UsageError(`--authorization-mode must be AlwaysAllow or RBAC, not ${JSON.stringify(authorization)}`)
  }
  const host = text('host') ?? '127.0.0.1'
  if (values['no-tls'] === true && values['allow-plain-http'] !== true && !isLoopback(host))
    throw new UsageError(`--no-tls on ${host} would send tokens unencrypted: leave it out, or add --allow-plain-http`)
  const token = readToken(text('token'))
  const kubeconfig = text('kubeconfig')
  if (kubeconfig !== undefined) checkFolder(resolve(kubeconfig))
  return {
    host,
    port,
    token,
    tokens: [
      { token, user: { name: 'admin', uid: 'admin', groups: ['system:masters'] } },
      ...readTokens(text('token-auth-file'), token),
    ],
    kubeconfig: kubeconfig === undefined ? undefined : resolve(kubeconfig),
    tls: values['no-tls'] !== true,
    authorization,
    admission: readPlugins(text('enable-admission-plugins'), text('disable-admission-plugins')),
    runtimeConfig: readRuntimeConfig(text('runtime-config')),
    certificates: readCertificates(text('client-certificate'), values['no-tls'] === true),
    serviceAccountKey: readSigningKey(text('service-account-signing-key-file')),
    serviceAccountIssuer: readIssuer(text('service-account-issuer')),
    serviceClusterIpRange: readRange(text('service-cluster-ip-range')),
    controllers: readControllers(text('controllers')),
    nodes: readNodes(text('nodes')),
    limits: readLimits(text),
  }
}

function readRange(cidr: string | undefined): string | undefined {
  try {
    serviceRange(cidr)
  } catch (error) {
    throw new UsageError(`--service-cluster-ip-range: ${(error as Error).message}`)
  }
  return cidr
}

function readPlugins(enable: string | undefined, disable: string | undefined): PluginChoice {
  const names = (list = '') => (list === '' ? [] : list.split(','))
  const choice: PluginChoice = { enable: names(enable), disable: names(disable) }
  try {
    enabledPlugins(choice)
  } catch (error) {
    throw error instanceof PluginChoiceError ? new UsageError(error.message) : error
  }
  return choice
}

/** `GROUP/VERSION=true,…`. The last one counts. */
function readRuntimeConfig(list = ''): readonly string[] {
  const isOn = new Map<string, boolean>()
  for (const entry of list === '' ? [] : list.split(',')) {
    const [version = '', value = 'true'] = entry.split('=')
    if (value !== 'true' && value !== 'false') {
      throw new UsageError(`--runtime-config: ${JSON.stringify(entry)} must end with =true or =false`)
    }
    isOn.set(version, value === 'true')
  }
  try {
    return checkOptionalVersions([...isOn].filter(([, on]) => on).map(([version]) => version))
  } catch (error) {
    throw new UsageError(`--runtime-config: ${(error as Error).message}`)
  }
}

function readTokens(file: string | undefined, adminToken: string): Token[] {
  if (file === undefined) return []
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch (error) {
    throw new UsageError(
      `--token-auth-file: cannot read ${file}: ${(error as NodeJS.ErrnoException).code ?? String(error)}`,
    )
  }
  let tokens: Token[]
  try {
    tokens = parseTokenFile(text)
  } catch (error) {
    throw new UsageError((error as Error).message)
  }
  if (tokens.some(({ token }) => token === adminToken))
    throw new UsageError('--token-auth-file holds the token given with --token')
  return tokens
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127(\.\d{1,3}){3}$/.test(host)
}
