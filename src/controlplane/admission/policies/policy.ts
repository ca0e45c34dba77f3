/** Admission policies with their bindings, as they are stored, and the requests that they match. */
import { isObject, type JsonObject } from '../../../api/json.ts'
import { labelSelectorFrom, type LabelSelector } from '../../../api/label-selector-object.ts'
import type { Selector } from '../../../api/label-selector.ts'
import type { KubeObject } from '../../../api/object.ts'
import type { AdmissionRequest, AdmissionTarget } from '../../registry/admission.ts'
import { strings } from '../../resources/shared/values.ts'
import { isSelected } from '../webhooks/selection.ts'
import { wantedVersion } from '../webhooks/webhook.ts'

/** Match constraints of a policy, or match resources of a binding. */
export interface PolicyMatch {
  readonly rules: readonly JsonObject[]
  readonly excluded: readonly JsonObject[]
  readonly isExact: boolean
  readonly namespaces: Selector
  readonly objects: Selector
}

export interface ParamKind {
  readonly apiVersion: string
  readonly kind: string
}

export interface PolicyBinding {
  readonly name: string
  /** Absent: every request that the policy matches. */
  readonly match: PolicyMatch | undefined
  readonly paramRef: JsonObject | undefined
  readonly actions: readonly string[]
}

export interface ConfiguredPolicy<Compiled> {
  readonly name: string
  readonly match: PolicyMatch
  readonly paramKind: ParamKind | undefined
  readonly failsClosed: boolean
  /** Whether a mutating policy runs again after later changes. */
  readonly isReinvoked: boolean
  /** At least one: a policy without bindings has no effect. */
  readonly bindings: readonly PolicyBinding[]
  /** Compiled on first use. */
  readonly compiled: () => Compiled
}

/** In the order of the names of the policies, then of the bindings. The objects are valid and defaulted. */
export function policiesOf<Compiled>(
  policies: readonly KubeObject[],
  bindings: readonly KubeObject[],
  compile: (spec: JsonObject) => Compiled,
): ConfiguredPolicy<Compiled>[] {
  const bound = new Map<string, PolicyBinding[]>()
  for (const binding of bindings) {
    const spec = structOf(binding.spec)
    const policy = String(spec['policyName'])
    const known = bound.get(policy)
    if (known === undefined) bound.set(policy, [bindingOf(binding, spec)])
    else known.push(bindingOf(binding, spec))
  }
  return policies.flatMap((policy) => {
    const name = policy.metadata.name ?? ''
    const own = bound.get(name)
    return own === undefined ? [] : [policyOf(name, structOf(policy.spec), own, compile)]
  })
}

function policyOf<Compiled>(
  name: string,
  spec: JsonObject,
  bindings: readonly PolicyBinding[],
  compile: (spec: JsonObject) => Compiled,
): ConfiguredPolicy<Compiled> {
  let compiled: Compiled | undefined
  return {
    name,
    match: matchOf(structOf(spec['matchConstraints'])),
    paramKind: spec['paramKind'] as ParamKind | undefined,
    failsClosed: spec['failurePolicy'] !== 'Ignore',
    isReinvoked: spec['reinvocationPolicy'] === 'IfNeeded',
    bindings,
    compiled: () => (compiled ??= compile(spec)),
  }
}

function bindingOf(binding: KubeObject, spec: JsonObject): PolicyBinding {
  const { paramRef, matchResources } = spec
  return {
    name: binding.metadata.name ?? '',
    match: isObject(matchResources) ? matchOf(matchResources) : undefined,
    paramRef: isObject(paramRef) ? paramRef : undefined,
    actions: (spec['validationActions'] ?? []) as string[],
  }
}

function matchOf(match: JsonObject): PolicyMatch {
  return {
    rules: (match['resourceRules'] ?? []) as JsonObject[],
    excluded: (match['excludeResourceRules'] ?? []) as JsonObject[],
    isExact: match['matchPolicy'] === 'Exact',
    namespaces: labelSelectorFrom((match['namespaceSelector'] ?? {}) as LabelSelector),
    objects: labelSelectorFrom((match['objectSelector'] ?? {}) as LabelSelector),
  }
}

function structOf(value: unknown): JsonObject {
  return isObject(value) ? value : {}
}

/** Whether the policy can match such a request, whatever its name and labels. */
export function canMatch({ match }: { readonly match: PolicyMatch }, target: AdmissionTarget): boolean {
  return wantedVersion(match, target) !== undefined
}

/** The version in which expressions see the object. Undefined: the request is not matched. */
export function matchedVersion(match: PolicyMatch, request: AdmissionRequest): string | undefined {
  const { isExact, excluded } = match
  if (!isSelected(match, request)) return undefined
  if (wantedVersion({ rules: named(excluded, request.name), isExact }, request) !== undefined) return undefined
  if (match.rules.length === 0) return request.resource.version
  return wantedVersion({ rules: named(match.rules, request.name), isExact }, request)
}

/** The rules for this name. A rule without names is for all. */
function named(rules: readonly JsonObject[], name: string): readonly JsonObject[] {
  return rules.filter((rule) => {
    const names = strings(rule['resourceNames'])
    return names.length === 0 || names.includes(name)
  })
}
