/** The state of running clusters: one file each in the cache, so that any later process can find and end them. */
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ProcessId } from './process-id.ts'

export interface ClusterState {
  /** Unique; also the name of the cluster's folder. */
  readonly id: string
  /** The name that `up` gave it; undefined for a cluster of a test. */
  readonly name?: string
  /** Removed with the cluster. */
  readonly folder: string
  /** The folder of its programs. */
  readonly programs: string
  /** The process that started it. */
  readonly owner: ProcessId
  /** Whether the cluster outlives its owner. */
  readonly detached: boolean
  /** Undefined until the supervisor has started. */
  readonly supervisor?: ProcessId
  readonly processes: Readonly<Record<string, ProcessId>>
  /** Empty until the server has its port. */
  readonly url: string
  readonly kubeconfig: string
  /** Its parts besides etcd and kube-apiserver, such as `nodes=3`. */
  readonly parts: readonly string[]
}

const stateFolder = (cache: string): string => join(cache, 'running')

export function stateFile(cache: string, id: string): string {
  return join(stateFolder(cache), `${id}.json`)
}

/** Writes the file atomically. */
export function writeState(cache: string, state: ClusterState): void {
  mkdirSync(stateFolder(cache), { recursive: true, mode: 0o700 })
  const path = stateFile(cache, state.id)
  const draft = `${path}.${process.pid}.tmp`
  writeFileSync(draft, JSON.stringify(state, null, 2), { mode: 0o600 })
  renameSync(draft, path)
}

export function removeState(cache: string, id: string): void {
  rmSync(stateFile(cache, id), { force: true })
}

/** All recorded clusters, including those whose processes have exited. Other files are ignored. */
export function readStates(cache: string): ClusterState[] {
  let names: string[]
  try {
    names = readdirSync(stateFolder(cache))
  } catch {
    return []
  }
  const files = names.filter((name) => name.endsWith('.json')).sort()
  return files.flatMap((name) => readState(join(stateFolder(cache), name)) ?? [])
}

function readState(path: string): ClusterState | undefined {
  try {
    const state = JSON.parse(readFileSync(path, 'utf8')) as Partial<ClusterState> | null
    const named = typeof state?.folder === 'string' && typeof state.id === 'string'
    return named && typeof state.owner?.pid === 'number' ? (state as ClusterState) : undefined
  } catch {
    return undefined
  }
}
