/** What it takes to import the built package, as users import it, in a process with nothing else. */
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

export interface ImportFigures {
  /** Milliseconds of the import. */
  readonly wall: number
  /** Milliseconds of processor time, of the import. */
  readonly cpu: number
  /** MiB that the process has held at most. */
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
  // Where a machine has a file of further authorities, each Node process first reads it, for 50 ms.
  const { NODE_EXTRA_CA_CERTS: _, ...env } = process.env
  const args = ['--input-type=module', '-e', script]
  const { stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8', env })
  if (stdout === '') throw new Error(`the import of ${entry} failed: ${stderr}`)
  return JSON.parse(stdout) as ImportFigures
}
