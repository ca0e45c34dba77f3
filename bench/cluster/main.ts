/**
 * `npm run bench -- --part cluster`: measures how fast workloads become available, and the cost of an idle cluster. It
 * compares our server with its controllers, scheduler and nodes to kube-controller-manager, kube-scheduler and kwok on
 * kube-apiserver and etcd, if Go is installed. The real ones run with their default client limits (20 and 50 requests
 * per second), and with limits that they do not reach. Memory is the sum of the peaks of all processes.
 */
import { parseArgs } from 'node:util'
import { isUnavailable } from '../../test/cluster/index.ts'
import { openSide, type Side, type SideName } from './side.ts'
import { dayOfCronJobs } from './cron-jobs.ts'
import {
  quiet,
  rest,
  runDaemonSets,
  runDeployments,
  runJobs,
  runPods,
  runStatefulSets,
  type Figures,
} from './workloads.ts'

const usage = `npm run bench -- --part cluster [OPTIONS]
  --only A,B          these measurements: pods, deployments, statefulsets, jobs, daemonsets, cronjobs (ours only), rest
                      (all)
  --pods N            pods without a controller (1000)
  --deployments N     Deployments of three replicas each (1000)
  --statefulsets N    StatefulSets of three replicas each (500)
  --jobs N            Jobs of five pods each (2000)
  --daemonsets N      DaemonSets, on 20 nodes (100)
  --cronjobs N        CronJobs that run every hour of a simulated day (200)
  --rest N            pods of the idle cluster (10000)
  --seconds N         how long the idle cluster is measured (20)
  --nodes N           number of nodes (100)
  --sides A,B         these clusters: ours, raised (a real one with raised client limits), real (with default limits;
                      without the measurement rest, which limits do not affect) (all)
  --no-go             only ours
  --help`

const replicas = 3
const podsOfJob = 5
const nodesOfDaemons = 20

interface Cell {
  readonly value: number
  readonly unit: string
}

/** Cells by measurement and side. */
type Table = Map<string, Map<SideName, Cell>>

interface Settings {
  readonly wanted: (name: string) => boolean
  readonly pods: number
  readonly deployments: number
  readonly statefulsets: number
  readonly jobs: number
  readonly daemonsets: number
  readonly cronjobs: number
  readonly rest: number
  readonly seconds: number
  readonly nodes: number
}

const say = (text: string): void => void process.stderr.write(`${text}\n`)

async function measure(name: SideName, settings: Settings, table: Table): Promise<void> {
  const note = (title: string, value: number, unit: string): void => {
    say(`${name}: ${title}: ${value.toFixed(2)} ${unit}`)
    const cells = table.get(title) ?? new Map<SideName, Cell>()
    table.set(title, cells.set(name, { value, unit }))
  }
  const onFresh = async (work: (side: Side) => Promise<void>, nodes = settings.nodes): Promise<void> => {
    const side = await openSide(name, nodes)
    try {
      await work(side)
    } finally {
      await side.stop()
    }
  }
  if (settings.wanted('pods'))
    await onFresh(async (side) => {
      const { took, cpu, memory } = await runPods(side, settings.pods)
      note(`pods Pending to Running, of ${settings.pods}`, (settings.pods * 1000) / took, '/s')
      note('… processor time for one', cpu / settings.pods, 'ms')
      note('… memory at most', memory, 'MiB')
    })
  if (settings.wanted('deployments'))
    await onFresh(async (side) => {
      const { took, cpu, memory } = await runDeployments(side, settings.deployments, replicas)
      note(`${settings.deployments} Deployments of ${replicas} until Available`, took / 1000, 's')
      note('… processor time', cpu / 1000, 's')
      note('… memory at most, Deployments', memory, 'MiB')
    })
  const workloads = (title: string, run: (side: Side) => Promise<Figures>, nodes?: number): Promise<void> =>
    onFresh(async (side) => {
      const { took, cpu, memory } = await run(side)
      note(title, took / 1000, 's')
      note(`… processor time: ${title}`, cpu / 1000, 's')
      note(`… memory at most: ${title}`, memory, 'MiB')
      await quiet(side)
      note(`… writes in 5 s at rest: ${title}`, (await rest(side, 5000)).writes, '')
    }, nodes)
  const { statefulsets, jobs, daemonsets, cronjobs } = settings
  if (settings.wanted('statefulsets'))
    await workloads(`${statefulsets} StatefulSets of ${replicas} until available`, (side) =>
      runStatefulSets(side, statefulsets, replicas),
    )
  if (settings.wanted('jobs'))
    await workloads(`${jobs} Jobs of ${podsOfJob} until complete`, (side) => runJobs(side, jobs, podsOfJob))
  if (settings.wanted('daemonsets'))
    await workloads(
      `${daemonsets} DaemonSets on ${nodesOfDaemons} nodes until available`,
      (side) => runDaemonSets(side, daemonsets, nodesOfDaemons),
      nodesOfDaemons,
    )
  if (settings.wanted('cronjobs') && name === 'ours') {
    const { cpuMs, jobCount } = await dayOfCronJobs(cronjobs)
    note(`${cronjobs} CronJobs over a simulated day: Jobs`, jobCount, '')
    note('… processor time for one', cpuMs / jobCount, 'ms')
  }
  if (settings.wanted('rest') && name !== 'real')
    await onFresh(async (side) => {
      const each = 100
      await runDeployments(side, Math.ceil(settings.rest / each), each, 'many')
      await quiet(side)
      const { cpu, writes, heartbeats, memory } = await rest(side, settings.seconds * 1000)
      note(`at rest with ${settings.rest} pods, ${settings.seconds} s: writes`, writes, '')
      note('… heartbeats of nodes', heartbeats, '')
      note('… processor', cpu * 100, '%')
      note('… memory at rest', memory, 'MiB')
    })
}

function text(table: Table, sides: readonly SideName[]): string {
  const rows = [['cluster', ...sides, ...sides.slice(1).map((name) => `times better than ${name}`)]]
  for (const [title, cells] of table) {
    const ours = cells.get('ours')
    const shown = sides.map((name) => format(cells.get(name)))
    const ratios = sides.slice(1).map((name) => ratio(ours, cells.get(name)))
    rows.push([title, ...shown, ...ratios])
  }
  const widths = rows[0]?.map((_, column) => Math.max(...rows.map((cells) => cells[column]?.length ?? 0))) ?? []
  return rows
    .map((cells) =>
      cells
        .map((cell, column) => (column === 0 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0)))
        .join('  '),
    )
    .join('\n')
}

function format(cell: Cell | undefined): string {
  if (cell === undefined) return ''
  const { value, unit } = cell
  const digits = Number.isInteger(value) || value >= 100 ? 0 : value >= 10 ? 1 : 2
  return `${value.toFixed(digits)}${unit === '/s' || unit === '%' || unit === '' ? unit : ` ${unit}`}`
}

function ratio(ours: Cell | undefined, theirs: Cell | undefined): string {
  if (ours === undefined || theirs === undefined || ours.unit === '' || ours.value === 0 || theirs.value === 0)
    return ''
  return `${(ours.unit === '/s' ? ours.value / theirs.value : theirs.value / ours.value).toFixed(1)}x`
}

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      only: { type: 'string' },
      pods: { type: 'string', default: '1000' },
      deployments: { type: 'string', default: '1000' },
      statefulsets: { type: 'string', default: '500' },
      jobs: { type: 'string', default: '2000' },
      daemonsets: { type: 'string', default: '100' },
      cronjobs: { type: 'string', default: '200' },
      rest: { type: 'string', default: '10000' },
      seconds: { type: 'string', default: '20' },
      nodes: { type: 'string', default: '100' },
      sides: { type: 'string', default: 'ours,raised,real' },
      'no-go': { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  })
  if (values.help) {
    console.log(usage)
    return 0
  }
  const asked = (values['no-go'] ? 'ours' : values.sides).split(',')
  const sides = (['ours', 'real, raised limits', 'real'] as const).filter((name) =>
    asked.includes(name === 'real, raised limits' ? 'raised' : name),
  )
  const settings = {
    wanted: (name: string): boolean => values.only === undefined || values.only.split(',').includes(name),
    pods: Number(values.pods),
    deployments: Number(values.deployments),
    statefulsets: Number(values.statefulsets),
    jobs: Number(values.jobs),
    daemonsets: Number(values.daemonsets),
    cronjobs: Number(values.cronjobs),
    rest: Number(values.rest),
    seconds: Number(values.seconds),
    nodes: Number(values.nodes),
  }
  const table: Table = new Map()
  for (const name of sides) {
    try {
      await measure(name, settings, table)
    } catch (error) {
      if (!isUnavailable(error)) throw error
      say(`${name} is not measured: ${error instanceof Error ? error.message : String(error)}`)
    }
  }
  console.log(text(table, sides))
  return 0
}

process.exitCode = await main()
