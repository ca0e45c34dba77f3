/** Quota scopes: restrict a quota to some pods or claims, such as those of one priority class. */
import type { JsonObject } from '../../../api/json.ts'
import type { KubeObject } from '../../../api/object.ts'
import { qosClass } from '../../resources/shared/qos.ts'
import { items, maybeInt, size, strings, struct, text } from '../../resources/shared/values.ts'

export interface QuotaScope {
  readonly name: string
  readonly operator: string
  readonly values: readonly string[]
}

/** Scopes of a ResourceQuota spec: those of `scopes` first, then those of `scopeSelector`. */
export function scopesOf(spec: JsonObject): QuotaScope[] {
  const plain = strings(spec.scopes).map((name) => ({ name, operator: 'Exists', values: [] }))
  const selected = items(struct(spec.scopeSelector)?.matchExpressions).map((expression) => ({
    name: text(expression.scopeName),
    operator: text(expression.operator),
    values: strings(expression.values),
  }))
  return [...plain, ...selected]
}

export function matchesNoScope(): boolean {
  return false
}

/** `value` is '' if the object has none. */
function selects({ operator, values }: QuotaScope, value: string): boolean {
  switch (operator) {
    case 'In':
      return value !== '' && values.includes(value)
    case 'NotIn':
      return value === '' || !values.includes(value)
    case 'Exists':
      return value !== ''
    case 'DoesNotExist':
      return value === ''
    default:
      return false
  }
}

export function podScopeMatches(scope: QuotaScope, pod: KubeObject): boolean {
  const spec = struct(pod.spec) ?? {}
  switch (scope.name) {
    case 'Terminating':
      return hasActiveDeadline(spec)
    case 'NotTerminating':
      return !hasActiveDeadline(spec)
    case 'BestEffort':
      return isBestEffort(pod, spec)
    case 'NotBestEffort':
      return !isBestEffort(pod, spec)
    case 'PriorityClass':
      return selects(scope, text(spec.priorityClassName))
    case 'CrossNamespacePodAffinity':
      return looksAcrossNamespaces(struct(spec.affinity))
    default:
      return false
  }
}

/** True for pods that end after a deadline. */
export function hasActiveDeadline(spec: JsonObject): boolean {
  return (maybeInt(spec.activeDeadlineSeconds) ?? -1) >= 0
}

function isBestEffort(pod: KubeObject, spec: JsonObject): boolean {
  return (text(struct(pod.status)?.qosClass) || qosClass(spec)) === 'BestEffort'
}

function looksAcrossNamespaces(affinity: JsonObject | undefined): boolean {
  return [struct(affinity?.podAffinity), struct(affinity?.podAntiAffinity)].some((given) => {
    const preferred = items(given?.preferredDuringSchedulingIgnoredDuringExecution)
    const terms = [
      ...items(given?.requiredDuringSchedulingIgnoredDuringExecution),
      ...preferred.map((weighted) => struct(weighted.podAffinityTerm) ?? {}),
    ]
    return terms.some((term) => size(term.namespaces) > 0 || term.namespaceSelector !== undefined)
  })
}

/** While a claim changes its VolumeAttributesClass, it refers to several classes. */
export function volumeScopeMatches(scope: QuotaScope, claim: KubeObject): boolean {
  if (scope.name !== 'VolumeAttributesClass') return false
  const status = struct(claim.status)
  const names = [
    text(struct(claim.spec)?.volumeAttributesClassName),
    text(status?.currentVolumeAttributesClassName),
    text(struct(status?.modifyVolumeStatus)?.targetVolumeAttributesClassName),
  ].filter((name) => name !== '')
  return names.length === 0 ? selects(scope, '') : names.some((name) => selects(scope, name))
}
