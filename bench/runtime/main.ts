/**
 * `npm run bench -- --part runtime`: measures the cost of the runtime, and the same work by client-go and
 * controller-runtime (bench/peers/go) if Go is installed, on the same API server, in alternating rounds. Each
 * measurement is a separate process.
 */
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { forkTypeScript, message, path } from '../child.ts'
import { writeKubeconfig } from '../kubeconfig.ts'
import { openPeer } from '../peer.ts'
import { startServer } from '../server-process.ts'
import { spread } from '../statistics.ts'
import { columns } from '../table.ts'
import { clearStatus, fill } from './apps.ts'
import { measureIdleManager } from './idle-manager.ts'
import { measureImport } from './import.ts'

const usage = `npm run bench -- --part runtime [OPTIONS]
  --only A,B     these measurements: sync, queue, reconcile, import, idle, size
  --objects N    objects in the cache (50000)
  --rounds N     rounds per measurement; the report shows medians (3)
  --server S     ours, or real: a kube-apiserver that is built with Go and started for the run (ours)
  --no-go        do not measure client-go and controller-runtime
  --help`

interface Line {
  readonly title: string
  readonly unit: string
  readonly moreIsBetter?: boolean
  readonly ours: number[]
  readonly go: number[]
  readonly goal?: string
}

const say = (text: string): void => void process.stderr.write(`${text}\n`)

type Figures = Readonly<Record<string, number>>

/** Runs a program of this folder, which measures our built package. */
function child(file: string, args: readonly string[]): Promise<Figures> {
  return message<Figures>(forkTypeScript(`./runtime/${file}`, [path('..'), ...args]))
}

/** The Go program, built once; undefined without Go. */
function buildPeer(folder: string): string | undefined {
  const program = join(folder, 'peer')
  const built = spawnSync('go', ['build', '-o', program, '.'], {
    cwd: path('./peers/go'),
    env: { ...process.env, CGO_ENABLED: '0' },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  if (built.status === 0) return program
  say(`client-go and controller-runtime are not measured: ${built.error?.message ?? String(built.stderr)}`)
  return undefined
}

function peerRun(program: string, args: readonly string[], env: NodeJS.ProcessEnv = {}): Figures {
  const result = spawnSync(program, args, { env: { ...process.env, ...env }, encoding: 'utf8' })
  if (result.status !== 0) throw new Error(`the Go program failed: ${result.stderr}`)
  return JSON.parse(result.stdout.trim().split('\n').at(-1) ?? '{}') as Figures
}

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      only: { type: 'string' },
      objects: { type: 'string', default: '50000' },
      rounds: { type: 'string', default: '3' },
      server: { type: 'string', default: 'ours' },
      'no-go': { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  })
  if (values.help) {
    console.log(usage)
    return 0
  }
  const wanted = (name: string): boolean => values.only === undefined || values.only.split(',').includes(name)
  const folder = mkdtempSync(join(tmpdir(), 'coxswain-bench-'))
  const lines: Line[] = []
  const line = (title: string, unit: string, goal?: string, moreIsBetter = false): Line => {
    const each = { title, unit, ours: [], go: [], moreIsBetter, ...(goal === undefined ? {} : { goal }) }
    lines.push(each)
    return each
  }
  try {
    const rounds = Number(values.rounds)
    const peer = values['no-go'] ? undefined : buildPeer(folder)
    if (wanted('queue')) await measureQueues(line, peer, rounds)
    if (wanted('sync') || wanted('reconcile'))
      await measureOnServer(line, peer, rounds, Number(values.objects), values.server === 'real', folder, wanted)
    if (wanted('import')) {
      const each = line('import of coxswain', 'ms', '250 ms')
      for (let round = 0; round < rounds * 3; round++) each.ours.push(measureImport(path('..')).wall)
    }
    if (wanted('idle')) await measureIdle(line, folder)
    if (wanted('size')) measureSize(line, folder)
    console.log(table(lines))
    return 0
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

type AddLine = (title: string, unit: string, goal?: string, moreIsBetter?: boolean) => Line

async function measureQueues(line: AddLine, peer: string | undefined, rounds: number): Promise<void> {
  for (const [kind, goal] of [
    ['fifo', 'half of client-go'],
    ['priority', 'more than controller-runtime'],
  ] as const) {
    const each = line(`${kind} queue, cycles per CPU second`, '/s', goal, true)
    for (let round = 0; round < rounds; round++) {
      each.ours.push((await child('queue-child.ts', [kind]))['perSecond'] ?? Number.NaN)
      if (peer !== undefined) each.go.push(peerRun(peer, ['queue', kind])['perSecond'] ?? Number.NaN)
    }
  }
}

async function measureOnServer(
  line: AddLine,
  peer: string | undefined,
  rounds: number,
  objects: number,
  real: boolean,
  folder: string,
  wanted: (name: string) => boolean,
): Promise<void> {
  const server = real ? await openPeer('real') : await startServer('coxswain')
  if (server === undefined) throw new Error('no server')
  try {
    const kubeconfig = writeKubeconfig(folder, server.target)
    await fill(kubeconfig, objects)
    const count = String(objects)
    if (wanted('sync'))
      for (const mode of ['list', 'watch-list'] as const) {
        const title = `${objects.toLocaleString('en')} objects by ${mode}`
        const cpu = line(`${title}, CPU`, 'ms', 'untyped client-go')
        const bytes = line(`${title}, heap per object`, 'B', 'untyped client-go')
        const stall = line(`${title}, longest stall`, 'ms', '50 ms')
        const typedCpu = line(`${title}, CPU of typed client-go`, 'ms')
        const typedBytes = line(`${title}, heap of typed client-go`, 'B')
        for (let round = 0; round < rounds; round++) {
          const ours = await child('sync-child.ts', [kubeconfig, mode, count])
          say(`${title}: ${JSON.stringify(ours)}`)
          cpu.ours.push(ours['cpu'] ?? Number.NaN)
          bytes.ours.push(ours['bytesPerObject'] ?? Number.NaN)
          stall.ours.push(ours['stall'] ?? Number.NaN)
          if (peer === undefined) continue
          const env = { KUBE_FEATURE_WatchListClient: String(mode === 'watch-list') }
          for (const [form, intoCpu, intoBytes] of [
            ['untyped', cpu, bytes],
            ['typed', typedCpu, typedBytes],
          ] as const) {
            const theirs = peerRun(peer, ['sync', kubeconfig, mode, form, count], env)
            say(`${title}, client-go ${form}: ${JSON.stringify(theirs)}`)
            intoCpu.go.push(theirs['cpu'] ?? Number.NaN)
            intoBytes.go.push(theirs['bytesPerObject'] ?? Number.NaN)
          }
        }
      }
    if (wanted('reconcile'))
      for (const write of ['none', 'status'] as const) {
        const title = write === 'none' ? 'reconciles without a write' : 'reconciles with a status write'
        const rate = line(title, '/s', undefined, true)
        const cpu = line(`${title}, CPU for one`, 'µs')
        // Each object's status is written once: a second round would write nothing.
        for (let round = 0; round < (write === 'none' ? rounds : 1); round++) {
          const ours = await child('reconcile-child.ts', [kubeconfig, write, count])
          rate.ours.push(ours['perSecond'] ?? Number.NaN)
          cpu.ours.push(ours['cpuPerRun'] ?? Number.NaN)
          if (peer === undefined) continue
          if (write === 'status') await clearStatus(kubeconfig)
          const theirs = peerRun(peer, ['reconcile', kubeconfig, write, count])
          rate.go.push(theirs['perSecond'] ?? Number.NaN)
          cpu.go.push(theirs['cpuPerRun'] ?? Number.NaN)
        }
      }
  } finally {
    await server.stop()
  }
}

async function measureIdle(line: AddLine, folder: string): Promise<void> {
  const each = line('memory of an idle manager', 'MiB', '70 MiB')
  const server = await startServer('coxswain')
  try {
    const kubeconfig = writeKubeconfig(folder, server.target)
    await fill(kubeconfig, 0)
    each.ours.push((await measureIdleManager(path('..'), kubeconfig)).memory)
  } finally {
    await server.stop()
  }
}

/** The installed size: the package's own files and its dependencies. */
function measureSize(line: AddLine, folder: string): void {
  const each = line('installed size with dependencies', 'MiB', '8 MiB')
  const root = path('..')
  const target = join(folder, 'installed')
  mkdirSync(target)
  spawnSync('npm', ['pack', '--pack-destination', target], { cwd: root })
  const tarball = readdirSync(target).find((name) => name.endsWith('.tgz')) ?? ''
  writeFileSync(join(target, 'package.json'), '{}')
  const installed = spawnSync('npm', ['install', '--no-audit', '--no-fund', '--omit=dev', join(target, tarball)], {
    cwd: target,
    encoding: 'utf8',
  })
  if (installed.status !== 0) throw new Error(installed.stderr)
  each.ours.push(folderSize(join(target, 'node_modules')) / 2 ** 20)
}

function folderSize(folder: string): number {
  let bytes = 0
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const full = join(folder, entry.name)
    if (entry.isSymbolicLink()) continue
    bytes += entry.isDirectory() ? folderSize(full) : statSync(full).size
  }
  return bytes
}

function table(lines: readonly Line[]): string {
  const cells = lines.map(({ title, unit, ours, go, goal = '', moreIsBetter = false }) => {
    const own = spread(ours).median
    const theirs = spread(go).median
    const ratio =
      ours.length === 0 || go.length === 0 ? '' : `${(moreIsBetter ? own / theirs : theirs / own).toFixed(2)}x`
    return [
      title,
      ours.length === 0 ? '' : `${number(own)} ${unit}`,
      go.length === 0 ? '' : `${number(theirs)} ${unit}`,
      ratio,
      goal,
    ]
  })
  return columns([['runtime', 'coxswain', 'Go', 'times better', 'goal'], ...cells])
}

function number(value: number): string {
  return Math.abs(value) >= 100 ? Math.round(value).toLocaleString('en') : value.toFixed(1)
}

process.exitCode = await main()
