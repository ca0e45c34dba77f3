/** A webhook as its configuration declares it, and the kinds of requests that its rules match. */
import { isObject, type Json, type JsonObject } from '../../../api/json.ts'
import type { KubeObject } from '../../../api/object.ts'
import { labelSelectorFrom, type LabelSelector } from '../../../api/label-selector-object.ts'
import type { Selector } from '../../../api/label-selector.ts'
import type { AdmissionTarget } from '../../registry/admission.ts'
import { matchConditions, type MatchConditions } from './conditions.ts'

export interface WebhookTarget {
  readonly url?: string
  readonly service?: {
    readonly name: string
    readonly namespace: string
    readonly path?: string
    readonly port?: number
  }
  /** Base64 of PEM. */
  readonly caBundle?: string
}

export interface ConfiguredWebhook {
  readonly name: string
  /** The name of its configuration. */
  readonly configuration: string
  readonly target: WebhookTarget
  readonly rules: readonly JsonObject[]
  readonly isExact: boolean
  readonly failsClosed: boolean
  readonly timeoutSeconds: number
  /** Whether it may be called for dry runs. */
  readonly takesDryRuns: boolean
  readonly isReinvoked: boolean
  readonly namespaces: Selector
  readonly objects: Selector
  /** Absent: it has none. */
  readonly conditions: MatchConditions | undefined
}

/** The configuration is stored, so it is valid and defaulted. */
export function webhooksOf(configuration: KubeObject): readonly ConfiguredWebhook[] {
  const { webhooks } = configuration as { readonly webhooks?: Json }
  return (Array.isArray(webhooks) ? webhooks : []).filter(isObject).map((webhook) => ({
    name: String(webhook['name']),
    configuration: configuration.metadata.name ?? '',
    target: webhook['clientConfig'] as WebhookTarget,
    rules: (webhook['rules'] ?? []) as JsonObject[],
    isExact: webhook['matchPolicy'] === 'Exact',
    failsClosed: webhook['failurePolicy'] !== 'Ignore',
    timeoutSeconds: Number(webhook['timeoutSeconds'] ?? 10),
    takesDryRuns: webhook['sideEffects'] === 'None' || webhook['sideEffects'] === 'NoneOnDryRun',
    isReinvoked: webhook['reinvocationPolicy'] === 'IfNeeded',
    namespaces: labelSelectorFrom((webhook['namespaceSelector'] ?? {}) as LabelSelector),
    objects: labelSelectorFrom((webhook['objectSelector'] ?? {}) as LabelSelector),
    conditions: conditionsOf(webhook),
  }))
}

function conditionsOf(webhook: JsonObject): MatchConditions | undefined {
  const conditions = (webhook['matchConditions'] ?? []) as { expression: string }[]
  return conditions.length === 0 ? undefined : matchConditions(conditions)
}

/** The version in which a webhook or policy takes such a request. Undefined if no rule matches. */
export function wantedVersion(
  { rules, isExact }: Pick<ConfiguredWebhook, 'rules' | 'isExact'>,
  target: AdmissionTarget,
): string | undefined {
  const { version } = target.resource
  if (rules.some((rule) => concerns(rule, target, version))) return version
  if (isExact) return undefined
  const others = rules.filter((rule) => concerns(rule, target, undefined)).flatMap((rule) => list(rule, 'apiVersions'))
  return others.find((each) => each !== '*' && target.resource.convert !== undefined)
}

/** `version` undefined matches any version. */
function concerns(
  rule: JsonObject,
  { resource, subresource, operation }: AdmissionTarget,
  version: string | undefined,
): boolean {
  const has = (field: string, value: string): boolean =>
    list(rule, field).some((each) => each === '*' || each === value)
  const scope = rule['scope'] ?? '*'
  return (
    has('operations', operation) &&
    has('apiGroups', resource.group) &&
    (version === undefined || has('apiVersions', version)) &&
    (scope === '*' || scope === (resource.namespaced ? 'Namespaced' : 'Cluster')) &&
    list(rule, 'resources').some((each) => isResource(each, resource.plural, subresource))
  )
}

// pods, pods/status, pods/*, *, */status, */*
function isResource(pattern: string, plural: string, subresource: string): boolean {
  const [wanted, below = ''] = pattern.split('/')
  return (wanted === '*' || wanted === plural) && (below === subresource || below === '*')
}

function list(rule: JsonObject, field: string): readonly string[] {
  return (rule[field] ?? []) as string[]
}
