/** The spec of a volume: its source and its access modes. VolumeAttachments have it inline. */
import { fieldError, type FieldError } from '../../../api/field-error.ts'
import type { JsonObject } from '../../../api/json.ts'
import { checkLabel, checkSubdomain } from '../../../api/names.ts'
import { checkSupported, notSupportedStruct, reject } from '../shared/errors.ts'
import { mustBePositive } from '../shared/formats.ts'
import { checkNoBackstep } from '../shared/paths.ts'
import { checkNodeSelector } from '../shared/pod-spec/affinity.ts'
import { checkFc, checkIscsi } from '../shared/pod-spec/block-volumes.ts'
import { checkAccessModes, volumeModes } from '../shared/pod-spec/claim-template.ts'
import { checkDriverName, checkHostPath, checkNfs } from '../shared/pod-spec/volumes.ts'
import { checkBasicQuantity } from '../shared/quantities.ts'
import { entries, size, strings, struct, text } from '../shared/values.ts'
import type { EmptyFields } from '../../../shape/empty-fields.ts'

/** In upstream's order, with the required fields of each. */
export const sources: readonly (readonly [name: string, required: readonly string[]])[] = [
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

const notInline = 'may not be specified in the context of inline volumes'

export function checkVolumeSpec(
  errors: FieldError[],
  field: string,
  spec: JsonObject,
  empty: EmptyFields | undefined,
): void {
  checkModes(errors, field, spec)
  checkCapacity(errors, field, spec, empty)
  const policy = text(spec.persistentVolumeReclaimPolicy)
  checkSupported(errors, `${field}.persistentVolumeReclaimPolicy`, policy, ['Delete', 'Recycle', 'Retain'])
  const affinity = struct(spec.nodeAffinity)
  if (affinity !== undefined) {
    const at = `${field}.nodeAffinity.required`
    const required = struct(affinity.required)
    if (required !== undefined) checkNodeSelector(errors, at, required)
    else errors.push(fieldError.required(at, 'must specify required node constraints'))
  }
  checkSources(errors, field, spec, affinity !== undefined)
  const className = text(spec.storageClassName)
  if (className !== '') reject(errors, `${field}.storageClassName`, className, checkSubdomain(className))
  if (spec.volumeMode !== undefined) checkSupported(errors, `${field}.volumeMode`, text(spec.volumeMode), volumeModes)
  checkAttributesClass(errors, field, spec)
}

/** An inline volume must be a CSI volume, and may not have fields that only matter before binding. */
export function checkInlineVolume(errors: FieldError[], field: string, spec: JsonObject): void {
  if (spec.claimRef !== undefined) errors.push(fieldError.forbidden(`${field}.claimRef`, notInline))
  if (size(spec.capacity) > 0) errors.push(fieldError.forbidden(`${field}.capacity`, notInline))
  if (spec.csi === undefined)
    errors.push(fieldError.required(`${field}.csi`, 'has to be specified in the context of inline volumes'))
  checkModes(errors, field, spec)
  const policy = text(spec.persistentVolumeReclaimPolicy)
  if (policy !== '' && policy !== 'Retain') {
    errors.push(
      fieldError.forbidden(
        `${field}.persistentVolumeReclaimPolicy`,
        'may only be Retain in the context of inline volumes',
      ),
    )
  }
  if (spec.nodeAffinity !== undefined) errors.push(fieldError.forbidden(`${field}.nodeAffinity`, notInline))
  checkSources(errors, field, spec, false)
  if (text(spec.storageClassName) !== '') errors.push(fieldError.forbidden(`${field}.storageClassName`, notInline))
  if (spec.volumeMode !== undefined && spec.volumeMode !== 'Filesystem') {
    const message = 'may not specify volumeMode other than Filesystem in the context of inline volumes'
    errors.push(fieldError.forbidden(`${field}.volumeMode`, message))
  }
}

function checkModes(errors: FieldError[], field: string, spec: JsonObject): void {
  const modes = strings(spec.accessModes)
  if (modes.length === 0) errors.push(fieldError.required(`${field}.accessModes`))
  checkAccessModes(errors, `${field}.accessModes`, modes)
}

function checkAttributesClass(errors: FieldError[], field: string, spec: JsonObject): void {
  if (spec.volumeAttributesClassName === undefined) return
  const at = `${field}.volumeAttributesClassName`
  const name = text(spec.volumeAttributesClassName)
  if (name === '') errors.push(fieldError.required(at, 'an empty string is disallowed'))
  else reject(errors, at, name, checkSubdomain(name))
  if (spec.csi === undefined)
    errors.push(fieldError.required(`${field}.csi`, 'has to be specified when using volumeAttributesClassName'))
}

function checkCapacity(errors: FieldError[], field: string, spec: JsonObject, empty: EmptyFields | undefined): void {
  const at = `${field}.capacity`
  const capacity = struct(spec.capacity)
  if (size(capacity) === 0) errors.push(fieldError.required(at))
  if (capacity === undefined || !Object.hasOwn(capacity, 'storage') || size(capacity) > 1) {
    errors.push(notSupportedStruct(at, capacity ?? empty?.get(spec, 'capacity') ?? null, ['storage']))
  }
  for (const [name, quantity] of entries(capacity)) {
    const given = text(quantity)
    checkBasicQuantity(errors, `${at}[${name}]`, given)
    if (given === '0' || given.startsWith('-')) errors.push(fieldError.invalid(`${at}[${name}]`, given, mustBePositive))
  }
}

function checkSources(errors: FieldError[], field: string, spec: JsonObject, hasAffinity: boolean): void {
  let found = false
  for (const [name, required] of sources) {
    const source = struct(spec[name])
    if (source === undefined) continue
    const at = `${field}.${name}`
    if (found) {
      errors.push(fieldError.forbidden(at, 'may not specify more than 1 volume type'))
      continue
    }
    found = true
    checks[name]?.(errors, at, source)
    if (name === 'csi') checkDriverName(errors, `${at}.driver`, text(source.driver))
    for (const part of required) {
      if (text(source[part]) === '' && size(source[part]) === 0) errors.push(fieldError.required(`${at}.${part}`))
    }
    if (name === 'csi') checkSecretRefs(errors, at, source)
    if (name === 'local') checkNoBackstep(errors, `${at}.path`, text(source.path))
    if (name === 'local' && !hasAffinity)
      errors.push(fieldError.required(`${field}.nodeAffinity`, 'Local volume requires node affinity'))
  }
  if (!found) errors.push(fieldError.required(field, 'must specify a volume type'))
  const path = struct(spec.hostPath)?.path
  if (typeof path === 'string' && /^\/+$/.test(path) && spec.persistentVolumeReclaimPolicy === 'Recycle') {
    const message = "may not be 'recycle' for a hostPath mount of '/'"
    errors.push(fieldError.forbidden(`${field}.persistentVolumeReclaimPolicy`, message))
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
    if (reference === undefined) continue
    for (const [part, check] of [
      ['name', checkSubdomain],
      ['namespace', checkLabel],
    ] as const) {
      const given = text(reference[part])
      if (given === '') errors.push(fieldError.required(`${field}.${name}.${part}`))
      else reject(errors, `${field}.${name}.${part}`, given, check(given))
    }
  }
}
