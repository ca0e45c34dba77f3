/** A lock between processes: a file that names its owner. One whose owner has ended is taken over. */
import { linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { identify, isRunning } from './process-id.ts'
import type { ProcessId } from './process-id.ts'

/**
 * Runs `work` while no other process has the lock; `waiting` is called once when another has it.
 * Two that take over the same dead owner's lock at the same moment may both go on: the work must bear that.
 */
export async function withLock<T>(path: string, work: () => Promise<T>, waiting: (owner: number) => void): Promise<T> {
  mkdirSync(dirname(path), { recursive: true })
  const me = identify(process.pid)
  const mine = JSON.stringify(me)
  const draft = `${path}.${process.pid}`
  let told = false
  for (;;) {
    // The file appears with its owner in it: a link is made or refused at once.
    writeFileSync(draft, mine)
    try {
      linkSync(draft, path)
      break
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    } finally {
      rmSync(draft, { force: true })
    }
    const owner = ownerOf(path)
    if (owner === undefined || !isRunning(owner)) {
      rmSync(path, { force: true })
      continue
    }
    if (!told) waiting(owner.pid)
    told = true
    await sleep(200)
  }
  try {
    return await work()
  } finally {
    if (ownerOf(path)?.pid === process.pid) rmSync(path, { force: true })
  }
}

function ownerOf(path: string): ProcessId | undefined {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as ProcessId
  } catch {
    return undefined
  }
}
