/** Why is this object stuck? Reads it and what belongs to it, and puts the findings together. */
import type { Client } from '../client/client.ts'
import { RestMapper } from '../client/rest-mapper.ts'
import { conditionFindings } from './conditions.ts'
import { controllerFindings } from './controllers.ts'
import { deletionFindings } from './deletion.ts'
import { dependentFindings } from './dependents.ts'
import { driftFindings } from './drift.ts'
import { eventFindings } from './events.ts'
import { nameOf, type ObjectFacts } from './examined.ts'
import { doctorVersion, type DoctorReport, type Finding } from './finding.ts'
import { ownerFindings } from './owners.ts'
import { readObjectFacts } from './read-object.ts'
import { Reader } from './reader.ts'
import { requestedObject, type ObjectRequest } from './requested-object.ts'

/** `now` in milliseconds since the epoch. Rejects if the object cannot be found, and says what to do. */
export async function examineObject(client: Client, request: ObjectRequest, now: number): Promise<DoctorReport> {
  const mapper = new RestMapper(client)
  const requested = await requestedObject(client, mapper, request)
  const reader = new Reader(client)
  const facts = await readObjectFacts(reader, mapper, requested, now)
  return { version: doctorVersion, subject: nameOf(facts), findings: objectFindings(facts), unread: reader.unread }
}

/** The most likely cause first: what nobody works on or was denied, before what follows from it. */
function objectFindings(facts: ObjectFacts): readonly Finding[] {
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
