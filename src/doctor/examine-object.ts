/** Why is this object stuck? Reads it and what belongs to it. */
import type { Client } from '../client/client.ts'
import { RestMapper } from '../client/rest-mapper.ts'
import { nameOf } from './examined.ts'
import { doctorVersion, type DoctorReport } from './finding.ts'
import { objectFindings } from './object-findings.ts'
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
