/** Warning events: requests that were denied, and other failures of an object that is not ready. */
import { humanDuration } from '../api/age.ts'
import { kstatusOf } from '../controller/kstatus.ts'
import { whyItWaits } from './controllers.ts'
import { kubectlName, type ObjectFacts, type WarningEvent } from './examined.ts'
import type { Finding } from './finding.ts'
import { whyUnready } from './readiness.ts'

/** How API servers, quotas and webhooks say no. */
const denial = /\bforbidden\b|\bdenied\b|exceeded quota|violates PodSecurity/i

/** Servers keep events for an hour. Older ones say nothing of the present. */
const recentMs = 3_600_000

export function eventFindings(facts: ObjectFacts, type: 'denied' | 'warning'): readonly Finding[] {
  const isWell = whyUnready(facts).length === 0 && whyItWaits(facts) === undefined
  const isDenied = ({ reason, message }: WarningEvent): boolean => denial.test(`${reason} ${message}`)
  const since = readySince(facts)
  const recent = facts.warnings.filter(({ at }) => facts.now - at < recentMs && at > since)
  const own =
    type === 'denied'
      ? recent.filter(isDenied)
      : recent.filter((event) => event.isAboutObject && !isWell && !isDenied(event))
  const [last] = [...own].sort((a, b) => b.at - a.at)
  if (last === undefined) return []
  const { namespace } = facts.object.metadata
  return [
    {
      type,
      summary:
        type === 'denied' ? `A request for ${last.about} was denied.` : `${last.about} has the warning ${last.reason}.`,
      evidence: [...new Set(own.map((event) => eventText(event, facts.now)))].slice(0, 5),
      command: last.isAboutObject
        ? `kubectl events --for ${kubectlName(facts)} --types=Warning`
        : `kubectl get events -n ${namespace ?? 'default'} --field-selector type=Warning`,
    },
  ]
}

/** When the object became ready, if it is: what failed before has succeeded since. */
function readySince({ object }: ObjectFacts): number {
  const { conditions = [] } = kstatusOf(object)
  const ready = conditions.find(({ type, status }) => (type === 'Ready' || type === 'Available') && status === 'True')
  return ready?.lastTransitionTime === undefined ? -Infinity : Date.parse(ready.lastTransitionTime)
}

function eventText({ about, reason, message, at, count }: WarningEvent, now: number): string {
  const times = count > 1 ? `, ${count} times` : ''
  return `${about}: ${reason}: ${message} (${humanDuration(Math.max(0, now - at))} ago${times})`
}
