/**
 * Compares the runtimes of both trees: caches, queues and managers, each measurement in a separate process. Both
 * connect to the same server, one of this tree.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { forkTypeScript, message } from '../child.ts'
import { writeKubeconfig } from '../kubeconfig.ts'
import { clearStatus, fill } from '../runtime/apps.ts'
import { measureIdleManager } from '../runtime/idle-manager.ts'
import { measureImport } from '../runtime/import.ts'
import { startServer } from '../server-process.ts'
import { alternate, Comparison } from './comparison.ts'
import type { Options } from './options.ts'
import type { Trees } from './tree.ts'

type Figures = Readonly<Record<string, number>>

export async function compareRuntime(trees: Trees, options: Options): Promise<Comparison> {
  const comparison = new Comparison()
  const { rounds, wanted } = options
  if (wanted('queue')) await compareQueues(trees, rounds, comparison)
  if (['sync', 'reconcile', 'idle'].some(wanted)) await compareOnServer(trees, options, comparison)
  if (wanted('import')) {
    const time = comparison.line('import of coxswain', 'time', 'ms')
    const memory = comparison.line('import of coxswain, peak memory', 'memory', 'MiB')
    await alternate(rounds * 2, async (side) => {
      const { cpu, peakMemory } = measureImport(trees[side].root)
      time.values[side].push(cpu)
      memory.values[side].push(peakMemory)
    })
  }
  return comparison
}

function child(file: string, args: readonly string[]): Promise<Figures> {
  return message<Figures>(forkTypeScript(`./runtime/${file}`, args))
}

async function compareQueues(trees: Trees, rounds: number, comparison: Comparison): Promise<void> {
  for (const kind of ['fifo', 'priority']) {
    const line = comparison.line(`${kind} queue, a cycle`, 'time', 'ns')
    await alternate(rounds, async (side) => {
      const { perSecond = Number.NaN } = await child('queue-child.ts', [trees[side].root, kind])
      line.values[side].push(1e9 / perSecond)
    })
  }
}

async function compareOnServer(trees: Trees, options: Options, comparison: Comparison): Promise<void> {
  const { objects, rounds, wanted } = options
  const folder = mkdtempSync(join(tmpdir(), 'coxswain-bench-'))
  const server = await startServer('coxswain')
  try {
    const kubeconfig = writeKubeconfig(folder, server.target)
    await fill(kubeconfig, objects)
    if (wanted('sync'))
      for (const mode of ['list', 'watch-list']) {
        const title = `cache of ${objects.toLocaleString('en')} objects by ${mode}`
        const time = comparison.line(`${title}, an object`, 'time', 'µs')
        const heap = comparison.line(`${title}, heap of an object`, 'memory', 'B')
        const peak = comparison.line(`${title}, peak memory`, 'memory', 'MiB')
        await alternate(rounds, async (side) => {
          const figures = await child('sync-child.ts', [trees[side].root, kubeconfig, mode, String(objects)])
          time.values[side].push(((figures['cpu'] ?? Number.NaN) * 1000) / objects)
          heap.values[side].push(figures['bytesPerObject'] ?? Number.NaN)
          peak.values[side].push(figures['peakMemory'] ?? Number.NaN)
        })
      }
    if (wanted('reconcile'))
      for (const write of ['none', 'status']) {
        const title = write === 'none' ? 'reconcile without a write' : 'reconcile with a status write'
        const time = comparison.line(title, 'time', 'µs')
        const peak = comparison.line(`${title}, peak memory`, 'memory', 'MiB')
        await alternate(rounds, async (side) => {
          // Each object's status is written once, so the next measurement needs it cleared.
          if (write === 'status') await clearStatus(kubeconfig)
          const figures = await child('reconcile-child.ts', [trees[side].root, kubeconfig, write, String(objects)])
          time.values[side].push(figures['cpuPerRun'] ?? Number.NaN)
          peak.values[side].push(figures['peakMemory'] ?? Number.NaN)
        })
      }
    if (wanted('idle')) {
      const time = comparison.line('start of an idle manager', 'time', 'ms')
      const memory = comparison.line('memory of an idle manager', 'memory', 'MiB')
      const empty = await startServer('coxswain')
      try {
        const emptyKubeconfig = writeKubeconfig(folder, empty.target)
        await fill(emptyKubeconfig, 0)
        await alternate(rounds, async (side) => {
          const figures = await measureIdleManager(trees[side].root, emptyKubeconfig)
          time.values[side].push(figures.cpu)
          memory.values[side].push(figures.memory)
        })
      } finally {
        await empty.stop()
      }
    }
  } finally {
    await server.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}
