/** All findings about one object, in order. */
import { conditionFindings } from './conditions.ts'
import { controllerFindings } from './controllers.ts'
import { deletionFindings } from './deletion.ts'
import { dependentFindings } from './dependents.ts'
import { driftFindings } from './drift.ts'
import { eventFindings } from './events.ts'
import type { ObjectFacts } from './examined.ts'
import type { Finding } from './finding.ts'
import { ownerFindings } from './owners.ts'

/** The most likely cause first: what nobody works on or was denied, before what follows from it. */
export function objectFindings(facts: ObjectFacts): readonly Finding[] {
  return [
    ...controllerFindings(facts),
    ...deletionFindings(facts),
    ...eventFindings(facts, 'denied'),
    ...dependentFindings(facts),
    ...conditionFindings(facts),
    ...eventFindings(facts, 'warning'),
    ...ownerFindings(facts),
    ...driftFindings(facts),
  ]
}
