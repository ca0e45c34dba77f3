/** Owners that no longer exist: the garbage collector deletes the object, or should have. */
import { kubectlName, nameOf, type ObjectFacts } from './examined.ts'
import type { Finding } from './finding.ts'

export function ownerFindings(facts: ObjectFacts): readonly Finding[] {
  return facts.owners
    .filter(({ state }) => state === 'gone' || state === 'replaced')
    .map(({ reference, state }) => {
      const { kind, name, uid } = reference
      const what = state === 'gone' ? 'does not exist' : 'is another object now'
      return {
        type: 'owner-gone',
        summary: `The owner of ${nameOf(facts)}, ${kind} ${name}, ${what}.`,
        evidence: [
          `metadata.ownerReferences names uid ${uid}`,
          'no controller works on it any more, and the garbage collector deletes it if it has no other owner',
        ],
        command: `kubectl get ${kubectlName(facts)} -o jsonpath='{.metadata.ownerReferences}'`,
      }
    })
}
