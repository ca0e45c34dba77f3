/**
 * The faults of an instance of the program: another one beside it, a hand-over, a pause, a clock that is set. With
 * leader election only one of them may write; without it both do, as in a rolling update.
 */
import type { Instance } from '../cluster/embedded-handle.ts'
import { pause } from '../env/pause.ts'
import { Lease } from '../schema/builtin/kinds.ts'
import type { TransportRequest } from '../client/transport.ts'
import type { CallFault, FaultedRun } from './fault.ts'

/** Longer than all that an operator waits for. */
const clockSetBackMs = 3_600_000

/** Long enough for an instance that has started to have done something. */
const headStartMs = 1_000

/** Without leader election. */
const pauseMs = 30_000
const defaultLeaseMs = 15_000

const isPossible = ({ stream }: TransportRequest): boolean => stream !== true

/** The step is not at rest before the instance works. */
function takesOver(run: FaultedRun, instance: Instance): void {
  const done = run.waitFor('the instance that was to take over never began to work')
  instance.manager.whenWorking().then(done, done)
}

function handOver(run: FaultedRun, from: Instance, to: Instance): void {
  from.terminate()
  takesOver(run, to)
}

export const instanceFaults = {
  'second-instance': {
    happens:
      'another instance of the program is started a second before the call, and works as well; at rest the first one ' +
      'ends',
    isPossible,
    at: (_, run) => {
      const { sender } = run
      return {
        type: 'meanwhile',
        act: () => {
          const second = run.cluster.startInstance()
          run.later(() => handOver(run, sender, second))
          run.wait(headStartMs)
          return pause(run.cluster.env, headStartMs)
        },
      }
    },
  },
  'hand-over': {
    happens: 'another instance of the program is started before the call, and this one is told to end (SIGTERM)',
    isPossible,
    at: (_, run) => {
      const { sender } = run
      return { type: 'meanwhile', act: () => handOver(run, sender, run.cluster.startInstance()) }
    },
  },
  pause: {
    happens:
      'the process is stopped before the call (SIGSTOP), for 30 s or twice its lease; ' +
      'with leader election another instance takes over meanwhile, and it goes on to send the call',
    isPossible,
    at: (_, run) => {
      const { sender, leaderElection } = run
      const { leaseDurationMs = defaultLeaseMs } = leaderElection ?? {}
      const ms = leaderElection === undefined ? pauseMs : 2 * leaseDurationMs
      return {
        type: 'meanwhile',
        act: () => {
          if (leaderElection !== undefined) takesOver(run, run.cluster.startInstance())
          sender.stop()
          run.wait(ms)
          run.cluster.env.after(ms, () => sender.resume())
          return sender.running()
        },
      }
    },
  },
  'lease-reassigned': {
    happens: 'an administrator gives the lease to another instance before the call',
    isPossible: (request, { operator }) => isPossible(request) && operator.leaderElection !== undefined,
    at: (_, run) => ({
      type: 'meanwhile',
      act: async () => {
        const other = run.cluster.startInstance()
        takesOver(run, other)
        await giveLease(run, other.manager.election?.identity ?? '')
      },
    }),
  },
  'clock-jump': {
    happens: 'before the call, the wall clock of the process is set back by an hour',
    at: (_, { sender }) => ({ type: 'meanwhile', act: () => sender.setClock(-clockSetBackMs) }),
  },
} as const satisfies Readonly<Record<string, CallFault>>

/** If there is a lease. */
async function giveLease({ cluster: { client }, leaderElection }: FaultedRun, holderIdentity: string): Promise<void> {
  if (leaderElection === undefined) return
  const { namespace, name } = leaderElection
  const lease = await client.get(Lease, { namespace, name }).catch(() => undefined)
  if (lease === undefined) return
  await client.patch(Lease, { namespace, name }, { type: 'merge', patch: { spec: { holderIdentity } } })
}
