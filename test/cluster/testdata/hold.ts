/**
 * A process that holds a cluster until it is killed: `hold.ts CACHE [program …]`. Without programs it starts a real
 * cluster, with programs it supervises `sleep` under their names. Prints as JSON what tests look for afterwards.
 */
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { startCluster } from '../cluster.ts'
import { folderPrefix } from '../orphans.ts'
import { identify } from '../process-id.ts'
import type { ProcessId } from '../process-id.ts'
import { stateFile, writeState } from '../state.ts'
import { startSupervisor } from '../supervisor.ts'

export interface Held {
  readonly folder: string
  readonly supervisor?: ProcessId
  readonly processes: readonly ProcessId[]
}

const [cache = '', ...names] = process.argv.slice(2)
const id = (pid: number): ProcessId => identify(pid) ?? { pid, started: 'never' }

async function holdSleepers(): Promise<Held> {
  const folder = mkdtempSync(join(tmpdir(), folderPrefix))
  const supervisor = await startSupervisor(folder, stateFile(cache, basename(folder)))
  const processes: Record<string, ProcessId> = {}
  for (const name of names) {
    const log = join(folder, `${name}.log`)
    processes[name] = id(await supervisor.start({ name, command: 'sleep', args: ['1000'], log }))
  }
  const state = {
    folder,
    programs: '/nowhere',
    owner: id(process.pid),
    detached: false,
    supervisor: id(supervisor.pid),
  }
  writeState(cache, { ...state, id: basename(folder), processes, url: '', kubeconfig: '', parts: [] })
  return { folder, supervisor: state.supervisor, processes: Object.values(processes) }
}

async function holdCluster(): Promise<Held> {
  const { folder, pids } = await startCluster({ cache })
  return { folder, processes: Object.values(pids).map(id) }
}

// Keeps the process alive, which a cluster does not.
setInterval(() => {}, 60_000)
console.log(JSON.stringify(names.length > 0 ? await holdSleepers() : await holdCluster()))
