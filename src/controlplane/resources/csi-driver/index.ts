/** CSIDriver, CSINode, CSIStorageCapacity and VolumeAttachment. */
import { fieldError, type FieldError } from '../../../api/field-error.ts'
import { equalJson } from '../../../api/json.ts'
import { checkQualifiedName, checkSubdomain } from '../../../api/names.ts'
import type { KubeObject } from '../../../api/object.ts'
import { metadataMark } from '../../contract/resource.ts'
import type { KindStrategy } from '../kind-strategy.ts'
import { checkInlineVolume } from '../persistent-volume/spec.ts'
import {
  checkImmutable,
  checkNonnegative,
  checkSupported,
  invalidStruct,
  reject,
  sameMeaning,
} from '../shared/errors.ts'
import { inclusiveRange, mustBeNonnegative } from '../shared/formats.ts'
import { internalJson } from '../shared/internal-json.ts'
import { checkLabelSelector } from '../shared/label-selector.ts'
import { deprecatedLabel, expressionWarnings } from '../shared/node-labels.ts'
import { checkDriverName } from '../shared/pod-spec/volumes.ts'
import {
  entries,
  fill,
  items,
  maybeInt,
  nullWhenEmpty,
  size,
  specOf,
  strings,
  struct,
  structOf,
  text,
} from '../shared/values.ts'

function setDefaults(object: KubeObject): void {
  const spec = specOf(object)
  fill(spec, 'attachRequired', true)
  for (const field of ['podInfoOnMount', 'storageCapacity', 'requiresRepublish', 'seLinuxMount'] as const) {
    fill(spec, field, false)
  }
  fill(spec, 'fsGroupPolicy', 'ReadWriteOnceWithFSType')
  if (size(spec.volumeLifecycleModes) === 0) spec.volumeLifecycleModes = ['Persistent']
}

function validateDriver(object: KubeObject): FieldError[] {
  const errors: FieldError[] = []
  const spec = specOf(object)
  checkSupported(errors, 'spec.fsGroupPolicy', text(spec.fsGroupPolicy), ['File', 'None', 'ReadWriteOnceWithFSType'])
  const audiences = new Set<string>()
  for (const [i, request] of items(spec.tokenRequests).entries()) {
    const audience = text(request.audience)
    if (audiences.has(audience)) {
      errors.push(fieldError.duplicate(`spec.tokenRequests[${i}].audience`, audience))
    }
    audiences.add(audience)
    const seconds = maybeInt(request.expirationSeconds)
    if (seconds !== undefined && seconds < 600) {
      const field = `spec.tokenRequests[${i}].expirationSeconds`
      errors.push(fieldError.invalid(field, seconds, 'may not specify a duration less than 10 minutes'))
    }
  }
  for (const mode of strings(spec.volumeLifecycleModes)) {
    checkSupported(errors, 'spec.volumeLifecycleModes', mode, ['Persistent', 'Ephemeral'])
  }
  const period = maybeInt(spec.nodeAllocatableUpdatePeriodSeconds)
  if (period !== undefined && period < 10) {
    const message = 'must be greater than or equal to 10 seconds'
    errors.push(fieldError.invalid('spec.nodeAllocatableUpdatePeriodSeconds', period, message))
  }
  return errors
}

const tokenWarning =
  'spec.serviceAccountTokenInSecrets is unset; if supported by this CSI driver, set to true to prevent ' +
  'possible logging of tokens ' +
  'in volume attributes'

function warnings(object: KubeObject, old: KubeObject | undefined): string[] {
  const { tokenRequests, serviceAccountTokenInSecrets } = specOf(object)
  if (items(tokenRequests).length === 0 || serviceAccountTokenInSecrets !== undefined) return []
  return old !== undefined && equalJson(tokenRequests, struct(old.spec)?.tokenRequests) ? [] : [tokenWarning]
}

export const csiDriver: KindStrategy = {
  generation: (object, old) => !equalJson(object.spec, old.spec),
  warnings,
  default: setDefaults,
  validate: validateDriver,
  validateUpdate: (object, old) => {
    const errors = validateDriver(object)
    const spec = specOf(object)
    const before = struct(old.spec) ?? {}
    checkImmutable(errors, 'spec.attachedRequired', spec.attachRequired, before.attachRequired)
    checkImmutable(errors, 'spec.volumeLifecycleModes', spec.volumeLifecycleModes, before.volumeLifecycleModes)
    return errors
  },
}

const maxNodeIdLength = 256

function checkNodeId(errors: FieldError[], field: string, id: string): void {
  if (id === '') errors.push(fieldError.required(field))
  if (Buffer.byteLength(id) > maxNodeIdLength)
    errors.push(fieldError.invalid(field, id, `must be ${maxNodeIdLength} characters or less`))
}

function validateNode(object: KubeObject): FieldError[] {
  const errors: FieldError[] = []
  const names = new Set<string>()
  for (const [i, driver] of items(specOf(object).drivers).entries()) {
    const field = `spec.drivers[${i}]`
    const name = text(driver.name)
    checkDriverName(errors, `${field}.name`, name)
    checkNodeId(errors, `${field}.nodeID`, text(driver.nodeID))
    checkNonnegative(errors, `${field}.allocatable.count`, struct(driver.allocatable)?.count)
    if (names.has(name)) errors.push(fieldError.duplicate(`${field}.name`, name))
    names.add(name)
    const keys = new Set<string>()
    for (const key of strings(driver.topologyKeys)) {
      if (key === '') errors.push(fieldError.required(field))
      if (keys.has(key)) errors.push(fieldError.duplicate(field, key))
      keys.add(key)
      reject(errors, field, key, checkQualifiedName(key))
    }
  }
  return errors
}

function prepareNode(object: KubeObject): void {
  nullWhenEmpty(specOf(object), 'drivers')
}

export const csiNode: KindStrategy = {
  prepareForCreate: prepareNode,
  prepareForUpdate: prepareNode,
  validate: validateNode,
  validateUpdate: (object, old, context) => {
    // Upstream validates an updated node twice.
    const errors: FieldError[] = [...validateNode(object), metadataMark('full'), ...validateNode(object)]
    const drivers = items(specOf(object).drivers)
    for (const before of items(struct(old.spec)?.drivers)) {
      for (const driver of drivers) {
        if (text(driver.name) !== text(before.name)) continue
        const { allocatable: _, ...now } = driver
        const { allocatable: __, ...was } = before
        if (equalJson(now, was)) continue
        const shown = internalJson('CSINodeDriver', now, context.decoded?.empty)
        errors.push(invalidStruct('spec.drivers', shown, 'field is immutable'))
      }
    }
    return errors
  },
}

function validateCapacity(object: KubeObject): FieldError[] {
  const errors: FieldError[] = []
  checkLabelSelector(errors, 'nodeTopology', object.nodeTopology)
  const name = text(object.storageClassName)
  reject(errors, 'storageClassName', name, checkSubdomain(name))
  const capacity = text(object.capacity)
  if (capacity.startsWith('-')) errors.push(fieldError.invalid('capacity', capacity, mustBeNonnegative))
  return errors
}

export const csiStorageCapacity: KindStrategy = {
  validate: validateCapacity,
  validateUpdate: (object, old) => {
    const errors: FieldError[] = [...validateCapacity(object), metadataMark('change')]
    checkImmutable(errors, 'nodeTopology', object.nodeTopology, old.nodeTopology)
    checkImmutable(errors, 'storageClassName', text(object.storageClassName), text(old.storageClassName))
    return errors
  },
  warnings: ({ nodeTopology }) => [
    ...expressionWarnings('nodeTopology', struct(nodeTopology)?.matchExpressions),
    ...entries(struct(nodeTopology)?.matchLabels).flatMap(([key]) => {
      const message = deprecatedLabel(key)
      return message === undefined ? [] : [`nodeTopology.matchLabels.${key}: ${message}`]
    }),
  ],
}

function validateAttachment(object: KubeObject): FieldError[] {
  const errors: FieldError[] = []
  const spec = specOf(object)
  const attacher = text(spec.attacher)
  if (attacher === '') errors.push(fieldError.required('spec.attacher'))
  const source = struct(spec.source) ?? {}
  const message = 'must specify exactly one of inlineVolumeSpec and persistentVolumeName'
  const name = source.persistentVolumeName
  if (source.inlineVolumeSpec === undefined && name === undefined) {
    errors.push(fieldError.required('spec.source', message))
  } else if (source.inlineVolumeSpec !== undefined && name !== undefined) {
    errors.push(fieldError.forbidden('spec.source', message))
  } else if (name === '') {
    const detail = 'must specify non empty persistentVolumeName'
    errors.push(fieldError.required('spec.source.persistentVolumeName', detail))
  } else if (name === undefined) {
    checkInlineVolume(errors, 'spec.source.inlineVolumeSpec', structOf(source, 'inlineVolumeSpec'))
  }
  reject(errors, 'spec.nodeName', text(spec.nodeName), checkSubdomain(text(spec.nodeName)))
  checkAttachmentStatus(errors, object)
  return errors
}

/** In spec and status: upstream's limit is 1 KiB, though its message says 256 KiB. */
const maxErrorMessageLength = 1024
const reportedLimitBytes = 256 * 1024

function checkAttachmentStatus(errors: FieldError[], object: KubeObject): void {
  const status = struct(object.status)
  for (const name of ['attachError', 'detachError'] as const) {
    const error = struct(status?.[name])
    if (Buffer.byteLength(text(error?.message)) > maxErrorMessageLength)
      errors.push(fieldError.tooLong(`status.${name}.message`, reportedLimitBytes))
    const code = maybeInt(error?.errorCode)
    if (code !== undefined && code < 0)
      errors.push(fieldError.invalid(`status.${name}.errorCode`, code, inclusiveRange(0, 2147483647)))
  }
}

export const volumeAttachment: KindStrategy = {
  validate: (object) => {
    const errors = validateAttachment(object)
    checkDriverName(errors, 'spec.attacher', text(specOf(object).attacher))
    const volume = struct(specOf(object).source)?.persistentVolumeName
    if (volume !== undefined) {
      reject(errors, 'spec.source.persistentVolumeName', volume, checkSubdomain(text(volume)))
    }
    return errors
  },
  validateUpdate: (object, old, { decoded }) => {
    const errors = validateAttachment(object)
    if (!sameMeaning(object.spec, old.spec)) {
      const shown = internalJson('VolumeAttachmentSpec', specOf(object), decoded?.empty)
      errors.push(invalidStruct('spec', shown, 'field is immutable'))
    }
    return errors
  },
  validateStatusUpdate: (object, old) => {
    const errors = validateAttachment(object)
    if (!equalJson(object.spec, old.spec)) errors.push(invalidStruct('spec', object.spec, 'field is immutable'))
    return errors
  },
}
