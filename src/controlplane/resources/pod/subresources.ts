/** The pod subresources `ephemeralcontainers` and `resize`: what they may change. */
import { fieldError, type FieldError } from '../../../api/field-error.ts'
import { equalJson, type Json, type JsonObject } from '../../../api/json.ts'
import type { KubeObject, ObjectMeta } from '../../../api/object.ts'
import type { SubresourceStrategy } from '../../contract/resource.ts'
import { internalJson } from '../shared/internal-json.ts'
import { unifiedDiff } from '../shared/unified-diff.ts'
import { entries, firstByName, items, specOf, struct, text } from '../shared/values.ts'
import { qosClass } from '../shared/qos.ts'
import { checkPod } from './validate.ts'

const keptMetadata = ['labels', 'annotations', 'ownerReferences', 'finalizers', 'deletionTimestamp'] as const
const mirror = 'kubernetes.io/config.mirror'

/** Restores everything but the spec. */
function restoreAllButSpec(object: KubeObject, old: KubeObject): void {
  restore(object, old, 'status')
  for (const field of keptMetadata) restore(object.metadata, old.metadata, field)
}

function restore(object: JsonObject, old: JsonObject, field: string): void {
  const value = old[field]
  if (value === undefined) delete object[field]
  else object[field] = value
}

function isStatic({ annotations }: ObjectMeta): boolean {
  return annotations !== undefined && Object.hasOwn(annotations, mirror)
}

const statusOnly = [['status']]

const ephemeralContainers: SubresourceStrategy = {
  countsGeneration: true,
  resetPaths: statusOnly,
  metadataSteps: ['change', 'full', 'own'],
  prepare(object, old) {
    const debug = struct(object.spec)?.ephemeralContainers
    restoreAllButSpec(object, old)
    const spec: JsonObject = { ...struct(old.spec) }
    if (debug === undefined) delete spec.ephemeralContainers
    else spec.ephemeralContainers = debug
    object.spec = spec
  },
  validate(object, old, { decoded }) {
    if (isStatic(old.metadata)) return [fieldError.forbidden('', 'static pods do not support ephemeral containers')]
    const errors: FieldError[] = []
    const spec = specOf(object)
    checkPod(errors, object, spec, decoded?.empty)
    const field = 'spec.ephemeralContainers'
    const present = firstByName(items(spec.ephemeralContainers))
    for (const before of items(struct(old.spec)?.ephemeralContainers)) {
      const name = text(before.name)
      const now = present.get(name)
      if (now === undefined) {
        errors.push(
          fieldError.forbidden(field, `existing ephemeral containers ${JSON.stringify(name)} may not be removed\n`),
        )
      } else if (!equalJson(now, before)) {
        const show = (container: JsonObject) =>
          JSON.stringify(internalJson('EphemeralContainer', container, decoded?.empty), undefined, 1)
        const diff = unifiedDiff(show(before), show(now))
        errors.push(
          fieldError.forbidden(
            field,
            `existing ephemeral containers ${JSON.stringify(name)} may not be changed\n${diff}`,
          ),
        )
      }
    }
    return errors
  },
}

const lists = ['containers', 'initContainers'] as const

const resize: SubresourceStrategy = {
  countsGeneration: true,
  resetPaths: statusOnly,
  metadataSteps: ['change', 'full', 'own'],
  prepare(object, old) {
    const spec = struct(object.spec) ?? {}
    const before = struct(old.spec) ?? {}
    if (lists.some((list) => items(spec[list]).length !== items(before[list]).length)) return
    const next: JsonObject = { ...before }
    for (const list of lists)
      if (spec[list] !== undefined) next[list] = withResources(items(spec[list]), items(before[list]))
    restoreAllButSpec(object, old)
    object.spec = next
  },
  validate(object, old, { decoded }) {
    const errors: FieldError[] = []
    const spec = specOf(object)
    const before = struct(old.spec) ?? {}
    if (isStatic(old.metadata)) return [fieldError.forbidden('', 'static pods cannot be resized')]
    if (text(struct(before.os)?.name) === 'windows') return [fieldError.forbidden('', 'windows pods cannot be resized')]
    checkPod(errors, object, spec, decoded?.empty)
    const quality = text(struct(old.status)?.qosClass) || qosClass(before)
    if (quality !== qosClass(spec)) {
      errors.push(fieldError.invalid('spec', quality, 'Pod QOS Class may not change as a result of resizing'))
    }
    const running = items(struct(old.status)?.containerStatuses).find(
      ({ state }) => struct(struct(state)?.running) !== undefined,
    )
    if (running !== undefined && running.resources === undefined) {
      errors.push(fieldError.forbidden('spec', 'Pod running on node without support for resize'))
    }
    if (hasPodResources(spec) || hasPodResources(before)) {
      const gate = 'InPlacePodLevelResourcesVerticalScalingEnabled'
      errors.push(
        fieldError.forbidden(
          '',
          `resize of pods with pod-level resources is forbidden when ${gate} feature gate is disabled`,
        ),
      )
      return errors
    }
    if (checkOrder(errors, spec, before)) checkResources(errors, spec, before)
    return errors
  },
}

/** The old containers with the new resources; the new ones if they are not the same containers. */
function withResources(now: readonly JsonObject[], before: readonly JsonObject[]): JsonObject[] {
  if (now.some((container, i) => text(container.name) !== text(before[i]?.name))) return [...now]
  return now.map((container, i) => {
    const next: JsonObject = { ...before[i] }
    for (const field of ['resources', 'resizePolicy']) restore(next, container, field)
    return next
  })
}

function hasPodResources(spec: JsonObject): boolean {
  const resources = struct(spec.resources)
  return entries(resources?.requests).length + entries(resources?.limits).length > 0
}

/** False if the containers are not the same in the same order. */
function checkOrder(errors: FieldError[], spec: JsonObject, before: JsonObject): boolean {
  const known = errors.length
  for (const list of lists) {
    const now = items(spec[list])
    const old = items(before[list])
    if (now.length !== old.length) {
      errors.push(fieldError.forbidden(`spec.${list}`, `${list} may not be added or removed on resize`))
      continue
    }
    for (const [i, container] of old.entries()) {
      if (text(now[i]?.name) === text(container.name)) continue
      errors.push(fieldError.forbidden(`spec.${list}[${i}].name`, `${list} may not be renamed or reordered on resize`))
    }
  }
  return errors.length === known
}

const isSidecar = (container: JsonObject | undefined): boolean => container?.restartPolicy === 'Always'

function checkResources(errors: FieldError[], spec: JsonObject, before: JsonObject): void {
  for (const list of ['initContainers', 'containers'] as const) {
    const now = items(spec[list])
    for (const [i, old] of items(before[list]).entries()) {
      if (list === 'initContainers' && !isSidecar(old)) continue
      for (const part of ['requests', 'limits'] as const) {
        if (!isRemoved(struct(now[i]?.resources)?.[part], struct(old.resources)?.[part])) continue
        errors.push(fieldError.forbidden(`spec.${list}[${i}].resources.${part}`, `resource ${part} cannot be removed`))
      }
    }
  }
  for (const list of lists) {
    const old = items(before[list])
    for (const [i, container] of items(spec[list]).entries()) {
      const isFixed = list === 'initContainers' && !isSidecar(container)
      const masked = isFixed ? container : withOldAmounts(container, old[i] ?? {})
      if (equalJson(masked, old[i])) continue
      const what = isFixed
        ? 'resources for non-sidecar init containers are immutable'
        : list === 'containers'
          ? 'only cpu and memory resources are mutable'
          : 'only cpu and memory resources for sidecar containers are mutable'
      errors.push(fieldError.forbidden('spec', what))
    }
  }
}

function isRemoved(now: Json | undefined, old: Json | undefined): boolean {
  const present = new Set(entries(now).map(([name]) => name))
  return entries(old).some(([name]) => !present.has(name))
}

/** The container with its old CPU and memory. */
function withOldAmounts(container: JsonObject, old: JsonObject): JsonObject {
  const resources: JsonObject = {}
  for (const part of ['limits', 'requests'] as const) {
    const kept: JsonObject = Object.fromEntries(entries(struct(container.resources)?.[part]))
    for (const name of ['cpu', 'memory']) {
      const amount = entries(struct(old.resources)?.[part]).find(([known]) => known === name)?.[1]
      if (amount === undefined) delete kept[name]
      else kept[name] = amount
    }
    if (Object.keys(kept).length > 0) resources[part] = kept
  }
  return { ...container, resources }
}

export const podSubresources: Readonly<Record<string, SubresourceStrategy>> = {
  ephemeralcontainers: ephemeralContainers,
  resize,
}
