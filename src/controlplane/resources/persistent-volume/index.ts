/** PersistentVolume: where its data is does not change. */
import { fieldError, type FieldError } from '../../../api/field-error.ts'
import { equalJson, type JsonObject } from '../../../api/json.ts'
import { checkSubdomain } from '../../../api/names.ts'
import type { KubeObject } from '../../../api/object.ts'
import { timestamp } from '../../../env/env.ts'
import type { WriteContext } from '../../registry/resource.ts'
import type { KindRules } from '../kind-rules.ts'
import { checkImmutable, checkSupported, invalidStruct, notSupportedStruct, reject } from '../shared/errors.ts'
import { mustBePositive } from '../shared/formats.ts'
import { internalJson } from '../shared/internal-json.ts'
import { checkNoBackstep } from '../shared/paths.ts'
import { checkNodeSelector } from '../shared/pod-spec/affinity.ts'
import { checkFc, checkIscsi } from '../shared/pod-spec/block-volumes.ts'
import { checkAccessModes, volumeModes } from '../shared/pod-spec/claim-template.ts'
import { defaultVolumeSource } from '../shared/pod-spec/defaults.ts'
import { checkDriverName, checkHostPath, checkNfs } from '../shared/pod-spec/volumes.ts'
import { checkBasicQuantity } from '../shared/quantities.ts'
import { unifiedDiff } from '../shared/unified-diff.ts'
import { entries, fill, fillZero, size, specOf, strings, struct, structOf, text } from '../shared/values.ts'

/** In upstream's order, with the fields that each must have. */
const sources: readonly (readonly [name: string, required: readonly string[]])[] = [
  ['hostPath', []],
  ['gcePersistentDisk', ['pdName']],
  ['awsElasticBlockStore', ['volumeID']],
  ['glusterfs', ['endpoints', 'path']],
  ['flocker', []],
  ['nfs', []],
  ['rbd', ['monitors', 'image']],
  ['quobyte', ['registry', 'volume']],
  ['cephfs', ['monitors']],
  ['iscsi', []],
  ['cinder', ['volumeID']],
  ['fc', []],
  ['flexVolume', ['driver']],
  ['azureFile', ['secretName', 'shareName']],
  ['vsphereVolume', ['volumePath']],
  ['photonPersistentDisk', ['pdID']],
  ['portworxVolume', ['volumeID']],
  ['azureDisk', ['diskName', 'diskURI']],
  ['scaleIO', ['gateway', 'system', 'volumeName']],
  ['local', ['path']],
  ['storageos', []],
  ['csi', ['volumeHandle']],
]

const checks: Readonly<
  Record<string, ((errors: FieldError[], field: string, source: JsonObject) => void) | undefined>
> = {
  hostPath: checkHostPath,
  nfs: checkNfs,
  iscsi: checkIscsi,
  fc: checkFc,
}

function setDefaults(object: KubeObject): void {
  const spec = specOf(object)
  fillZero(structOf(object as unknown as JsonObject, 'status'), 'phase', 'Pending')
  fillZero(spec, 'persistentVolumeReclaimPolicy', 'Retain')
  fill(spec, 'volumeMode', 'Filesystem')
  defaultVolumeSource(spec)
}

function prepareForCreate(object: KubeObject, context: WriteContext): void {
  object.status = { phase: 'Pending', lastPhaseTransitionTime: timestamp(context.env.now()) }
}

function prepareForStatusUpdate(object: KubeObject, old: KubeObject, context: WriteContext): void {
  const status = structOf(object as unknown as JsonObject, 'status')
  const before = struct(old.status) ?? {}
  const time = status.lastPhaseTransitionTime
  if (status.phase === before.phase) {
    const last = before.lastPhaseTransitionTime
    if (time === undefined && last !== undefined) status.lastPhaseTransitionTime = last
  } else if (time === undefined || time === before.lastPhaseTransitionTime) {
    status.lastPhaseTransitionTime = timestamp(context.env.now())
  }
}

function validate(object: KubeObject): FieldError[] {
  const errors: FieldError[] = []
  const spec = specOf(object)
  const modes = strings(spec.accessModes)
  if (modes.length === 0) errors.push(fieldError.required('spec.accessModes'))
  checkAccessModes(errors, 'spec.accessModes', modes)
  checkCapacity(errors, spec)
  const policies = ['Delete', 'Recycle', 'Retain']
  checkSupported(
    errors,
    'spec.persistentVolumeReclaimPolicy',
    text(spec.persistentVolumeReclaimPolicy),
    policies,
  )
  const affinity = struct(spec.nodeAffinity)
  if (affinity !== undefined) {
    const required = struct(affinity.required)
    if (required !== undefined) checkNodeSelector(errors, 'spec.nodeAffinity.required', required)
    else {
      errors.push(fieldError.required('spec.nodeAffinity.required', 'must specify required node constraints'))
    }
  }
  checkSources(errors, spec, affinity !== undefined)
  const className = text(spec.storageClassName)
  if (className !== '') reject(errors, 'spec.storageClassName', className, checkSubdomain(className))
  if (spec.volumeMode !== undefined) {
    checkSupported(errors, 'spec.volumeMode', text(spec.volumeMode), volumeModes)
  }
  checkAttributesClass(errors, spec)
  return errors
}

function checkAttributesClass(errors: FieldError[], spec: JsonObject): void {
  if (spec.volumeAttributesClassName === undefined) return
  const field = 'spec.volumeAttributesClassName'
  const name = text(spec.volumeAttributesClassName)
  if (name === '') errors.push(fieldError.required(field, 'an empty string is disallowed'))
  else reject(errors, field, name, checkSubdomain(name))
  if (spec.csi === undefined) {
    errors.push(fieldError.required('spec.csi', 'has to be specified when using volumeAttributesClassName'))
  }
}

function checkCapacity(errors: FieldError[], spec: JsonObject): void {
  const capacity = struct(spec.capacity)
  if (size(capacity) === 0) errors.push(fieldError.required('spec.capacity'))
  if (capacity === undefined || !Object.hasOwn(capacity, 'storage') || size(capacity) > 1) {
    errors.push(notSupportedStruct('spec.capacity', capacity ?? null, ['storage']))
  }
  for (const [name, quantity] of entries(capacity)) {
    const given = text(quantity)
    checkBasicQuantity(errors, `spec.capacity[${name}]`, given)
    if (given === '0' || given.startsWith('-')) {
      errors.push(fieldError.invalid(`spec.capacity[${name}]`, given, mustBePositive))
    }
  }
}

function checkSources(errors: FieldError[], spec: JsonObject, hasAffinity: boolean): void {
  let found = false
  for (const [name, required] of sources) {
    const source = struct(spec[name])
    if (source === undefined) continue
    if (found) {
      errors.push(fieldError.forbidden(`spec.${name}`, 'may not specify more than 1 volume type'))
      continue
    }
    found = true
    checks[name]?.(errors, `spec.${name}`, source)
    if (name === 'csi') checkDriverName(errors, 'spec.csi.driver', text(source.driver))
    for (const field of required) {
      if (text(source[field]) === '' && size(source[field]) === 0) {
        errors.push(fieldError.required(`spec.${name}.${field}`))
      }
    }
    if (name === 'csi') checkSecretRefs(errors, 'spec.csi', source)
    if (name === 'local') checkNoBackstep(errors, 'spec.local.path', text(source.path))
    if (name === 'local' && !hasAffinity) {
      errors.push(fieldError.required('spec.nodeAffinity', 'Local volume requires node affinity'))
    }
  }
  if (!found) errors.push(fieldError.required('spec', 'must specify a volume type'))
  const path = struct(spec.hostPath)?.path
  if (typeof path === 'string' && /^\/+$/.test(path) && spec.persistentVolumeReclaimPolicy === 'Recycle') {
    const message = "may not be 'recycle' for a hostPath mount of '/'"
    errors.push(fieldError.forbidden('spec.persistentVolumeReclaimPolicy', message))
  }
}

const csiSecrets = [
  'controllerPublishSecretRef',
  'controllerExpandSecretRef',
  'nodePublishSecretRef',
  'nodeExpandSecretRef',
]

function checkSecretRefs(errors: FieldError[], field: string, source: JsonObject): void {
  for (const name of csiSecrets) {
    const reference = struct(source[name])
    for (const part of reference === undefined ? [] : (['name', 'namespace'] as const)) {
      if (text(reference?.[part]) === '') errors.push(fieldError.required(`${field}.${name}.${part}`))
    }
  }
}

function validateUpdate(object: KubeObject, old: KubeObject): FieldError[] {
  // Upstream checks a changed volume twice.
  const errors = [...validate(object), ...validate(object)]
  const spec = specOf(object)
  const before = struct(old.spec) ?? {}
  if (sources.some(([name]) => !equalJson(spec[name], before[name]))) {
    const message = `spec.persistentvolumesource is immutable after creation\n${sourceDiff(before, spec)}`
    errors.push(fieldError.forbidden('spec.persistentvolumesource', message))
  }
  checkImmutable(errors, 'volumeMode', spec.volumeMode, before.volumeMode)
  if (before.nodeAffinity !== undefined && !equalJson(spec.nodeAffinity, before.nodeAffinity)) {
    const shown = spec.nodeAffinity === undefined ? null : internalJson('VolumeNodeAffinity', struct(spec.nodeAffinity) ?? {})
    errors.push(invalidStruct('nodeAffinity', shown, 'field is immutable, except for updating from beta label to GA'))
  }
  if (before.volumeAttributesClassName !== undefined && spec.volumeAttributesClassName === undefined) {
    errors.push(fieldError.forbidden('spec.volumeAttributesClassName', 'update from non-nil value to nil is forbidden'))
  }
  return errors
}

function sourceDiff(before: JsonObject, after: JsonObject): string {
  const names = new Set<string>(sources.map(([name]) => name))
  const show = (spec: JsonObject) => {
    const kept = Object.fromEntries(Object.entries(spec).filter(([name]) => names.has(name)))
    const { Capacity: _, AccessModes: __, ClaimRef: ___, ...internal } = internalJson('PersistentVolumeSpec', kept)
    for (const name of ['PersistentVolumeReclaimPolicy', 'StorageClassName', 'MountOptions', 'VolumeMode', 'NodeAffinity', 'VolumeAttributesClassName']) {
      delete internal[name]
    }
    return JSON.stringify(internal, undefined, 1)
  }
  return unifiedDiff(show(before), show(after))
}

export const persistentVolume: KindRules = {
  default: setDefaults, prepareForCreate, prepareForStatusUpdate, validate, validateUpdate,
}
