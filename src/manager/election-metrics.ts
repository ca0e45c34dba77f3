/**
 * Metrics of leader election: the leader, how often a renewal had to read the lease first, and how late renewals are.
 */
import type { Metrics } from '../telemetry/metrics.ts'
import type { ElectionObserver } from './lease-election.ts'

/** For each lease of a program, by its name. */
export function electionMetrics(metrics: Metrics): (name: string, isLeader: () => boolean) => ElectionObserver {
  const labels = ['name'] as const
  const status = metrics.gauge({ name: 'leader_election_master_status', help: 'Whether this copy leads.', labels })
  const slow = metrics.counter({
    name: 'leader_election_slowpath_total',
    help: 'Renewals that had to read the lease first.',
    labels,
  })
  const lag = metrics.histogram({
    name: 'coxswain_lease_renewal_lag_seconds',
    help: 'How much later than planned renewals were begun.',
    labels,
    buckets: [0.01, 0.05, 0.1, 0.5, 1, 2, 5, 10],
  })
  return (name, isLeader) => {
    slow.inc({ name }, 0)
    metrics.onScrape(() => status.set({ name }, isLeader() ? 1 : 0))
    return {
      slowPath: () => slow.inc({ name }),
      renewalLag: (ms) => lag.observe({ name }, ms / 1000),
    }
  }
}
