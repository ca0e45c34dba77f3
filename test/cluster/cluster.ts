/** Starts and stops a real Kubernetes control plane on this machine: see `docs/internals/reference-cluster.md`. */
import { generateKeyPair } from 'node:crypto'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { realEnv } from '../../src/env/real.ts'
import { issueCertificateAuthority } from '../../src/x509/certificate.ts'
import { ensurePrograms } from './build.ts'
import type { Programs } from './build.ts'
import { apiserverArgs, controllerManagerArgs, etcdArgs, filesIn, kwokArgs, schedulerArgs } from './commands.ts'
import { ClusterError, StartFailed } from './errors.ts'
import { createNodes, mostNodes, nodesReady } from './nodes.ts'
import { endOrphans, folderPrefix } from './orphans.ts'
import { identify } from './process-id.ts'
import type { ProcessId } from './process-id.ts'
import { cacheFolder } from './programs.ts'
import type { ProgramName } from './programs.ts'
import type { Log } from './progress.ts'
import { request } from './request.ts'
import type { Access, Answer } from './request.ts'
import { stateFile, writeState } from './state.ts'
import type { ClusterState } from './state.ts'
import { startSupervisor } from './supervisor.ts'
import type { Supervisor } from './supervisor.ts'
import { createUsers, kubeconfigFile, tokenFile } from './users.ts'
import type { Users } from './users.ts'

export interface ClusterOptions {
  /** Runs kube-controller-manager: deployments, garbage collection, service accounts. Default false. */
  readonly controllers?: boolean
  /** Runs kube-scheduler. Default false. */
  readonly scheduler?: boolean
  /** The number of kwok's simulated nodes, at most 250. Default 0. */
  readonly nodes?: number
  /** Also builds kubectl: `cluster.kubectl`. Default false. */
  readonly kubectl?: boolean
  /** Whether pods need an existing service account. Default: the value of `controllers`, which create them. */
  readonly serviceAccounts?: boolean
  /** More flags for kube-apiserver. */
  readonly apiserverArgs?: readonly string[]
  /** More flags for the others; the last one of repeated flags counts. */
  readonly more?: Readonly<Partial<Record<'kube-controller-manager' | 'kube-scheduler' | 'kwok', readonly string[]>>>
  /** The maximum time until each program is ready, in milliseconds. Default 120,000. */
  readonly timeout?: number
  /** Called with progress lines of the build. Default: standard error. */
  readonly log?: Log
  /** The folder for programs and state files. Default: see `cacheFolder`. */
  readonly cache?: string
  /** The name of a cluster that `up` starts. */
  readonly name?: string
  /** Chooses the server's port; called again if the port is taken. Default: a free port. */
  readonly choosePort?: () => Promise<number>
}

export interface Cluster extends Access, AsyncDisposable {
  /** `https://127.0.0.1:PORT`. */
  readonly url: string
  /** The server's CA certificate, PEM. */
  readonly ca: string
  /** The admin's token. */
  readonly token: string
  readonly users: Users
  /** The path of a kubeconfig with a context for each user; the current one is that of the admin. */
  readonly kubeconfig: string
  /** The path of the program; undefined if it was not requested. */
  readonly kubectl: string | undefined
  readonly pids: Readonly<Partial<Record<ProgramName, number>>>
  /** A temporary folder, removed with the cluster. */
  readonly folder: string
  /** One request as admin. */
  request(method: string, path: string, body?: unknown): Promise<Answer>
  /** The last log lines of a program. */
  logs(name: ProgramName, lines?: number): string
  /** Ends all programs and removes the folder. */
  stop(): Promise<void>
  /** Lets the cluster outlive this process. */
  detach(): Promise<void>
}

/** How often the server is started again if its port was taken in the meantime. */
const attempts = 5

/**
 * Builds missing programs, ends orphaned clusters, and returns a cluster that is ready. It ends with `stop()`, or with
 * this process, even if that is killed. Throws a ClusterError (GoMissing, ModulesUnavailable, BuildFailed,
 * StartFailed), after cleaning up.
 */
export async function startCluster(options: ClusterOptions = {}): Promise<Cluster> {
  const { cache = cacheFolder(), log, nodes = 0 } = options
  if (!Number.isInteger(nodes) || nodes < 0 || nodes > mostNodes) {
    throw new ClusterError(`nodes must be a whole number from 0 to ${mostNodes}`)
  }
  const programs = await ensurePrograms(neededPrograms(options), { cache, ...(log === undefined ? {} : { log }) })
  await endOrphans(cache)
  // Socket paths are limited to about a hundred bytes.
  const folder = mkdtempSync(join(tmpdir().length > 60 ? '/tmp' : tmpdir(), folderPrefix))
  const start = new Start(folder, cache, programs, options)
  try {
    return await start.run()
  } catch (error) {
    await start.abandon()
    throw error
  }
}

export function neededPrograms({ controllers, scheduler, nodes = 0, kubectl }: ClusterOptions): ProgramName[] {
  return [
    'etcd',
    'kube-apiserver',
    ...(controllers === true ? (['kube-controller-manager'] as const) : []),
    ...(scheduler === true ? (['kube-scheduler'] as const) : []),
    ...(nodes > 0 ? (['kwok'] as const) : []),
    ...(kubectl === true ? (['kubectl'] as const) : []),
  ]
}

/** The parts of a cluster besides etcd and kube-apiserver, as values of `--with`. */
export function partsOf({ controllers, scheduler, nodes = 0, kubectl }: ClusterOptions): string[] {
  return [
    ...(controllers === true ? ['controllers'] : []),
    ...(scheduler === true ? ['scheduler'] : []),
    ...(nodes > 0 ? [`nodes=${nodes}`] : []),
    ...(kubectl === true ? ['kubectl'] : []),
  ]
}

/** One start of a cluster, from an empty folder. */
class Start {
  private readonly folder: string
  private readonly cache: string
  private readonly programs: Programs
  private readonly options: ClusterOptions
  private readonly users = createUsers()
  private readonly pids: Partial<Record<ProgramName, number>> = {}
  private supervisor: Supervisor | undefined
  private state: ClusterState

  constructor(folder: string, cache: string, programs: Programs, options: ClusterOptions) {
    this.folder = folder
    this.cache = cache
    this.programs = programs
    this.options = options
    this.state = {
      id: basename(folder),
      ...(options.name === undefined ? {} : { name: options.name }),
      folder,
      programs: join(cache, 'programs'),
      owner: identifyOrThrow(process.pid),
      detached: false,
      processes: {},
      url: '',
      kubeconfig: filesIn(folder).kubeconfig,
      parts: partsOf(options),
    }
  }

  async run(): Promise<Cluster> {
    const { folder, options } = this
    const files = filesIn(folder)
    this.record({})
    this.supervisor = await startSupervisor(folder, stateFile(this.cache, this.state.id))
    this.record({ supervisor: identifyOrThrow(this.supervisor.pid) })
    await this.launch('etcd', etcdArgs(folder))
    writeFileSync(files.tokens, tokenFile(this.users), { mode: 0o600 })
    await writeKeys(folder)
    // If etcd is missing, kube-apiserver waits for a second before it retries.
    await this.ready('etcd', async () => existsSync(files.etcdSocket))
    const access = await this.serve()
    writeFileSync(files.kubeconfig, kubeconfigFile(access.url, access.ca, this.users), { mode: 0o600 })
    this.record({ url: access.url })
    const { more = {} } = options
    if (options.controllers === true)
      await this.launch('kube-controller-manager', [
        ...controllerManagerArgs(folder),
        ...(more['kube-controller-manager'] ?? []),
      ])
    if (options.scheduler === true)
      await this.launch('kube-scheduler', [...schedulerArgs(folder), ...(more['kube-scheduler'] ?? [])])
    if (this.programs.kwok !== undefined) {
      await createNodes(access, options.nodes ?? 0)
      await this.launch('kwok', [...kwokArgs(folder, this.programs.kwok), ...(more.kwok ?? [])])
      await this.ready('kwok', () => nodesReady(access, options.nodes ?? 0))
    }
    // The first visible effect of the controllers.
    const account = '/api/v1/namespaces/default/serviceaccounts/default'
    if (options.controllers === true) await this.ready('kube-controller-manager', () => answers(access, account))
    return this.cluster(access)
  }

  /** Ends the programs of a failed start, and removes its files. */
  async abandon(): Promise<void> {
    await this.supervisor?.stop()
    rmSync(this.folder, { recursive: true, force: true })
    rmSync(stateFile(this.cache, this.state.id), { force: true })
  }

  /** Starts the server, on another port if the chosen one was taken before it could listen. */
  private async serve(): Promise<Access> {
    const { choosePort = freePort, controllers = false, serviceAccounts = controllers } = this.options
    const { ca, log } = filesIn(this.folder)
    const token = this.users.admin.token
    for (let attempt = 1; ; attempt++) {
      const port = await choosePort()
      const url = `https://127.0.0.1:${port}`
      const access = (): Access => ({ url, token, ca: readFileSync(ca, 'utf8') })
      const settings = { port, serviceAccounts, more: this.options.apiserverArgs ?? [] }
      try {
        await this.launch('kube-apiserver', apiserverArgs(this.folder, settings))
        await this.ready('kube-apiserver', async () => existsSync(ca) && answers(access(), '/readyz'))
        return access()
      } catch (error) {
        const ended = this.supervisor?.exit('kube-apiserver') !== undefined
        const taken = ended && tail(log('kube-apiserver'), 5).includes('address already in use')
        if (!taken || attempt === attempts) throw error
      }
    }
  }

  private async launch(name: ProgramName, args: readonly string[]): Promise<void> {
    const command = this.programs[name]?.path
    if (command === undefined || this.supervisor === undefined) throw new Error(`${name} is not available`)
    const pid = await this.supervisor.start({ name, command, args, log: filesIn(this.folder).log(name) })
    this.pids[name] = pid
    // A program that has exited already has no identity; `ready` reports it.
    const id = identify(pid)
    if (id !== undefined) this.record({ processes: { ...this.state.processes, [name]: id } })
  }

  /** Waits until `name` is ready. Throws if any program exits in the meantime. */
  private async ready(name: ProgramName, isReady: () => Promise<boolean>): Promise<void> {
    const { timeout = 120_000 } = this.options
    const end = performance.now() + timeout
    const exited = this.supervisor?.exited(name).then(() => false)
    const lastLines = (of: ProgramName): string => tail(filesIn(this.folder).log(of), 20)
    for (;;) {
      // Another process may have the port and not respond, so stop waiting when our server has exited.
      if (await Promise.race([isReady().catch(() => false), exited])) return
      for (const each of Object.keys(this.pids) as ProgramName[]) {
        const how = this.supervisor?.exit(each)
        if (how !== undefined) throw new StartFailed(`${each} ended with ${how}; its last lines:\n${lastLines(each)}`)
      }
      if (performance.now() > end) {
        throw new StartFailed(`${name} was not ready within ${timeout / 1_000} s; its last lines:\n${lastLines(name)}`)
      }
      await sleep(50)
    }
  }

  private record(change: Partial<ClusterState>): void {
    this.state = { ...this.state, ...change }
    writeState(this.cache, this.state)
  }

  private cluster(access: Access): Cluster {
    const { folder, users, pids, supervisor } = this
    const files = filesIn(folder)
    const stop = async (): Promise<void> => supervisor?.stop()
    return {
      ...access,
      users,
      pids,
      folder,
      kubeconfig: files.kubeconfig,
      kubectl: this.programs.kubectl?.path,
      request: (method, path, body) => request(access, method, path, body),
      logs: (name, lines = 20) => tail(files.log(name), lines),
      stop,
      detach: async () => {
        this.record({ detached: true })
        await supervisor?.detach()
      },
      [Symbol.asyncDispose]: stop,
    }
  }
}

async function answers(access: Access, path: string): Promise<boolean> {
  return (await request(access, 'GET', path)).status === 200
}

function identifyOrThrow(pid: number): ProcessId {
  const id = identify(pid)
  if (id === undefined) throw new StartFailed(`process ${pid} ended while a cluster was started`)
  return id
}

/** The key pair that signs service account tokens. */
async function writeKeys(folder: string): Promise<void> {
  const files = filesIn(folder)
  const { privateKey, publicKey } = await promisify(generateKeyPair)('rsa', {
    modulusLength: 2048,
    privateKeyEncoding: { type: 'pkcs1', format: 'pem' },
    publicKeyEncoding: { type: 'spki', format: 'pem' },
  })
  writeFileSync(files.signingKey, privateKey, { mode: 0o600 })
  writeFileSync(files.verifyingKey, publicKey)
  const signer = issueCertificateAuthority(realEnv())
  writeFileSync(files.signerCert, signer.caCert)
  writeFileSync(files.signerKey, signer.caKey, { mode: 0o600 })
}

/** A currently free port. */
export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer()
    server.on('error', reject)
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as AddressInfo
      server.close(() => resolve(port))
    })
  })
}

function tail(path: string, lines: number): string {
  if (!existsSync(path)) return ''
  return readFileSync(path, 'utf8').trimEnd().split('\n').slice(-lines).join('\n')
}
