import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { conditionOf, endOrphans } from './orphans.ts'
import { endProcess, identify, isRunning } from './process-id.ts'
import type { ProcessId } from './process-id.ts'
import { readStates, stateFile, writeState } from './state.ts'
import type { ClusterState } from './state.ts'
import { startHolder } from './testdata/holder.ts'

let cache: string
const children: ChildProcess[] = []

beforeEach(() => {
  cache = mkdtempSync(join(tmpdir(), 'coxswain-orphans-'))
})

afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL')
  rmSync(cache, { recursive: true, force: true })
})

async function sleeper(command = 'sleep', ...args: string[]): Promise<ProcessId> {
  const child = spawn(command, args.length > 0 ? args : ['1000'], { stdio: 'ignore' })
  children.push(child)
  await once(child, 'spawn')
  const id = identify(child.pid ?? 0)
  if (id === undefined) throw new Error('no process')
  return id
}

const nobody: ProcessId = { pid: 2 ** 30, started: 'never' }
const me = identify(process.pid) ?? nobody

function put(change: Partial<ClusterState>): ClusterState {
  const id = change.id ?? 'coxswain-cluster-test'
  const folder = join(cache, id)
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'file'), '')
  const rest = { detached: false, processes: {}, url: '', kubeconfig: '', parts: [] }
  const state = { id, folder, programs: join(cache, 'programs'), owner: nobody, ...rest, ...change }
  writeState(cache, state)
  return state
}

describe('a process', () => {
  it('a process of a cluster is known by its number and its start', async () => {
    const id = await sleeper()
    expect(isRunning(id)).toBe(true)
    expect(isRunning({ ...id, started: `${id.started}1` })).toBe(false)
    expect(endProcess({ ...id, started: 'another' })).toBe(false)
    expect(isRunning(id)).toBe(true)
    expect(endProcess(id)).toBe(true)
    await vi.waitFor(() => expect(isRunning(id)).toBe(false))
    expect(endProcess(id)).toBe(false)
  })

  it('a process of a cluster is not looked for under numbers that are none', () => {
    for (const pid of [0, -1, 1.5, Number.NaN]) expect(identify(pid)).toBeUndefined()
  })
})

describe('clusters that were left behind', () => {
  it('clusters that were left behind are ended, process by process, and cleared away', async () => {
    const processes = { etcd: await sleeper(), 'kube-apiserver': await sleeper() }
    const state = put({ processes, supervisor: nobody })
    expect(conditionOf(state)).toBe('orphaned')
    expect(await endOrphans(cache)).toEqual([])
    expect(Object.values(processes).map(isRunning)).toEqual([false, false])
    expect(existsSync(state.folder) || existsSync(stateFile(cache, state.id))).toBe(false)
  })

  it('clusters that were left behind do not take a process that got the number later', async () => {
    const foreign = await sleeper()
    put({ processes: { etcd: { ...foreign, started: 'before' } }, supervisor: { ...foreign, started: 'before' } })
    expect(await endOrphans(cache)).toEqual([])
    expect(isRunning(foreign)).toBe(true)
    expect(readStates(cache)).toEqual([])
  })

  it('clusters that were left behind are none while their owner runs, or when they were detached', async () => {
    const process = await sleeper()
    const supervisor = await sleeper()
    put({ id: 'coxswain-cluster-a', owner: me, supervisor, processes: { etcd: process } })
    put({ id: 'coxswain-cluster-b', detached: true, supervisor, processes: { etcd: process } })
    put({ id: 'coxswain-cluster-c', owner: me })
    const used = await endOrphans(cache)
    expect(used.map(conditionOf)).toEqual(['running', 'running', 'starting'])
    expect(isRunning(process)).toBe(true)
  })

  it('clusters that were left behind are ended when a supervisor lives on without an owner', async () => {
    const process = await sleeper()
    const supervisor = await sleeper()
    put({ supervisor, processes: { etcd: process } })
    expect(await endOrphans(cache)).toEqual([])
    expect([process, supervisor].map(isRunning)).toEqual([false, false])
  })

  it.runIf(process.platform === 'linux')(
    'clusters that were left behind are found by their folder where nothing was recorded',
    async () => {
      const programs = join(cache, 'programs')
      mkdirSync(programs)
      symlinkSync(process.execPath, join(programs, 'etcd'))
      const { folder } = put({ programs })
      const wait = ['-e', 'setInterval(() => {}, 1e6)', folder]
      const ours = await sleeper(join(programs, 'etcd'), ...wait)
      const foreign = await sleeper(process.execPath, ...wait)
      expect(await endOrphans(cache)).toEqual([])
      expect([ours, foreign].map(isRunning)).toEqual([false, true])
    },
  )

  it('clusters that were left behind do not make us remove a folder that is none of ours', async () => {
    const precious = join(cache, 'precious')
    mkdirSync(precious)
    put({ folder: precious })
    expect(await endOrphans(cache)).toEqual([])
    expect(existsSync(precious)).toBe(true)
  })

  it('clusters that were left behind are ended by the next call when owner and supervisor were killed', async () => {
    const holder = startHolder(cache, 'etcd', 'kube-apiserver')
    const { folder, supervisor = nobody, processes } = await holder.held()
    expect(endProcess(supervisor)).toBe(true)
    await holder.kill()
    expect(processes.map(isRunning)).toEqual([true, true])
    expect(await endOrphans(cache)).toEqual([])
    expect(processes.map(isRunning)).toEqual([false, false])
    expect(existsSync(folder)).toBe(false)
  })
})

describe('states', () => {
  it('recorded states of clusters are read as they were written, and what is no state is passed over', () => {
    const state = put({ name: 'default', detached: true, parts: ['nodes=3'] })
    const bad = ['', 'null', '{}', '[', '{"folder":1}', '{"id":"a","folder":"b"}']
    for (const [i, text] of bad.entries()) writeFileSync(stateFile(cache, `bad-${i}`), text)
    expect(readStates(cache)).toEqual([state])
    expect(readStates(join(cache, 'none'))).toEqual([])
  })
})
