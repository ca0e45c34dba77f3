import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { endProcess, identify, isRunning } from './process-id.ts'
import type { ProcessId } from './process-id.ts'
import { startSupervisor } from './supervisor.ts'
import { startHolder } from './testdata/holder.ts'

/** Retries until the check passes. */
const eventually = (check: () => void): Promise<void> => vi.waitFor(check, { timeout: 10_000, interval: 20 })

let root: string
let folder: string
let state: string
const started: ProcessId[] = []

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'coxswain-supervisor-'))
  folder = mkdtempSync(join(root, 'coxswain-cluster-'))
  state = join(root, 'state.json')
  writeFileSync(state, '{}')
})

afterEach(() => {
  for (const each of started.splice(0)) endProcess(each)
  rmSync(root, { recursive: true, force: true })
})

function known(pid: number): ProcessId {
  const id = identify(pid)
  if (id === undefined) throw new Error(`no process ${pid}`)
  started.push(id)
  return id
}

const sleeper = (name: string) => ({ name, command: 'sleep', args: ['1000'], log: join(folder, `${name}.log`) })

describe('a supervisor', () => {
  it('a supervisor starts programs, keeps their output and tells how they ended', async () => {
    const supervisor = await startSupervisor(folder, state)
    const one = known(await supervisor.start(sleeper('one')))
    expect(isRunning(one)).toBe(true)
    expect(supervisor.exit('one')).toBeUndefined()
    const log = join(folder, 'two.log')
    await supervisor.start({ name: 'two', command: 'sh', args: ['-c', 'echo to out; echo to err >&2; exit 3'], log })
    await eventually(() => expect(supervisor.exit('two')).toBe('code 3'))
    expect(readFileSync(log, 'utf8')).toBe('to out\nto err\n')
    await expect(supervisor.start({ ...sleeper('three'), command: join(root, 'none') })).rejects.toThrow(
      /three cannot be run: .*ENOENT/,
    )
    await supervisor.stop()
    expect(isRunning(one)).toBe(false)
    expect(existsSync(folder) || existsSync(state)).toBe(false)
    expect(supervisor.exit('one')).toBeDefined()
    await supervisor.stop()
    await expect(supervisor.start(sleeper('late'))).rejects.toThrow('late cannot be run')
  })

  it('a supervisor gives programs nothing of our environment', async () => {
    vi.stubEnv('KUBERNETES_SERVICE_HOST', '192.0.2.1')
    const supervisor = await startSupervisor(folder, state)
    const log = join(folder, 'env.log')
    await supervisor.start({ name: 'env', command: 'env', args: [], log })
    await eventually(() => expect(supervisor.exit('env')).toBe('code 0'))
    const names = readFileSync(log, 'utf8')
      .trim()
      .split('\n')
      .map((line) => line.split('=')[0])
    expect(names).toContain('PATH')
    expect(names.filter((name) => !['PATH', 'HOME', 'TMPDIR', 'LANG'].includes(name ?? ''))).toEqual([])
    await supervisor.stop()
    vi.unstubAllEnvs()
  })

  it('a supervisor ends its programs when it is told to end', async () => {
    const supervisor = await startSupervisor(folder, state)
    const one = known(await supervisor.start(sleeper('one')))
    process.kill(supervisor.pid, 'SIGTERM')
    await eventually(() => expect(isRunning(one)).toBe(false))
    await eventually(() => expect(existsSync(state)).toBe(false))
  })

  it('a supervisor goes on after it is detached', async () => {
    const supervisor = await startSupervisor(folder, state)
    const one = known(await supervisor.start(sleeper('one')))
    await supervisor.detach()
    const self = known(supervisor.pid)
    await eventually(() => expect(readFileSync(join(folder, 'supervisor.log'), 'utf8')).toContain('going on alone'))
    expect(isRunning(one) && isRunning(self)).toBe(true)
    process.kill(self.pid, 'SIGTERM')
    await eventually(() => expect(isRunning(one) || isRunning(self)).toBe(false))
  })

  it('a supervisor ends its programs when the process that started it is killed', async () => {
    const holder = startHolder(root, 'one', 'two')
    const { folder, supervisor, processes } = await holder.held()
    started.push(...processes)
    expect(processes.map(isRunning)).toEqual([true, true])
    await holder.kill()
    await eventually(() => expect(processes.map(isRunning)).toEqual([false, false]))
    await eventually(() => expect(supervisor !== undefined && isRunning(supervisor)).toBe(false))
    expect(existsSync(folder)).toBe(false)
  })
})
