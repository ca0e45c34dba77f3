/**
 * `coxswain demo`: a live cluster in this process with an operator in it. Prints the trace of each run; on a terminal,
 * a table of the operator's objects stays at the bottom.
 */
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { inProcessTransport } from '../client/in-process-transport.ts'
import { RestClient } from '../client/rest-client.ts'
import { createControlPlane, type ControlPlane } from '../controlplane/index.ts'
import { realEnv } from '../env/real.ts'
import { silentLogger } from '../telemetry/logger.ts'
import { UsageError, type Command, type Io, type Values } from './command.ts'
import { applySamples, installDefinitions } from './demo-objects.ts'
import { DemoShow } from './demo-show.ts'
import { kubeconfigText, writeKubeconfig } from './kubeconfig.ts'
import { cannotListen, checkFolder, readNodes, readPort, readToken } from './listen-options.ts'
import { idleKindWarnings } from '../cluster/idle-kinds.ts'
import { clusterAdmission, startLiveCluster } from '../cluster/live-cluster.ts'
import { demoOf } from '../operator/operator-demo.ts'
import { loadModule } from './operator-module.ts'

export const demoCommand: Command = {
  name: 'demo',
  summary: 'run an operator in a live cluster in this process, and show what it does',
  operands: '[MODULE]',
  options: {
    nodes: { type: 'string', value: 'N', help: 'simulated nodes (default 3)' },
    port: { type: 'string', value: 'N', help: 'port of the API server (default 0: any free port)' },
    token: { type: 'string', value: 'T', help: "the administrator's bearer token (default: a random token)" },
    kubeconfig: { type: 'string', value: 'FILE', help: 'where to write the kubeconfig (default: a temporary file)' },
    traces: {
      type: 'string',
      value: 'FILE',
      help: 'append a trace of each run to this file, one line of JSON each (default: none)',
    },
    help: { type: 'boolean', help: 'show this help' },
  },
  examples: ['coxswain demo', 'coxswain demo --nodes 10 --kubeconfig ./kubeconfig', 'coxswain demo operator.js'],
  run: runDemo,
}

/** Shipped with the CLI. */
const webapp = fileURLToPath(new URL('operators/webapp.js', import.meta.url))

const controllers = ['all']

/** An image whose pull fails, for users who want to see a failure. */
const behaviours = [{ image: /:broken$/, behaviour: { failPull: true } }]

/** The API server calls the webhooks of the operator at a free port of this process. */
const localWebhooks = ['--webhook-url=local', '--webhook-bind-address=127.0.0.1:0']

interface Settings {
  readonly module: string
  readonly nodes: number
  readonly port: number
  readonly token: string
  readonly kubeconfig: string | undefined
  readonly traces: string | undefined
}

function readSettings(values: Values, [module = webapp, ...more]: readonly string[]): Settings {
  const text = (name: string) => (typeof values[name] === 'string' ? values[name] : undefined)
  if (more.length > 0) throw new UsageError(`give one MODULE, not also ${more.join(', ')}`)
  if (module === webapp && !existsSync(webapp))
    throw new UsageError('the WebApp operator is not built in: give a MODULE')
  const file = (name: string): string | undefined => {
    const path = text(name) === undefined ? undefined : resolve(text(name) as string)
    if (path !== undefined) checkFolder(path, name)
    return path
  }
  return {
    module,
    nodes: readNodes(text('nodes') ?? '3'),
    port: readPort(text('port')),
    token: readToken(text('token')),
    kubeconfig: file('kubeconfig'),
    traces: file('traces'),
  }
}

async function runDemo(values: Values, io: Io, operands: readonly string[]): Promise<number> {
  const settings = readSettings(values, operands)
  const { token, nodes } = settings
  const plane = createControlPlane({
    admission: clusterAdmission(controllers),
    creationWarnings: idleKindWarnings({ controllers, nodes }),
    tokens: [{ token, user: { name: 'admin', uid: 'admin', groups: ['system:masters'] } }],
  })
  const temporary = settings.kubeconfig === undefined ? mkdtempSync(join(tmpdir(), 'coxswain-')) : undefined
  try {
    return await runOn(
      plane,
      { ...settings, kubeconfig: settings.kubeconfig ?? join(temporary as string, 'kubeconfig') },
      io,
    )
  } finally {
    if (temporary !== undefined) rmSync(temporary, { recursive: true, force: true })
    await plane.close()
  }
}

async function runOn(
  plane: ControlPlane,
  settings: Settings & { readonly kubeconfig: string },
  io: Io,
): Promise<number> {
  const { port, nodes, token, kubeconfig, traces } = settings
  const started = Date.now()
  // The module loads while the cluster starts.
  const loading = loadModule(settings.module)
  loading.catch(() => undefined)
  const listener = await plane.listen({ port }).catch((error: NodeJS.ErrnoException) => {
    throw new Error(cannotListen(error, '127.0.0.1', port))
  })
  writeKubeconfig(kubeconfig, kubeconfigText({ url: listener.url, caCert: listener.caCert, token }))
  const env = realEnv()
  const live = await startLiveCluster(plane, {
    controllers,
    nodes,
    log: silentLogger,
    ca: listener.caCert,
    behaviours,
  })
  const stop = new AbortController()
  let running: Promise<void> | undefined
  let show: DemoShow | undefined
  try {
    const module = await loading
    const { default: operator } = module
    const client = new RestClient({ env, transport: inProcessTransport(plane.transport()), fieldManager: 'kubectl' })
    show = new DemoShow({ io, client, operator, demo: demoOf(module), kubeconfig, traces, started })
    show.begin(listener.url, nodes)
    await installDefinitions(client, env, operator)
    await applySamples(client, demoOf(module).samples)
    running = operator.run({
      args: [
        '--kubeconfig',
        kubeconfig,
        '--leader-elect=false',
        '--metrics-bind-address=0',
        '--health-probe-bind-address=0',
        '--log-level=error',
        '--log-format=text',
        ...((operator.webhooks ?? []).length === 0 ? [] : localWebhooks),
      ],
      variables: {},
      signal: stop.signal,
      traces: show,
      write: (line) => show?.log(line),
    })
    await Promise.race([io.stopped, live.ended, running, show.follow(stop.signal)])
    return Number(process.exitCode ?? 0)
  } finally {
    show?.end()
    stop.abort()
    await Promise.all([running, live.stop().catch((error: unknown) => io.error(`coxswain: ${String(error)}`))])
  }
}
