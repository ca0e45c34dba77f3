/** ResourceClaim, ResourceClaimTemplate and DeviceClass. */
import { fieldError, type FieldError } from '../../../api/field-error.ts'
import { ascendingKeys, type JsonObject } from '../../../api/json.ts'
import { validateAnnotations } from '../../../api/object-meta.ts'
import { validateLabels } from '../../../api/label-selector-object.ts'
import { checkLabel, checkSubdomain } from '../../../api/names.ts'
import type { KubeObject } from '../../../api/object.ts'
import type { WriteContext } from '../../contract/resource.ts'
import { metadataMark } from '../../contract/resource.ts'
import type { KindStrategy } from '../kind-strategy.ts'
import { invalidStruct, reject, sameMeaning } from '../shared/errors.ts'
import { internalJson } from '../shared/internal-json.ts'
import { checkNodeSelector } from '../shared/pod-spec/affinity.ts'
import { checkDriverName } from '../shared/pod-spec/volumes.ts'
import { entry, items, specOf, strings, struct, text } from '../shared/values.ts'
import { checkConfiguration, checkList, checkPoolName, checkRequestName, checkRequestNames, checkSet } from './lists.ts'
import { checkSelectors } from './selectors.ts'
import { checkAdminAccess, checkDeviceRequests, defaultDevices, dropLaterFields, requestNames } from './spec.ts'

const maxConsumers = 256
const maxResults = 32
const maxConfigurations = 32

const devicesOf = (spec: JsonObject | undefined): JsonObject => struct(spec?.devices) ?? {}

function validateStatusUpdate(object: KubeObject, old: KubeObject, { decoded }: WriteContext): FieldError[] {
  const errors: FieldError[] = []
  const status = struct(object.status) ?? {}
  const before = struct(old.status) ?? {}
  const consumers = items(status.reservedFor)
  checkSet(
    errors,
    'status.reservedFor',
    consumers,
    maxConsumers,
    (consumer, at) => {
      for (const field of ['resource', 'name', 'uid'] as const) {
        if (text(consumer[field]) === '') errors.push(fieldError.required(`${at}.${field}`))
      }
    },
    ({ uid }) => text(uid),
  )
  const allocation = struct(status.allocation)
  if (consumers.length > 0 && allocation === undefined) {
    errors.push(fieldError.forbidden('status.reservedFor', 'may not be specified when `allocated` is not set'))
  } else if (object.metadata.deletionTimestamp !== undefined) {
    const identity = (consumer: JsonObject) => JSON.stringify(consumer, ascendingKeys(consumer))
    const known = new Set(items(before.reservedFor).map(identity))
    if (consumers.some((consumer) => !known.has(identity(consumer)))) {
      const message = 'new entries may not be added while `deallocationRequested` or `deletionTimestamp` are set'
      errors.push(fieldError.forbidden('status.reservedFor', message))
    }
  }
  if (allocation === undefined) return errors
  if (before.allocation === undefined) checkAllocation(errors, object, allocation)
  else if (!sameMeaning(allocation, before.allocation)) {
    const shown = internalJson('AllocationResult', allocation, decoded?.empty)
    errors.push(invalidStruct('status.allocation', shown, 'field is immutable'))
  }
  return errors
}

function checkAllocation(errors: FieldError[], object: KubeObject, allocation: JsonObject): void {
  const names = requestNames(devicesOf(struct(object.spec)))
  const devices = devicesOf(allocation)
  const field = 'status.allocation.devices'
  checkList(errors, `${field}.results`, items(devices.results), maxResults, (result, at) => {
    checkRequestName(errors, `${at}.request`, text(result.request), names)
    checkDriverName(errors, `${at}.driver`, text(result.driver))
    checkPoolName(errors, `${at}.pool`, text(result.pool), checkSubdomain)
    reject(errors, `${at}.device`, text(result.device), checkLabel(text(result.device)))
  })
  checkList(errors, `${field}.config`, items(devices.config), 2 * maxConfigurations, (config, at) => {
    const source = text(config.source)
    const sources = ['FromClaim', 'FromClass']
    if (source === '') errors.push(fieldError.required(`${at}.source`))
    else if (!sources.includes(source)) errors.push(fieldError.notSupported(`${at}.source`, source, sources))
    checkRequestNames(errors, `${at}.requests`, strings(config.requests), names)
    checkConfiguration(errors, at, config)
  })
  const selector = struct(allocation.nodeSelector)
  if (selector !== undefined) checkNodeSelector(errors, 'status.allocation.nodeSelector', selector)
}

function mayLookInto(context: WriteContext): boolean {
  const labels = context.lookup('', 'namespaces', '', context.namespace)?.metadata.labels
  return labels !== undefined && entry(labels, 'resource.kubernetes.io/admin-access') === 'true'
}

export const resourceClaim: KindStrategy = {
  default: (object) => defaultDevices(devicesOf(struct(object.spec))),
  prepareForCreate: (object) => dropLaterFields(devicesOf(struct(object.spec))),
  prepareForUpdate: (object) => dropLaterFields(devicesOf(struct(object.spec))),
  validate: (object, context) => {
    const errors: FieldError[] = []
    checkAdminAccess(errors, 'spec.devices', devicesOf(specOf(object)), () => mayLookInto(context))
    checkDeviceRequests(errors, 'spec.devices', devicesOf(specOf(object)))
    return errors
  },
  validateUpdate: (object, old, { decoded }) =>
    sameMeaning(object.spec, old.spec)
      ? []
      : [
          invalidStruct(
            'spec',
            internalJson('ResourceClaimSpec', specOf(object), decoded?.empty),
            'field is immutable',
          ),
        ],
  validateStatusUpdate,
}

function validateTemplate(object: KubeObject): FieldError[] {
  const spec = specOf(object)
  const metadata = struct(spec.metadata) as KubeObject['metadata'] | undefined
  const errors = [
    ...validateAnnotations(metadata?.annotations ?? {}, 'spec.metadata.annotations'),
    ...validateLabels(metadata?.labels, 'spec.metadata.labels'),
  ]
  checkDeviceRequests(errors, 'spec.spec.devices', devicesOf(struct(spec.spec)))
  return errors
}

export const resourceClaimTemplate: KindStrategy = {
  default: (object) => defaultDevices(devicesOf(struct(struct(object.spec)?.spec))),
  prepareForCreate: (object) => dropLaterFields(devicesOf(struct(struct(object.spec)?.spec))),
  prepareForUpdate: (object) => dropLaterFields(devicesOf(struct(struct(object.spec)?.spec))),
  validate: validateTemplate,
  validateUpdate: (object, old, { decoded }) => {
    const errors: FieldError[] = [...validateTemplate(object), metadataMark('change')]
    if (!sameMeaning(object.spec, old.spec)) {
      const shown = internalJson('ResourceClaimTemplateSpec', specOf(object), decoded?.empty)
      errors.push(invalidStruct('spec', shown, 'field is immutable'))
    }
    return errors
  },
}

function validateClass(object: KubeObject): FieldError[] {
  const errors: FieldError[] = []
  const spec = specOf(object)
  checkSelectors(errors, 'spec.selectors', items(spec.selectors))
  checkList(errors, 'spec.config', items(spec.config), maxConfigurations, (config, at) =>
    checkConfiguration(errors, at, config),
  )
  return errors
}

function dropClassFields(object: KubeObject): void {
  delete specOf(object).extendedResourceName
}

export const deviceClass: KindStrategy = {
  prepareForCreate: dropClassFields,
  prepareForUpdate: dropClassFields,
  validate: validateClass,
  validateUpdate: validateClass,
}
