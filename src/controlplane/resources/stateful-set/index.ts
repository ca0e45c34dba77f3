/** StatefulSet: most of its spec is immutable, and its claim templates are volumes of its pods. */
import { fieldError, type FieldError } from '../../../api/field-error.ts'
import { equalJson, type JsonObject } from '../../../api/json.ts'
import { checkLabel } from '../../../api/names.ts'
import type { KubeObject } from '../../../api/object.ts'
import type { KindStrategy } from '../kind-strategy.ts'
import { checkNonnegative, checkSupported, invalidStruct, reject } from '../shared/errors.ts'
import { checkAtMostAll, checkIntOrPercent, intOrPercent } from '../shared/int-or-percent.ts'
import { internalJson } from '../shared/internal-json.ts'
import { defaultClaimSpec } from '../shared/pod-spec/defaults.ts'
import { checkClaimSpec } from '../shared/pod-spec/claim-template.ts'
import { checkLabels } from '../shared/label-selector.ts'
import {
  checkAnnotations,
  checkPodTemplate,
  checkRunsAlways,
  defaultPodTemplate,
  templateWarnings,
} from '../shared/pod-template.ts'
import { checkCollisionCount, checkCounts, checkSelector, checkSelectsTemplate } from '../shared/replicas.ts'
import { fill, fillZero, int, items, specOf, struct, structOf, text } from '../shared/values.ts'
import type { EmptyFields } from '../../../shape/empty-fields.ts'
import type { WriteContext } from '../../contract/resource.ts'

function setDefaults(object: KubeObject): void {
  const spec = specOf(object)
  fillZero(spec, 'podManagementPolicy', 'OrderedReady')
  const strategy = structOf(spec, 'updateStrategy')
  if (text(strategy.type) === '') {
    strategy.type = 'RollingUpdate'
    structOf(strategy, 'rollingUpdate')
  }
  const rolling = struct(strategy.rollingUpdate)
  if (strategy.type === 'RollingUpdate' && rolling !== undefined) fill(rolling, 'partition', 0)
  const retention = structOf(spec, 'persistentVolumeClaimRetentionPolicy')
  fillZero(retention, 'whenDeleted', 'Retain')
  fillZero(retention, 'whenScaled', 'Retain')
  fill(spec, 'replicas', 1)
  fill(spec, 'revisionHistoryLimit', 10)
  defaultPodTemplate(spec)
  for (const claim of items(spec.volumeClaimTemplates)) defaultClaim(claim)
}

/** Upstream's encoder writes kind and apiVersion in a list of claims. */
function defaultClaim(claim: JsonObject): void {
  fillZero(claim, 'kind', 'PersistentVolumeClaim')
  fillZero(claim, 'apiVersion', 'v1')
  fillZero(structOf(claim, 'status'), 'phase', 'Pending')
  defaultClaimSpec(structOf(claim, 'spec'))
}

/** The feature gate MaxUnavailableStatefulSet is off, so the field is dropped, as upstream does. */
function prepareForCreate(object: KubeObject): void {
  const rolling = struct(struct(specOf(object).updateStrategy)?.rollingUpdate)
  if (rolling !== undefined) delete rolling.maxUnavailable
}

function checkSpec(errors: FieldError[], spec: JsonObject, isNew: boolean, empty: EmptyFields | undefined): void {
  const policy = text(spec.podManagementPolicy)
  if (policy === '') {
    errors.push(fieldError.required('spec.podManagementPolicy'))
  } else if (policy !== 'OrderedReady' && policy !== 'Parallel') {
    errors.push(fieldError.invalid('spec.podManagementPolicy', policy, "must be 'OrderedReady' or 'Parallel'"))
  }
  checkStrategy(errors, struct(spec.updateStrategy) ?? {})
  const retention = struct(spec.persistentVolumeClaimRetentionPolicy)
  for (const when of ['whenDeleted', 'whenScaled'] as const) {
    const field = `spec.persistentVolumeClaimRetentionPolicy.${when}`
    if (retention !== undefined) checkSupported(errors, field, text(retention[when]), ['Retain', 'Delete'])
  }
  const claims = items(spec.volumeClaimTemplates)
  if (isNew) {
    for (const [i, claim] of claims.entries()) {
      checkClaimSpec(errors, `spec.volumeClaimTemplates[${i}].spec`, struct(claim.spec) ?? {})
    }
  }
  checkNonnegative(errors, 'spec.replicas', spec.replicas)
  checkNonnegative(errors, 'spec.minReadySeconds', spec.minReadySeconds)
  checkNonnegative(errors, 'spec.ordinals.start', struct(spec.ordinals)?.start)
  const service = text(spec.serviceName)
  if (isNew && service !== '') reject(errors, 'spec.serviceName', service, checkLabel(service))
  checkSelector(errors, spec, 'statefulset')
  checkTemplate(errors, spec, claims, empty)
}

function checkStrategy(errors: FieldError[], strategy: JsonObject): void {
  const field = 'spec.updateStrategy'
  const type = text(strategy.type)
  const rolling = struct(strategy.rollingUpdate)
  if (type === '') {
    errors.push(fieldError.required(field))
  } else if (type === 'OnDelete') {
    if (rolling === undefined) return
    const shown = internalJson('RollingUpdateStatefulSetStrategy', rolling)
    const message = "only allowed for updateStrategy 'RollingUpdate'"
    errors.push(invalidStruct(`${field}.rollingUpdate`, shown, message))
  } else if (type !== 'RollingUpdate') {
    const shown = internalJson('StatefulSetUpdateStrategy', strategy)
    errors.push(invalidStruct(field, shown, "must be 'RollingUpdate' or 'OnDelete'"))
  } else if (rolling !== undefined) {
    checkNonnegative(errors, `${field}.rollingUpdate.partition`, rolling.partition)
    const most = rolling.maxUnavailable
    if (most === undefined) return
    checkIntOrPercent(errors, `${field}.rollingUpdate.maxUnavailable`, most)
    if (intOrPercent(most) === 0) {
      errors.push(fieldError.invalid(`${field}.rollingUpdate.maxUnavailable`, most, 'cannot be 0'))
    }
    checkAtMostAll(errors, `${field}.rollingUpdate.maxUnavailable`, most)
  }
}

/** The template is validated as in a pod: with the claims as volumes, without the names that the controller sets. */
function checkTemplate(
  errors: FieldError[],
  spec: JsonObject,
  claims: readonly JsonObject[],
  empty: EmptyFields | undefined,
): void {
  const template = struct(spec.template) ?? {}
  if (!checkSelectsTemplate(errors, spec, template, empty)) {
    errors.push(invalidStruct('spec.selector', spec.selector, ''))
  } else {
    const podSpec: JsonObject = { ...struct(template.spec) }
    delete podSpec.hostname
    delete podSpec.subdomain
    if (claims.length > 0) {
      const names = new Set(claims.map((claim) => text(struct(claim.metadata)?.name)))
      const others = items(podSpec.volumes).filter((volume) => !names.has(text(volume.name)))
      const added = [...names].map((name) => ({ name, persistentVolumeClaim: { claimName: name } }))
      podSpec.volumes = [...added, ...others]
    }
    checkPodTemplate(errors, 'spec.template', { ...template, spec: podSpec }, empty)
    // Upstream validates these twice.
    checkLabels(errors, 'spec.template.labels', struct(template.metadata)?.labels)
    checkAnnotations(errors, 'spec.template.annotations', struct(template.metadata)?.annotations)
  }
  checkRunsAlways(errors, 'spec.template', template, 'StatefulSet')
}

function validate(object: KubeObject, { decoded }: WriteContext): FieldError[] {
  const errors: FieldError[] = []
  checkSpec(errors, specOf(object), true, decoded?.empty)
  return errors
}

const changeable = [
  'replicas',
  'ordinals',
  'template',
  'updateStrategy',
  'revisionHistoryLimit',
  'persistentVolumeClaimRetentionPolicy',
  'minReadySeconds',
]
const fixedMessage =
  "updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', 'updateStrategy', " +
  "'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden"

function validateUpdate(object: KubeObject, old: KubeObject, context: WriteContext): FieldError[] {
  const errors: FieldError[] = []
  const spec = specOf(object)
  const before = struct(old.spec) ?? {}
  checkSpec(errors, spec, false, context.decoded?.empty)
  const fields = new Set([...Object.keys(spec), ...Object.keys(before)])
  for (const field of changeable) fields.delete(field)
  if ([...fields].some((field) => !equalJson(spec[field], before[field]))) {
    errors.push(fieldError.forbidden('spec', fixedMessage))
  }
  return errors
}

const bounded = ['readyReplicas', 'currentReplicas', 'updatedReplicas', 'availableReplicas']

function validateStatusUpdate(object: KubeObject, old: KubeObject): FieldError[] {
  const errors: FieldError[] = []
  const status = struct(object.status) ?? {}
  checkCounts(errors, status, ['replicas', ...bounded, 'observedGeneration', 'collisionCount'], bounded)
  if (int(status.availableReplicas) > int(status.readyReplicas)) {
    const message = 'cannot be greater than status.readyReplicas'
    errors.push(fieldError.invalid('status.availableReplicas', int(status.availableReplicas), message))
  }
  checkCollisionCount(errors, status, struct(old.status) ?? {})
  return errors
}

function warnings(object: KubeObject, old: KubeObject | undefined): string[] {
  const spec = specOf(object)
  const changed = old === undefined || object.metadata.generation !== old.metadata.generation
  const found = changed ? templateWarnings(spec.template, 'spec.template') : []
  if (int(spec.revisionHistoryLimit) < 0) {
    const message = 'a negative value retains all historical revisions; a value >= 0 is recommended'
    found.push(`spec.revisionHistoryLimit: ${message}`)
  }
  return found
}

export const statefulSet: KindStrategy = {
  default: setDefaults,
  prepareForCreate,
  validate,
  validateUpdate,
  validateStatusUpdate,
  warnings,
}
