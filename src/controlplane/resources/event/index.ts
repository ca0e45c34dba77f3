/** Event, in both groups: one object with two sets of field names, validated more strictly in events.k8s.io. */
import { fieldError, type FieldError } from '../../../api/field-error.ts'
import { equalJson, type Json } from '../../../api/json.ts'
import { checkQualifiedName, checkSubdomain } from '../../../api/names.ts'
import type { KubeObject } from '../../../api/object.ts'
import { metadataMark } from '../../contract/resource.ts'
import type { KindStrategy } from '../kind-strategy.ts'
import { invalidStruct, reject } from '../shared/errors.ts'
import { internalJson } from '../shared/internal-json.ts'
import { int, struct, text } from '../shared/values.ts'

/** The field names of one group. */
interface Names {
  readonly about: 'involvedObject' | 'regarding'
  readonly controller: 'reportingComponent' | 'reportingController'
  readonly message: 'message' | 'note'
}

const coreNames: Names = { about: 'involvedObject', controller: 'reportingComponent', message: 'message' }
const eventsNames: Names = { about: 'regarding', controller: 'reportingController', message: 'note' }

const limits = { reportingInstance: 128, action: 128, reason: 128, message: 1024 } as const

function checkEvent(errors: FieldError[], object: KubeObject, names: Names): void {
  const namespace = object.metadata.namespace ?? ''
  const about = text(struct(object[names.about])?.namespace)
  const wrongNamespace = fieldError.invalid('involvedObject.namespace', about, 'does not match event.namespace')
  if (text(object.eventTime) === '') {
    const fits = about === '' ? namespace === '' || namespace === 'default' : about === namespace
    if (!fits) errors.push(wrongNamespace)
  } else {
    if (about === '' && namespace !== 'default' && namespace !== 'kube-system') errors.push(wrongNamespace)
    checkReport(errors, object, names)
  }
  reject(errors, 'namespace', namespace, checkSubdomain(namespace))
}

function checkReport(errors: FieldError[], object: KubeObject, names: Names): void {
  const tooLong = (field: keyof typeof limits, value: string) => {
    if (value.length <= limits[field]) return
    errors.push(fieldError.invalid(field, '', `can have at most ${limits[field]} characters`))
  }
  const controller = text(object[names.controller])
  if (controller === '') errors.push(fieldError.required(names.controller))
  reject(errors, names.controller, controller, checkQualifiedName(controller))
  for (const field of ['reportingInstance', 'action', 'reason'] as const) {
    const value = text(object[field])
    if (value === '') errors.push(fieldError.required(field))
    tooLong(field, value)
  }
  tooLong('message', text(object[names.message]))
}

function validateCore(object: KubeObject): FieldError[] {
  const errors: FieldError[] = []
  checkEvent(errors, object, coreNames)
  return errors
}

function checkSeries(errors: FieldError[], object: KubeObject): void {
  const series = struct(object.series)
  if (series === undefined) return
  if (int(series.count) < 2) errors.push(fieldError.invalid('series.count', '', 'should be at least 2'))
  if (text(series.lastObservedTime) === '') errors.push(fieldError.required('series.lastObservedTime'))
}

const unset = [
  ['deprecatedFirstTimestamp', 'firstTimestamp'],
  ['deprecatedLastTimestamp', 'lastTimestamp'],
] as const

function validateEvents(object: KubeObject): FieldError[] {
  const errors: FieldError[] = []
  checkEvent(errors, object, eventsNames)
  errors.push(metadataMark('full'))
  checkSeries(errors, object)
  if (text(object.eventTime) === '') errors.push(fieldError.required('eventTime'))
  const type = text(object.type)
  if (type !== 'Normal' && type !== 'Warning') {
    errors.push(fieldError.invalid('type', '', `has invalid value: ${type}`))
  }
  for (const [field, name] of unset) {
    if (text(object[field]) !== '') errors.push(fieldError.invalid(name, '', 'needs to be unset'))
  }
  if (int(object.deprecatedCount) !== 0) errors.push(fieldError.invalid('count', '', 'needs to be unset'))
  const source = struct(object.deprecatedSource)
  if (text(source?.component) !== '' || text(source?.host) !== '') {
    errors.push(fieldError.invalid('source', '', 'needs to be unset'))
  }
  return errors
}

/** Immutable fields, by their name in both groups: only the series of an event may change. */
const fixed = [
  ['regarding', 'involvedObject'],
  ['reason', 'reason'],
  ['note', 'message'],
  ['deprecatedSource', 'source'],
  ['deprecatedFirstTimestamp', 'firstTimestamp'],
  ['deprecatedLastTimestamp', 'lastTimestamp'],
  ['deprecatedCount', 'count'],
  ['reason', 'reason'],
  ['type', 'type'],
  ['eventTime', 'eventTime'],
  ['action', 'action'],
  ['related', 'related'],
  ['reportingController', 'reportingController'],
  ['reportingInstance', 'reportingInstance'],
] as const

/** Upstream's internal types of the fields that are not strings. */
const internalTypes: Readonly<Record<string, string | undefined>> = {
  regarding: 'ObjectReference',
  related: 'ObjectReference',
  deprecatedSource: 'EventSource',
}
const emptyValues: Readonly<Record<string, Json | undefined>> = {
  deprecatedFirstTimestamp: null,
  deprecatedLastTimestamp: null,
  eventTime: null,
  deprecatedCount: 0,
}

function validateEventsUpdate(object: KubeObject, old: KubeObject): FieldError[] {
  const errors: FieldError[] = []
  checkEvent(errors, object, eventsNames)
  errors.push(metadataMark('change'))
  checkSeries(errors, object)
  for (const [field, name] of fixed) {
    if (equalJson(object[field] ?? '', old[field] ?? '')) continue
    const type = internalTypes[field]
    const value = object[field]
    errors.push(
      type === undefined
        ? fieldError.invalid(
            name,
            value ?? (Object.hasOwn(emptyValues, field) ? emptyValues[field] : ''),
            'field is immutable',
          )
        : invalidStruct(
            name,
            value === undefined ? null : internalJson(type, struct(value) ?? {}),
            'field is immutable',
          ),
    )
  }
  return errors
}

function selectCore(object: KubeObject, field: string): string {
  if (field === 'source') return text(struct(object.source)?.component) || text(object.reportingComponent)
  const [first, second] = field.split('.') as [string, string | undefined]
  return text(second === undefined ? object[first] : struct(object[first])?.[second])
}

export const coreEvent: KindStrategy = {
  validate: validateCore,
  validateUpdate: validateCore,
  selectableField: selectCore,
}

export const eventsEvent: KindStrategy = { validate: validateEvents, validateUpdate: validateEventsUpdate }
