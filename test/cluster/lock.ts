/** A lock between processes: a file with the process ID of its owner. A lock whose owner has exited is taken over. */
import { linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { identify, isRunning } from './process-id.ts'
import type { ProcessId } from './process-id.ts'

/**
 * Runs `work` while holding the lock; calls `waiting` once if another process holds it. Two processes that take over
 * the lock of the same dead owner at the same moment may both run: `work` must tolerate that.
 */
export async function withLock<T>(path: string, work: () => Promise<T>, waiting: (owner: number) => void): Promise<T> {
  mkdirSync(dirname(path), { recursive: true })
  const me = identify(process.pid)
  const mine = JSON.stringify(me)
  const draft = `${path}.${process.pid}`
  let told = false
  for (;;) {
    // A hard link creates the file atomically, with its content.
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
