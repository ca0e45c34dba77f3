/**
 * Two replicas with one lease of 2 s, as processes. In each run the leader is stopped (SIGSTOP) for 0.5 to 3 lease
 * durations while it writes, and its clock is set back by 0 to 20 s meanwhile. The revisions of the server give the
 * order of all writes: none of the stopped replica may follow a claim of the other one.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { Secret } from '../../src/index.ts'
import { Child } from './child.ts'
import { DirectedServer, writeAccess } from './directed-server.ts'
import type { Programs } from './programs.ts'
import { copiedType } from './testdata/copies.ts'

export const leaseMs = 2000

export interface LeaderStop {
  readonly stopMs: number
  readonly setBackMs: number
}

export interface StopResult extends LeaderStop {
  /** Whether the other replica took over. */
  readonly isTakenOver: boolean
  /** Writes of the stopped replica after the other one had claimed the lease. */
  readonly lateWriteCount: number
}

/** The programs of `testdata` that the runs need. */
export const stopPrograms = ['directed-server', 'counter'] as const

const token = 'a-token-of-a-test'
const clock = fileURLToPath(new URL('testdata/shifted-clock.mjs', import.meta.url))
const times = [
  '--leader-elect-lease-duration',
  `${leaseMs}ms`,
  '--leader-elect-renew-deadline',
  '1500ms',
  '--leader-elect-retry-period',
  '300ms',
]

interface Replica {
  readonly name: string
  /** In its lease. */
  readonly identity: string
  readonly child: Child
  /** Sets its wall clock back, from now on. */
  setBack(ms: number): void
}

/** A pair of replicas and their server. One that has lost its lease ends, and is replaced before the next run. */
export class LeaderPair {
  readonly #programs: Programs
  readonly #server: DirectedServer
  readonly #folder: string
  readonly #fencesByWallClock: boolean
  readonly #replicas: Replica[] = []
  #startedCount = 0

  private constructor(programs: Programs, server: DirectedServer, folder: string, fencesByWallClock: boolean) {
    this.#programs = programs
    this.#server = server
    this.#folder = folder
    this.#fencesByWallClock = fencesByWallClock
    writeAccess(join(folder, 'kubeconfig'), server.port, token)
  }

  /** `fencesByWallClock`: a mutant, whose late writes must be found. */
  static async start(programs: Programs, fencesByWallClock = false): Promise<LeaderPair> {
    const server = await DirectedServer.start(programs.file('directed-server'), { port: 0, token })
    const folder = mkdtempSync(join(tmpdir(), 'coxswain-leaders-'))
    await server.client.create(Secret, { metadata: { namespace: 'default', name: 'counted' }, type: copiedType })
    return new LeaderPair(programs, server, folder, fencesByWallClock)
  }

  async run({ stopMs, setBackMs }: LeaderStop): Promise<StopResult> {
    const [leader, other] = await this.#ready()
    const from = (await this.#writes()).length
    // At any moment of its work.
    await sleep(Math.random() * 600)
    leader.child.kill('SIGSTOP')
    await sleep(stopMs)
    leader.setBack(setBackMs)
    const continuedAt = (await this.#writes()).length
    leader.child.kill('SIGCONT')
    const all = await this.#until((writes) =>
      countOf(writes, from, other) >= 3 ? !leader.child.isRunning : countOf(writes, continuedAt, leader) >= 10,
    )
    const claimedAt = all.indexOf(`lease ${other.identity}`, from)
    const isTakenOver = claimedAt >= 0
    return { stopMs, setBackMs, isTakenOver, lateWriteCount: isTakenOver ? countOf(all, claimedAt, leader) : 0 }
  }

  async stop(): Promise<void> {
    for (const { child } of this.#replicas) await child.destroy()
    await this.#server.kill()
    rmSync(this.#folder, { recursive: true, force: true })
  }

  /** The leader, which writes, and a standby. */
  async #ready(): Promise<readonly [Replica, Replica]> {
    for (;;) {
      for (const ended of this.#replicas.filter(({ child }) => !child.isRunning))
        this.#replicas.splice(this.#replicas.indexOf(ended), 1)
      while (this.#replicas.length < 2) this.#replicas.push(await this.#startReplica())
      const from = (await this.#writes()).length
      const isLeader = (all: readonly string[], replica: Replica): boolean => countOf(all, from, replica) >= 3
      const writes = await this.#until((all) => this.#replicas.some((each) => isLeader(all, each)))
      const leader = this.#replicas.find((each) => isLeader(writes, each))
      const other = this.#replicas.find((each) => each !== leader)
      // On a busy machine it may have lost its lease by itself.
      if (leader?.child.isRunning === true && other?.child.isRunning === true) return [leader, other]
    }
  }

  async #startReplica(): Promise<Replica> {
    const name = `replica-${++this.#startedCount}`
    const file = join(this.#folder, name)
    let offsetMs = 0
    const setBack = (ms: number): void => {
      offsetMs -= ms
      writeFileSync(file, new Float64Array([offsetMs]), { flag: 'r+' })
    }
    writeFileSync(file, new Float64Array([offsetMs]))
    const child = new Child({
      program: this.#programs.file('counter'),
      nodeArgs: ['--import', clock],
      args: ['--namespaces', 'default', '--leader-elect', ...times],
      variables: {
        KUBECONFIG: join(this.#folder, 'kubeconfig'),
        POD_NAME: name,
        CLOCK_FILE: file,
        ...(this.#fencesByWallClock ? { CLOCK_FENCE: 'wall' } : {}),
      },
    })
    const { identity } = await child.line('waiting for the lease')
    return { name, identity: String(identity), child, setBack }
  }

  async #writes(): Promise<readonly string[]> {
    return (await this.#server.ask({ name: 'report' })).writes
  }

  async #until(isDone: (writes: readonly string[]) => boolean): Promise<readonly string[]> {
    const end = performance.now() + 120_000
    for (;;) {
      const writes = await this.#writes()
      if (isDone(writes)) return writes
      if (performance.now() > end)
        throw new Error(`no progress in two minutes:\n${this.#replicas.map(({ child }) => child.story()).join('\n\n')}`)
      await sleep(50)
    }
  }
}

/** Writes of a replica. */
function countOf(writes: readonly string[], from: number, { name }: Replica): number {
  return writes.slice(from).filter((write) => write.startsWith(`write ${name} `)).length
}

/**
 * Stops spread over 0.5 to 3 lease durations. Every other one is set back by up to 1.5 s less than it is stopped, which
 * misleads a fence by the wall clock; the others by 0 to 20 s.
 */
export function leaderStops(runCount: number): LeaderStop[] {
  return Array.from({ length: runCount }, (_, i) => {
    const share = runCount === 1 ? 1 : i / (runCount - 1)
    const stopMs = Math.round(leaseMs * (0.5 + 2.5 * share))
    const setBackMs = i % 2 === 0 ? Math.max(0, stopMs - ((i * 300) % 1500)) : Math.round(20_000 * share)
    return { stopMs, setBackMs }
  })
}

/** Longer than the lease, and set back so far that the lease does not seem to have ended. */
export const misleadingStop: LeaderStop = { stopMs: 2 * leaseMs, setBackMs: 3600 }

/** Whether late writes of a mutant that fences by the wall clock are found. It may learn of its successor in time. */
export async function findsLateWrites(programs: Programs): Promise<boolean> {
  const pair = await LeaderPair.start(programs, true)
  try {
    for (let attempt = 0; attempt < 3; attempt++) if ((await pair.run(misleadingStop)).lateWriteCount > 0) return true
    return false
  } finally {
    await pair.stop()
  }
}
