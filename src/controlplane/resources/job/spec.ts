/** Validation of a Job spec, for Jobs and for the job template of CronJobs. */
import { fieldError, type FieldError } from '../../../api/field-error.ts'
import type { JsonObject } from '../../../api/json.ts'
import { checkQualifiedName } from '../../../api/names.ts'
import { checkDomainPath } from '../shared/domain-path.ts'
import { checkNonnegative, checkSupported, invalidStruct, reject } from '../shared/errors.ts'
import { internalJson } from '../shared/internal-json.ts'
import { checkPodTemplate } from '../shared/pod-template.ts'
import { items, maybeInt, struct, text } from '../shared/values.ts'
import { countIndexes } from './indexes.ts'
import type { EmptyFields } from '../../../shape/empty-fields.ts'

const counts = [
  'parallelism',
  'completions',
  'activeDeadlineSeconds',
  'backoffLimit',
  'ttlSecondsAfterFinished',
  'backoffLimitPerIndex',
]

export function checkJobSpec(
  errors: FieldError[],
  field: string,
  spec: JsonObject,
  empty: EmptyFields | undefined,
): void {
  for (const name of counts) checkNonnegative(errors, `${field}.${name}`, spec[name])
  if (spec.maxFailedIndexes !== undefined) {
    checkNonnegative(errors, `${field}.maxFailedIndexes`, spec.maxFailedIndexes)
    if (spec.backoffLimitPerIndex === undefined) {
      errors.push(fieldError.required(`${field}.backoffLimitPerIndex`, 'when maxFailedIndexes is specified'))
    }
  }
  if (spec.managedBy !== undefined) {
    const managedBy = text(spec.managedBy)
    checkDomainPath(errors, `${field}.managedBy`, managedBy)
    if (managedBy.length > 63) errors.push(fieldError.tooLong(`${field}.managedBy`, 63))
  }
  checkCompletionMode(errors, field, spec)
  const policy = struct(spec.podFailurePolicy)
  if (policy !== undefined) checkFailurePolicy(errors, `${field}.podFailurePolicy`, policy, spec)
  const success = struct(spec.successPolicy)
  if (success !== undefined) checkSuccessPolicy(errors, `${field}.successPolicy`, success, spec, empty)
  const replacement = spec.podReplacementPolicy
  if (replacement !== undefined) {
    const supported = policy === undefined ? ['Failed', 'TerminatingOrFailed'] : ['Failed']
    checkSupported(errors, `${field}.podReplacementPolicy`, text(replacement), supported)
  }
  checkPodTemplate(errors, `${field}.template`, struct(spec.template) ?? {}, empty)
  checkRestartPolicy(errors, `${field}.template.spec.restartPolicy`, spec, policy !== undefined)
}

function checkRestartPolicy(errors: FieldError[], field: string, spec: JsonObject, hasPolicy: boolean): void {
  const policy = text(struct(struct(spec.template)?.spec)?.restartPolicy)
  if (policy === 'Always' || policy === '') {
    errors.push(fieldError.required(field, 'valid values: "OnFailure", "Never"'))
  } else if (policy !== 'OnFailure' && policy !== 'Never') {
    errors.push(fieldError.notSupported(field, policy, ['OnFailure', 'Never']))
  } else if (hasPolicy && policy !== 'Never') {
    errors.push(fieldError.invalid(field, policy, 'only "Never" is supported when podFailurePolicy is specified'))
  }
}

const maxIndexedCompletions = 100_000

function checkCompletionMode(errors: FieldError[], field: string, spec: JsonObject): void {
  const mode = spec.completionMode
  if (mode !== undefined) {
    checkSupported(errors, `${field}.completionMode`, text(mode), ['NonIndexed', 'Indexed'])
  }
  const perIndex = spec.backoffLimitPerIndex
  const maxFailed = maybeInt(spec.maxFailedIndexes)
  if (mode === undefined || mode === 'NonIndexed') {
    const message = 'requires indexed completion mode'
    if (perIndex !== undefined) {
      errors.push(fieldError.invalid(`${field}.backoffLimitPerIndex`, perIndex, message))
    }
    if (maxFailed !== undefined) {
      errors.push(fieldError.invalid(`${field}.maxFailedIndexes`, maxFailed, message))
    }
    return
  }
  if (mode !== 'Indexed') return
  const completions = maybeInt(spec.completions)
  const parallelism = maybeInt(spec.parallelism)
  if (completions === undefined) {
    errors.push(fieldError.required(`${field}.completions`, 'when completion mode is Indexed'))
  }
  if (parallelism !== undefined && parallelism > maxIndexedCompletions) {
    const message = `must be less than or equal to ${maxIndexedCompletions} when completion mode is Indexed`
    errors.push(fieldError.invalid(`${field}.parallelism`, parallelism, message))
  }
  if (completions !== undefined && maxFailed !== undefined && maxFailed > completions) {
    errors.push(fieldError.invalid(`${field}.maxFailedIndexes`, maxFailed, 'must be less than or equal to completions'))
  }
}

const maxRules = 20
const maxIndexesLength = 64 * 1024

function checkSuccessPolicy(
  errors: FieldError[],
  field: string,
  policy: JsonObject,
  spec: JsonObject,
  empty: EmptyFields | undefined,
): void {
  if (spec.completionMode !== 'Indexed') {
    errors.push(invalidStruct(field, internalJson('SuccessPolicy', policy, empty), 'requires indexed completion mode'))
    return
  }
  const rules = items(policy.rules)
  if (rules.length === 0) {
    const message = 'at least one rules must be specified when the successPolicy is specified'
    errors.push(fieldError.required(`${field}.rules`, message))
  }
  if (rules.length > maxRules) errors.push(fieldError.tooMany(`${field}.rules`, rules.length, maxRules))
  const completions = maybeInt(spec.completions) ?? 0
  for (const [i, rule] of rules.entries()) checkSuccessRule(errors, `${field}.rules[${i}]`, rule, completions)
}

function checkSuccessRule(errors: FieldError[], field: string, rule: JsonObject, completions: number): void {
  const count = maybeInt(rule.succeededCount)
  const indexes = rule.succeededIndexes
  if (count === undefined && indexes === undefined) {
    errors.push(fieldError.required(field, 'at least one of succeededCount or succeededIndexes must be specified'))
  }
  let total = 0
  if (indexes !== undefined) {
    const at = `${field}.succeededIndexes`
    if (text(indexes).length > maxIndexesLength) errors.push(fieldError.tooLong(at, maxIndexesLength))
    const counted = countIndexes(text(indexes), completions)
    if (typeof counted === 'number') total = counted
    else errors.push(fieldError.invalid(at, indexes, `error parsing succeededIndexes: ${counted}`))
  }
  if (count === undefined) return
  const at = `${field}.succeededCount`
  checkNonnegative(errors, at, count)
  const limits: [number, string][] = [[completions, 'the number of specified completions']]
  if (indexes !== undefined) {
    limits.push([total, 'the number of indexes in the specified succeededIndexes field'])
  }
  for (const [limit, what] of limits) {
    if (count > limit) {
      errors.push(fieldError.invalid(at, count, `must be less than or equal to ${limit} (${what})`))
    }
  }
}

const actions = ['Count', 'FailIndex', 'FailJob', 'Ignore']

function checkFailurePolicy(errors: FieldError[], field: string, policy: JsonObject, spec: JsonObject): void {
  const rules = items(policy.rules)
  if (rules.length > 20) errors.push(fieldError.tooMany(`${field}.rules`, rules.length, 20))
  const podSpec = struct(struct(spec.template)?.spec)
  const names = new Set([...items(podSpec?.containers), ...items(podSpec?.initContainers)].map((c) => text(c.name)))
  for (const [i, rule] of rules.entries()) {
    const at = `${field}.rules[${i}]`
    const action = text(rule.action)
    if (action === '') {
      errors.push(fieldError.required(`${at}.action`, 'valid values: ["Count" "FailIndex" "FailJob" "Ignore"]'))
    } else if (action === 'FailIndex') {
      if (spec.backoffLimitPerIndex === undefined) {
        errors.push(fieldError.invalid(`${at}.action`, action, 'requires the backoffLimitPerIndex to be set'))
      }
    } else {
      checkSupported(errors, `${at}.action`, action, actions)
    }
    const codes = struct(rule.onExitCodes)
    const conditions = items(rule.onPodConditions)
    if (codes !== undefined) checkExitCodes(errors, `${at}.onExitCodes`, codes, names)
    checkConditions(errors, `${at}.onPodConditions`, conditions)
    if ((codes !== undefined) === conditions.length > 0) {
      const verb =
        codes === undefined
          ? 'one of OnExitCodes and OnPodConditions is required'
          : 'both OnExitCodes and OnPodConditions is not supported'
      errors.push({ type: 'Invalid', field: at, summary: 'Invalid value', detail: `specifying ${verb}` })
    }
  }
}

function checkExitCodes(errors: FieldError[], field: string, codes: JsonObject, names: ReadonlySet<string>): void {
  const operator = text(codes.operator)
  if (operator === '') errors.push(fieldError.required(`${field}.operator`, 'valid values: ["In" "NotIn"]'))
  else checkSupported(errors, `${field}.operator`, operator, ['In', 'NotIn'])
  const container = codes.containerName
  if (container !== undefined && !names.has(text(container))) {
    const message = 'must be one of the container or initContainer names in the pod template'
    errors.push(fieldError.invalid(`${field}.containerName`, container, message))
  }
  const values = Array.isArray(codes.values) ? (codes.values as number[]) : []
  if (values.length === 0) {
    errors.push(fieldError.invalid(`${field}.values`, codes.values ?? null, 'at least one value is required'))
  }
  if (values.length > 255) errors.push(fieldError.tooMany(`${field}.values`, values.length, 255))
  const seen = new Set<number>()
  for (const [i, value] of values.entries()) {
    if (operator === 'In' && value === 0) {
      errors.push(fieldError.invalid(`${field}.values[${i}]`, value, 'must not be 0 for the In operator'))
    }
    if (seen.has(value)) errors.push(fieldError.duplicate(`${field}.values[${i}]`, value))
    seen.add(value)
  }
  if (values.some((value, i) => i > 0 && (values[i - 1] as number) > value)) {
    errors.push(fieldError.invalid(`${field}.values`, values, 'must be ordered'))
  }
}

function checkConditions(errors: FieldError[], field: string, conditions: readonly JsonObject[]): void {
  if (conditions.length > 20) errors.push(fieldError.tooMany(field, conditions.length, 20))
  for (const [i, condition] of conditions.entries()) {
    reject(errors, `${field}[${i}].type`, text(condition.type), checkQualifiedName(text(condition.type)))
    checkSupported(errors, `${field}[${i}].status`, text(condition.status), ['False', 'True', 'Unknown'])
  }
}
