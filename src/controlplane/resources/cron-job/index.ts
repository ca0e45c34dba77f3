/** CronJob: schedule, time zone and job template. */
import { fieldError, type FieldError } from '../../../api/field-error.ts'
import { checkLabel } from '../../../api/names.ts'
import type { KubeObject } from '../../../api/object.ts'
import { parseSchedule, TimeZone } from '../../../cron/index.ts'
import { defaultFailurePolicy } from '../job/index.ts'
import { checkJobSpec } from '../job/spec.ts'
import type { KindStrategy } from '../kind-strategy.ts'
import { checkNonnegative, checkOneOf, invalidStruct } from '../shared/errors.ts'
import { defaultPodTemplate, nameWarning, templateWarnings } from '../shared/pod-template.ts'
import { fill, fillZero, specOf, struct, structOf, text } from '../shared/values.ts'
import type { WriteContext } from '../../contract/resource.ts'

/** The controller appends eleven characters to get the name of a Job. */
const maxName = 52

function setDefaults(object: KubeObject): void {
  const spec = specOf(object)
  fillZero(spec, 'concurrencyPolicy', 'Allow')
  fill(spec, 'suspend', false)
  fill(spec, 'successfulJobsHistoryLimit', 3)
  fill(spec, 'failedJobsHistoryLimit', 1)
  const template = structOf(spec, 'jobTemplate')
  structOf(template, 'metadata')
  const jobSpec = structOf(template, 'spec')
  defaultPodTemplate(jobSpec)
  defaultFailurePolicy(jobSpec)
}

function checkSpec(
  errors: FieldError[],
  object: KubeObject,
  old: KubeObject | undefined,
  { decoded }: WriteContext,
): void {
  const spec = specOf(object)
  const before = struct(old?.spec)
  const schedule = text(spec.schedule)
  if (schedule === '') errors.push(fieldError.required('spec.schedule'))
  else checkSchedule(errors, schedule, text(before?.schedule).includes('TZ'), spec.timeZone !== undefined)
  checkNonnegative(errors, 'spec.startingDeadlineSeconds', spec.startingDeadlineSeconds)
  if (spec.timeZone !== undefined && spec.timeZone !== before?.timeZone) {
    checkTimeZone(errors, text(spec.timeZone))
  }
  checkOneOf(errors, 'spec.concurrencyPolicy', text(spec.concurrencyPolicy), ['Allow', 'Forbid', 'Replace'])
  const jobSpec = struct(struct(spec.jobTemplate)?.spec) ?? {}
  checkJobSpec(errors, 'spec.jobTemplate.spec', jobSpec, decoded?.empty)
  if (jobSpec.selector !== undefined) {
    const message = '`selector` will be auto-generated'
    errors.push(invalidStruct('spec.jobTemplate.spec.selector', jobSpec.selector, message))
  }
  if (jobSpec.manualSelector === true) {
    errors.push(fieldError.notSupported('spec.jobTemplate.spec.manualSelector', true, ['nil', 'false']))
  }
  checkNonnegative(errors, 'spec.successfulJobsHistoryLimit', spec.successfulJobsHistoryLimit)
  checkNonnegative(errors, 'spec.failedJobsHistoryLimit', spec.failedJobsHistoryLimit)
}

function checkSchedule(errors: FieldError[], schedule: string, allowsZone: boolean, hasZone: boolean): void {
  const problem = parseSchedule(schedule)
  if (typeof problem === 'string') errors.push(fieldError.invalid('spec.schedule', schedule, problem))
  if (!schedule.includes('TZ')) return
  if (allowsZone) {
    if (!hasZone) return
    const message = 'cannot use both timeZone field and TZ or CRON_TZ in schedule'
    errors.push(fieldError.invalid('spec.schedule', schedule, message))
  } else {
    const message = 'cannot use TZ or CRON_TZ in schedule, use timeZone field instead'
    errors.push(fieldError.invalid('spec.schedule', schedule, message))
  }
}

const zonePart = /^[A-Za-z.\-_0-9+]{1,14}$/

function checkTimeZone(errors: FieldError[], zone: string): void {
  const field = 'spec.timeZone'
  if (zone === '') {
    errors.push(fieldError.invalid(field, zone, 'timeZone must be nil or non-empty string'))
    return
  }
  const wrong = (part: string) => part === '.' || part === '..' || part.startsWith('-') || !zonePart.test(part)
  if (zone.split('/').some(wrong)) {
    errors.push(fieldError.invalid(field, zone, `unknown time zone ${zone}`))
    return
  }
  if (zone.toLowerCase() === 'local') {
    const message = 'timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones'
    errors.push(fieldError.invalid(field, zone, message))
  }
  if (TimeZone.named(zone) === undefined) errors.push(fieldError.invalid(field, zone, `unknown time zone ${zone}`))
}

function validate(object: KubeObject, context: WriteContext): FieldError[] {
  const errors: FieldError[] = []
  checkSpec(errors, object, undefined, context)
  const name = object.metadata.name ?? ''
  if (name.length > maxName) {
    errors.push(fieldError.invalid('metadata.name', name, `must be no more than ${maxName} characters`))
  }
  return errors
}

function validateUpdate(object: KubeObject, old: KubeObject, context: WriteContext): FieldError[] {
  const errors: FieldError[] = []
  checkSpec(errors, object, old, context)
  return errors
}

function warnings(object: KubeObject, old: KubeObject | undefined): string[] {
  const template = struct(struct(specOf(object).jobTemplate)?.spec)?.template
  const path = 'spec.jobTemplate.spec.template'
  if (old !== undefined) {
    return object.metadata.generation === old.metadata.generation ? [] : templateWarnings(template, path)
  }
  const name = object.metadata.name ?? ''
  return [...nameWarning(name, checkLabel(name)), ...templateWarnings(template, path)]
}

export const cronJob: KindStrategy = { default: setDefaults, validate, validateUpdate, warnings }
