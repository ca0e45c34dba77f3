/** Compares the WebApp operators of both trees on the same server: processor time, memory and API calls per app. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ourOperator, RunningOperator } from '../webapp/operators.ts'
import { Figures } from '../webapp/report.ts'
import { Round } from '../webapp/round.ts'
import { hasRealServer, openSite, type SiteName } from '../webapp/site.ts'
import { alternate, Comparison } from './comparison.ts'
import type { Options } from './options.ts'
import type { Trees } from './tree.ts'

const waves = ['create', 'update', 'delete'] as const
const restSeconds = 5

/** The server for the operators. */
export function webappSite({ server }: Options): SiteName {
  if (server !== 'auto') return server
  return hasRealServer() ? 'real' : 'ours'
}

export async function compareWebapp(trees: Trees, options: Options, say: (text: string) => void): Promise<Comparison> {
  const comparison = new Comparison()
  const { apps, rounds } = options
  const name = webappSite(options)
  const folder = mkdtempSync(join(tmpdir(), 'coxswain-bench-'))
  say(
    name === 'real'
      ? 'webapp: on a real kube-apiserver'
      : 'webapp: on our own server, since no kube-apiserver is built or --server asks for ours',
  )
  try {
    const operators = {
      baseline: await ourOperator(folder, [], trees.baseline.root),
      current: await ourOperator(folder, [], trees.current.root),
    }
    const site = await openSite(name, folder)
    try {
      await alternate(rounds, async (side) => {
        const figures = new Figures(side)
        const running = await RunningOperator.start(operators[side], site.kubeconfig)
        try {
          await new Round(site, running, figures, { apps, rest: restSeconds }).run()
        } finally {
          await running.stop()
        }
        for (const wave of waves) {
          const time = comparison.line(`${wave} an app`, 'time', 'µs')
          time.values[side].push((figures.median(`${wave}, CPU`) * 1e6) / apps)
          const calls = comparison.line(`${wave} an app, API calls`, 'count')
          calls.values[side].push(Number(figures.median(`${wave}, calls for an app`).toFixed(2)))
        }
        comparison.line(`${restSeconds} s at rest, writes`, 'count').values[side].push(figures.median('rest, writes'))
        comparison.line('memory at rest', 'memory', 'MiB').values[side].push(figures.median('memory at rest'))
        comparison.line('peak memory', 'memory', 'MiB').values[side].push(figures.median('peak memory'))
      })
    } finally {
      await site.stop()
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
  return comparison
}
