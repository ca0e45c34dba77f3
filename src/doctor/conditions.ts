/** Conditions of the object that are not as they should be. */
import type { Condition } from '../controller/conditions.ts'
import { conditionText } from '../controller/kstatus.ts'
import { kubectlName, nameOf, type ObjectFacts } from './examined.ts'
import type { Finding } from './finding.ts'
import { badConditions, containerProblems } from './readiness.ts'

export function conditionFindings(facts: ObjectFacts): readonly Finding[] {
  const { kind, object } = facts
  if (object.metadata.deletionTimestamp !== undefined) return []
  const inContainers = kind.kind === 'Pod' && kind.group === '' ? containerProblems(object) : []
  const bad = badConditions(facts)
  const command = `kubectl describe ${kubectlName(facts)}`
  if (inContainers.length > 0)
    return [
      {
        type: 'condition',
        summary: `${nameOf(facts)} has a container that does not run.`,
        evidence: [...inContainers, ...bad.map(conditionText)],
        command,
      },
    ]
  return bad.map((condition) => {
    const { lastTransitionTime, message = '' } = condition
    return {
      type: 'condition' as const,
      summary: `${nameOf(facts)} says that ${stateOf(condition)}.`,
      evidence: [
        ...(message === '' ? [] : [message]),
        ...(lastTransitionTime === undefined ? [] : [`since ${lastTransitionTime}`]),
      ],
      command,
    }
  })
}

/** `Ready is False (NoDatabase)`. */
function stateOf({ message: _message, ...condition }: Partial<Condition>): string {
  return conditionText(condition)
}
