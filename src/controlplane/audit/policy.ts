/**
 * The audit policy (audit.k8s.io/v1): which requests are recorded, at which level and stages. The first rule that
 * matches decides; without one nothing is recorded.
 */
import { fieldError, fieldErrorMessage, type FieldError } from '../../api/field-error.ts'
import { isObject, type Json, type JsonObject } from '../../api/json.ts'
import { checkSubdomain } from '../../api/names.ts'
import type { UserInfo } from '../contract/resource.ts'
import type { RequestInfo, ResourceRequest } from '../registry/request-info.ts'

export const auditLevels = ['None', 'Metadata', 'Request', 'RequestResponse'] as const
export type AuditLevel = (typeof auditLevels)[number]

export const auditStages = ['RequestReceived', 'ResponseStarted', 'ResponseComplete', 'Panic'] as const
export type AuditStage = (typeof auditStages)[number]

/** What is recorded of one request. */
export interface AuditDecision {
  readonly level: AuditLevel
  readonly omitStages: ReadonlySet<AuditStage>
  readonly omitManagedFields: boolean
}

/** The policy cannot be used; the message names the field. */
export class AuditPolicyError extends Error {
  override readonly name = 'AuditPolicyError'
}

interface GroupResources {
  readonly group: string
  readonly resources: readonly string[]
  readonly resourceNames: readonly string[]
}

interface Rule extends AuditDecision {
  readonly users: readonly string[]
  readonly userGroups: readonly string[]
  readonly verbs: readonly string[]
  readonly namespaces: readonly string[]
  readonly resources: readonly GroupResources[]
  readonly nonResourceURLs: readonly string[]
}

export class AuditPolicy {
  readonly #rules: readonly Rule[]

  /** `value`: the content of a policy file. Throws an {@link AuditPolicyError}. */
  constructor(value: unknown) {
    const policy = checkedPolicy(value)
    const omitStages = stagesOf(policy['omitStages'])
    const omitManagedFields = policy['omitManagedFields'] === true
    this.#rules = objectsOf(policy['rules']).map((rule) => ({
      level: rule['level'] as AuditLevel,
      omitStages: new Set([...omitStages, ...stagesOf(rule['omitStages'])]),
      omitManagedFields: typeof rule['omitManagedFields'] === 'boolean' ? rule['omitManagedFields'] : omitManagedFields,
      users: textsOf(rule['users']),
      userGroups: textsOf(rule['userGroups']),
      verbs: textsOf(rule['verbs']),
      namespaces: textsOf(rule['namespaces']),
      nonResourceURLs: textsOf(rule['nonResourceURLs']),
      resources: objectsOf(rule['resources']).map((item) => ({
        group: typeof item['group'] === 'string' ? item['group'] : '',
        resources: textsOf(item['resources']),
        resourceNames: textsOf(item['resourceNames']),
      })),
    }))
  }

  /** Undefined if the request is not recorded. `user` undefined: authentication failed. */
  decide(user: UserInfo | undefined, info: RequestInfo): AuditDecision | undefined {
    const rule = this.#rules.find((each) => matches(each, user, info))
    return rule === undefined || rule.level === 'None' ? undefined : rule
  }
}

function matches(rule: Rule, user: UserInfo | undefined, info: RequestInfo): boolean {
  const { users, userGroups, verbs, namespaces, resources, nonResourceURLs } = rule
  if (users.length > 0 && (user === undefined || !users.includes(user.name))) return false
  if (userGroups.length > 0 && user?.groups.some((group) => userGroups.includes(group)) !== true) return false
  if (verbs.length > 0 && !verbs.includes(info.verb)) return false
  if (namespaces.length > 0 || resources.length > 0) return info.isResource && matchesResource(rule, info)
  if (nonResourceURLs.length === 0) return true
  return !info.isResource && nonResourceURLs.some((pattern) => matchesPath(pattern, info.path))
}

function matchesPath(pattern: string, path: string): boolean {
  return pattern === path || (pattern.endsWith('*') && path.startsWith(pattern.replace(/\*+$/, '')))
}

function matchesResource({ namespaces, resources }: Rule, info: ResourceRequest): boolean {
  if (namespaces.length > 0 && !namespaces.includes(info.namespace)) return false
  if (resources.length === 0) return true
  const { resource, subresource } = info
  const combined = subresource === '' ? resource : `${resource}/${subresource}`
  return resources.some((item) => {
    if (item.group !== info.group) return false
    if (item.resources.length === 0) return true
    if (item.resourceNames.length > 0 && !item.resourceNames.includes(info.name)) return false
    return item.resources.some(
      (each) =>
        each === '*' ||
        each === combined ||
        each === `${resource}/*` ||
        (subresource !== '' && each === `*/${subresource}`),
    )
  })
}

function checkedPolicy(value: unknown): JsonObject {
  if (!isObject(value)) throw new AuditPolicyError('it is not a map with apiVersion, kind and rules')
  const { apiVersion, kind } = value
  if (apiVersion !== 'audit.k8s.io/v1' || kind !== 'Policy')
    throw new AuditPolicyError(
      `apiVersion and kind must be audit.k8s.io/v1 and Policy, not ${JSON.stringify(apiVersion ?? '')} and ` +
        JSON.stringify(kind ?? ''),
    )
  const errors: FieldError[] = [
    ...listErrors(value, ['omitStages'], ''),
    ...stageErrors(value['omitStages'], 'omitStages'),
  ]
  const { rules } = value
  if (!Array.isArray(rules) || rules.length === 0) throw new AuditPolicyError('loaded illegal policy with 0 rules')
  for (const [i, rule] of rules.entries())
    if (isObject(rule)) errors.push(...ruleErrors(rule, `rules[${i}]`))
    else errors.push(fieldError.invalid(`rules[${i}]`, rule, 'must be a map'))
  if (errors.length > 0) throw new AuditPolicyError(errors.map(fieldErrorMessage).join('; '))
  return value
}

const ruleLists = ['users', 'userGroups', 'verbs', 'namespaces', 'nonResourceURLs', 'omitStages']

function ruleErrors(rule: JsonObject, path: string): FieldError[] {
  const { level, nonResourceURLs } = rule
  const errors = listErrors(rule, ruleLists, `${path}.`)
  if (level === undefined || level === '') errors.push(fieldError.required(`${path}.level`, ''))
  else if (!auditLevels.some((each) => each === level))
    errors.push(fieldError.notSupported(`${path}.level`, level, [...auditLevels]))
  for (const [i, url] of textsOf(nonResourceURLs).entries()) {
    const at = `${path}.nonResourceURLs[${i}]`
    if (url === '*') continue
    if (!url.startsWith('/'))
      errors.push(fieldError.invalid(at, url, "non-resource URL rules must begin with a '/' character"))
    if (url.slice(0, -1).includes('*'))
      errors.push(fieldError.invalid(at, url, "non-resource URL wildcards '*' must be the final character of the rule"))
  }
  for (const item of objectsOf(rule['resources'])) errors.push(...resourceErrors(item, `${path}.resources`))
  errors.push(...stageErrors(rule['omitStages'], `${path}.omitStages`))
  if (textsOf(nonResourceURLs).length > 0 && (isFilled(rule['resources']) || isFilled(rule['namespaces'])))
    errors.push(
      fieldError.invalid(
        `${path}.nonResourceURLs`,
        nonResourceURLs,
        'rules cannot apply to both regular resources and non-resource URLs',
      ),
    )
  return errors
}

function resourceErrors(item: JsonObject, path: string): FieldError[] {
  const { group, resources, resourceNames } = item
  const errors = listErrors(item, ['resources', 'resourceNames'], `${path}.`)
  const problems = typeof group === 'string' && group !== '' ? checkSubdomain(group) : []
  if (problems.length > 0) errors.push(fieldError.invalid(`${path}.group`, group, problems.join(',')))
  if (isFilled(resourceNames) && !isFilled(resources))
    errors.push(
      fieldError.invalid(`${path}.resourceNames`, resourceNames, 'using resourceNames requires at least one resource'),
    )
  return errors
}

function stageErrors(stages: Json | undefined, path: string): FieldError[] {
  return textsOf(stages).flatMap((stage, i) =>
    auditStages.some((each) => each === stage)
      ? []
      : [fieldError.invalid(`${path}[${i}]`, stage, `allowed stages are ${auditStages.join(',')}`)],
  )
}

/** Fields that must be lists of texts. A rule that was misread would record less than intended. */
function listErrors(fields: JsonObject, names: readonly string[], prefix: string): FieldError[] {
  return names.flatMap((name) => {
    const value = fields[name] ?? []
    const isList = Array.isArray(value) && value.every((item) => typeof item === 'string')
    return isList ? [] : [fieldError.invalid(`${prefix}${name}`, value, 'must be a list of texts')]
  })
}

function isFilled(value: Json | undefined): boolean {
  return Array.isArray(value) && value.length > 0
}

function textsOf(value: Json | undefined): string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : []
}

function objectsOf(value: Json | undefined): JsonObject[] {
  return Array.isArray(value) ? value.filter(isObject) : []
}

function stagesOf(value: Json | undefined): AuditStage[] {
  return textsOf(value) as AuditStage[]
}
