/** The options of list and watch. */
import { fieldError, type FieldError } from '../../api/field-error.ts'
import {
  checkFieldSelector,
  fieldLabelsOf,
  fieldSelectorOf,
  parseFieldSelector,
  type FieldSelector,
} from '../../api/field-selector.ts'
import { parseLabelSelector, type Selector } from '../../api/label-selector.ts'
import type { KubeObject } from '../../api/object.ts'
import { apiError } from '../../api/status.ts'
import type { RegistryCall } from './call.ts'
import { isTrue, queryNumber } from './query-values.ts'
import type { Resource } from '../contract/resource.ts'

export interface ListQuery {
  readonly labels: Selector
  readonly fields: FieldSelector
  /** 0: no limit. */
  readonly limit: number
  readonly continue: string
  readonly resourceVersion: string
  readonly resourceVersionMatch: '' | 'Exact' | 'NotOlderThan'
  readonly allowWatchBookmarks: boolean
  readonly sendInitialEvents: boolean | undefined
  readonly timeoutSeconds: number | undefined
}

export function listQuery(call: RegistryCall, watch: boolean): ListQuery {
  const { query } = call.request
  const labels = parseLabelSelector(query.get('labelSelector') ?? '')
  const fields = fieldSelector(call, query.get('fieldSelector') ?? '')
  const sendInitialEvents = query.get('sendInitialEvents')
  const options: ListQuery = {
    labels,
    fields,
    limit: queryNumber(query, 'limit') ?? 0,
    continue: query.get('continue') ?? '',
    resourceVersion: query.get('resourceVersion') ?? '',
    resourceVersionMatch: (query.get('resourceVersionMatch') ?? '') as ListQuery['resourceVersionMatch'],
    allowWatchBookmarks: isTrue(query.get('allowWatchBookmarks')),
    sendInitialEvents: sendInitialEvents === null ? undefined : isTrue(sendInitialEvents),
    timeoutSeconds: queryNumber(query, 'timeoutSeconds'),
  }
  const errors = watch ? watchErrors(options) : listErrors(options)
  if (errors.length > 0) throw apiError.invalid('meta.k8s.io', 'ListOptions', '', errors)
  return options
}

/** A watch of one object by its path becomes a watch with a field selector for its name. */
function fieldSelector({ name, resource }: RegistryCall, text: string): FieldSelector {
  const given = parseFieldSelector(text)
  if (given.isEmpty)
    return name === '' ? given : fieldSelectorOf([{ field: 'metadata.name', equal: true, value: name }])
  const selector = checkFieldSelector(given, fieldLabelsOf(resource, resource.strategy.selectableFields))
  if (name !== '' && selector.exactValue('metadata.name') !== name) {
    throw apiError.badRequest("fieldSelector metadata.name doesn't match requested name")
  }
  return selector
}

const field = 'resourceVersionMatch'

function listErrors(options: ListQuery): FieldError[] {
  const errors: FieldError[] = []
  const match = options.resourceVersionMatch
  if (match.length > 0) {
    if (options.resourceVersion === '')
      errors.push(fieldError.forbidden(field, `${field} is forbidden unless resourceVersion is provided`))
    if (options.continue !== '')
      errors.push(fieldError.forbidden(field, `${field} is forbidden when continue is provided`))
    if (match !== 'Exact' && match !== 'NotOlderThan')
      errors.push(fieldError.notSupported(field, match, ['Exact', 'NotOlderThan', '']))
    if (match === 'Exact' && options.resourceVersion === '0') {
      errors.push(fieldError.forbidden(field, `${field} "exact" is forbidden for resourceVersion "0"`))
    }
  }
  if (options.sendInitialEvents !== undefined) {
    errors.push(fieldError.forbidden('sendInitialEvents', 'sendInitialEvents is forbidden for list'))
  }
  return errors
}

function watchErrors(options: ListQuery): FieldError[] {
  const errors: FieldError[] = []
  const match = options.resourceVersionMatch
  if (options.sendInitialEvents !== undefined && match !== 'NotOlderThan') {
    errors.push(fieldError.forbidden(field, `sendInitialEvents requires setting ${field} to NotOlderThan`))
  }
  if (match.length > 0) {
    if (options.sendInitialEvents === undefined) {
      errors.push(fieldError.forbidden(field, `${field} is forbidden for watch unless sendInitialEvents is provided`))
    }
    if (match !== 'NotOlderThan') errors.push(fieldError.notSupported(field, match, ['NotOlderThan']))
  }
  // For a watch without a revision, upstream sets resourceVersionMatch itself, and then rejects `continue` here.
  if (options.continue !== '' && (match.length > 0 || options.resourceVersion === '')) {
    errors.push(fieldError.forbidden(field, `${field} is forbidden when continue is provided`))
  }
  return errors
}

/** Whether an object matches both selectors. */
export function matchesListQuery(options: ListQuery, resource: Resource, object: KubeObject): boolean {
  if (!options.labels.isEmpty && !options.labels.matches(object.metadata.labels)) return false
  if (options.fields.isEmpty) return true
  return options.fields.matches((name) => fieldValue(resource, object, name))
}

function fieldValue(resource: Resource, object: KubeObject, name: string): string {
  if (name === 'metadata.name') return object.metadata.name ?? ''
  if (name === 'metadata.namespace') return object.metadata.namespace ?? ''
  return resource.strategy.selectableField?.(object, name) ?? ''
}
