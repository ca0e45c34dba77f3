/** ResourceQuota: its scopes are immutable. */
import { fieldError, type FieldError } from '../../../api/field-error.ts'
import type { Json, JsonObject } from '../../../api/json.ts'
import type { KubeObject } from '../../../api/object.ts'
import type { KindStrategy } from '../kind-strategy.ts'
import { invalidStruct, repeat } from '../shared/errors.ts'
import { internalJson } from '../shared/internal-json.ts'
import {
  checkQuotaResourceName,
  checkResourceQuantity,
  compareQuantityTexts,
  isQuotaResource,
} from '../shared/quantities.ts'
import { roundResourceList } from '../shared/resource-list.ts'
import { entries, entry, items, specOf, strings, struct, text } from '../shared/values.ts'
import type { EmptyFields } from '../../../shape/empty-fields.ts'
import type { WriteContext } from '../../contract/resource.ts'

const scopes = new Set([
  'BestEffort',
  'CrossNamespacePodAffinity',
  'NotBestEffort',
  'NotTerminating',
  'PriorityClass',
  'Terminating',
  'VolumeAttributesClass',
])
const conflicting = [
  ['BestEffort', 'NotBestEffort'],
  ['Terminating', 'NotTerminating'],
] as const

function checkList(errors: FieldError[], field: string, list: unknown): void {
  for (const [name, quantity] of entries(list)) {
    checkQuotaResourceName(errors, `${field}[${name}]`, name)
    checkResourceQuantity(errors, `${field}[${name}]`, name, quantity)
  }
}

function checkSpec(errors: FieldError[], spec: JsonObject, empty: EmptyFields | undefined): void {
  checkList(errors, 'spec.hard', spec.hard)
  const given = strings(spec.scopes)
  const unsupported = fieldError.invalid('spec.scopes', [...given], 'unsupported scope')
  const misapplied = fieldError.invalid('spec.scopes', [...given], 'unsupported scope applied to resource')
  const misfits = misfitCounter(spec)
  for (const scope of given) {
    if (!scopes.has(scope)) errors.push(unsupported)
    repeat(errors, misapplied, misfits(scope))
  }
  for (const [one, other] of conflicting) {
    if (!given.includes(one) || !given.includes(other)) continue
    errors.push(fieldError.invalid('spec.scopes', [...given], 'conflicting scopes'))
  }
  const selector = struct(spec.scopeSelector)
  if (selector !== undefined) checkSelector(errors, selector, spec, empty)
}

/** Counts the resources of the quota that a scope does not apply to, once for each scope. */
function misfitCounter(spec: JsonObject): (scope: string) => number {
  const counts = new Map<string, number>()
  return (scope) => {
    if (!scopes.has(scope)) return 0
    let count = counts.get(scope)
    if (count === undefined) {
      count = entries(spec.hard).filter(([name]) => isQuotaResource(name) && !fitsScope(scope, name)).length
      counts.set(scope, count)
    }
    return count
  }
}

const computeResources = new Set(['cpu', 'memory', 'limits.cpu', 'limits.memory', 'requests.cpu', 'requests.memory'])

function fitsScope(scope: string, name: string): boolean {
  if (!scopes.has(scope)) return true
  if (scope === 'VolumeAttributesClass') {
    return name === 'persistentvolumeclaims' || name === 'requests.storage'
  }
  return name === 'pods' || (scope !== 'BestEffort' && computeResources.has(name))
}

/** Scopes without values: a pod matches them or not. */
const plainScopes = new Set([
  'BestEffort',
  'CrossNamespacePodAffinity',
  'NotBestEffort',
  'NotTerminating',
  'Terminating',
])

const onlyExists =
  "must be 'Exists' when scope is any of ResourceQuotaScopeTerminating, ResourceQuotaScopeNotTerminating, " +
  'ResourceQuotaScopeBestEffort, ResourceQuotaScopeNotBestEffort ' +
  'or ResourceQuotaScopeCrossNamespacePodAffinity'

function checkSelector(
  errors: FieldError[],
  selector: JsonObject,
  spec: JsonObject,
  empty: EmptyFields | undefined,
): void {
  const field = 'spec.scopeSelector.matchExpressions'
  const given = new Set<string>()
  const misfits = misfitCounter(spec)
  let misapplied: FieldError | undefined
  for (const expression of items(selector.matchExpressions)) {
    const scope = text(expression.scopeName)
    const operator = text(expression.operator)
    given.add(scope)
    if (!scopes.has(scope)) errors.push(fieldError.invalid(`${field}.scopeName`, scope, 'unsupported scope'))
    if (misfits(scope) > 0) {
      const shown = () => internalJson('ScopeSelector', selector, empty)
      misapplied ??= invalidStruct(field, shown(), 'unsupported scope applied to resource')
      repeat(errors, misapplied, misfits(scope))
    }
    if (plainScopes.has(scope) && operator !== 'Exists') {
      errors.push(fieldError.invalid(`${field}.operator`, operator, onlyExists))
    }
    checkValues(errors, field, operator, strings(expression.values))
  }
  for (const [one, other] of conflicting) {
    if (!given.has(one) || !given.has(other)) continue
    errors.push(fieldError.invalid(field, givenScopes(spec, empty), 'conflicting scopes'))
  }
}

function checkValues(errors: FieldError[], field: string, operator: string, values: readonly string[]): void {
  if (operator === 'In' || operator === 'NotIn') {
    if (values.length > 0) return
    const message = "must be at least one value when `operator` is 'In' or 'NotIn' for scope selector"
    errors.push(fieldError.required(`${field}.values`, message))
  } else if (operator === 'Exists' || operator === 'DoesNotExist') {
    if (values.length === 0) return
    const message = "must be no value when `operator` is 'Exist' or 'DoesNotExist' for scope selector"
    errors.push(fieldError.invalid(`${field}.values`, [...values], message))
  } else {
    errors.push(fieldError.invalid(`${field}.operator`, operator, 'not a valid selector operator'))
  }
}

function validate(object: KubeObject, { decoded }: WriteContext): FieldError[] {
  const errors: FieldError[] = []
  checkSpec(errors, specOf(object), decoded?.empty)
  return errors
}

/** If the requests of a quota exceed its limits, they can never be used up. */
function warnings(object: KubeObject, old: KubeObject | undefined): string[] {
  if (old !== undefined) return []
  const hard = specOf(object).hard
  const found: string[] = []
  for (const resource of ['cpu', 'memory', 'storage', 'ephemeral-storage']) {
    const bare = resource === 'cpu' || resource === 'memory' ? entry(hard, resource) : undefined
    const named = entry(hard, `requests.${resource}`)
    const request = named ?? bare
    const limit = entry(hard, `limits.${resource}`)
    if (request === undefined || limit === undefined || compareQuantityTexts(request, limit) <= 0) continue
    const name = named === undefined ? resource : `requests.${resource}`
    found.push(`ResourceQuota ${name} (${request}) should be less than limits.${resource} (${limit})`)
  }
  return found
}

/** As messages show it: a missing list is null, an empty list is []. */
function givenScopes(spec: JsonObject, empty: EmptyFields | undefined): Json {
  return spec.scopes ?? empty?.get(spec, 'scopes') ?? null
}

export const resourceQuota: KindStrategy = {
  default: (object) => {
    roundResourceList(struct(object.spec)?.hard)
    roundResourceList(struct(object.status)?.hard)
    roundResourceList(struct(object.status)?.used)
  },
  validate,
  validateUpdate: (object, old, context) => {
    const errors = validate(object, context)
    const now = new Set(strings(specOf(object).scopes))
    const before = new Set(strings(struct(old.spec)?.scopes))
    if (now.size !== before.size || [...now].some((scope) => !before.has(scope))) {
      errors.push(
        fieldError.invalid('spec.scopes', givenScopes(specOf(object), context.decoded?.empty), 'field is immutable'),
      )
    }
    return errors
  },
  validateStatusUpdate: (object) => {
    const errors: FieldError[] = []
    const status = struct(object.status)
    checkList(errors, 'status.hard', status?.hard)
    checkList(errors, 'status.used', status?.used)
    return errors
  },
  warnings,
}
