/**
 * When this replica works, and on which keys: always and on all, while it holds the lease, or on the shards that it
 * holds.
 */
import { electionMetrics } from './election-metrics.ts'
import { LeaseElection, type ElectionServices, type LeaseOptions } from './lease-election.ts'
import type { ManagerRun } from './manager-run.ts'
import { LeaseLostError } from './manager-errors.ts'
import { Sharding, type ShardingServices } from './sharding.ts'

export interface Leadership {
  /** Whether a write that is sent now is covered. */
  readonly mayWrite: boolean
  /** A lease is held, and its renewal is late. */
  readonly isLate: boolean
  /** Which keys belong to this replica. Default: all. */
  readonly share?: Pick<Sharding, 'holds' | 'isOf'> | undefined
  /**
   * Resolves when this replica may start to work; false if it is stopped before. Losing the lease later ends the
   * manager.
   */
  begin(life: ManagerRun): Promise<boolean>
  /** Releases the leases, so that others can take them. Does not fail. */
  release(): Promise<void>
  /** A description in one line. */
  describe(): string | undefined
}

export const noElection: Leadership = {
  mayWrite: true,
  isLate: false,
  begin: () => Promise.resolve(true),
  release: () => Promise.resolve(),
  describe: () => undefined,
}

type LeaseServices = Omit<ElectionServices, 'observer'> & Pick<ShardingServices, 'metrics'>

export function leaseLeadership(
  { metrics, ...services }: LeaseServices,
  options: LeaseOptions,
): Leadership & { readonly election: LeaseElection } {
  const observer = electionMetrics(metrics)(options.name, () => election.isLeader)
  const election: LeaseElection = new LeaseElection({ ...services, observer }, options)
  const holder = (): string => (election.isLeader ? 'this copy' : election.holder === '' ? 'nobody' : election.holder)
  return {
    election,
    get mayWrite() {
      return election.mayWrite
    },
    get isLate() {
      return election.isLeader && !election.mayWrite
    },
    async begin(life) {
      if (!(await election.acquire(life.stop.signal))) return false
      life.leaseHeld(endsWhenLost(life, election.hold(life.leaseStop.signal)))
      return true
    },
    release: () => election.release(),
    describe: () => `lease: held by ${holder()}, which is ${election.identity}`,
  }
}

export function shardLeadership(
  services: ShardingServices,
  options: LeaseOptions & { readonly shards: number },
): Leadership & { readonly sharding: Sharding } {
  const sharding = new Sharding(services, options)
  return {
    sharding,
    share: sharding,
    get mayWrite() {
      return sharding.mayWrite
    },
    get isLate() {
      return sharding.held.length > 0 && !sharding.mayWrite
    },
    begin(life) {
      life.leaseHeld(endsWhenLost(life, sharding.run(life.stop.signal, life.leaseStop.signal)))
      return Promise.resolve(true)
    },
    release: () => sharding.release(),
    describe: () => {
      const held = sharding.held.length === 0 ? 'none' : sharding.held.join(', ')
      return `shards: ${held} of ${sharding.shards} held by this copy, which is ${sharding.identity}`
    },
  }
}

/** A replica that has lost the lease aborts its runs at once. */
async function endsWhenLost(life: ManagerRun, kept: Promise<boolean>): Promise<void> {
  if (await kept) return
  const lost = new LeaseLostError()
  life.abort.abort(lost)
  life.fail(lost)
}
