/** ResourceQuota: its scopes do not change. */
import { fieldError, type FieldError } from '../../../api/field-error.ts'
import type { JsonObject } from '../../../api/json.ts'
import type { KubeObject } from '../../../api/object.ts'
import type { KindRules } from '../kind-rules.ts'
import { checkQuotaResourceName, checkResourceQuantity, compareTexts } from '../shared/quantities.ts'
import { roundResourceList } from '../shared/resource-list.ts'
import { entries, entry, specOf, strings, struct } from '../shared/values.ts'

const scopes = new Set([
  'BestEffort', 'CrossNamespacePodAffinity', 'NotBestEffort', 'NotTerminating', 'PriorityClass', 'Terminating',
  'VolumeAttributesClass',
])
const conflicting = [['BestEffort', 'NotBestEffort'], ['Terminating', 'NotTerminating']] as const

function checkList(errors: FieldError[], field: string, list: unknown): void {
  for (const [name, quantity] of entries(list)) {
    checkQuotaResourceName(errors, `${field}[${name}]`, name)
    checkResourceQuantity(errors, `${field}[${name}]`, name, quantity)
  }
}

function checkSpec(errors: FieldError[], spec: JsonObject): void {
  checkList(errors, 'spec.hard', spec.hard)
  const given = strings(spec.scopes)
  for (const scope of given) {
    if (!scopes.has(scope)) errors.push(fieldError.invalid('spec.scopes', [...given], 'unsupported scope'))
  }
  for (const [one, other] of conflicting) {
    if (!given.includes(one) || !given.includes(other)) continue
    errors.push(fieldError.invalid('spec.scopes', [...given], 'conflicting scopes'))
  }
}

function validate(object: KubeObject): FieldError[] {
  const errors: FieldError[] = []
  checkSpec(errors, specOf(object))
  return errors
}

/** A quota whose requests exceed its limits can never be used up. */
function warnings(object: KubeObject, old: KubeObject | undefined): string[] {
  if (old !== undefined) return []
  const hard = specOf(object).hard
  const found: string[] = []
  for (const resource of ['cpu', 'memory', 'storage', 'ephemeral-storage']) {
    const bare = resource === 'cpu' || resource === 'memory' ? entry(hard, resource) : undefined
    const named = entry(hard, `requests.${resource}`)
    const request = named ?? bare
    const limit = entry(hard, `limits.${resource}`)
    if (request === undefined || limit === undefined || compareTexts(request, limit) <= 0) continue
    const name = named === undefined ? resource : `requests.${resource}`
    found.push(`ResourceQuota ${name} (${request}) should be less than limits.${resource} (${limit})`)
  }
  return found
}

export const resourceQuota: KindRules = {
  default: (object) => {
    roundResourceList(struct(object.spec)?.hard)
    roundResourceList(struct(object.status)?.hard)
    roundResourceList(struct(object.status)?.used)
  },
  validate,
  validateUpdate: (object, old) => {
    const errors = validate(object)
    const now = strings(specOf(object).scopes)
    const before = new Set(strings(struct(old.spec)?.scopes))
    if (now.length !== before.size || now.some((scope) => !before.has(scope))) {
      errors.push(fieldError.invalid('spec.scopes', [...now], 'field is immutable'))
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
