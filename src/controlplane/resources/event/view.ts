/** Converts events.k8s.io/v1 events from and to core/v1 events, in which form they are stored. */
import type { Json, JsonObject } from '../../../api/json.ts'
import type { KubeObject } from '../../../api/object.ts'
import type { VersionView } from '../../contract/resource.ts'

/** The fields of events.k8s.io, in the order of the type, with their names in the core group. */
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

/** The fields of the core group, in the order of the type. */
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

/** The fields that the types always have, with their zero values. */
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
