/** The leases of an operator: nobody holds or renews one, or clocks disagree. */
import { humanDuration } from '../api/age.ts'
import { leaseSpec } from './controllers.ts'
import type { Finding } from './finding.ts'
import type { DeclaredLease, OperatorFacts } from './operator-facts.ts'

/** Less is the time that a renewal takes to arrive. */
const maxAheadMs = 5_000

export function leaseFindings(facts: OperatorFacts): readonly Finding[] {
  return facts.leases.flatMap((lease) => findingsOf(lease, facts))
}

/** Whether a replica renews a lease: also one that runs outside of the cluster. */
export function isLed({ leases, now }: Pick<OperatorFacts, 'leases' | 'now'>): boolean {
  return leases.some(({ actual }) => {
    if (actual === undefined || actual === 'absent') return false
    const { holderIdentity = '', leaseDurationSeconds = 0, renewTime = '' } = leaseSpec(actual.object)
    return holderIdentity !== '' && now - Date.parse(renewTime) <= leaseDurationSeconds * 1000
  })
}

function findingsOf({ namespace, name, actual }: DeclaredLease, facts: OperatorFacts): readonly Finding[] {
  const command = `kubectl get lease ${name} -n ${namespace} -o yaml`
  const about = (summary: string, evidence: readonly string[]): readonly Finding[] => [
    { type: 'lease', summary, evidence, command },
  ]
  if (actual === undefined) return []
  if (actual === 'absent')
    return hasReadyPod(facts)
      ? about(`No replica has taken the lease ${namespace}/${name}.`, ['the lease does not exist, and pods are ready'])
      : []
  const { holderIdentity = '', leaseDurationSeconds = 0, renewTime = '' } = leaseSpec(actual.object)
  if (holderIdentity === '') return about(`Nobody holds the lease ${namespace}/${name}.`, ['it was released'])
  const late = facts.now - Date.parse(renewTime) - leaseDurationSeconds * 1000
  if (late > 0)
    return about(`Nobody renews the lease ${namespace}/${name}: no replica leads.`, [
      `${holderIdentity} renewed it last at ${renewTime}, and it expired ${humanDuration(late)} ago`,
    ])
  const ahead = Date.parse(renewTime) - facts.now
  if (!(ahead > maxAheadMs)) return []
  return [
    {
      type: 'clock-skew',
      summary: `The clock of ${holderIdentity} is ${humanDuration(ahead)} ahead of this one.`,
      evidence: [`it renewed the lease ${namespace}/${name} at ${renewTime}`],
      command,
    },
  ]
}

function hasReadyPod({ deployment }: OperatorFacts): boolean {
  const { actual } = deployment ?? {}
  if (actual === undefined || actual === 'absent') return false
  const { readyReplicas = 0 } = (actual.object['status'] ?? {}) as { readonly readyReplicas?: number }
  return readyReplicas > 0
}
