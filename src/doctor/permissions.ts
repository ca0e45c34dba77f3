/** Permissions that an operator declares and does not have. */
import type { Finding } from './finding.ts'
import { installs, type OperatorFacts } from './operator-facts.ts'

const maxEvidence = 10

export function permissionFindings(facts: OperatorFacts): readonly Finding[] {
  const { missing, account } = facts
  if (missing.length === 0) return []
  const howMany = missing.length === 1 ? 'a permission' : `${missing.length} permissions`
  const more = missing.length - maxEvidence
  return [
    {
      type: 'permission-missing',
      summary: `${account} lacks ${howMany} that the operator declares.`,
      evidence: [
        ...missing.slice(0, maxEvidence).map(({ text }) => `may not ${text}`),
        ...(more > 0 ? [`and ${more} more`] : []),
      ],
      command: installs(facts),
    },
  ]
}
