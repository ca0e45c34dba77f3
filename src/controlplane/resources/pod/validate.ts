/** Validation of pods, for create and update: nearly all of a pod spec is immutable. */
import { fieldError, type FieldError } from '../../../api/field-error.ts'
import { ascendingKeys, equalJson, type JsonObject } from '../../../api/json.ts'
import { checkQualifiedName, checkSubdomain } from '../../../api/names.ts'
import type { KubeObject } from '../../../api/object.ts'
import { factOf } from '../../../api/recurring-part.ts'
import { checkImmutable, checkNonnegative, invalidStruct, reject } from '../shared/errors.ts'
import { inclusiveRange } from '../shared/formats.ts'
import { internalJson } from '../shared/internal-json.ts'
import { addressMessages, parseAddress } from '../shared/ip.ts'
import { checkImageWhitespace } from '../shared/pod-spec/containers.ts'
import { checkTolerations } from '../shared/pod-spec/scheduling.ts'
import { checkPodSpec } from '../shared/pod-spec/validate.ts'
import { unifiedDiff } from '../shared/unified-diff.ts'
import { firstByName, int, items, maybeInt, specOf, struct, text } from '../shared/values.ts'
import type { EmptyFields } from '../../../shape/empty-fields.ts'
import type { WriteContext } from '../../contract/resource.ts'

const maxInt32 = 2147483647

export function checkPod(
  errors: FieldError[],
  object: KubeObject,
  spec: JsonObject,
  empty: EmptyFields | undefined,
): void {
  if (factOf(spec, isFine) !== true) checkSpec(errors, spec, object.metadata.name ?? '', empty)
}

/** Whether a spec is valid in a pod of any name. Only the claims of ephemeral volumes depend on the name. */
function isFine(spec: JsonObject): boolean {
  if (items(spec.volumes).some(({ ephemeral }) => ephemeral !== undefined)) return false
  const errors: FieldError[] = []
  checkSpec(errors, spec, '')
  return errors.length === 0
}

function checkSpec(errors: FieldError[], spec: JsonObject, podName: string, empty?: EmptyFields): void {
  checkPodSpec(errors, 'spec', spec, podName, true, empty)
  if (text(spec.serviceAccountName) === '') {
    for (const [i, volume] of items(spec.volumes).entries()) {
      for (const [j, source] of items(struct(volume.projected)?.sources).entries()) {
        if (source.serviceAccountToken === undefined) continue
        const field = `spec.volumes[${i}].projected.sources[${j}].serviceAccountToken`
        errors.push(fieldError.forbidden(field, 'must not be specified when serviceAccountName is not set'))
      }
    }
  }
  for (const list of ['containers', 'initContainers'] as const) {
    for (const [i, container] of items(spec[list]).entries()) {
      checkImageWhitespace(errors, `spec.${list}[${i}]`, container)
    }
  }
}

export function validatePod(object: KubeObject, { decoded }: WriteContext): FieldError[] {
  const errors: FieldError[] = []
  const spec = specOf(object)
  checkPod(errors, object, spec, decoded?.empty)
  if (items(spec.ephemeralContainers).length > 0) {
    errors.push(fieldError.forbidden('spec.ephemeralContainers', 'cannot be set on create'))
  }
  if (text(spec.nodeName) !== '' && items(spec.schedulingGates).length > 0) {
    errors.push(fieldError.forbidden('spec.nodeName', 'cannot be set until all schedulingGates have been cleared'))
  }
  return errors
}

const updatable = [
  '`spec.containers[*].image`',
  '`spec.initContainers[*].image`',
  '`spec.activeDeadlineSeconds`',
  '`spec.tolerations` (only additions to existing tolerations)',
  '`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)',
].join(',')

export function validatePodUpdate(object: KubeObject, old: KubeObject, { decoded }: WriteContext): FieldError[] {
  const errors: FieldError[] = []
  const spec = specOf(object)
  const before = struct(old.spec) ?? {}
  checkPod(errors, object, spec, decoded?.empty)
  for (const list of ['containers', 'initContainers'] as const) {
    if (items(spec[list]).length !== items(before[list]).length) {
      errors.push(fieldError.forbidden(`spec.${list}`, 'pod updates may not add or remove containers'))
      return errors
    }
    for (const [i, container] of items(spec[list]).entries()) {
      if (text(container.image) === '') errors.push(fieldError.required(`spec.${list}[${i}].image`))
      checkImageWhitespace(errors, `spec.${list}[${i}]`, container)
    }
  }
  if (!checkDeadline(errors, spec, before)) return errors
  checkOnlyAddedTolerations(errors, spec, before)
  checkOnlyRemovedGates(errors, spec, before)
  if (equalJson(spec, before)) return errors
  const munged = withOldUpdatables(spec, before, decoded?.empty)
  if (!equalJson(munged, before)) {
    const difference = specDiff(before, munged, decoded?.empty)
    const message = `pod updates may not change fields other than ${updatable}\n${difference}`
    errors.push(fieldError.forbidden('spec', message))
  }
  return errors
}

/** False if no further checks make sense. */
function checkDeadline(errors: FieldError[], spec: JsonObject, before: JsonObject): boolean {
  const field = 'spec.activeDeadlineSeconds'
  const seconds = maybeInt(spec.activeDeadlineSeconds)
  const old = maybeInt(before.activeDeadlineSeconds)
  if (seconds === undefined) {
    if (old !== undefined) {
      errors.push(fieldError.invalid(field, null, 'must not update from a positive integer to nil value'))
    }
    return true
  }
  if (seconds < 0 || seconds > maxInt32) {
    errors.push(fieldError.invalid(field, seconds, inclusiveRange(0, maxInt32)))
    return false
  }
  if (old !== undefined && old < seconds) {
    errors.push(fieldError.invalid(field, seconds, 'must be less than or equal to previous value'))
    return false
  }
  return true
}

function checkOnlyAddedTolerations(errors: FieldError[], spec: JsonObject, before: JsonObject): void {
  const now = items(spec.tolerations)
  const kept = new Set(now.map(withoutSeconds))
  for (const old of items(before.tolerations)) {
    if (kept.has(withoutSeconds(old))) continue
    const message = 'existing toleration can not be modified except its tolerationSeconds'
    errors.push(fieldError.forbidden('spec.tolerations', message))
    return
  }
  checkTolerations(errors, 'spec.tolerations', now)
}

/** Identifies a toleration, whose fields are scalars, apart from its seconds. */
function withoutSeconds(toleration: JsonObject): string {
  const fields = ascendingKeys(toleration).filter((name) => name !== 'tolerationSeconds')
  return JSON.stringify(toleration, fields)
}

function checkOnlyRemovedGates(errors: FieldError[], spec: JsonObject, before: JsonObject): void {
  const known = new Set(items(before.schedulingGates).map((gate) => text(gate.name)))
  for (const [i, gate] of items(spec.schedulingGates).entries()) {
    const name = text(gate.name)
    if (known.has(name)) continue
    const message = `only deletion is allowed, but found new scheduling gate '${name}'`
    errors.push(fieldError.forbidden(`spec.schedulingGates[${i}].name`, message))
  }
}

/** The new spec with the old values of all mutable fields. */
function withOldUpdatables(spec: JsonObject, before: JsonObject, empty: EmptyFields | undefined): JsonObject {
  const munged: JsonObject = { ...spec }
  empty?.copy(munged, spec)
  for (const list of ['containers', 'initContainers'] as const) {
    if (munged[list] === undefined) continue
    const old = items(before[list])
    munged[list] = items(spec[list]).map((container, i) => {
      const changed = { ...container, image: text(old[i]?.image) }
      empty?.copy(changed, container)
      return changed
    })
  }
  const updatables = ['activeDeadlineSeconds', 'schedulingGates', 'tolerations']
  if (int(before.terminationGracePeriodSeconds) < 0 && spec.terminationGracePeriodSeconds === 1) {
    updatables.push('terminationGracePeriodSeconds')
  }
  // A pod with scheduling gates is not scheduled yet, so its node selector and affinity may still be narrowed.
  if (items(before.schedulingGates).length > 0) updatables.push('nodeSelector', 'affinity')
  for (const field of updatables) {
    const value = before[field]
    if (value === undefined) delete munged[field]
    else munged[field] = value
  }
  return munged
}

function specDiff(before: JsonObject, after: JsonObject, empty: EmptyFields | undefined): string {
  const show = (spec: JsonObject) => JSON.stringify(internalJson('PodSpec', spec, empty), undefined, 1)
  return unifiedDiff(show(before), show(after))
}

const systemConditions = new Set(['PodScheduled', 'Ready', 'Initialized'])

export function validatePodStatusUpdate(object: KubeObject, old: KubeObject): FieldError[] {
  const errors: FieldError[] = []
  const status = struct(object.status) ?? {}
  const before = struct(old.status) ?? {}
  for (const [i, condition] of items(status.conditions).entries()) {
    const field = `status.conditions[${i}]`
    checkNonnegative(errors, `${field}.observedGeneration`, condition.observedGeneration)
    const type = text(condition.type)
    if (!systemConditions.has(type)) reject(errors, `${field}.Type`, type, checkQualifiedName(type))
  }
  const nominated = text(status.nominatedNodeName)
  if (nominated !== text(before.nominatedNodeName) && nominated !== '') {
    reject(errors, 'status.nominatedNodeName', nominated, checkSubdomain(nominated))
    if (text(struct(old.spec)?.nodeName) !== '') {
      const message = 'may not be set on pods that are already bound to a node'
      errors.push(fieldError.forbidden('status.nominatedNodeName', message))
    }
  }
  checkObservedGeneration(errors, status)
  checkImmutable(errors, 'status.qosClass', text(status.qosClass), text(before.qosClass))
  checkTransitions(errors, status, before, struct(old.spec) ?? {})
  for (const list of ['podIPs', 'hostIPs'] as const) checkAddresses(errors, list, status, before)
  return errors
}

function checkObservedGeneration(errors: FieldError[], status: JsonObject): void {
  const generation = int(status.observedGeneration)
  if (generation >= 0) return
  errors.push(fieldError.invalid('status.observedGeneration', generation, 'must be a non-negative integer'))
}

function checkAddresses(
  errors: FieldError[],
  list: 'podIPs' | 'hostIPs',
  status: JsonObject,
  before: JsonObject,
): void {
  const field = `status.${list}`
  const entries = items(status[list])
  const first = entries[0]
  if (first === undefined) return
  if (list === 'hostIPs' && text(status.hostIP) !== text(first.ip)) {
    errors.push(fieldError.invalid(`${field}[0].ip`, text(first.ip), 'must be equal to `hostIP`'))
  }
  const known = new Set(items(before[list]).map((entry) => text(entry.ip)))
  for (const [i, entry] of entries.entries()) {
    const ip = text(entry.ip)
    if (!known.has(ip)) reject(errors, `${field}[${i}]`, ip, addressMessages(ip))
  }
  const families = entries.map((entry) => parseAddress(text(entry.ip))?.family)
  const unread = families.indexOf(undefined)
  if (entries.length > 1 && unread >= 0) {
    errors.push(
      fieldError.internal(
        field,
        `failed to check for dual stack with error:invalid IP[${unread}]: ${text(entries[unread]?.ip)}`,
      ),
    )
  }
  if (entries.length > 1 && (unread >= 0 || entries.length > new Set(families).size)) {
    const shown = entries.map((entry) => ({ IP: text(entry.ip) }))
    errors.push(invalidStruct(field, shown, 'may specify no more than one IP for each IP family'))
  }
}

/** A terminated container must stay terminated, unless its restart policy restarts it. */
function checkTransitions(errors: FieldError[], status: JsonObject, before: JsonObject, spec: JsonObject): void {
  for (const [list, specs] of [
    ['containerStatuses', 'containers'],
    ['initContainerStatuses', 'initContainers'],
  ] as const) {
    const statuses = firstByName(items(status[list]))
    const containers = firstByName(items(spec[specs]))
    for (const [i, old] of items(before[list]).entries()) {
      const terminated = struct(struct(old.state)?.terminated)
      if (terminated === undefined) continue
      const now = statuses.get(text(old.name))
      if (now === undefined || struct(now.state)?.terminated !== undefined) continue
      const container = containers.get(text(old.name))
      if (restartsAfter(container, text(spec.restartPolicy), int(terminated.exitCode))) continue
      const message = 'may not be transitioned to non-terminated state'
      errors.push(fieldError.forbidden(`status.${list}[${i}].state`, message))
    }
  }
}

/** By the container's own rules and policy, otherwise by the policy of the pod. */
function restartsAfter(container: JsonObject | undefined, podPolicy: string, exitCode: number): boolean {
  const own = text(container?.restartPolicy)
  const isNamed = ({ exitCodes }: JsonObject): boolean => {
    const codes = struct(exitCodes)
    if (codes === undefined) return false
    return (Array.isArray(codes.values) && codes.values.includes(exitCode)) === (text(codes.operator) === 'In')
  }
  if (own !== '' && items(container?.restartPolicyRules).some(isNamed)) return true
  const policy = own || podPolicy
  return policy === 'Always' || (policy === 'OnFailure' && exitCode !== 0)
}
