/** Table cells of the simple kinds of the core group: namespaces, nodes, config, quotas, volumes, events, leases. */
import type { Json, JsonObject } from '../../../api/json.ts'
import type { KubeObject } from '../../../api/object.ts'
import { ageText } from '../../../api/age.ts'
import { entries, entry, int, items, size, strings, struct, text } from '../shared/values.ts'
import { ageCell, nameCell, orElse, quantityCell } from './format.ts'

export function namespaceCells(object: KubeObject, now: number): Json[] {
  return [nameCell(object), text(struct(object.status)?.phase), ageCell(object, now)]
}

export function configMapCells(object: KubeObject, now: number): Json[] {
  return [nameCell(object), size(object.data) + size(object.binaryData), ageCell(object, now)]
}

export function secretCells(object: KubeObject, now: number): Json[] {
  return [nameCell(object), text(object.type), size(object.data), ageCell(object, now)]
}

/** Kinds that show only name and age. */
export function nameAndAge(object: KubeObject, now: number): Json[] {
  return [nameCell(object), ageCell(object, now)]
}

export function leaseCells(object: KubeObject, now: number): Json[] {
  return [nameCell(object), text(struct(object.spec)?.holderIdentity), ageCell(object, now)]
}

export function componentStatusCells(object: KubeObject): Json[] {
  const healthy = items(object.conditions).find((condition) => condition.type === 'Healthy')
  if (healthy === undefined) return [nameCell(object), 'Unknown', '', '']
  const status = healthy.status === 'True' ? 'Healthy' : 'Unhealthy'
  return [nameCell(object), status, text(healthy.message), text(healthy.error)]
}

export function nodeCells(object: KubeObject, now: number): Json[] {
  const status = struct(object.status)
  const info = struct(status?.nodeInfo)
  return [
    nameCell(object),
    nodeStatus(object, status),
    nodeRoles(object),
    ageCell(object, now),
    text(info?.kubeletVersion),
    nodeAddress(status, 'InternalIP'),
    nodeAddress(status, 'ExternalIP'),
    orElse(info?.osImage, '<unknown>'),
    orElse(info?.kernelVersion, '<unknown>'),
    orElse(info?.containerRuntimeVersion, '<unknown>'),
  ]
}

function nodeStatus(object: KubeObject, status: JsonObject | undefined): string {
  // If there are several, the last one wins.
  const condition = items(status?.conditions).findLast(({ type }) => type === 'Ready')
  const ready = condition === undefined ? 'Unknown' : condition.status === 'True' ? 'Ready' : 'NotReady'
  return struct(object.spec)?.unschedulable === true ? `${ready},SchedulingDisabled` : ready
}

const rolePrefix = 'node-role.kubernetes.io/'

function nodeRoles(object: KubeObject): string {
  const roles = new Set<string>()
  for (const [key, value] of entries(object.metadata.labels)) {
    if (key.startsWith(rolePrefix) && key.length > rolePrefix.length) roles.add(key.slice(rolePrefix.length))
    else if (key === 'kubernetes.io/role' && value !== '') roles.add(text(value))
  }
  return roles.size === 0 ? '<none>' : [...roles].sort().join(',')
}

function nodeAddress(status: JsonObject | undefined, type: string): string {
  const found = items(status?.addresses).find((address) => address.type === type)
  return found === undefined ? '<none>' : text(found.address)
}

export function resourceQuotaCells(object: KubeObject, now: number): Json[] {
  const status = struct(object.status)
  const requests: string[] = []
  const limits: string[] = []
  for (const [name, hard] of entries(status?.hard)) {
    const column = name.startsWith('limits.') ? limits : requests
    column.push(`${name}: ${quantityCell(status?.used, name)}/${text(hard)}`)
  }
  return [nameCell(object), requests.join(', '), limits.join(', '), ageCell(object, now)]
}

const modeNames = [
  ['ReadWriteOnce', 'RWO'],
  ['ReadOnlyMany', 'ROX'],
  ['ReadWriteMany', 'RWX'],
  ['ReadWriteOncePod', 'RWOP'],
] as const

function accessModes(modes: Json | undefined): string {
  const given = strings(modes)
  return modeNames
    .filter(([mode]) => given.includes(mode))
    .map(([, short]) => short)
    .join(',')
}

function classOf(object: KubeObject, spec: JsonObject | undefined): string {
  return entry(object.metadata.annotations, 'volume.beta.kubernetes.io/storage-class') ?? text(spec?.storageClassName)
}

/** An empty string counts as set. */
function unlessUnset(value: Json | undefined): string {
  return value === undefined ? '<unset>' : text(value)
}

export function volumeCells(object: KubeObject, now: number): Json[] {
  const spec = struct(object.spec)
  const status = struct(object.status)
  const claim = struct(spec?.claimRef)
  return [
    nameCell(object),
    quantityCell(spec?.capacity, 'storage'),
    accessModes(spec?.accessModes),
    text(spec?.persistentVolumeReclaimPolicy),
    object.metadata.deletionTimestamp === undefined ? text(status?.phase) : 'Terminating',
    claim === undefined ? '' : `${text(claim.namespace)}/${text(claim.name)}`,
    classOf(object, spec),
    unlessUnset(spec?.volumeAttributesClassName),
    text(status?.reason),
    ageCell(object, now),
    unlessUnset(spec?.volumeMode),
  ]
}

export function claimCells(object: KubeObject, now: number): Json[] {
  const spec = struct(object.spec)
  const status = struct(object.status)
  const volume = text(spec?.volumeName)
  return [
    nameCell(object),
    object.metadata.deletionTimestamp === undefined ? text(status?.phase) : 'Terminating',
    volume,
    volume === '' ? '' : quantityCell(status?.capacity, 'storage'),
    volume === '' ? '' : accessModes(status?.accessModes),
    classOf(object, spec),
    unlessUnset(spec?.volumeAttributesClassName),
    ageCell(object, now),
    unlessUnset(spec?.volumeMode),
  ]
}

/** Events of both groups: the same object with two sets of field names. */
export function eventCells(object: KubeObject, now: number): Json[] {
  const series = struct(object.series)
  const first = text(object.firstTimestamp ?? object.deprecatedFirstTimestamp)
  const firstSeen = ageText(first === '' ? text(object.eventTime) : first, now)
  const last = text(object.lastTimestamp ?? object.deprecatedLastTimestamp)
  let lastSeen = last === '' ? firstSeen : ageText(last, now)
  let count = int(object.count ?? object.deprecatedCount) || 1
  if (series !== undefined) {
    lastSeen = ageText(series.lastObservedTime, now)
    count = int(series.count)
  }
  const about = struct(object.involvedObject ?? object.regarding)
  const kind = text(about?.kind).toLowerCase()
  const name = text(about?.name)
  return [
    lastSeen,
    text(object.type),
    text(object.reason),
    name === '' ? kind : `${kind}/${name}`,
    text(about?.fieldPath),
    eventSource(object),
    text(object.message ?? object.note).trim(),
    firstSeen,
    count,
    nameCell(object),
  ]
}

function eventSource(object: KubeObject): string {
  const source = struct(object.source ?? object.deprecatedSource)
  const component = text(source?.component) || text(object.reportingComponent ?? object.reportingController)
  const instance = text(source?.host) || text(object.reportingInstance)
  return instance === '' ? component : `${component}, ${instance}`
}
