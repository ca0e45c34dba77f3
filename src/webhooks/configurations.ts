/** The webhook configurations of a cluster, and the conversion of CRDs, from the declarations of the webhooks. */
import type { JsonObject } from '../api/json.ts'
import type { KubeObject } from '../api/object.ts'
import { MutatingWebhookConfiguration, ValidatingWebhookConfiguration } from '../schema/builtin/kinds.ts'
import type { LabelSelector } from '../schema/builtin/meta-v1.ts'
import type { AdmissionWebhook } from './admission-webhook.ts'
import type { ConversionWebhook } from './conversion-webhook.ts'
import type { Webhook } from './webhook-server.ts'

/** The client configuration for a path: how a cluster calls the webhook. */
export type Reach = (path: string) => JsonObject

export function byService(name: string, namespace: string): Reach {
  return (path) => ({ service: { name, namespace, path, port: 443 } })
}

/** For local runs: the server calls this process. */
export function byUrl(url: string, caBundle: string): Reach {
  return (path) => ({ url: `${url}${path}`, caBundle })
}

/** The name of an operator's configurations, Service and Secret. */
export function webhooksName(operator: string): string {
  return `${operator}-webhooks`
}

export const configurations = {
  mutating: MutatingWebhookConfiguration,
  validating: ValidatingWebhookConfiguration,
} as const

/** On an object that a local run has changed: the run that did. */
export const localRunAnnotation = 'coxswain.dev/local-run'

/**
 * At most one of each kind. `ownNamespace`: where the operator runs. Objects there are not sent: an operator that is
 * down could otherwise keep its own pods from starting.
 */
export function webhookConfigurations(
  operator: string,
  webhooks: readonly Webhook[],
  reach: Reach,
  labels: Readonly<Record<string, string>> = {},
  ownNamespace?: string,
): readonly KubeObject[] {
  return (['mutating', 'validating'] as const).flatMap((type) => {
    const own = webhooks.filter((webhook): webhook is AdmissionWebhook => webhook.type === type)
    if (own.length === 0) return []
    const metadata = {
      name: webhooksName(operator),
      ...(Object.keys(labels).length === 0 ? {} : { labels: { ...labels } }),
    }
    const entries = own.map((webhook) => entry(operator, webhook, reach, ownNamespace))
    return [
      { apiVersion: 'admissionregistration.k8s.io/v1', kind: configurations[type].kind, metadata, webhooks: entries },
    ]
  })
}

/** Seconds that a server waits for an answer. Handlers only look at the object that they get. */
export const defaultTimeoutSeconds = 5

function entry(
  operator: string,
  { type, kind, path, handlers, options }: AdmissionWebhook,
  reach: Reach,
  ownNamespace: string | undefined,
): JsonObject {
  const {
    failurePolicy = 'Fail',
    timeoutSeconds = defaultTimeoutSeconds,
    sideEffects = 'None',
    matchPolicy = 'Equivalent',
    matchConditions = {},
    subresources = [],
  } = options
  const namespaceSelector = kind.namespaced
    ? elsewhere(options.namespaceSelector, ownNamespace)
    : options.namespaceSelector
  return {
    // The name must have at least three segments: from the path and the operator.
    name: `${path.slice(1).replace('--', '-core-')}.${operator}.webhook`,
    clientConfig: reach(path),
    rules: [
      {
        apiGroups: [kind.group],
        apiVersions: [kind.version],
        operations: Object.keys(handlers),
        resources: [kind.plural, ...subresources.map((each) => `${kind.plural}/${each}`)],
        scope: kind.namespaced ? 'Namespaced' : 'Cluster',
      },
    ],
    failurePolicy,
    timeoutSeconds,
    sideEffects,
    matchPolicy,
    admissionReviewVersions: ['v1'],
    ...(namespaceSelector === undefined ? {} : { namespaceSelector: namespaceSelector as JsonObject }),
    ...(options.objectSelector === undefined ? {} : { objectSelector: options.objectSelector as JsonObject }),
    ...(Object.keys(matchConditions).length === 0
      ? {}
      : { matchConditions: Object.entries(matchConditions).map(([name, expression]) => ({ name, expression })) }),
    ...(type === 'mutating' ? { reinvocationPolicy: options.reinvoked === true ? 'IfNeeded' : 'Never' } : {}),
  }
}

function elsewhere(selector: LabelSelector | undefined, namespace: string | undefined): LabelSelector | undefined {
  if (namespace === undefined) return selector
  const own = { key: 'kubernetes.io/metadata.name', operator: 'NotIn' as const, values: [namespace] }
  return { ...selector, matchExpressions: [...(selector?.matchExpressions ?? []), own] }
}

export function conversionsOf(webhooks: readonly Webhook[]): readonly ConversionWebhook[] {
  return webhooks.filter((webhook): webhook is ConversionWebhook => webhook.type === 'conversion')
}

/** `spec.conversion` of a CRD. */
export function conversionSpec(reach: Reach): JsonObject {
  return { strategy: 'Webhook', webhook: { clientConfig: reach('/convert'), conversionReviewVersions: ['v1'] } }
}

export function definitionName({ hub }: ConversionWebhook): string {
  return `${hub.plural}.${hub.group}`
}
