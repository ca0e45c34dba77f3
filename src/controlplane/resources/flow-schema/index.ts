/** FlowSchema and PriorityLevelConfiguration: their numbers when nobody gives any. */
import type { KindRules } from '../kind-rules.ts'
import { fill, fillZero, specOf, struct } from '../shared/values.ts'

export const flowSchema: KindRules = {
  default: (object) => fillZero(specOf(object), 'matchingPrecedence', 1000),
}

export const priorityLevelConfiguration: KindRules = {
  default: (object) => {
    const spec = specOf(object)
    const exempt = struct(spec.exempt)
    if (exempt !== undefined) {
      fill(exempt, 'nominalConcurrencyShares', 0)
      fill(exempt, 'lendablePercent', 0)
    }
    const limited = struct(spec.limited)
    if (limited === undefined) return
    fill(limited, 'nominalConcurrencyShares', 30)
    fill(limited, 'lendablePercent', 0)
    const queuing = struct(struct(limited.limitResponse)?.queuing)
    if (queuing === undefined) return
    fillZero(queuing, 'handSize', 8)
    fillZero(queuing, 'queues', 64)
    fillZero(queuing, 'queueLengthLimit', 50)
  },
}
