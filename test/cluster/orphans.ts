/**
 * Finds orphaned clusters and ends them.
 *
 * Normally the supervisor of a cluster notices the exit of the process that started it, and cleans up. This is for
 * other cases: a supervisor that was killed, too, or a machine that was restarted. A process is ended only if it is the
 * one that was recorded, or if it runs one of our programs in the cluster's folder.
 */
import { rmSync } from 'node:fs'
import { basename, sep } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { ClusterError } from './errors.ts'
import { endProcess, findProcesses, isRunning } from './process-id.ts'
import type { ProcessId } from './process-id.ts'
import { readStates, removeState } from './state.ts'
import type { ClusterState } from './state.ts'

/** The prefix of every cluster's folder; other folders are never removed. */
export const folderPrefix = 'coxswain-cluster-'

/** How long a supervisor may take to clean up, and a killed process to exit, in milliseconds. */
const patience = 5_000

const isOurs = (folder: string): boolean => basename(folder).startsWith(folderPrefix)

export type Condition = 'running' | 'starting' | 'orphaned'

export function conditionOf(state: ClusterState): Condition {
  const owned = isRunning(state.owner)
  if (state.supervisor === undefined) return owned ? 'starting' : 'orphaned'
  return isRunning(state.supervisor) && (state.detached || owned) ? 'running' : 'orphaned'
}

/** Ends orphaned clusters. Returns the clusters that are in use. */
export async function endOrphans(cache: string): Promise<ClusterState[]> {
  const used: ClusterState[] = []
  for (const state of readStates(cache)) {
    if (conditionOf(state) === 'orphaned') await endCluster(cache, state)
    else used.push(state)
  }
  return used
}

/** Ends any cluster: through its supervisor if that runs, otherwise process by process. */
export async function endCluster(cache: string, state: ClusterState): Promise<void> {
  const { supervisor } = state
  if (supervisor !== undefined && isRunning(supervisor)) {
    try {
      process.kill(supervisor.pid, 'SIGTERM')
    } catch {
      // It has exited in the meantime.
    }
    await gone([supervisor])
  }
  const recorded = supervisor === undefined ? [] : [supervisor]
  const processes = [...recorded, ...Object.values(state.processes), ...unrecorded(state)]
  for (const each of processes) endProcess(each)
  const left = await gone(processes)
  if (left.length > 0) {
    throw new ClusterError(`processes of a reference cluster do not end: ${left.map(({ pid }) => pid).join(', ')}`)
  }
  if (isOurs(state.folder)) rmSync(state.folder, { recursive: true, force: true, maxRetries: 5 })
  removeState(cache, state.id)
}

/** A program may have been started just before its owner and supervisor were killed, and is then not recorded. */
function unrecorded({ folder, programs }: ClusterState): ProcessId[] {
  if (!isOurs(folder)) return []
  return findProcesses(([command = '', ...args]) => {
    const ours = command.startsWith(programs + sep) || args[0]?.endsWith(`${sep}supervisor.mjs`) === true
    return ours && args.some((arg) => arg.includes(folder))
  })
}

/** Waits for processes to exit. Returns those that did not. */
async function gone(processes: readonly ProcessId[]): Promise<ProcessId[]> {
  const end = performance.now() + patience
  for (;;) {
    const left = processes.filter(isRunning)
    if (left.length === 0 || performance.now() > end) return left
    await sleep(10)
  }
}
