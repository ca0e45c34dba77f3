/** Webhook configurations of an operator: missing, without a CA bundle, or with a service that nobody serves. */
import { parseKey } from '../api/live-object.ts'
import type { KubeObject } from '../api/object.ts'
import type { Finding } from './finding.ts'
import { installs, type DeclaredWebhooks, type OperatorFacts } from './operator-facts.ts'

export interface ClientConfig {
  readonly caBundle?: string
  readonly service?: { readonly namespace?: string; readonly name?: string }
}

/** Of a webhook configuration, or of a CRD with a conversion webhook. */
export function clientConfigs(object: KubeObject): readonly ClientConfig[] {
  const { webhooks = [], spec } = object as unknown as {
    readonly webhooks?: readonly { readonly clientConfig?: ClientConfig }[]
    readonly spec?: { readonly conversion?: { readonly webhook?: { readonly clientConfig?: ClientConfig } } }
  }
  return [...webhooks.map(({ clientConfig }) => clientConfig), spec?.conversion?.webhook?.clientConfig].filter(
    (each) => each !== undefined,
  )
}

export function webhookFindings(facts: OperatorFacts): readonly Finding[] {
  return facts.webhooks.flatMap((each) => findingsOf(each, facts))
}

function findingsOf({ kind, wanted, actual, withoutEndpoints }: DeclaredWebhooks, facts: OperatorFacts): Finding[] {
  const { name = '' } = wanted.metadata
  const what = `${kind.kind} ${name}`
  if (actual === undefined) return []
  if (actual === 'absent') {
    // A missing CRD is a finding of its own.
    if (kind.kind === 'CustomResourceDefinition') return []
    const evidence = ['the module declares it: requests are not checked without it']
    return [{ type: 'webhook', summary: `The ${what} is missing.`, evidence, command: installs(facts) }]
  }
  const isEmpty = clientConfigs(actual.object).some(({ caBundle = '', service }) => caBundle === '' && service)
  return [
    ...(isEmpty
      ? [
          {
            type: 'webhook' as const,
            summary: `The ${what} has no CA bundle, so that the server cannot call its webhook.`,
            evidence: ['clientConfig.caBundle is empty: the operator sets it when it starts'],
            command: `kubectl logs deployment/${facts.operator.name}-operator -n ${facts.namespace} --tail=50`,
          },
        ]
      : []),
    ...withoutEndpoints.map((service): Finding => ({
      type: 'webhook',
      summary: `The ${what} calls the service ${service}, which has no ready endpoint.`,
      evidence: ['no EndpointSlice of the service has an endpoint that is ready'],
      command: slicesOf(service),
    })),
  ]
}

function slicesOf(service: string): string {
  const { namespace = '', name } = parseKey(service)
  return `kubectl get endpointslices -n ${namespace} -l kubernetes.io/service-name=${name}`
}
