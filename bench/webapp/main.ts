/**
 * `npm run bench -- --part webapp`: the WebApp operator and one of the same behaviour on controller-runtime
 * (bench/peers/go), with many apps on the same real kube-apiserver, in alternating rounds: all are made, changed, left
 * alone and taken away.
 */
import { fork } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { WebApp } from '../../operators/webapp/schema/webapp.ts'
import { clusterTransport, loadAccess, RestClient } from '../../src/client/index.ts'
import { CustomResourceDefinition } from '../../src/index.ts'
import { realEnv } from '../../src/env/index.ts'
import { ensurePrograms, startCluster, type Cluster } from '../../test/cluster/index.ts'
import { end, message, path } from '../child.ts'
import { processorTime } from '../process-figures.ts'
import { Apps } from './apps.ts'
import { AuditLog, auditArgs, isWrite, tally } from './audit-log.ts'
import { goOperator, ourOperator, RunningOperator, type Operator } from './operators.ts'
import { Figures, table } from './report.ts'

const usage = `npm run bench -- --part webapp [OPTIONS]
  --apps N       how many (2000)
  --rounds N     how often each operator is measured, in turn; medians are told (2)
  --rest S       seconds during which nothing happens and nothing may be written (60)
  --go MODE      what the Go operator does to its children: apply (a server-side apply in every run, as most operators
                 do), update (compares, and sends what differs), both, or none (both)
  --node=ARGS    for Node, under which ours runs: --cpu-prof, --max-semi-space-size=2 (none)
  --help`

/** Whose calls are counted. */
const user = 'carol'

const say = (text: string): void => void process.stderr.write(`${text}\n`)

interface Options {
  readonly apps: number
  readonly rounds: number
  readonly rest: number
  readonly go: readonly ('update' | 'apply')[]
  readonly node: readonly string[]
}

function parse(): Options | undefined {
  const { values } = parseArgs({
    options: {
      apps: { type: 'string', default: '2000' },
      rounds: { type: 'string', default: '2' },
      rest: { type: 'string', default: '60' },
      go: { type: 'string', default: 'both' },
      node: { type: 'string', default: '' },
      help: { type: 'boolean', default: false },
    },
  })
  if (values.help) return undefined
  const modes = { update: ['update'], apply: ['apply'], both: ['update', 'apply'], none: [] } as const
  const go = modes[values.go as keyof typeof modes]
  if (go === undefined) throw new Error(`--go is one of ${Object.keys(modes).join(', ')}, not ${values.go}`)
  return {
    apps: Number(values.apps),
    rounds: Number(values.rounds),
    rest: Number(values.rest),
    go,
    node: values.node.split(' ').filter((arg) => arg !== ''),
  }
}

async function main(): Promise<number> {
  const options = parse()
  if (options === undefined) {
    console.log(usage)
    return 0
  }
  const folder = mkdtempSync(join(tmpdir(), 'coxswain-bench-'))
  try {
    await ensurePrograms(['etcd', 'kube-apiserver'])
    const operators = [
      await ourOperator(folder, options.node),
      ...options.go.flatMap((mode) => goOperator(folder, mode, say) ?? []),
    ]
    mkdirSync(join(folder, 'audit'))
    const cluster = await startCluster({
      apiserverArgs: ['--service-cluster-ip-range=10.0.0.0/16', ...auditArgs(join(folder, 'audit'), user)],
    })
    try {
      await measureAll(cluster, folder, operators, options)
    } finally {
      await cluster.stop()
    }
    return 0
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

async function measureAll(
  cluster: Cluster,
  folder: string,
  operators: readonly Operator[],
  options: Options,
): Promise<void> {
  const client = await adminOf(cluster)
  await prepare(cluster, client)
  const kubeconfig = writeKubeconfig(folder, cluster)
  const deployments = fork(path('../scripts/run-ts.mjs'), [path('./webapp/deployments-child.ts'), cluster.kubeconfig], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  })
  try {
    await message(deployments)
    const log = new AuditLog(join(folder, 'audit'))
    const figures = operators.map(({ name }) => new Figures(name))
    for (let round = 0; round < options.rounds; round++) {
      for (const [index, operator] of operators.entries()) {
        say(`round ${round + 1}: ${operator.name}`)
        const running = await RunningOperator.start(operator, kubeconfig)
        try {
          await new Round(client, cluster, log, running, figures[index] as Figures, options).run()
        } finally {
          await running.stop()
        }
      }
    }
    console.log(table(figures, options.apps))
  } finally {
    await end(deployments)
  }
}

/** The life of all apps under one operator. */
class Round {
  readonly #client: RestClient
  readonly #cluster: Cluster
  readonly #log: AuditLog
  readonly #operator: RunningOperator
  readonly #figures: Figures
  readonly #options: Options

  constructor(
    client: RestClient,
    cluster: Cluster,
    log: AuditLog,
    operator: RunningOperator,
    figures: Figures,
    options: Options,
  ) {
    this.#client = client
    this.#cluster = cluster
    this.#log = log
    this.#operator = operator
    this.#figures = figures
    this.#options = options
  }

  async run(): Promise<void> {
    const { apps: count, rest } = this.#options
    const apps = await Apps.follow(this.#client, count)
    try {
      const image = 'registry.example.com/app:2.0.0'
      await this.#wave(
        'create',
        () => apps.create(),
        () => apps.whenRunning(),
      )
      await this.#wave(
        'update',
        () => apps.update(image),
        () => apps.whenRunning(image),
      )
      await this.#rest(rest)
      await this.#wave(
        'delete',
        () => apps.delete(),
        () => apps.whenGone(),
      )
      await this.#nothingLeft()
      this.#figures.add('peak memory', this.#operator.peakMemory)
    } finally {
      apps.stop()
    }
  }

  async #wave(name: string, act: () => Promise<void>, done: () => Promise<void>): Promise<void> {
    const { apps } = this.#options
    this.#log.next()
    const cpu = this.#operator.cpu
    const server = this.#serverCpu()
    const startedAt = performance.now()
    await Promise.all([act(), done()])
    const wall = (performance.now() - startedAt) / 1000
    // What is said about the last apps is still on its way: events are written behind the back of a run.
    await this.#quiet()
    const calls = this.#calls
    this.#calls = []
    this.#figures.add(`${name}, time`, wall)
    this.#figures.add(`${name}, calls for an app`, calls.length / apps)
    this.#figures.add(`${name}, CPU`, (this.#operator.cpu - cpu) / 1000)
    this.#figures.add(`${name}, CPU of the server`, (this.#serverCpu() - server) / 1000)
    say(`  ${name}: ${wall.toFixed(1)} s; ${tally(calls, apps)}`)
  }

  #calls: ReturnType<AuditLog['next']>[number][] = []

  /** Until the operator has sent nothing for a second. */
  async #quiet(): Promise<void> {
    do {
      await sleep(1000)
    } while (this.#collect() > 0)
  }

  #collect(): number {
    const calls = this.#log.next()
    this.#calls.push(...calls)
    return calls.length
  }

  async #rest(seconds: number): Promise<void> {
    this.#log.next()
    const cpu = this.#operator.cpu
    await sleep(seconds * 1000)
    const writes = this.#log.next().filter(isWrite)
    this.#figures.add('rest, writes', writes.length)
    this.#figures.add('rest, CPU', (this.#operator.cpu - cpu) / 1000)
    this.#figures.add('memory at rest', this.#operator.memory)
    say(`  rest: ${writes.length} writes ${tally(writes, 1)}`)
  }

  /** The operator took away what it had made. */
  async #nothingLeft(): Promise<void> {
    for (const collection of ['/apis/apps/v1/deployments', '/api/v1/services']) {
      const { items } = (await this.#client.raw(
        'GET',
        `${collection}?labelSelector=coxswain.dev/webapp&limit=1`,
      )) as unknown as { items: readonly unknown[] }
      if (items.length > 0) throw new Error(`something is left of ${collection}`)
    }
  }

  #serverCpu(): number {
    return Object.values(this.#cluster.pids).reduce((sum, pid) => sum + processorTime(pid), 0)
  }
}

async function adminOf(cluster: Cluster): Promise<RestClient> {
  const env = realEnv()
  return new RestClient({
    env,
    transport: clusterTransport(env, await loadAccess({ env, kubeconfig: cluster.kubeconfig })),
    fieldManager: 'bench',
  })
}

/** The definition, and every right for the operators: what they may do is not what is measured. */
async function prepare(cluster: Cluster, client: RestClient): Promise<void> {
  await cluster.request('POST', '/apis/rbac.authorization.k8s.io/v1/clusterrolebindings', {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRoleBinding',
    metadata: { name: 'bench' },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cluster-admin' },
    subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: user }],
  })
  await client.create(CustomResourceDefinition, WebApp.crd)
  for (;;) {
    const { status } = await client.get(CustomResourceDefinition, { name: WebApp.crd.metadata.name ?? '' })
    if (status?.conditions?.some(({ type, status: is }) => type === 'Established' && is === 'True') === true) break
    await sleep(100)
  }
}

function writeKubeconfig(folder: string, { url, ca, users }: Cluster): string {
  const file = join(folder, 'kubeconfig')
  writeFileSync(
    file,
    JSON.stringify({
      apiVersion: 'v1',
      kind: 'Config',
      'current-context': 'bench',
      clusters: [
        { name: 'bench', cluster: { server: url, 'certificate-authority-data': Buffer.from(ca).toString('base64') } },
      ],
      users: [{ name: 'bench', user: { token: users[user].token } }],
      contexts: [{ name: 'bench', context: { cluster: 'bench', user: 'bench' } }],
    }),
    { mode: 0o600 },
  )
  return file
}

// The operator that runs ends with us, however we end.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1))
process.exitCode = await main()
