/**
 * `npm run bench -- --part webapp`: compares the WebApp operator with an operator of the same behaviour on
 * controller-runtime (bench/peers/go), with many apps on the same server, in alternating rounds: all apps are created,
 * updated, left alone and deleted.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { path } from '../child.ts'
import { goOperator, ourOperator, RunningOperator } from './operators.ts'
import { Figures, table } from './report.ts'
import { Round, type RoundOptions } from './round.ts'
import { openSite, type SiteName } from './site.ts'

const usage = `npm run bench -- --part webapp [OPTIONS]
  --apps N       number of apps (2000)
  --rounds N     rounds per operator, alternating; the report shows medians (2)
  --rest S       seconds without changes, in which operators should write nothing (60)
  --go MODE      how the Go operator writes its children: apply (a server-side apply in every run, as most operators
                 do), update (only if they differ), both, or none (both)
  --node=ARGS    Node options of our operator: --cpu-prof, --max-semi-space-size=2 (none)
  --server S     real: a kube-apiserver that is built with Go and started for the run; or ours (real)
  --help`

const say = (text: string): void => void process.stderr.write(`${text}\n`)

interface Options extends RoundOptions {
  readonly rounds: number
  readonly server: SiteName
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
      server: { type: 'string', default: 'real' },
      help: { type: 'boolean', default: false },
    },
  })
  if (values.help) return undefined
  const modes = { update: ['update'], apply: ['apply'], both: ['update', 'apply'], none: [] } as const
  const go = modes[values.go as keyof typeof modes]
  if (go === undefined) throw new Error(`--go is one of ${Object.keys(modes).join(', ')}, not ${values.go}`)
  if (values.server !== 'real' && values.server !== 'ours')
    throw new Error(`--server is real or ours, not ${values.server}`)
  return {
    server: values.server,
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
    const operators = [
      await ourOperator(folder, options.node, path('..')),
      ...options.go.flatMap((mode) => goOperator(folder, mode, say) ?? []),
    ]
    const figures = operators.map(({ name }) => new Figures(name))
    const site = await openSite(options.server, folder)
    try {
      for (let round = 0; round < options.rounds; round++) {
        for (const [index, operator] of operators.entries()) {
          say(`round ${round + 1}: ${operator.name}`)
          const running = await RunningOperator.start(operator, site.kubeconfig)
          try {
            await new Round(site, running, figures[index] as Figures, options).run()
          } finally {
            await running.stop()
          }
        }
      }
    } finally {
      await site.stop()
    }
    console.log(table(figures, options.apps))
    return 0
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

// Exit on signals, so that the exit handlers end the running operator.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1))
process.exitCode = await main()
