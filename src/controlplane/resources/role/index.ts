/** Role and ClusterRole. */
import { fieldError, type FieldError } from '../../../api/field-error.ts'
import type { JsonObject } from '../../../api/json.ts'
import type { KubeObject } from '../../../api/object.ts'
import { apiError } from '../../../api/status.ts'
import type { WriteContext } from '../../contract/resource.ts'
import type { KindStrategy } from '../kind-strategy.ts'
import { changesOnlyOwners } from './owner-changes.ts'
import { checkLabelSelector, tryLabelSelector } from '../shared/label-selector.ts'
import { items, nullWhenEmpty, size, strings, struct } from '../shared/values.ts'

function checkRule(errors: FieldError[], field: string, rule: JsonObject, namespaced: boolean): void {
  if (size(rule.verbs) === 0) {
    errors.push(fieldError.required(`${field}.verbs`, 'verbs must contain at least one value'))
  }
  const urls = [...strings(rule.nonResourceURLs)]
  if (urls.length > 0) {
    const at = `${field}.nonResourceURLs`
    if (namespaced) {
      errors.push(fieldError.invalid(at, urls, 'namespaced rules cannot apply to non-resource URLs'))
    }
    if (size(rule.apiGroups) + size(rule.resources) + size(rule.resourceNames) > 0) {
      const message = 'rules cannot apply to both regular resources and non-resource URLs'
      errors.push(fieldError.invalid(at, urls, message))
    }
    return
  }
  if (size(rule.apiGroups) === 0) {
    errors.push(fieldError.required(`${field}.apiGroups`, 'resource rules must supply at least one api group'))
  }
  if (size(rule.resources) === 0) {
    errors.push(fieldError.required(`${field}.resources`, 'resource rules must supply at least one resource'))
  }
}

function checkRules(errors: FieldError[], object: KubeObject, namespaced: boolean): void {
  for (const [i, rule] of items(object.rules).entries()) checkRule(errors, `rules[${i}]`, rule, namespaced)
}

function validateRole(object: KubeObject): FieldError[] {
  const errors: FieldError[] = []
  checkRules(errors, object, true)
  return errors
}

function validateClusterRole(object: KubeObject): FieldError[] {
  const errors: FieldError[] = []
  checkRules(errors, object, false)
  const aggregation = struct(object.aggregationRule)
  if (aggregation === undefined) return errors
  const field = 'aggregationRule.clusterRoleSelectors'
  const selectors = items(aggregation.clusterRoleSelectors)
  if (selectors.length === 0) {
    const message = 'at least one clusterRoleSelector required if aggregationRule is non-nil'
    errors.push(fieldError.required(field, message))
  }
  for (const [i, selector] of selectors.entries()) {
    checkLabelSelector(errors, `${field}[${i}]`, selector)
    if (tryLabelSelector(selector) === undefined) {
      errors.push(fieldError.invalid(`${field}[${i}]`, null, 'invalid label selector.'))
    }
  }
  return errors
}

/**
 * An empty list of rules is stored as null, but its writer owns it. So this is done here, after field tracking, and not
 * when defaulting.
 */
function prepare(object: KubeObject): void {
  nullWhenEmpty(object, 'rules')
}

const fullAuthority: readonly JsonObject[] = [
  { verbs: ['*'], apiGroups: ['*'], resources: ['*'] },
  { verbs: ['*'], nonResourceURLs: ['*'] },
]

function isAggregated(object: KubeObject | undefined): boolean {
  return size(struct(object?.aggregationRule)?.clusterRoleSelectors) > 0
}

/** Prevents escalation: a role grants its rules to its subjects, and an aggregated role may grant anything. */
function checkGrants(object: KubeObject, old: KubeObject | undefined, context: WriteContext): void {
  const { grants, resource } = context
  if (grants === undefined || grants.mayEscalate()) return
  if (old !== undefined && changesOnlyOwners(object, old)) return
  const name = { group: resource.group, resource: resource.plural }
  const why = grants.rejection(items(object.rules))
  if (why !== undefined) throw apiError.forbidden(name, object.metadata.name ?? '', why)
  if ((isAggregated(object) || isAggregated(old)) && grants.rejection(fullAuthority) !== undefined) {
    const message = 'must have cluster-admin privileges to use the aggregationRule'
    throw apiError.forbidden(name, object.metadata.name ?? '', message)
  }
}

export const role: KindStrategy = {
  checkGrants,
  prepareForCreate: prepare,
  prepareForUpdate: prepare,
  validate: validateRole,
  validateUpdate: validateRole,
}
export const clusterRole: KindStrategy = {
  checkGrants,
  prepareForCreate: prepare,
  prepareForUpdate: prepare,
  validate: validateClusterRole,
  validateUpdate: validateClusterRole,
}
