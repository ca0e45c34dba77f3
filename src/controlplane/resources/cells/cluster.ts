/** Table cells of storage, RBAC, admission, scheduling and flow control kinds. */
import type { Json, JsonObject } from '../../../api/json.ts'
import type { KubeObject } from '../../../api/object.ts'
import { humanDuration } from '../../../api/age.ts'
import { entries, entry, int, items, size, strings, struct, text } from '../shared/values.ts'
import { ageCell, nameCell, orElse } from './format.ts'

export function storageClassCells(object: KubeObject, now: number): Json[] {
  const isDefault = [
    'storageclass.kubernetes.io/is-default-class',
    'storageclass.beta.kubernetes.io/is-default-class',
  ].some((key) => entry(object.metadata.annotations, key) === 'true')
  return [
    isDefault ? `${nameCell(object)} (default)` : nameCell(object),
    text(object.provisioner),
    typeof object.reclaimPolicy === 'string' ? object.reclaimPolicy : 'Delete',
    orElse(object.volumeBindingMode, 'Immediate'),
    object.allowVolumeExpansion === true,
    ageCell(object, now),
  ]
}

export function csiDriverCells(object: KubeObject, now: number): Json[] {
  const spec = struct(object.spec)
  return [
    nameCell(object),
    spec?.attachRequired !== false,
    spec?.podInfoOnMount === true,
    spec?.storageCapacity === true,
    Array.isArray(spec?.tokenRequests)
      ? items(spec.tokenRequests)
          .map((t) => text(t.audience))
          .join(',')
      : '<unset>',
    spec?.requiresRepublish === true,
    strings(spec?.volumeLifecycleModes).join(',') || '<none>',
    ageCell(object, now),
  ]
}

export function csiNodeCells(object: KubeObject, now: number): Json[] {
  return [nameCell(object), size(struct(object.spec)?.drivers), ageCell(object, now)]
}

export function volumeAttachmentCells(object: KubeObject, now: number): Json[] {
  const spec = struct(object.spec)
  return [
    nameCell(object),
    text(spec?.attacher),
    text(struct(spec?.source)?.persistentVolumeName),
    text(spec?.nodeName),
    struct(object.status)?.attached === true,
    ageCell(object, now),
  ]
}

export function volumeAttributesClassCells(object: KubeObject, now: number): Json[] {
  return [nameCell(object), text(object.driverName), ageCell(object, now)]
}

export function roleBindingCells(object: KubeObject, now: number): Json[] {
  const role = struct(object.roleRef)
  const subjects = items(object.subjects)
  const named = (kind: string) =>
    subjects
      .filter((s) => s.kind === kind)
      .map((s) => text(s.name))
      .join(', ')
  const accounts = subjects
    .filter((s) => s.kind === 'ServiceAccount')
    .map((s) => `${text(s.namespace)}/${text(s.name)}`)
  return [
    nameCell(object),
    `${text(role?.kind)}/${text(role?.name)}`,
    ageCell(object, now),
    named('User'),
    named('Group'),
    accounts.join(', '),
  ]
}

export function certificateRequestCells(object: KubeObject, now: number): Json[] {
  const spec = struct(object.spec)
  const expires = spec?.expirationSeconds
  return [
    nameCell(object),
    ageCell(object, now),
    orElse(spec?.signerName, '<none>'),
    text(spec?.username),
    typeof expires === 'number' ? humanDuration(expires * 1000) : '<none>',
    certificateStatus(object),
  ]
}

function certificateStatus(object: KubeObject): string {
  const status = struct(object.status)
  const has = (type: string) => items(status?.conditions).some((condition) => condition.type === type)
  const decided = has('Denied') ? 'Denied' : has('Approved') ? 'Approved' : 'Pending'
  return `${decided}${has('Failed') ? ',Failed' : ''}${text(status?.certificate) === '' ? '' : ',Issued'}`
}

export function webhookCells(object: KubeObject, now: number): Json[] {
  return [nameCell(object), size(object.webhooks), ageCell(object, now)]
}

export function admissionPolicyCells(object: KubeObject, now: number): Json[] {
  const spec = struct(object.spec)
  const kind = struct(spec?.paramKind)
  return [
    nameCell(object),
    size(spec?.validations ?? spec?.mutations),
    kind === undefined ? '<unset>' : `${text(kind.apiVersion)}/${text(kind.kind)}`,
    ageCell(object, now),
  ]
}

export function admissionPolicyBindingCells(object: KubeObject, now: number): Json[] {
  const spec = struct(object.spec)
  return [nameCell(object), text(spec?.policyName), paramText(spec?.paramRef), ageCell(object, now)]
}

/** A label selector as Go's `%v` prints a pointer to it. */
function goSelector(selector: JsonObject): string {
  const labels = entries(selector.matchLabels)
    .map(([key, value]) => `${key}: ${text(value)},`)
    .join('')
  const requirements = items(selector.matchExpressions)
    .map(({ key, operator, values }) => `{${text(key)} ${text(operator)} [${strings(values).join(' ')}]},`)
    .join('')
  return (
    `&LabelSelector{MatchLabels:map[string]string{${labels}},` +
    `MatchExpressions:[]LabelSelectorRequirement{${requirements}},}`
  )
}

function paramText(given: Json | undefined): string {
  const param = struct(given)
  const name = text(param?.name)
  if (name !== '') return `${orElse(param?.namespace, '*')}/${name}`
  return param?.selector === undefined ? '<unset>' : goSelector(struct(param.selector) ?? {})
}

export function priorityClassCells(object: KubeObject, now: number): Json[] {
  return [
    nameCell(object),
    int(object.value),
    object.globalDefault === true,
    ageCell(object, now),
    text(object.preemptionPolicy),
  ]
}

export function runtimeClassCells(object: KubeObject, now: number): Json[] {
  return [nameCell(object), text(object.handler), ageCell(object, now)]
}

export function apiServiceCells(object: KubeObject, now: number): Json[] {
  const service = struct(struct(object.spec)?.service)
  const available = items(struct(object.status)?.conditions).find((condition) => condition.type === 'Available')
  const status = text(available?.status)
  const reason = text(available?.reason)
  return [
    nameCell(object),
    service === undefined ? 'Local' : `${text(service.namespace)}/${text(service.name)}`,
    available === undefined ? 'Unknown' : status === 'True' || reason === '' ? status : `${status} (${reason})`,
    ageCell(object, now),
  ]
}

export function flowSchemaCells(object: KubeObject, now: number): Json[] {
  const spec = struct(object.spec)
  const dangling = items(struct(object.status)?.conditions).find((condition) => condition.type === 'Dangling')
  return [
    nameCell(object),
    text(struct(spec?.priorityLevelConfiguration)?.name),
    int(spec?.matchingPrecedence),
    spec?.distinguisherMethod === undefined ? '<none>' : text(struct(spec.distinguisherMethod)?.type),
    ageCell(object, now),
    dangling === undefined ? '?' : text(dangling.status),
  ]
}

export function priorityLevelCells(object: KubeObject, now: number): Json[] {
  const spec = struct(object.spec)
  const limited = struct(spec?.limited)
  const queuing = struct(struct(limited?.limitResponse)?.queuing)
  return [
    nameCell(object),
    text(spec?.type),
    limited === undefined ? '<none>' : int(limited.nominalConcurrencyShares),
    queuing === undefined ? '<none>' : int(queuing.queues),
    queuing === undefined ? '<none>' : int(queuing.handSize),
    queuing === undefined ? '<none>' : int(queuing.queueLengthLimit),
    ageCell(object, now),
  ]
}

export function resourceClaimCells(object: KubeObject, now: number): Json[] {
  const status = struct(object.status)
  const deleted = object.metadata.deletionTimestamp !== undefined
  const states = deleted ? ['deleted'] : []
  if (status?.allocation !== undefined) {
    states.push('allocated')
    if (size(status.reservedFor) > 0) states.push('reserved')
  } else if (!deleted) {
    states.push('pending')
  }
  return [nameCell(object), states.join(','), ageCell(object, now)]
}

export function resourceSliceCells(object: KubeObject, now: number): Json[] {
  const spec = struct(object.spec)
  return [
    nameCell(object),
    text(spec?.nodeName),
    text(spec?.driver),
    text(struct(spec?.pool)?.name),
    ageCell(object, now),
  ]
}
