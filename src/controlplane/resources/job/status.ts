/**
 * Validation of the status of a Job: consistent conditions, and an end that does not change, whichever controller runs
 * it.
 */
import { fieldError, type FieldError } from '../../../api/field-error.ts'
import { equalJson, type JsonObject } from '../../../api/json.ts'
import type { KubeObject } from '../../../api/object.ts'
import { checkNonnegative, invalidStruct } from '../shared/errors.ts'
import { internalJson } from '../shared/internal-json.ts'
import { int, items, maybeInt, size, strings, struct, text } from '../shared/values.ts'
import { countIndexes, overlap } from './indexes.ts'
import type { EmptyFields } from '../../../shape/empty-fields.ts'
import type { WriteContext } from '../../contract/resource.ts'

/** The status of a Job before or after a write. */
class JobState {
  readonly status: JsonObject

  constructor(object: KubeObject) {
    this.status = struct(object.status) ?? {}
  }

  is(type: string): boolean {
    return items(this.status.conditions).some((condition) => condition.type === type && condition.status === 'True')
  }

  get finished(): boolean {
    return this.is('Complete') || this.is('Failed')
  }
}

function wrongConditions(detail: string): FieldError {
  return { type: 'Invalid', field: 'status.conditions', summary: 'Invalid value', detail }
}

export function validateJobStatusUpdate(object: KubeObject, old: KubeObject, { decoded }: WriteContext): FieldError[] {
  const errors: FieldError[] = []
  const now = new JobState(object)
  const before = new JobState(old)
  const spec = struct(object.spec) ?? {}
  for (const name of ['active', 'succeeded', 'failed', 'ready', 'terminating']) {
    checkNonnegative(errors, `status.${name}`, now.status[name])
  }
  checkUncounted(errors, now.status)
  checkConditions(errors, now, before)
  checkEnd(errors, now, before, spec, decoded?.empty)
  checkIndexes(errors, now.status, before.status, spec)
  checkCounts(errors, now, before)
  checkSuccess(errors, now, spec)
  checkTransition(errors, now, before, spec)
  return errors
}

function checkUncounted(errors: FieldError[], status: JsonObject): void {
  const seen = new Set<string>()
  for (const list of ['succeeded', 'failed'] as const) {
    for (const [i, uid] of strings(struct(status.uncountedTerminatedPods)?.[list]).entries()) {
      const field = `status.uncountedTerminatedPods.${list}[${i}]`
      if (uid === '') errors.push(fieldError.invalid(field, uid, 'must not be empty'))
      else if (seen.has(uid)) errors.push(fieldError.duplicate(field, uid))
      seen.add(uid)
    }
  }
}

/** Only changed conditions are validated: invalid ones from before may stay. */
function checkConditions(errors: FieldError[], now: JobState, before: JobState): void {
  const changed = (type: string) => now.is(type) !== before.is(type)
  const complete = now.is('Complete')
  if ((changed('Complete') || changed('Failed')) && complete && now.is('Failed')) {
    errors.push(wrongConditions('cannot set Complete=True and Failed=true conditions'))
  }
  if ((changed('Complete') || changed('FailureTarget')) && complete && now.is('FailureTarget')) {
    errors.push(wrongConditions('cannot set Complete=True and FailureTarget=true conditions'))
  }
  const { completionTime, startTime } = now.status
  const timeChanged = completionTime !== before.status.completionTime
  const field = 'status.completionTime'
  if (changed('Complete') || timeChanged) {
    if (completionTime !== undefined && !complete) {
      const message = 'cannot set completionTime when there is no Complete=True condition'
      errors.push(fieldError.invalid(field, completionTime, message))
    } else if (completionTime === undefined && complete) {
      errors.push(fieldError.required(field, 'completionTime is required for Complete jobs'))
    }
  }
  if (timeChanged || startTime !== before.status.startTime) {
    if (startTime !== undefined && completionTime !== undefined && text(completionTime) < text(startTime)) {
      errors.push(fieldError.invalid(field, completionTime, 'must be equal to or after `startTime`'))
    }
  }
  const failedChanged = changed('Failed') || now.status.failedIndexes !== before.status.failedIndexes
  if (failedChanged && now.is('Failed') && !now.is('FailureTarget')) {
    errors.push(wrongConditions('cannot set Failed=True condition without the FailureTarget=true condition'))
  }
  if ((changed('Complete') || changed('SuccessCriteriaMet')) && complete && !now.is('SuccessCriteriaMet')) {
    errors.push(wrongConditions('cannot set Complete=True condition without the SuccessCriteriaMet=true condition'))
  }
}

function checkEnd(
  errors: FieldError[],
  now: JobState,
  before: JobState,
  spec: JsonObject,
  sentEmpty: EmptyFields | undefined,
): void {
  if (!now.finished) return
  const { status } = now
  const ended = !before.finished
  if ((ended || status.active !== before.status.active) && int(status.active) > 0) {
    errors.push(fieldError.invalid('status.active', status.active, 'active>0 is invalid for finished job'))
  }
  const empty = spec.suspend === true && spec.completions === 0
  if ((ended || status.startTime !== before.status.startTime) && !empty && status.startTime === undefined) {
    errors.push(fieldError.required('status.startTime', 'startTime is required for finished job'))
  }
  const uncounted = struct(status.uncountedTerminatedPods)
  const uncountedChanged = !equalJson(
    status.uncountedTerminatedPods ?? null,
    before.status.uncountedTerminatedPods ?? null,
  )
  if ((ended || uncountedChanged) && size(uncounted?.succeeded) + size(uncounted?.failed) > 0) {
    const shown = internalJson('UncountedTerminatedPods', uncounted ?? {}, sentEmpty)
    errors.push(invalidStruct('status.uncountedTerminatedPods', shown, 'must be empty for finished job'))
  }
}

function checkIndexes(errors: FieldError[], status: JsonObject, before: JsonObject, spec: JsonObject): void {
  const completions = maybeInt(spec.completions)
  const completed = text(status.completedIndexes)
  const failed = status.failedIndexes
  const completedChanged = completed !== text(before.completedIndexes)
  const failedChanged = failed !== before.failedIndexes
  const completedField = 'status.completedIndexes'
  const failedField = 'status.failedIndexes'
  if (completions !== undefined && completedChanged) {
    const count = countIndexes(completed, completions)
    if (typeof count === 'string') {
      errors.push(fieldError.invalid(completedField, completed, `error parsing completedIndexes: ${count}`))
    }
  }
  const perIndex = spec.backoffLimitPerIndex !== undefined
  if (completions !== undefined && failedChanged && perIndex && failed !== undefined) {
    const count = countIndexes(text(failed), completions)
    if (typeof count === 'string') {
      errors.push(fieldError.invalid(failedField, failed, `error parsing failedIndexes: ${count}`))
    }
  }
  if (completedChanged && completed !== '' && spec.completionMode !== 'Indexed') {
    const message = 'cannot set non-empty completedIndexes when non-indexed completion mode'
    errors.push(fieldError.invalid(completedField, completed, message))
  }
  if (failedChanged && !perIndex && failed !== undefined) {
    const message = 'cannot set non-null failedIndexes when backoffLimitPerIndex is null'
    errors.push(fieldError.invalid(failedField, failed, message))
  }
  if ((failedChanged || completedChanged) && completions !== undefined && failed !== undefined) {
    const shared = overlap(completed, text(failed), completions)
    if (shared === undefined) return
    const message = `failedIndexes and completedIndexes overlap at index: ${shared}`
    errors.push(fieldError.invalid(failedField, failed, message))
  }
}

function checkCounts(errors: FieldError[], now: JobState, before: JobState): void {
  const { active, ready, terminating } = now.status
  const endChanged = now.finished !== before.finished
  if ((endChanged || terminating !== before.status.terminating) && now.finished && int(terminating) > 0) {
    errors.push(fieldError.invalid('status.terminating', terminating, 'terminating>0 is invalid for finished job'))
  }
  const changed = ready !== before.status.ready || int(active) !== int(before.status.active)
  if (changed && ready !== undefined && int(ready) > int(active)) {
    errors.push(fieldError.invalid('status.ready', ready, 'cannot set more ready pods than active'))
  }
}

function checkSuccess(errors: FieldError[], now: JobState, spec: JsonObject): void {
  const met = now.is('SuccessCriteriaMet')
  for (const type of ['Failed', 'FailureTarget']) {
    if (met && now.is(type)) {
      errors.push(wrongConditions(`cannot set SuccessCriteriaMet=True and ${type}=true conditions`))
    }
  }
  if (spec.successPolicy !== undefined && !met && now.is('Complete')) {
    const message = 'cannot set Complete=True for Job with SuccessPolicy unless SuccessCriteriaMet=True'
    errors.push(wrongConditions(message))
  }
}

function checkTransition(errors: FieldError[], now: JobState, before: JobState, spec: JsonObject): void {
  for (const type of ['Failed', 'Complete', 'FailureTarget']) {
    if (before.is(type) && !now.is(type)) {
      errors.push(wrongConditions(`cannot disable the terminal ${type}=True condition`))
    }
  }
  const { status } = now
  const elastic = spec.completionMode === 'Indexed' && spec.completions === spec.parallelism
  for (const count of elastic ? ['failed'] : ['failed', 'succeeded']) {
    if (int(status[count]) >= int(before.status[count])) continue
    errors.push(fieldError.invalid(`status.${count}`, int(status[count]), `cannot decrease the ${count} counter`))
  }
  const { completionTime, startTime } = before.status
  if (status.completionTime !== undefined && completionTime !== undefined && status.completionTime !== completionTime) {
    errors.push(fieldError.invalid('status.completionTime', status.completionTime, 'field is immutable'))
  }
  const resumed =
    before.is('Suspended') && items(status.conditions).some((c) => c.type === 'Suspended' && c.status === 'False')
  if (startTime !== undefined && startTime !== status.startTime && spec.suspend !== true && !resumed) {
    errors.push(fieldError.required('status.startTime', 'startTime cannot be removed for unsuspended job'))
  }
  if (before.is('SuccessCriteriaMet') && !now.is('SuccessCriteriaMet')) {
    errors.push(wrongConditions('cannot disable the SuccessCriteriaMet=True condition'))
  }
  if (before.is('Complete') && !before.is('SuccessCriteriaMet') && now.is('SuccessCriteriaMet')) {
    errors.push(wrongConditions('cannot set SuccessCriteriaMet=True for Job already has Complete=true conditions'))
  }
}
