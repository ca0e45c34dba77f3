/** events.k8s.io/v1 events, which are stored as those of the core group under other names. */
import type { Json, JsonObject } from '../../../api/json.ts'
import type { KubeObject } from '../../../api/object.ts'
import type { VersionView } from '../../contract/resource.ts'

/** Of events.k8s.io, in the order of its type, with the names of the core group. */
const names: readonly (readonly [shown: string, stored: string])[] = [
  ['eventTime', 'eventTime'],
  ['series', 'series'],
  ['reportingController', 'reportingComponent'],
  ['reportingInstance', 'reportingInstance'],
  ['action', 'action'],
  ['reason', 'reason'],
  ['regarding', 'involvedObject'],
  ['related', 'related'],
  ['note', 'message'],
  ['type', 'type'],
  ['deprecatedSource', 'source'],
  ['deprecatedFirstTimestamp', 'firstTimestamp'],
  ['deprecatedLastTimestamp', 'lastTimestamp'],
  ['deprecatedCount', 'count'],
]

/** Of the core group, in the order of its type. */
const coreOrder = [
  'involvedObject',
  'reason',
  'message',
  'source',
  'firstTimestamp',
  'lastTimestamp',
  'count',
  'type',
  'eventTime',
  'series',
  'action',
  'related',
  'reportingComponent',
  'reportingInstance',
]
const shownName = new Map(names.map(([shown, stored]) => [stored, shown]))

/** What the types always have, and what they leave out when it is empty. */
const always: Readonly<Record<string, Readonly<Record<string, Json>>>> = {
  'events.k8s.io/v1': {
    eventTime: null,
    regarding: {},
    deprecatedSource: {},
    deprecatedFirstTimestamp: null,
    deprecatedLastTimestamp: null,
  },
  v1: {
    involvedObject: {},
    source: {},
    firstTimestamp: null,
    lastTimestamp: null,
    eventTime: null,
    reportingComponent: '',
    reportingInstance: '',
  },
}

function convert(
  object: KubeObject,
  apiVersion: string,
  fields: Iterable<readonly [to: string, from: string]>,
): KubeObject {
  const { metadata } = object
  const result: JsonObject = { kind: 'Event', apiVersion, metadata: metadata }
  const present = always[apiVersion] ?? {}
  for (const [to, from] of fields) {
    const value = object[from]
    const standIn = Object.hasOwn(present, to) ? present[to] : undefined
    if (value !== undefined && (value !== '' || standIn === '')) result[to] = value
    else if (standIn !== undefined) result[to] = standIn
  }
  return result as KubeObject
}

export const eventsView: VersionView = {
  fromStored: (object) => convert(object, 'events.k8s.io/v1', names),
  toStored: (object) =>
    convert(
      object,
      'v1',
      coreOrder.map((stored) => [stored, shownName.get(stored) as string] as const),
    ),
}
