/** Owned objects that are not ready, pods first: what they say is closest to the cause. */
import { kubectlName, nameOf, type Examined, type ObjectFacts } from './examined.ts'
import type { Finding } from './finding.ts'
import { containerProblems, whyUnready } from './readiness.ts'

/** Pods of one workload usually have the same problem. */
const maxEvidence = 5

export function dependentFindings({ dependents }: ObjectFacts): readonly Finding[] {
  const unready = dependents.map((each) => ({ each, why: whyUnready(each) })).filter(({ why }) => why.length > 0)
  const pods = unready.filter(({ each }) => isPod(each))
  const others = unready.filter(({ each }) => !isPod(each))
  const [first] = pods
  return [
    ...(first === undefined
      ? []
      : [
          {
            type: 'child-not-ready' as const,
            summary:
              pods.length === 1 ? `${nameOf(first.each)} is not ready.` : `${pods.length} pods of it are not ready.`,
            evidence: pods.slice(0, maxEvidence).map(({ each, why }) => `${nameOf(each)}: ${why[0] ?? ''}`),
            command: podCommand(first.each),
          },
        ]),
    ...others.map(({ each, why }) => ({
      type: 'child-not-ready' as const,
      summary: `${nameOf(each)}, which it owns, is not ready.`,
      evidence: why,
      command: `coxswain doctor ${kubectlName(each)}`,
    })),
  ]
}

function isPod({ kind }: Examined): boolean {
  return kind.kind === 'Pod' && kind.group === ''
}

/** The log of a container that has run and failed, otherwise the events. */
function podCommand(pod: Examined): string {
  const hasRun = containerProblems(pod.object).some((problem) => problem.includes(' ended with code '))
  return hasRun
    ? `kubectl logs ${kubectlName(pod)} --all-containers --previous`
    : `kubectl describe ${kubectlName(pod)}`
}
