/** Measures the import of the built package in a process with nothing else. */
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

export interface ImportFigures {
  /** Milliseconds of the import. */
  readonly wall: number
  /** Milliseconds of processor time of the import. */
  readonly cpu: number
  /** The peak memory of the process, in MiB. */
  readonly peakMemory: number
}

export function measureImport(root: string): ImportFigures {
  const entry = pathToFileURL(join(root, 'dist/index.js')).href
  const script = `
    const started = performance.now()
    const before = process.cpuUsage()
    await import(${JSON.stringify(entry)})
    const { user, system } = process.cpuUsage(before)
    const wall = performance.now() - started
    const peakMemory = process.resourceUsage().maxRSS / 1024
    console.log(JSON.stringify({ wall, cpu: (user + system) / 1000, peakMemory }))`
  // With this variable, each Node process reads a file of further authorities at its start, which takes 50 ms.
  const { NODE_EXTRA_CA_CERTS: _, ...env } = process.env
  const args = ['--input-type=module', '-e', script]
  const { stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8', env })
  if (stdout === '') throw new Error(`the import of ${entry} failed: ${stderr}`)
  return JSON.parse(stdout) as ImportFigures
}
