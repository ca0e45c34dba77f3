/** PersistentVolume: its source is immutable. */
import { appendAll } from '../../../api/append.ts'
import { fieldError, type FieldError } from '../../../api/field-error.ts'
import { equalJson, getOwn, type Json, type JsonObject } from '../../../api/json.ts'
import type { KubeObject } from '../../../api/object.ts'
import { timestamp } from '../../../env/env.ts'
import { metadataMark, type WriteContext } from '../../contract/resource.ts'
import type { KindStrategy } from '../kind-strategy.ts'
import { checkImmutable, invalidStruct } from '../shared/errors.ts'
import { internalJson } from '../shared/internal-json.ts'
import { expressionWarnings } from '../shared/node-labels.ts'
import { defaultVolumeSource } from '../shared/pod-spec/defaults.ts'
import { unifiedDiff } from '../shared/unified-diff.ts'
import { entry, fill, fillZero, items, specOf, struct, structOf } from '../shared/values.ts'
import { checkVolumeSpec, sources } from './spec.ts'
import type { EmptyFields } from '../../../shape/empty-fields.ts'

function setDefaults(object: KubeObject): void {
  const spec = specOf(object)
  fillZero(structOf(object, 'status'), 'phase', 'Pending')
  fillZero(spec, 'persistentVolumeReclaimPolicy', 'Retain')
  fill(spec, 'volumeMode', 'Filesystem')
  defaultVolumeSource(spec)
}

function prepareForCreate(object: KubeObject, context: WriteContext): void {
  object.status = { phase: 'Pending', lastPhaseTransitionTime: timestamp(context.env.now()) }
}

function prepareForStatusUpdate(object: KubeObject, old: KubeObject, context: WriteContext): void {
  const status = structOf(object, 'status')
  const before = struct(old.status) ?? {}
  const time = status.lastPhaseTransitionTime
  if (status.phase === before.phase) {
    const last = before.lastPhaseTransitionTime
    if (time === undefined && last !== undefined) status.lastPhaseTransitionTime = last
  } else if (time === undefined || time === before.lastPhaseTransitionTime) {
    status.lastPhaseTransitionTime = timestamp(context.env.now())
  }
}

function validate(object: KubeObject, { decoded }: WriteContext): FieldError[] {
  const errors: FieldError[] = []
  checkVolumeSpec(errors, 'spec', specOf(object), decoded?.empty)
  return errors
}

function validateUpdate(object: KubeObject, old: KubeObject, context: WriteContext): FieldError[] {
  // Upstream validates an updated volume twice.
  const errors: FieldError[] = [...validate(object, context), metadataMark('full'), ...validate(object, context)]
  const empty = context.decoded?.empty
  const spec = specOf(object)
  const before = struct(old.spec) ?? {}
  const now = withoutNewSecret(spec, before)
  if (sources.some(([name]) => !equalJson(now[name], before[name]))) {
    const message = `spec.persistentvolumesource is immutable after creation\n${sourceDiff(before, now, empty)}`
    errors.push(fieldError.forbidden('spec.persistentvolumesource', message))
  }
  checkImmutable(errors, 'volumeMode', spec.volumeMode, before.volumeMode)
  if (
    before.nodeAffinity !== undefined &&
    !equalJson(spec.nodeAffinity, withNewLabels(before.nodeAffinity, spec.nodeAffinity))
  ) {
    const shown =
      spec.nodeAffinity === undefined
        ? null
        : internalJson('VolumeNodeAffinity', struct(spec.nodeAffinity) ?? {}, empty)
    errors.push(invalidStruct('nodeAffinity', shown, 'field is immutable, except for updating from beta label to GA'))
  }
  if (before.volumeAttributesClassName !== undefined && spec.volumeAttributesClassName === undefined) {
    errors.push(fieldError.forbidden('spec.volumeAttributesClassName', 'update from non-nil value to nil is forbidden'))
  }
  return errors
}

/** The secret for expansion may be added later. */
function withoutNewSecret(spec: JsonObject, before: JsonObject): JsonObject {
  const [csi, old] = [struct(spec.csi), struct(before.csi)]
  if (csi?.controllerExpandSecretRef === undefined || old === undefined || old.controllerExpandSecretRef !== undefined)
    return spec
  const { controllerExpandSecretRef: _, ...rest } = csi
  return { ...spec, csi: rest }
}

const newLabels: Readonly<Record<string, string>> = {
  'failure-domain.beta.kubernetes.io/zone': 'topology.kubernetes.io/zone',
  'failure-domain.beta.kubernetes.io/region': 'topology.kubernetes.io/region',
  'beta.kubernetes.io/os': 'kubernetes.io/os',
  'beta.kubernetes.io/arch': 'kubernetes.io/arch',
  'beta.kubernetes.io/instance-type': 'node.kubernetes.io/instance-type',
}

/**
 * The old affinity, with beta labels replaced by their GA names where the new one has those. As upstream, an empty key
 * may replace a label that has no GA name.
 */
function withNewLabels(old: Json, now: Json | undefined): Json {
  if (Array.isArray(old)) return old.map((item, i) => withNewLabels(item, Array.isArray(now) ? now[i] : undefined))
  const [was, is] = [struct(old), struct(now)]
  if (was === undefined) return old
  const replaced: JsonObject = {}
  for (const [name, value] of Object.entries(was)) replaced[name] = withNewLabels(value, is?.[name])
  const key = is?.key
  if (typeof was.key === 'string' && typeof key === 'string' && (getOwn(newLabels, was.key) ?? '') === key)
    replaced.key = key
  return replaced
}

function sourceDiff(before: JsonObject, after: JsonObject, empty: EmptyFields | undefined): string {
  const names = new Set<string>(sources.map(([name]) => name))
  const show = (spec: JsonObject) => {
    const kept = Object.fromEntries(Object.entries(spec).filter(([name]) => names.has(name)))
    const {
      Capacity: _,
      AccessModes: __,
      ClaimRef: ___,
      ...internal
    } = internalJson('PersistentVolumeSpec', kept, empty)
    for (const name of [
      'PersistentVolumeReclaimPolicy',
      'StorageClassName',
      'MountOptions',
      'VolumeMode',
      'NodeAffinity',
      'VolumeAttributesClassName',
    ]) {
      delete internal[name]
    }
    return JSON.stringify(internal, undefined, 1)
  }
  return unifiedDiff(show(before), show(after))
}

const deprecatedAnnotations = [
  ['volume.beta.kubernetes.io/storage-class', 'deprecated since v1.8; use "storageClassName" attribute instead'],
  ['volume.beta.kubernetes.io/mount-options', 'deprecated since v1.31; use "mountOptions" attribute instead'],
] as const

const deprecatedSources = [
  ['cephfs', 'cephfs', 'deprecated in v1.28, non-functional in v1.31+'],
  ['photonPersistentDisk', 'photonPersistentDisk', 'deprecated in v1.11, non-functional in v1.16+'],
  ['scaleIO', 'scaleIO', 'deprecated in v1.16, non-functional in v1.22+'],
  ['storageos', 'storageOS', 'deprecated in v1.22, non-functional in v1.25+'],
  ['glusterfs', 'glusterfs', 'deprecated in v1.25, non-functional in v1.26+'],
  ['rbd', 'rbd', 'deprecated in v1.28, non-functional in v1.31+'],
] as const

function warnings(object: KubeObject): string[] {
  const spec = specOf(object)
  const found: string[] = []
  for (const [key, message] of deprecatedAnnotations) {
    if (entry(object.metadata.annotations, key) !== undefined) found.push(`metadata.annotations[${key}]: ${message}`)
  }
  if (spec.persistentVolumeReclaimPolicy === 'Recycle') {
    const instead = 'Instead, the recommended approach is to use dynamic provisioning.'
    found.push(`spec.persistentVolumeReclaimPolicy: The Recycle reclaim policy is deprecated. ${instead}`)
  }
  const required = struct(struct(spec.nodeAffinity)?.required)
  for (const [i, term] of items(required?.nodeSelectorTerms).entries()) {
    appendAll(found, expressionWarnings(`spec.nodeAffinity.required.nodeSelectorTerms[${i}]`, term.matchExpressions))
  }
  for (const [name, reported, message] of deprecatedSources)
    if (spec[name] !== undefined) found.push(`spec.${reported}: ${message}`)
  return found
}

export const persistentVolume: KindStrategy = {
  default: setDefaults,
  prepareForCreate,
  prepareForStatusUpdate,
  validate,
  validateUpdate,
  warnings,
}
