/** The access reviews: validates their spec, asks the authorizer and builds their status. */
import { fieldError, type FieldError } from '../../api/field-error.ts'
import { parseFieldSelector } from '../../api/field-selector.ts'
import { goStructJson } from '../../api/go-json.ts'
import { isObject, type Json, type JsonObject } from '../../api/json.ts'
import { requirementErrors, type SelectorOperator } from '../../api/label-requirement.ts'
import { parseLabelSelector } from '../../api/label-selector.ts'
import { checkLabelValue, checkQualifiedName } from '../../api/names.ts'
import type { KubeObject } from '../../api/object.ts'
import type { Authorizer } from '../auth/authorizer.ts'
import type { RequestInfo, RequestVerb } from '../registry/request-info.ts'
import type { UserInfo } from '../contract/resource.ts'

/** `self` is about the sender, `any` about a user in the spec, `local` about a user in one namespace. */
export type ReviewScope = 'self' | 'any' | 'local'

/** `review` is decoded, with its namespace and managedFields set. */
export function accessReviewErrors(review: KubeObject, scope: ReviewScope): FieldError[] {
  const errors: FieldError[] = []
  const spec = struct(review['spec'])
  const { resourceAttributes: resource, nonResourceAttributes: path } = spec
  if (isObject(resource) && isObject(path)) {
    errors.push(
      invalidStruct(
        'spec.nonResourceAttributes',
        shownPath(path),
        'cannot be specified in combination with resourceAttributes',
      ),
    )
  }
  if (!isObject(resource) && !isObject(path)) {
    const detail = 'exactly one of nonResourceAttributes or resourceAttributes must be specified'
    errors.push(fieldError.invalid('spec.resourceAttributes', null, detail))
  }
  if (scope !== 'self' && text(spec['user']) === '' && list(spec['groups']).length === 0) {
    errors.push(fieldError.invalid('spec.user', '', 'at least one of user or group must be specified'))
  }
  if (isObject(resource)) {
    for (const kind of ['fieldSelector', 'labelSelector'] as const) checkSelector(errors, kind, resource[kind])
  }
  checkMetadata(errors, review, scope)
  if (scope !== 'local') return errors
  const namespace = text(struct(resource)['namespace'])
  if (isObject(resource) && namespace !== (review.metadata.namespace ?? '')) {
    errors.push(fieldError.invalid('spec.resourceAttributes.namespace', namespace, 'must match metadata.namespace'))
  }
  if (isObject(path)) {
    errors.push(invalidStruct('spec.nonResourceAttributes', shownPath(path), 'disallowed on this kind of request'))
  }
  return errors
}

function checkMetadata(errors: FieldError[], review: KubeObject, scope: ReviewScope): void {
  const allowed = scope === 'local' ? ['managedFields', 'namespace'] : ['managedFields']
  if (Object.keys(review.metadata).every((field) => allowed.includes(field))) return
  const detail = scope === 'local' ? 'must be empty except for namespace' : 'must be empty'
  errors.push(invalidStruct('metadata', review.metadata, detail))
}

function checkSelector(
  errors: FieldError[],
  kind: 'fieldSelector' | 'labelSelector',
  selector: Json | undefined,
): void {
  if (!isObject(selector)) return
  const field = `spec.resourceAttributes.${kind}`
  const raw = text(selector['rawSelector'])
  const requirements = list(selector['requirements']).filter(isObject)
  if (raw !== '' && requirements.length > 0) {
    errors.push(fieldError.invalid(`${field}.rawSelector`, raw, 'may not specified at the same time as requirements'))
  }
  if (raw === '' && requirements.length === 0) {
    errors.push(
      fieldError.required(
        `${field}.requirements`,
        `when ${field} is specified, requirements or rawSelector is required`,
      ),
    )
  }
  for (const [i, requirement] of requirements.entries())
    checkRequirement(errors, kind, `${field}.requirements[${i}]`, requirement)
}

/** Unknown operators are accepted: they may come from newer clients. */
function checkRequirement(errors: FieldError[], kind: string, field: string, requirement: JsonObject): void {
  const key = text(requirement['key'])
  const operator = text(requirement['operator'])
  const values = list(requirement['values'])
  if (kind === 'fieldSelector' && key === '') errors.push(fieldError.required(`${field}.key`, 'must be specified'))
  if ((operator === 'In' || operator === 'NotIn') && values.length === 0) {
    errors.push(fieldError.required(`${field}.values`, "must be specified when `operator` is 'In' or 'NotIn'"))
  }
  if ((operator === 'Exists' || operator === 'DoesNotExist') && values.length > 0) {
    errors.push(
      fieldError.forbidden(`${field}.values`, "may not be specified when `operator` is 'Exists' or 'DoesNotExist'"),
    )
  }
  if (kind === 'fieldSelector') return
  for (const problem of checkQualifiedName(key)) errors.push(fieldError.invalid(`${field}.key`, key, problem))
  for (const [i, value] of values.entries()) {
    for (const problem of checkLabelValue(text(value)))
      errors.push(fieldError.invalid(`${field}.values[${i}]`, value, problem))
  }
}

/** The status of a valid review. `sender` is the subject if the scope is `self`. */
export function accessReviewStatus(
  authorizer: Authorizer,
  review: KubeObject,
  scope: ReviewScope,
  sender: UserInfo,
): JsonObject {
  const spec = struct(review['spec'])
  const { allowed, reason } = authorizer.decide(scope === 'self' ? sender : subjectOf(spec), questionOf(spec))
  const status: JsonObject = { allowed }
  if (reason !== '') status['reason'] = reason
  const issue = selectorProblem(struct(spec['resourceAttributes']))
  if (issue !== '') status['evaluationError'] = issue
  return status
}

function questionOf(spec: JsonObject): RequestInfo {
  const { resourceAttributes: resource, nonResourceAttributes: path } = spec
  if (!isObject(resource))
    return { isResource: false, verb: text(struct(path)['verb']), path: text(struct(path)['path']) }
  return {
    isResource: true,
    verb: text(resource['verb']) as RequestVerb,
    group: text(resource['group']),
    version: text(resource['version']),
    namespace: text(resource['namespace']),
    resource: text(resource['resource']),
    subresource: text(resource['subresource']),
    name: text(resource['name']),
    rest: '',
    form: 'plain',
  }
}

function subjectOf(spec: JsonObject): UserInfo {
  return { name: text(spec['user']), uid: text(spec['uid']), groups: list(spec['groups']).map(text) }
}

/** RBAC ignores selectors, but invalid ones are reported. */
function selectorProblem(resource: JsonObject): string {
  const problems: string[] = []
  for (const kind of ['fieldSelector', 'labelSelector'] as const) {
    const selector = resource[kind]
    if (!isObject(selector)) continue
    const { kept, broken } = kind === 'fieldSelector' ? fieldParts(selector) : labelParts(selector)
    if (broken)
      problems.push(`spec.resourceAttributes.${kind} ${kept > 0 ? 'partially ' : ''}ignored due to parse error`)
  }
  return problems.join('; ')
}

interface Parts {
  readonly kept: number
  readonly broken: boolean
}

function rawParts(parse: () => unknown): Parts {
  try {
    parse()
    return { kept: 1, broken: false }
  } catch {
    return { kept: 0, broken: true }
  }
}

function fieldParts(selector: JsonObject): Parts {
  const requirements = list(selector['requirements']).filter(isObject)
  if (requirements.length === 0) return rawParts(() => parseFieldSelector(text(selector['rawSelector'])))
  const good = requirements.filter(
    ({ operator, values }) => (operator === 'In' || operator === 'NotIn') && list(values).length === 1,
  )
  return { kept: good.length, broken: good.length < requirements.length }
}

const operators: Readonly<Record<string, SelectorOperator>> = {
  In: 'in',
  NotIn: 'notin',
  Exists: 'exists',
  DoesNotExist: '!',
}

function labelParts(selector: JsonObject): Parts {
  const requirements = list(selector['requirements']).filter(isObject)
  if (requirements.length === 0) return rawParts(() => parseLabelSelector(text(selector['rawSelector'])))
  const good = requirements.filter(({ key, operator, values }) => {
    const known = Object.hasOwn(operators, text(operator)) ? operators[text(operator)] : undefined
    return (
      known !== undefined &&
      requirementErrors({ key: text(key), operator: known, values: list(values).map(text) }).length === 0
    )
  })
  return { kept: good.length, broken: good.length < requirements.length }
}

function invalidStruct(field: string, value: Json, detail: string): FieldError {
  return { type: 'Invalid', field, summary: `Invalid value: ${goStructJson(value)}`, detail }
}

function shownPath(path: JsonObject): JsonObject {
  return { Path: text(path['path']), Verb: text(path['verb']) }
}

function struct(value: unknown): JsonObject {
  return isObject(value) ? value : {}
}

function list(value: unknown): readonly Json[] {
  return Array.isArray(value) ? (value as Json[]) : []
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : ''
}
