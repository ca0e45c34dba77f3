/**
 * Who may connect to the operator's pods, as kubebuilder has it: metrics from namespaces with the label
 * `metrics: enabled`, webhooks from anywhere, since the API server is in no namespace. Nothing else; the kubelet of the
 * pod's node reaches the probes in any case.
 */
import type { JsonObject } from '../api/json.ts'
import type { KubeObject } from '../api/object.ts'
import type { OperatorDefinition } from '../manager/operator-definition.ts'
import { operatorLabels, operatorSelector, type InstallScope } from './install-scope.ts'
import { metricsOf } from './metrics.ts'

export function networkPolicy(definition: OperatorDefinition, { namespace }: InstallScope): KubeObject {
  const { name, webhooks = [] } = definition
  const ingress: JsonObject[] = []
  if (metricsOf(definition) !== undefined)
    ingress.push({
      from: [{ namespaceSelector: { matchLabels: { metrics: 'enabled' } } }],
      ports: [{ protocol: 'TCP', port: 'metrics' }],
    })
  if (webhooks.length > 0) ingress.push({ ports: [{ protocol: 'TCP', port: 'webhooks' }] })
  return {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'NetworkPolicy',
    metadata: { name: `${name}-operator`, namespace, labels: { ...operatorLabels(definition) } },
    spec: { podSelector: { matchLabels: { ...operatorSelector(definition) } }, policyTypes: ['Ingress'], ingress },
  }
}
