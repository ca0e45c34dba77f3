/** The oracle about lost races: a 409 is neither a failure nor news. The operator tries again, and reports nothing. */
import { kindText, type Oracle } from './changes.ts'
import { kstatusOf } from '../controller/kstatus.ts'

/** As a server says it, and as a fault does. An apply that conflicts with another manager is a failure: that stays. */
const lostRace = /the object has been modified|injected fault: Conflict/

/** No condition that the operator writes of its own kinds reports a lost race. */
export const reportedRaces: Oracle = {
  name: 'reported races',
  change: ({ object, by, type }, { operator }) => {
    const isOwn = operator.kinds.some((kind) => kindText(kind) === kindText(object))
    if (by !== 'operator' || type === 'delete' || !isOwn) return undefined
    const found = (kstatusOf(object).conditions ?? []).find(({ message = '' }) => lostRace.test(message))
    return found === undefined
      ? undefined
      : `${found.type ?? ''} of ${object.kind ?? ''} ${object.metadata.name ?? ''} reports a lost race, which a ` +
          `retry ends: ${found.message ?? ''}`
  },
}
